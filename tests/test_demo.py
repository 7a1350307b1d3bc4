import json
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairspectral import demo
from fairspectral.datasets import make_msbm
from fairspectral.report import price

DOCS = Path(__file__).parents[1] / "docs"


def test_prints_tables_and_writes_a_picture(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(price, "TOLERANCES", (0.2, None))  # each point of the report is a search
    assert demo.main(["--output", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "442 diabetes patients" in text
    assert "plain spectral clustering" in text
    assert "Certified: all 8 cells" in text
    # In the graph the plain clusters follow the groups, and the fair ones do not.
    balances = re.findall(r"average balance (\S+), minimum \S+ +average balance (\S+),", text)
    assert len(balances) == 2
    plain, fair = map(float, balances[1])
    assert plain < 0.8
    assert fair > 0.95
    picture = tmp_path / "out" / "fair-against-plain.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in text
    report = tmp_path / "out" / "report.html"
    page = report.read_text(encoding="utf-8")
    assert "<!doctype html>" in page
    assert "What distinguishes the clusters" in page
    assert "bmi" in page[page.index('id="clusters"') : page.index('id="comparison"')]
    assert str(report) in text
    # The picture on the first page of the docs shows the same numbers.
    shown, now = (description(path) for path in (DOCS / "images" / picture.name, picture))
    assert shown.keys() == now.keys()
    for title, numbers in shown.items():
        assert numbers == pytest.approx(now[title], rel=0.02, abs=0.02)


def description(path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: it comes with plot")
    with image.open(path) as picture:
        return json.loads(picture.text["Description"])


def test_compiling_is_reported_once(capsys, monkeypatch):
    @contextmanager
    def compiling(listener):
        listener(True)
        listener(False)
        listener(True)
        yield

    monkeypatch.setattr(demo, "compilation", compiling)
    demo.compile_first()
    assert capsys.readouterr().out.count("Compiling, which takes a little while") == 1


def test_without_extras_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    data = make_msbm(40, 2, 2, random_state=0)

    def small():
        groups = {"group": data.sensitive_features}
        return demo.compare("40 people", data.graph, groups, 2, affinity="precomputed")

    monkeypatch.setattr(demo, "patients", small)
    monkeypatch.setattr(demo, "block_model", small)
    assert demo.main(["--output", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "pip install 'fairspectral[plot]'" in text
    assert "pip install 'fairspectral[report]'" in text


@pytest.mark.parametrize(
    ("fair", "words"), [(1.1, "Fairness cost 10.0%: the same"), (1.0, "Fairness cost nothing")]
)
def test_the_price_is_that_of_the_same_search_without_bounds(fair, words):
    found = demo.audit([0, 1], None)
    object.__setattr__(found, "normalized_cut", fair)
    assert demo._price(demo.Comparison("", found, found, None, 1.0, 0.0)).startswith(words)
