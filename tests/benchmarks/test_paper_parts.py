"""Names, numbers as text, the store, the score."""

import builtins
import sys

import numpy as np
import pytest
from fairspectral_benchmarks import machine
from fairspectral_benchmarks.paper.compute import compute_cell, score
from fairspectral_benchmarks.paper.engine import reproduce
from fairspectral_benchmarks.paper.methods import get_method
from fairspectral_benchmarks.paper.results import Results, spread, with_gaps
from fairspectral_benchmarks.paper.spec import Cell
from fairspectral_benchmarks.paper.store import Record, Store
from fairspectral_benchmarks.problems import RECIPES, Instance, read_name
from helpers import needs_real_data

from fairspectral.metrics import normalized_cut

CELL = Cell("msbm-160x4", "ours", 4, 0)


@pytest.mark.parametrize(
    ("name", "family", "n", "title"),
    [
        ("msbm-5000x50", "msbm", 5000, "m-SBM n=5000"),
        ("randlaplace-1000x2", "randlaplace", 1000, "RandLaplace n=1000"),
        ("census", "census", 32561, "Census"),
        ("census@2000", "census", 2000, "Census (2000 rows)"),
    ],
)
def test_names_of_problems(name, family, n, title):
    read = read_name(name)
    assert (read.family, read.n, read.title) == (family, n, title)


@needs_real_data
@pytest.mark.parametrize("name", RECIPES)
def test_the_sizes_are_true(name):
    assert Instance(name).data.n == RECIPES[name].n


def test_a_sample_is_always_the_same():
    first, second = (Instance("diabetes@50") for _ in range(2))
    np.testing.assert_array_equal(first.data.X, second.data.X)
    assert first.gamma == pytest.approx(1 / first.data.X.shape[1], abs=1e-9)
    assert first.kernel
    assert not Instance("randlaplace-120x2").kernel


def test_a_method_with_a_parameter():
    method = get_method("admm-paper:alpha=0.05")
    params = method.params(Instance("randlaplace-120x2"))
    assert (params.alpha, params.max_iter, params.shift) == (0.05, 10, 1.001)
    assert method.title == "ADMM (paper), alpha=0.05"
    assert get_method("admm-paper").params(Instance("diabetes@50")).shift == 0.0
    assert get_method("admm:alpha=0.1").params(Instance("diabetes@50")) == {"alpha": 0.1}


def test_the_score_of_an_exact_solution():
    instance = Instance(CELL.problem)
    values = compute_cell(instance, CELL)
    assert values["spectral_cost"] == pytest.approx(4 - values["objective"], abs=1e-9)
    assert values["feasible_objective"] == pytest.approx(values["objective"], abs=1e-5)
    assert values["fairness"] < 1e-12
    assert values["balance"] == pytest.approx(1.0, abs=1e-9)
    weights = instance.data.graph.toarray()
    labels = np.array(values["labels"])
    assert values["normalized_cut"] == pytest.approx(normalized_cut(labels, weights), abs=1e-6)
    cuts = [weights[labels == c][:, labels != c].sum() / np.sum(labels == c) for c in range(4)]
    assert values["ratio_cut"] == pytest.approx(sum(cuts), rel=1e-6, abs=1e-6)


def test_unfair_vectors_gain_nothing():
    instance = Instance(CELL.problem)
    problem = instance.problem(np.float64, 4)
    W = instance.data.graph.toarray().astype(float)
    M = W / np.sqrt(np.outer(problem.operator.degrees, problem.operator.degrees))
    unfair = np.linalg.eigh(M)[1][:, -4:]
    values = score(instance, unfair, np.repeat(np.arange(4), 40), 4)
    best = compute_cell(instance, CELL)["objective"]
    assert values["fairness"] > 1e-3
    assert values["objective"] > best > values["feasible_objective"]


def test_numbers_as_text():
    assert spread([1.057, 1.157], 3) == "1.11 ± 0.05"
    assert spread([123.4]) == "123"
    assert spread([0.0, 0.0]) == "0 ± 0"
    assert spread([7.82e-8]) == "7.8e-08"
    assert spread([float("nan")]) == "nan"


def test_why_there_is_no_number():
    def text(record):
        return Results({CELL: record}).text("msbm-160x4", "ours", 4, "seconds")

    assert text(Record(CELL, "over time", limit=300.0)) == "over 300 s"
    assert text(Record(CELL, "over memory")) == "over memory"
    assert text(Record(CELL, "failed")) == "failed"
    assert text(Record(CELL, "done", {})) == "–"
    assert Results({}).text("msbm-160x4", "ours", 4, "seconds") == "–"
    assert Results({}).first("msbm-160x4", "ours", 4) is None


def test_gaps_are_to_the_best_known():
    other = Cell("msbm-160x4", "admm", 4, 0)
    records = {
        CELL: Record(CELL, "done", {"feasible_objective": 4.0}),
        other: Record(other, "done", {"feasible_objective": 3.0}),
    }
    complete = with_gaps(records)
    assert complete[CELL].values["gap"] == 0
    assert complete[other].values["gap"] == 0.25
    assert "gap" not in records[other].values


def test_a_broken_file_in_the_store_counts_as_none(tmp_path):
    store = Store(tmp_path)
    record = Record(Cell("p", "m:alpha=0.1", 2, 0), "done", {"x": 1.5})
    store.write(record)
    assert store.read(record.cell) == record
    store.path(record.cell).write_text('{"cell"')
    assert store.read(record.cell) is None


def test_the_libraries_need_not_be_installed(monkeypatch):
    monkeypatch.setattr(machine, "_LIBRARIES", ("numpy", "nothing-of-this-name"))
    machine.versions.cache_clear()
    assert machine.versions()["nothing-of-this-name"] == "not installed"
    machine.versions.cache_clear()


def test_a_machine_without_proc(monkeypatch):
    def refuse(*_, **__):
        raise OSError

    monkeypatch.setattr(builtins, "open", refuse)
    assert machine._processor()


def test_without_matplotlib_a_sentence_before_any_work(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="--no-figures"):
        reproduce("elliptical", scale="tiny", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
