"""The picture of the method is what its script draws, and the first pages show it."""

import runpy
from pathlib import Path
from xml.etree import ElementTree

from printed import same_output

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "method.svg"


def texts(path):
    tree = ElementTree.parse(path)
    return "\n".join(e.text for e in tree.iter("{http://www.w3.org/2000/svg}text"))


def test_the_picture_says_what_its_script_draws(tmp_path):
    script = runpy.run_path(str(ROOT / "scripts" / "draw_method.py"))
    again = tmp_path / "method.svg"
    script["main"](again)
    same_output(texts(PICTURE), texts(again))
    assert "Certified" in texts(again)
    for place, (name, _) in enumerate(script["PANELS"], start=1):
        assert f"{place}. {name}" in texts(PICTURE)


def test_it_is_small_has_a_background_and_names_its_script():
    assert PICTURE.stat().st_size < 60_000
    source = PICTURE.read_text(encoding="utf-8")
    assert "python scripts/draw_method.py" in source
    _, _, width, height = ElementTree.fromstring(source).get("viewBox").split()
    assert f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>' in source


def test_the_first_pages_show_it():
    for page, link in (
        ("README.md", "docs/images/method.svg"),
        ("docs/index.md", "images/method.svg"),
    ):
        assert f"]({link})" in (ROOT / page).read_text(encoding="utf-8"), page
