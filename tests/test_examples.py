"""The example scripts run as a reader would run them, and write only where they are told to.

They run in this process, where the filters of pyproject.toml and conftest.py make a warning of our
own an error, and another package's not.
"""

import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
# What a reader should find in the output, and the file that the script writes.
EXPECTED = {
    "tabular.py": ("Certified: all 8 cells", "patients-by-cluster.csv"),
    "graph.py": ("planted clusters found", None),
    "several_attributes.py": ("attribute_mode='intersection'", None),
    "price_of_fairness.py": ("tolerance   normalised cut", "price-of-fairness.png"),
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a script with arguments in a folder of its own; what it prints."""
    pyplot = pytest.importorskip(
        "matplotlib.pyplot", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    monkeypatch.chdir(tmp_path)

    def run_script(script, *arguments):
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        return capsys.readouterr().out

    yield run_script
    pyplot.close("all")


def test_every_example_is_tested():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("script", EXPECTED)
def test_runs_and_writes_nothing_but_its_output(run, script, tmp_path):
    words, file = EXPECTED[script]
    # The first one also shows that the default folder is the ignored one.
    chosen = file and ("example-output" if script == "tabular.py" else "chosen")
    printed = run(script, *(["--output", chosen] if chosen == "chosen" else []))
    assert words in printed
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert written == ({f"{chosen}/{file}"} if file else set())
    if script == "graph.py":
        # Of the plain and the fair clusters: how many were found, and the worst balance.
        (plain, _), (found, balance) = re.findall(r"(?m)^(?:plain|fair) +(\d+)% +(\S+)", printed)
        assert float(plain) < 80
        assert float(found) > 90
        assert float(balance) > 0.9


@pytest.mark.parametrize("script", EXPECTED)
def test_is_short(script):
    assert len((EXAMPLES / script).read_text(encoding="utf-8").splitlines()) <= 45
