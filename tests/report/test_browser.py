"""The report in a real browser, with the network blocked."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from report_models import (
    HOSTILE,
    crowded_model,
    fair_frontier,
    fair_model,
    kmeans_model,
    plain_model,
    two_attribute_model,
)

from fairspectral import fairness_frontier
from fairspectral.report import write_comparison, write_report

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright"
)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium: install it with the system's packages"
)

MODELS = {
    "fair": fair_model,
    "plain": plain_model,
    "crowded": crowded_model,
    "two": two_attribute_model,
}
TITLE = "The <b>title</b>"
# What each section draws, and that a box around it must not be empty.
MARKS = {
    "#verdict": "dd",
    "#shares": ".bar .mark",
    "#clusters": ".portraits li",
    "#stability": ".bar .mark",
    "#comparison": ".pair .bar .mark",
    "#embedding": ".cloud",
    "#price": ".point",
    "#convergence": ".point",
    "#run": "code",
}
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    paths = {}
    two = two_attribute_model()
    groups = np.stack([attribute.codes for attribute in two._attributes], axis=1)
    # Slow parts are tested elsewhere.
    frontiers = {
        "fair": fair_frontier(),
        "crowded": False,
        "two": fairness_frontier(two.embedding_, groups, 3, tolerances=(0.2, None)),
    }
    for name, model in MODELS.items():
        paths[name] = write_report(
            model(),
            folder / f"{name}.html",
            title=TITLE,
            frontier=frontiers.get(name),
            stability=model().stability(2, n_seeds=1),
            notes=HOSTILE,
        )
    several = [fair_model(), plain_model(), kmeans_model()]
    frontier = fairness_frontier(several[0], tolerances=(0.05, None))
    several.append(several[0]._at_tolerance(0.05, frontier.at(0.05)))
    names = ["a name that is long enough to need several lines on a phone", *HOSTILE]
    paths["several"] = write_comparison(
        several, folder / "several.html", names=names, title=TITLE, notes=HOSTILE, stability=2
    )
    return paths


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def visit(browser, reports):
    """Open a report; in the end there were no network requests and no errors."""
    contexts, complaints = [], []

    def open_report(name="fair", width=1280, **options):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, offline=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        address = reports[name].as_uri()
        page.on(
            "console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else 0
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda r: complaints.append(r.url) if r.url != address else 0)
        page.goto(address)
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert complaints == []


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_section_is_drawn(visit, width, scheme):
    page = visit("two", width, color_scheme=scheme)
    for section, marks in MARKS.items():
        sizes = page.eval_on_selector_all(
            f"{section} {marks}",
            "all => all.map(e => e.getBoundingClientRect()).map(b => [b.width, b.height])",
        )
        assert sizes, section
        assert np.min(sizes) > 0, section


@pytest.mark.parametrize("name", [*MODELS, "several"])
def test_a_phone_need_not_scroll_sideways(visit, name):
    page = visit(name, 390)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # Nothing exceeds the page either, except elements with their own scroll bar.
    outside = page.evaluate(
        """[...document.querySelectorAll('section *')].filter((e) => !e.closest('.scroll, pre')
            && e.getBoundingClientRect().right > 391).map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert outside == []


def test_names_did_not_run_and_read_as_text(visit):
    page = visit()
    assert page.title() == TITLE  # a group's name is a script that would change it
    shown = page.locator("#shares .legend").inner_text()
    assert all(name in shown for name in HOSTILE)
    assert page.locator("script").count() == 2


def test_the_pointer_over_a_bar_shows_the_share(visit):
    page = visit()
    assert not page.locator("#tip").is_visible()
    page.locator("#shares .bar .mark").first.hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert "of everyone" in tip.inner_text()
    page.locator("h1").hover()
    assert not tip.is_visible()


def test_the_pointer_over_the_embedding_shows_the_nearest_sample(visit):
    page = visit()
    scatter = page.locator("#scatter")
    scatter.scroll_into_view_if_needed()
    box = scatter.bounding_box()
    x, y = page.evaluate(
        "(() => { const p = JSON.parse(document.getElementById('points').textContent);"
        "return [p.x[5] / 720, p.y[5] / 480]; })()"
    )
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
    tip = page.locator("#tip").inner_text()
    assert "row 5" in tip
    assert "cluster" in tip
    assert any(name in tip for name in HOSTILE)


def test_the_keyboard_reaches_samples_points_and_the_content(visit):
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#scatter").focus()
    page.keyboard.press("ArrowRight")
    assert "row 0" in page.locator("#tip").inner_text()
    page.keyboard.press("ArrowLeft")
    assert "row 119" in page.locator("#tip").inner_text()
    page.locator("#price .point").first.focus()
    assert "tolerance 0%" in page.locator("#tip").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()


def test_a_chip_shows_its_cluster_alone(visit):
    page = visit()
    chip = page.locator("[data-show=cluster]").first
    chip.click()
    assert chip.get_attribute("aria-pressed") == "true"
    away = page.locator(".cloud.away")
    assert away.count() == page.locator(".cloud:not([data-cluster='0'])").count() > 0
    chip.click()
    assert away.count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_switch_changes_the_theme_and_back(visit, scheme):
    page = visit(color_scheme=scheme)
    before = background(page)
    page.locator("#theme").click()
    changed = background(page)
    assert changed != before
    page.locator("#theme").click()
    assert background(page) == before


def test_the_system_theme_is_followed(visit):
    assert background(visit(color_scheme="light")) != background(visit(color_scheme="dark"))


def test_on_paper_it_is_light_without_switches(visit):
    page = visit(color_scheme="dark")
    page.emulate_media(media="print")
    assert not page.locator("#theme").is_visible()
    assert not page.locator("nav").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(24, 33, 43)"


def test_without_scripts_everything_is_still_there(visit):
    page = visit(java_script_enabled=False)
    for section, marks in MARKS.items():
        if section != "#convergence":  # the exact solver of small problems has no iterations
            assert page.locator(f"{section} {marks}").first.bounding_box()["height"] > 0
    assert not page.locator("#theme").is_visible()


def test_the_snippet_can_be_copied(visit):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy").click()
    page.wait_for_function("document.getElementById('copy').textContent === 'Copied'")
    assert "FairSpectralClustering(" in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("name", ["labels.csv", "moved.csv"])
def test_files_can_be_downloaded(visit, name):
    page = visit()
    with page.expect_download() as waiting:
        page.locator(f"a[download='{name}']").click()
    assert waiting.value.suggested_filename == name
    lines = waiting.value.path().read_text().splitlines()
    assert lines[0].startswith("row,")
    assert len(lines) > 1


def test_on_paper_the_code_is_not_cut_off(visit):
    page = visit()
    page.emulate_media(media="print")
    assert page.locator("pre").evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_clusterings_side_by_side_are_drawn(visit, width, scheme):
    page = visit("several", width, color_scheme=scheme)
    assert page.title() == TITLE
    assert page.locator("table.side tbody tr").count() == 4
    for marks in ("#sizes .bar .mark", "#price .point"):
        sizes = page.eval_on_selector_all(
            marks, "all => all.map(e => e.getBoundingClientRect()).map(b => [b.width, b.height])"
        )
        assert np.min(sizes) > 0, marks
    shown = page.locator("table.side").inner_text()
    assert all(name in shown for name in HOSTILE)


def test_a_link_in_the_table_unfolds_its_clustering(visit):
    page = visit("several")
    part = page.locator("#run-2")
    assert part.get_attribute("open") is None
    page.locator("a[href='#run-2']").click()
    page.wait_for_function("document.getElementById('run-2').open")
    assert part.locator("table").first.is_visible()


def test_the_labels_of_each_can_be_downloaded(visit):
    page = visit("several")
    with page.expect_download() as waiting:
        page.locator("table.side a[download='labels-2.csv']").click()
    lines = waiting.value.path().read_text().splitlines()
    assert lines[0] == "row,cluster"
    assert [int(line.split(",")[1]) for line in lines[1:]] == plain_model().labels_.tolist()


def test_on_paper_the_table_is_not_cut_off(visit):
    page = visit("several", 720)  # about the width of A4 within its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    assert not page.locator("nav").is_visible()
