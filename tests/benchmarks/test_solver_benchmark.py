"""The solver benchmark: a cell, the small file of results, the page that is made of it."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from fairspectral_benchmarks.pages import marks
from fairspectral_benchmarks.process import serve
from fairspectral_benchmarks.scoring import Scorer
from fairspectral_benchmarks.solvers import cell, store
from fairspectral_benchmarks.solvers.cases import CASES, available_cases, make_problem
from fairspectral_benchmarks.solvers.report import write_report
from fairspectral_benchmarks.solvers.summary import PICTURE, fastest

DOCS = Path(__file__).parents[2] / "docs"


def run(*requests):
    """The answers of a worker to some requests, in this process."""
    lines = "".join(json.dumps({"limit": 60.0, "best": None, **given}) + "\n" for given in requests)
    answers = io.StringIO()
    serve(cell.load, io.StringIO(lines), answers)
    spoken = [json.loads(line) for line in answers.getvalue().splitlines()]
    return [answer for answer in spoken if answer["event"] in ("done", "failed")]


def test_a_cell_reaches_the_gap_and_says_what_it_cost(monkeypatch):
    monkeypatch.setattr(cell, "PAUSE", 0.0)
    monkeypatch.setattr(cell, "REPEATS", 1)
    where = {"case_name": "msbm-2000"}
    (reference,) = run({**where, "solver": "reference"})
    found = reference["values"]
    assert found["n"] == 2000
    assert found["disagreement"] < 1e-6
    ours, without = run(
        {**where, "solver": "krylov", "best": found["objective"]}, {**where, "solver": "krylov"}
    )
    values = ours["values"]
    assert values["reached"]
    assert values["gap"] <= cell.GAP
    assert values["series"] == [[values["seconds"], values["gap"]]]
    assert without["event"] == "failed"
    assert "no reference yet" in without["note"]


def test_the_scorer_makes_vectors_feasible_first(rng):
    weights = rng.random((60, 60)).astype(np.float32)
    weights = weights + weights.T
    problem = make_problem(weights, np.arange(60) % 3, 2, np.float32)
    unfair = np.linalg.qr(rng.standard_normal((60, 2)))[0]
    found = Scorer(weights, problem)(unfair)
    basis = problem.constraints.basis
    fair = np.linalg.qr(unfair - basis @ (basis.T @ unfair))[0]
    roots = np.sqrt(weights.sum(axis=1, dtype=np.float64))
    M = weights / np.outer(roots, roots)
    assert found["objective"] == pytest.approx(np.trace(fair.T @ M @ fair), abs=1e-9)
    assert found["fairness"] == pytest.approx(np.linalg.norm(basis.T @ unfair), abs=1e-9)
    assert found["orthogonality"] < 1e-12


def test_only_runs_that_no_other_run_beats_are_kept():
    runs = [(3.0, 1e-4), (1.0, 1e-2), (2.0, 2e-2), (4.0, np.inf), (2.5, 1e-3)]
    trials = [{"seconds": seconds, "gap": gap} for seconds, gap in runs]
    assert cell._best_runs(trials) == [(1.0, 1e-2), (2.5, 1e-3), (3.0, 1e-4)]


def test_results_are_stored_small_and_read_back(tmp_path):
    values = {"seconds": 0.123456789, "objective": 3.123456789, "error": None, "series": [[1 / 3]]}
    results = store.read(tmp_path / "benchmarks.json")
    results["cells"]["lastfm/krylov"] = store.small(values)
    store.write(tmp_path / "benchmarks.json", results)
    again = store.read(tmp_path / "benchmarks.json")
    assert again == results
    assert again["made_by"] == "python benchmarks/solvers.py"
    assert again["cells"]["lastfm/krylov"] == {
        "seconds": 0.123457, "objective": 3.123456789, "series": [[0.333333]]
    }  # fmt: skip


def test_problems_with_real_data_need_the_folder(monkeypatch):
    monkeypatch.delenv("FAIRSPECTRAL_DATA", raising=False)
    assert [case.name for case in available_cases(True)] == ["randlaplace-2000", "msbm-2000"]
    monkeypatch.setenv("FAIRSPECTRAL_DATA", "somewhere")
    assert available_cases(False) == [case for case in CASES.values() if case.full]


def test_the_pages_are_what_the_stored_results_say(tmp_path):
    pytest.importorskip("matplotlib", reason="pip install 'fairspectral[plot]'")
    stored = store.read(DOCS / "benchmarks.json")
    write_report(stored, tmp_path)
    for page, name in (("benchmarks.md", "summary"), ("benchmarks-tables.md", "solvers")):
        begin, end = marks(name)
        texts = ((folder / page).read_text("utf-8") for folder in (tmp_path, DOCS))
        made, written = (text.split(begin)[1].split(end)[0] for text in texts)
        assert made == written, page
    # The page begins with one table and one picture, of those who reached the gap.
    beginning = (DOCS / "benchmarks.md").read_text("utf-8").split(marks("summary")[1])[0]
    assert beginning.count("\n| problem") == beginning.count("![") == 1
    assert len(beginning.splitlines()) < 25


def test_the_summary_leaves_out_who_did_not_reach_the_gap():
    cells = {
        "lastfm/eigsh": {"seconds": 1.0, "reached": False},
        "lastfm/primme": {"seconds": 3.0, "reached": True},
        "lastfm/lobpcg": {"skipped": "needs too much memory"},
    }
    assert fastest(cells, "lastfm", ("eigsh", "primme", "lobpcg")) == 3.0
    assert fastest(cells, "lastfm", ("eigsh", "lobpcg")) is None


def test_what_is_stored_in_the_docs_is_small_and_names_its_script():
    for file in (DOCS / name for name in ("benchmarks.svg", PICTURE, "benchmarks.json")):
        assert file.stat().st_size < 60_000
        assert "python benchmarks/solvers.py" in file.read_text("utf-8")
