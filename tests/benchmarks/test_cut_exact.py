"""The exact solver finds the same optimum as the enumeration of all clusterings."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from fairspectral_benchmarks.cut.exact import optimum
from fairspectral_benchmarks.cut.repair import repaired
from fairspectral_benchmarks.cut.small import compare, good_start, random_task


def by_enumeration(task):
    allowed = (
        task.judge(np.array((0, *rest)))
        for rest in itertools.product(range(task.k), repeat=task.n - 1)
    )
    return min(found["cut"] for found in allowed if found["valid"])


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_optimum_of_the_enumeration(seed):
    task = random_task(seed, n=8 if seed % 2 else 7, k=2 + seed % 2)
    found = optimum(task, repaired(task, np.arange(task.n) % task.k))
    assert found.proven
    assert task.judge(found.labels)["valid"]
    assert found.cut == pytest.approx(by_enumeration(task), rel=0, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_good_start_changes_the_time_and_not_the_optimum(seed):
    task = random_task(seed, n=12, k=3)
    bad = optimum(task, repaired(task, np.arange(task.n) % task.k))
    good = optimum(task, good_start(task))
    assert bad.proven
    assert good.proven
    assert bad.cut == pytest.approx(good.cut, rel=0, abs=1e-9)
    assert good.branches <= bad.branches


def test_at_the_limit_nothing_is_proven_and_the_start_stays():
    task = random_task(0, n=16, k=4)
    start = good_start(task)
    found = optimum(task, start, limit=10)
    assert not found.proven
    np.testing.assert_array_equal(found.labels, start)


def test_problems_are_graphs_and_kernels_of_small_size():
    tasks = [random_task(seed) for seed in range(20)]
    assert {sp.issparse(task.W) for task in tasks} == {True, False}
    assert all(8 <= task.n <= 20 and 2 <= task.k <= 4 for task in tasks)


def test_the_comparison_counts_the_problems():
    lines = compare(3, ["default"]).splitlines()
    assert lines[0].startswith("| method | problems | optimum proven |")
    assert lines[2].split(" | ")[1] == "3"
