"""The page in a real browser: from a table to labels, which the command repeats."""

from __future__ import annotations

import shlex
import shutil

import numpy as np
import pandas as pd
import pytest
from app_pages import HOSTILE, make_people
from typer.testing import CliRunner

from fairspectral.app.limits import Limits
from fairspectral.app.server import Server
from fairspectral.cli.app import app

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright"
)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium: install it with the system's packages"
)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SLOW = 60_000  # milliseconds; only what hangs gets there


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def server():
    with Server(limits=Limits(megabytes=1, rows=1000)) as server:
        yield server


@pytest.fixture
def visit(browser, server):
    """Open the page; in the end it asked nobody else, and the browser did not complain."""
    contexts, complaints = [], []
    origin = server.url.split("?")[0]

    def open_page(width=1280, allowed=(), **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SLOW)

        def complain(text):
            if not any(words in text for words in allowed):
                complaints.append(text)

        page.on("console", lambda m: complain(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("dialog", lambda dialog: complain(dialog.message))
        page.on(
            "request", lambda r: None if r.url.startswith((origin, "data:")) else complain(r.url)
        )
        page.goto(server.url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def send_file(page, content, name="people.csv"):
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content}
    )


def cluster_people(page):
    """Open the table, choose sex, and cluster it into two."""
    send_file(page, make_people())
    page.get_by_label("fair shares of sex", exact=True).check()
    page.locator("[name=clusters]").fill("2")
    page.locator("[name=effort]").select_option("fast")
    page.locator("#start").click()
    page.locator("#tolerance").wait_for()


def slide(page, keys):
    """Move the slider by keys, and wait for the view of the new tolerance."""
    page.locator("#tolerance").focus()
    for key in keys:
        page.keyboard.press(key)
    name = page.locator("#tolerance").get_attribute("aria-valuetext")
    shown = "none" if name == "none" else f"{float(name.rstrip('%')) / 100:g}"
    page.locator("#command", has_text=f"--at {shown} --output").wait_for()
    return name


def download(page, words):
    with page.expect_download() as waiting:
        page.get_by_role("link", name=words).click()
    return waiting.value.suggested_filename, waiting.value.path()


def test_from_a_table_to_labels_that_the_command_repeats(visit, server, tmp_path, monkeypatch):
    page = visit()
    assert "token" not in page.url
    cluster_people(page)
    assert page.title() == "fairspectral: fair clusters of a table"  # a group's name is a script
    assert HOSTILE in page.locator("#shares .legend").inner_text()
    assert page.locator("#tolerance-name").inner_text() == "20%"
    before = page.locator("#view .tiles").inner_text()
    # The slider by keyboard: everything moves.
    assert slide(page, ["Home"]) == "0%"
    result = server.session.result()
    sizes = np.bincount(result.frontier.at(0.0).labels)
    tiles = page.locator("#view .tiles").inner_text()
    assert tiles != before
    assert f"{sizes.min()}–{sizes.max()}" in tiles
    rows = page.locator("#comparison tbody tr")
    assert rows.count() == 3
    assert f"{result.frontier.at(0.0).normalized_cut:.4g}" in rows.nth(2).inner_text()
    # Clusters in words, with the people who moved into any of them.
    moved = 0
    for cluster, described in enumerate(result.description(0).clusters):
        page.locator(f"#cluster-{cluster}").click()
        words = page.locator(".portrait", has_text=described.head)
        words.wait_for()
        assert page.locator(f"#cluster-{cluster}").get_attribute("aria-pressed") == "true"
        moved += words.locator(".people tbody tr").count()
    assert moved > 0
    # Labels, report, and the command.
    name, labels = download(page, "Labels (CSV)")
    assert name == "labels.csv"
    assert np.array_equal(pd.read_csv(labels)["cluster"], result.frontier.at(0.0).labels)
    name, report = download(page, "Report (HTML)")
    assert name == "report.html"
    assert "Fair clusters of people.csv" in report.read_text()
    command = page.locator("#command").inner_text()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes(make_people())
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "labels.csv").read_bytes() == labels.read_bytes()


def test_a_file_can_be_dropped(visit, tmp_path):
    path = tmp_path / "dropped.csv"
    path.write_bytes(make_people())
    page = visit()
    box = page.locator(".drop").bounding_box()
    mouse = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        mouse.send(
            "Input.dispatchDragEvent",
            {
                "type": kind,
                "x": box["x"] + box["width"] / 3,
                "y": box["y"] + box["height"] / 2,
                "data": {"items": [], "files": [str(path)], "dragOperationsMask": 1},
            },
        )
    page.locator("#choices", has_text="dropped.csv: 80 rows").wait_for()


def test_the_same_cluster_stays_open_at_another_tolerance(visit):
    page = visit()
    cluster_people(page)
    page.locator("#cluster-0").click()
    page.locator(".portrait").wait_for()
    slide(page, ["End"])
    page.locator(".portrait", has_text="Nobody").wait_for()
    assert page.locator("#cluster-0").get_attribute("aria-pressed") == "true"


def test_the_demo_is_one_click_and_can_be_stopped(visit, server):
    page = visit()
    page.locator("#demo").click()
    page.locator("#choices").wait_for()
    assert page.get_by_label("fair shares of sex", exact=True).is_checked()
    assert page.get_by_label("compare by sex").is_disabled()
    page.locator("[name=clusters]").fill("30")
    page.locator("[name=affinity]").select_option("nearest_neighbors")
    page.locator("[name=effort]").select_option("thorough")  # a minute in all
    page.locator("#start").click()
    page.locator("#working", has_text="left").wait_for()
    page.locator("#stop").click()
    page.locator("#slider", has_text="stopped early").wait_for()
    assert page.locator("#verdict .badge").is_visible()


def test_the_command_can_be_copied(visit):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    cluster_people(page)
    page.locator("#copy").click()
    page.wait_for_function("document.getElementById('copy').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#command").inner_text()
    assert copied.startswith("fairspectral frontier people.csv")


def test_errors_are_shown_and_go_away(visit):
    page = visit(allowed=["422"])
    send_file(page, b"x,sex\n1\n")
    page.locator("#message", has_text="people.csv has 1 field(s) in line 2").wait_for()
    send_file(page, make_people())
    page.locator("#choices").wait_for()
    assert page.locator("#message").inner_text() == ""
    page.locator("#start").click()
    page.locator("#message", has_text="Tick at least one column under fair shares").wait_for()
    # Sensitive numbers need groups: the sentence names the field.
    page.get_by_label("fair shares of x", exact=True).check()
    page.locator("#start").click()
    page.locator("#run", has_text="--bin x=5").wait_for()


def test_a_large_file_is_not_even_sent(visit, server):
    page = visit()
    send_file(page, b"x" * 1_200_000, "large.csv")
    page.locator("#message", has_text="large.csv has more than 1 MB").wait_for()
    assert server.session.sheet is None


def test_a_page_that_has_ended_says_so(visit, server):
    page = visit(allowed=["ERR_CONNECTION_REFUSED", "htmx:"])
    server.__exit__()
    page.locator("#demo").click()
    page.locator("#message", has_text="does not answer any more").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_wide_and_narrow_light_and_dark(visit, width, scheme):
    page = visit(width, color_scheme=scheme)
    cluster_people(page)
    page.locator("#cluster-1").click()
    page.locator(".portrait").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """(width) => [...document.querySelectorAll('section *')]
            .filter((e) => !e.closest('.scroll') && e.getBoundingClientRect().right > width + 1)
            .map((e) => e.outerHTML.slice(0, 80))""",
        width,
    )
    assert outside == []
    light = page.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((c) => c > 128)"
    )
    assert light == (scheme == "light")
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") != scheme


def test_the_keyboard_alone(visit, server):
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(3):  # the theme, the file, the demo
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "demo"
    page.keyboard.press("Enter")
    page.locator("[name=effort]").select_option("fast")
    page.locator("[name=clusters]").focus()
    page.keyboard.press("Enter")
    assert slide(page, ["ArrowLeft"]) == "10%"
    page.locator("#cluster-0").focus()
    page.keyboard.press("Enter")
    page.locator(".portrait").wait_for()


def test_two_tabs_share_the_run(visit, browser):
    page = visit()
    cluster_people(page)
    other = page.context.new_page()
    other.goto(page.url)
    assert other.locator("#tolerance").is_visible()
    assert other.locator("#command").inner_text() == page.locator("#command").inner_text()
