"""The stress harness finds wrong claims, and goes on where it was interrupted."""

import numpy as np
import pytest
from fairspectral_benchmarks.stress import command
from fairspectral_benchmarks.stress.graphs import NAMES, SPECTRA, Subject, groups_of

from fairspectral.solvers import gap
from fairspectral.solvers.nullspace import NullspaceSolver

FEW = {"K": (5,), "DTYPES": {"float64": (1e-2, 1e-3)}}


@pytest.fixture
def few_runs(monkeypatch):
    for name, value in FEW.items():
        monkeypatch.setattr(command, name, value)


def test_runs_are_kept_and_not_repeated(few_runs, tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    command.measure(path, "now", quick=True, seeds=1, only="grid")
    rows = command.read(path)
    assert len(rows) == 4  # two tolerances, dense and sparse
    assert all(row["converged"] and not command.is_wrong(row) for row in rows)
    assert all(row["true"] <= row["claimed"] <= row["tol"] for row in rows)
    before = path.read_text()
    command.measure(path, "now", quick=True, seeds=1, only="grid")
    assert path.read_text() == before
    assert "| grid | now | 4 | 0 |" in command.summary(rows)
    assert "1/1 grid" in capsys.readouterr().out


def test_a_wrong_claim_is_found(few_runs, tmp_path, capsys, monkeypatch):
    # An estimate that believes in a gap of zero after the first step.
    monkeypatch.setattr(gap.GapEstimate, "_settle", lambda self, missing: setattr(self, "gap", 0.0))
    path = tmp_path / "runs.jsonl"
    command.measure(path, "now", quick=True, seeds=1, only="chain")
    assert any(map(command.is_wrong, command.read(path)))
    assert "wrong: " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["60 near copies", "tie across the cut"])
def test_the_true_eigenvalues_are_those_of_the_oracle(name):
    subject = Subject(name)
    problem = subject.problem("dense", "float64", 12)
    oracle = NullspaceSolver().solve(problem)
    np.testing.assert_allclose(oracle.eigenvalues[1:], subject.eigenvalues[:11], rtol=0, atol=1e-10)


def test_every_subject_has_its_name_once():
    assert len(set(NAMES)) == len(NAMES)
    assert all(len(make()) < 1197 for make in SPECTRA.values())
    assert np.bincount(groups_of(1200)).tolist() == [400] * 3


def test_a_constant_is_varied_and_put_back(few_runs, monkeypatch, capsys):
    monkeypatch.setattr("fairspectral_benchmarks.stress.graphs.NAMES", ("chain",))
    before = gap.CAUTION
    command.compare_constant("gap.CAUTION", [1.0, 3.0], seeds=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| 1", "| 3"]
    assert before == gap.CAUTION


def test_the_picture_shows_every_version(few_runs, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: fairspectral[plot]")
    row = {"converged": True, "claimed": 1e-4, "true": 1e-5}
    command.plot([row | {"label": "now"}, row | {"label": "before"}], tmp_path / "stress.svg")
    drawn = (tmp_path / "stress.svg").read_text()
    assert "now" in drawn
    assert "before" in drawn


def test_roundoff_is_measured_where_more_is_asked_for(few_runs, monkeypatch, capsys):
    monkeypatch.setattr("fairspectral_benchmarks.stress.graphs.NAMES", ("grid",))
    command.measure_roundoff()
    units = float(capsys.readouterr().out.splitlines()[-1].split("|")[2])
    assert 0 <= abs(units) <= gap.ROUNDOFF_UNITS
