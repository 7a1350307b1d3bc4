import re
import sys
from contextlib import contextmanager

import pytest

from fairspectral import demo
from fairspectral.datasets import make_msbm


def test_prints_tables_and_writes_a_picture(tmp_path, capsys):
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
    assert "<!doctype html>" in report.read_text(encoding="utf-8")
    assert str(report) in text


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
    ("fair", "words"), [(1.1, "raised the normalised cut by 10.0%"), (0.9, "10.0% lower")]
)
def test_the_price_is_reported_in_either_direction(fair, words):
    plain_audit = demo.audit([0, 1], None)
    object.__setattr__(plain_audit, "normalized_cut", 1.0)
    fair_audit = demo.audit([0, 1], None)
    object.__setattr__(fair_audit, "normalized_cut", fair)
    assert words in demo._price(demo.Comparison("", plain_audit, fair_audit, None, 0.0))
