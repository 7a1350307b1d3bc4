"""Who is let in, and with which headers the page answers."""

import re

import pytest
from app_pages import Page

from fairspectral.app.limits import Limits


def test_the_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(page):
    answer = page.request("GET", f"/?token={page.token}", headers={"Cookie": None})
    assert answer.status == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert page.token not in cookie
    entered = page.request("GET", "/", headers={"Cookie": f"other=1; {cookie.split(';')[0]}"})
    assert entered.status == 200


PATHS = ["/", "/?token=", "/?token=wrong", "/static/app.js", "/progress", "/labels?run=1&step=0"]


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_nothing_is_shown(page, path):
    for cookie in (None, f"{page.cookie}x", f"{page.cookie.split('=')[0]}=", "a=b; c"):
        answer = page.request("GET", path, headers={"Cookie": cookie})
        assert answer.status == 403
        assert "has the token" in answer.text
        assert "set-cookie" not in answer.headers


def test_every_page_has_secrets_of_its_own(page):
    with Page() as other:
        assert other.token != page.token
        assert other.cookie.split("=")[1] != page.cookie.split("=")[1]
    assert len(page.token) >= 40
    assert page.request("GET", f"/?token={other.token}", headers={"Cookie": None}).status == 403


NAMES = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}",
         "127.0.0.1.evil.example:{port}"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_another_name_for_this_address_is_refused(page, name):
    host = name.format(port=page.port)
    for path in ("/", f"/?token={page.token}"):
        assert page.request("GET", path, headers={"Host": host}).status == 421
    local = {"Host": f"localhost:{page.port}"}
    assert page.request("GET", "/", headers=local).status == 200


ORIGINS = ["http://evil.example", "http://localhost:{port}", "http://127.0.0.1:1", "null", None]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_change_from_another_origin_is_refused(page, origin):
    origin = origin and origin.format(port=page.port)
    assert page.request("POST", "/demo", headers={"Origin": origin}).status == 403
    assert page.session.sheet is None
    assert page.post("/demo").status == 200
    assert page.session.sheet is not None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_nothing_is_answered_to_other_sites(page, site):
    assert page.request("GET", "/", headers={"Sec-Fetch-Site": site}).status == 403
    own = {"Sec-Fetch-Site": "same-origin"}
    assert page.request("GET", "/", headers=own).status == 200


@pytest.mark.parametrize("path", ["/", "/static/htmx.min.js", "/nothing", "/progress"])
def test_headers(page, path):
    headers = page.request("GET", path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy  # neither inline nor from elsewhere
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_no_other_site_may_read_answers(page):
    asking = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = page.request("OPTIONS", "/", headers=asking)
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers


def test_the_page_has_no_script_inside_and_nothing_from_elsewhere(page, people):
    page.upload(people)
    text = page.request("GET", "/").text
    assert not re.findall(r"<script(?![^>]*\bsrc=)", text)
    assert not re.findall(r"\son\w+=", text)
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", text)


def test_a_long_request_is_refused():
    with Page(limits=Limits(megabytes=0)) as page:  # leaves the room of the form around the file
        answer = page.upload(b"x" * 150_000)
        assert answer.status == 413
        assert "has more than 0 MB" in answer.text
        kind = {"Content-Type": "multipart/form-data; boundary=b", "Transfer-Encoding": "chunked"}
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        chunks = [head, *[b"x" * 10_000] * 20]  # a form from its first byte on, which never ends
        answer = page.request("POST", "/table", iter(chunks), kind, chunked=True)
        assert answer.status == 413
        assert "has more than 0 MB" in answer.text
        assert page.session.sheet is None


def test_only_this_machine_can_connect(page):
    assert page.server._socket.getsockname()[0] == "127.0.0.1"
