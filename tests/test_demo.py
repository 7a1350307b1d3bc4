import sys
from contextlib import contextmanager

import pytest

from fairspectral import demo


def test_prints_tables_and_writes_a_picture(tmp_path, capsys):
    assert demo.main(["--output", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "442 diabetes patients" in text
    assert "plain spectral clustering" in text
    assert "Certified: all 8 cells" in text
    assert "average balance 0.60, minimum 0.00          average balance 1.00" in text
    picture = tmp_path / "out" / "fair-against-plain.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in text
    report = tmp_path / "out" / "report.html"
    assert "<!doctype html>" in report.read_text(encoding="utf-8")
    assert str(report) in text


def test_compiling_is_said_once(capsys, monkeypatch):
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
    monkeypatch.setattr(demo, "block_model", demo.patients)
    assert demo.main(["--output", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "pip install 'fairspectral[plot]'" in text
    assert "pip install 'fairspectral[report]'" in text


@pytest.mark.parametrize(
    ("fair", "words"), [(1.1, "raised the normalised cut by 10.0%"), (0.9, "10.0% lower")]
)
def test_the_price_is_said_in_either_direction(fair, words):
    plain_audit = demo.audit([0, 1], None)
    object.__setattr__(plain_audit, "normalized_cut", 1.0)
    fair_audit = demo.audit([0, 1], None)
    object.__setattr__(fair_audit, "normalized_cut", fair)
    assert words in demo._price(demo.Comparison("", plain_audit, fair_audit, None, 0.0))
