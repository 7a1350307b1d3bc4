"""The example scripts run as a reader would run them, and write only where they are told to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
# What a reader should find in the output, and the file that the script writes.
EXPECTED = {
    "tabular.py": ("Certified: all 8 cells", "patients-by-cluster.csv"),
    "graph.py": ("fair                       100%            1.00", None),
    "several_attributes.py": ("attribute_mode='intersection'", None),
    "price_of_fairness.py": ("tolerance   normalised cut", "price-of-fairness.png"),
}


def run(script, folder, *arguments):
    finished = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / script, *arguments],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_every_example_is_tested():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("script", EXPECTED)
def test_runs_and_writes_nothing_but_its_output(script, tmp_path):
    words, file = EXPECTED[script]
    chosen = ["--output", str(tmp_path / "chosen")] if file else []
    assert words in run(script, tmp_path, *chosen)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert written == ({f"chosen/{file}"} if file else set())


def test_the_default_folder_is_the_ignored_one(tmp_path):
    assert "example-output" in run("tabular.py", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["example-output"]


@pytest.mark.parametrize("script", EXPECTED)
def test_is_short(script):
    assert len((EXAMPLES / script).read_text(encoding="utf-8").splitlines()) <= 45
