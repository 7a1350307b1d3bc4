"""The page as a real server, and a client that was let in."""

from __future__ import annotations

import http.client
import json
import time
from email.message import Message
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import numpy as np
import pandas as pd

from fairspectral.app.server import Server

HOSTILE = "<script>document.title='run'</script>"


def make_people():
    """80 people in two bunches that follow their sex, as the bytes of a CSV file."""
    rng = np.random.default_rng(0)
    n = 80
    sex = np.where(rng.random(n) < 0.5, "f", HOSTILE)
    table = pd.DataFrame(
        {
            "id": np.arange(n),
            "x": np.round(rng.normal(size=n) + 4.0 * (sex == "f"), 3),
            "y": np.round(rng.normal(size=n) + 3.0 * (sex == "f"), 3),
            "age": rng.integers(18, 90, n),
            "-city": rng.choice(["Rome", "Oslo", "Bonn"], n),
            "sex": sex,
        }
    )
    return table.to_csv(index=False).encode()


class Page:
    """A server, and requests to it with the cookie; use it in a ``with`` block."""

    def __init__(self, **options) -> None:
        self.server = Server(**options)
        self.session = self.server.session
        address = urlsplit(self.server.url)
        self.port, self.token = address.port, address.query.removeprefix("token=")
        self.origin = f"http://127.0.0.1:{self.port}"
        self.cookie = ""

    def __enter__(self):
        self.server.__enter__()
        answer = self.request("GET", f"/?token={self.token}")
        self.cookie = answer.headers["set-cookie"].split(";")[0]
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)

    def request(self, method, path, body=None, headers=(), *, chunked=False):
        """One request; a header that is None is left out."""
        own = {"Cookie": self.cookie or None, "Origin": self.origin, **dict(headers)}
        wanted = {name: value for name, value in own.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, wanted, encode_chunked=chunked)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        return SimpleNamespace(
            status=answer.status, content=content, text=content.decode(), headers=answer.msg
        )

    def upload(self, content, name="people.csv"):
        quoted = json.dumps(name).strip('"')
        head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n'
        body = head.encode() + content + b"\r\n--b--\r\n"
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        return self.request("POST", "/table", body, kind)

    def run(self, **choices):
        """Begin a run, with the columns of `make_people` by default."""
        form = {"compare": ["1", "2", "3"], "fair": ["5"], "clusters": "2", "effort": "fast"}
        body = urlencode({**form, **choices}, doseq=True)
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.request("POST", "/run", body, kind)

    def post(self, path):
        return self.request("POST", path)

    def get(self, path, step=5, **more):
        """A part of the result of the current run."""
        place = urlencode({"run": self.session.number, "step": step, **more})
        return self.request("GET", f"{path}?{place}")

    def wait(self):
        """Until the run has ended; the last answer about its progress."""
        self.session.job.wait(120)
        return self.request("GET", "/progress")


def file_name(headers: Message) -> str:
    """The name under which a browser would save an answer."""
    return headers.get_filename()


def wait_until(condition, seconds=60.0):
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)
