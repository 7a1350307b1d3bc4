"""The flow against OR-tools, exactly, on integer instances of every awkward kind."""

import math
import sys

import numpy as np
import pytest

from fairspectral.cells import cell_range
from fairspectral.rounding import flow
from fairspectral.rounding.flow import InfeasibleFlowError, solve_flow

min_cost_flow = pytest.importorskip(
    "ortools.graph.python.min_cost_flow",
    reason="ortools is not installed: pip install ortools",
)


def oracle_cost(cost, groups, lower, upper, size_lower, size_upper):
    """The same network, arc by arc, in OR-tools; lower bounds as forced flow."""
    n, k = cost.shape
    h = lower.shape[0]
    point, cell = np.arange(n), n + np.arange(h * k)
    cluster, root = n + h * k + np.arange(k), n + h * k + k
    below = np.concatenate(
        [np.repeat(point, k), cell, cluster],
    )
    above = np.concatenate(
        [
            (n + groups[:, None] * k + np.arange(k)).ravel(),
            np.tile(cluster, h),
            np.full(k, root),
        ]
    )
    capacity = np.concatenate(
        [np.ones(n * k, int), (upper - lower).ravel(), size_upper - size_lower]
    )
    price = np.concatenate([cost.ravel(), np.zeros(h * k + k, int)])
    supply = np.zeros(root + 1, dtype=np.int64)
    supply[:n] = 1
    supply[cell] -= lower.ravel()
    supply[cluster] += lower.sum(axis=0) - size_lower
    supply[root] = size_lower.sum() - n
    solver = min_cost_flow.SimpleMinCostFlow()
    solver.add_arcs_with_capacity_and_unit_cost(below, above, capacity, price)
    solver.set_nodes_supplies(np.arange(root + 1), supply)
    assert solver.solve() == solver.OPTIMAL
    return solver.optimal_cost()


def proportional_bounds(groups, sizes, h, tol):
    n, counts = len(groups), np.bincount(groups, minlength=h)
    bounds = [
        [cell_range((1 - tol) * c / n, min(1, (1 + tol) * c / n), int(c), n, int(m)) for m in sizes]
        for c in counts
    ]
    return np.array(bounds, dtype=np.int64).reshape(h, len(sizes), 2).transpose(2, 0, 1)


def random_sizes(rng, n, k):
    cuts = np.sort(rng.integers(0, n + 1, k - 1))
    return np.diff(np.concatenate([[0], cuts, [n]]))


def instance(kind, seed):
    """A random integer instance; the kind says what is awkward about it."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, k, h = int(rng.integers(5, 120)), int(rng.integers(2, 9)), int(rng.integers(2, 6))
    k, h = (1 if kind == "k=1" else k), (1 if kind == "h=1" else h)
    if kind == "h=300":
        n, h = 400, 300
    if kind == "groups of one":
        n = h = int(rng.integers(3, 30))
    cost = rng.integers(0, 1000, (n, k))
    if kind == "ties":
        cost = rng.integers(0, 3, (n, k))
    elif kind == "duplicate rows":
        cost = cost[rng.integers(0, max(1, n // 5), n)]
    elif kind == "identical points":
        cost = np.tile(cost[:1], (n, 1))
    elif kind == "magnitudes":
        cost = np.floor(10.0 ** rng.uniform(0, 12, (n, k))).astype(np.int64)
    elif kind == "negative":
        cost = cost - 500
    groups = rng.permutation(np.concatenate([np.arange(h), rng.integers(0, h, n - h)]))[:n]
    sizes = random_sizes(rng, n, k)
    lower, upper = proportional_bounds(groups, sizes, h, rng.choice([0.0, 0.05, 0.2, 0.5]))
    size_lower = size_upper = sizes
    if kind == "free sizes":
        size_lower, size_upper = np.maximum(sizes - 3, 0), sizes + 3
        lower, upper = np.maximum(lower - 1, 0), upper + 2
    return cost, groups, lower, upper, size_lower, size_upper


KINDS = [
    "plain",
    "ties",
    "duplicate rows",
    "identical points",
    "groups of one",
    "k=1",
    "h=1",
    "h=300",
    "magnitudes",
    "negative",
    "free sizes",
    "fixed table",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_cost_equals_ortools(kind, seed):
    cost, groups, lower, upper, size_lower, size_upper = instance(kind, seed)
    h, k = lower.shape
    if kind == "fixed table":
        table = np.zeros((h, k), dtype=np.int64)
        first = solve_flow(cost[::-1].copy(), groups, lower, upper, size_lower, size_upper)
        np.add.at(table, (groups, first.labels), 1)
        lower = upper = table
    result = solve_flow(cost, groups, lower, upper, size_lower, size_upper)

    table = np.zeros((h, k), dtype=np.int64)
    np.add.at(table, (groups, result.labels), 1)
    assert (table >= lower).all()
    assert (table <= upper).all()
    assert (table.sum(axis=0) >= size_lower).all()
    assert (table.sum(axis=0) <= size_upper).all()
    ours = int(cost[np.arange(len(cost)), result.labels].sum())
    assert ours == oracle_cost(cost, groups, lower, upper, size_lower, size_upper)
    assert result.cost == ours


@pytest.mark.parametrize("potentials", ["own", "noise", "huge"])
def test_any_start_reaches_the_same_cost(potentials):
    problem = instance("plain", 3)
    first = solve_flow(*problem)
    rng = np.random.default_rng(0)
    start = {
        "own": first.potentials,
        "noise": rng.normal(scale=300, size=len(first.potentials)),
        "huge": rng.normal(scale=1e30, size=len(first.potentials)),
    }[potentials]
    assert solve_flow(*problem, potentials=start).cost == first.cost


def test_own_potentials_leave_little_to_do():
    rng = np.random.default_rng(1)
    cost, groups = rng.random((3000, 6)), rng.integers(0, 3, 3000)
    sizes = random_sizes(rng, 3000, 6)
    bounds = proportional_bounds(groups, sizes, 3, 0.1)
    cold = solve_flow(cost, groups, *bounds, sizes, sizes)
    warm = solve_flow(cost, groups, *bounds, sizes, sizes, potentials=cold.potentials)
    assert warm.cost == pytest.approx(cold.cost, rel=1e-12)
    assert warm.augmentations < cold.augmentations / 20
    # Only differences of potentials count, so any constant may stand on top of them.
    for constant in (-3.0, 3.0):
        start = cold.potentials + constant
        again = solve_flow(cost, groups, *bounds, sizes, sizes, potentials=start)
        assert again.augmentations < cold.augmentations / 20
        assert again.potentials[-1] == 0


def test_sampled_start_saves_paths_and_keeps_the_cost(monkeypatch):
    rng = np.random.default_rng(2)
    n, k, h = 20_000, 6, 3
    cost, groups = rng.random((n, k)) + np.arange(k), rng.integers(0, h, n)
    sizes = np.array([5000, 5000, 4000, 3000, 2000, 1000])
    problem = (cost, groups, *proportional_bounds(groups, sizes, h, 0.1), sizes, sizes)
    sampled = solve_flow(*problem)
    monkeypatch.setattr(flow, "_SAMPLE_ABOVE", n + 1)
    cold = solve_flow(*problem)
    assert sampled.cost == pytest.approx(cold.cost, rel=1e-12)
    assert sampled.augmentations < cold.augmentations / 5


def test_a_sampled_start_is_the_same_each_time():
    rng = np.random.default_rng(3)
    n = flow._SAMPLE_ABOVE + 1
    cost, groups, sizes = rng.random((n, 2)), np.zeros(n, int), np.array([1000, n - 1000])
    problem = (cost, groups, sizes[None], sizes[None], sizes, sizes)
    first, second = solve_flow(*problem), solve_flow(*problem)
    assert (first.labels == second.labels).all()
    assert (first.potentials == second.potentials).all()


def test_potentials_are_one_for_each_node_and_zero_at_the_root():
    problem = instance("plain", 4)
    h, k = problem[2].shape
    potentials = solve_flow(*problem).potentials
    assert potentials.shape == (h * k + k + 1,)
    assert potentials[-1] == 0
    assert np.ptp(potentials) <= 1000 * len(potentials)  # in units of the cost


def test_missing_numba_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "fairspectral.rounding.flow_kernels", None)
    with pytest.raises(ImportError) as refusal:
        solve_flow(*instance("plain", 0))
    assert str(refusal.value) == (
        "fair assignment needs numba, which is not installed; run 'pip install numba', or use "
        "assign_labels='kmeans', which gives no guarantee on the labels."
    )


def test_heaps_grow_when_newcomers_overflow_them():
    """Everybody wants cluster 0, the sizes send nearly all of them through cluster 1."""
    n = 400
    cost = np.column_stack([np.zeros(n), np.arange(n), np.full(n, 1000) + np.arange(n) ** 2])
    groups = np.zeros(n, dtype=int)
    sizes = np.array([1, 1, n - 2])
    lower, upper = np.zeros((1, 3), int), np.full((1, 3), n)
    problem = (cost.astype(np.int64), groups, lower, upper, sizes, sizes)
    assert solve_flow(*problem).cost == oracle_cost(*problem)


def test_an_outlier_does_not_blur_the_others():
    """A row shifted by a huge constant is the same row."""
    cost, *rest = instance("plain", 5)
    shifted = cost.astype(float)
    shifted[0] += 1e9
    expected = solve_flow(cost, *rest).labels
    assert (solve_flow(shifted, *rest).labels == expected).all()


@pytest.mark.parametrize("size", [2.0**60, -(2.0**60)])
def test_a_row_without_preference_does_not_blur_the_others(size):
    """However large its costs are: only differences within a row matter."""
    cost, *rest = instance("plain", 5)
    flat, zero = cost / 1024.0, cost / 1024.0
    flat[0], zero[0] = size, 0
    assert (solve_flow(flat, *rest).labels == solve_flow(zero, *rest).labels).all()


def test_float_costs_agree_with_scaled_integers():
    cost, *rest = instance("plain", 6)
    assert solve_flow(cost / 1024.0, *rest).cost == solve_flow(cost, *rest).cost / 1024


def test_the_cost_is_summed_in_double_precision():
    rng = np.random.default_rng(7)
    cost = rng.random((5000, 2)).astype(np.float32)
    sizes = np.array([2500, 2500])
    result = solve_flow(cost, np.zeros(5000, int), sizes[None], sizes[None], sizes, sizes)
    exact = math.fsum(cost[np.arange(5000), result.labels].tolist())
    assert result.cost == pytest.approx(exact, abs=1e-9)


def test_impossible_bounds_are_reported():
    cost = np.zeros((4, 2))
    groups = np.array([0, 0, 1, 1])
    lower, upper = np.full((2, 2), 0), np.full((2, 2), 2)
    sizes = np.array([3, 2])
    with pytest.raises(InfeasibleFlowError, match="4 points in 2 group"):
        solve_flow(cost, groups, lower, upper, sizes, sizes)
    lower[0, 0] = 2
    lower[0, 1] = 1
    sizes = np.array([2, 2])
    words = r"satisfies the lower and upper bounds; widen the bounds or change the cluster sizes\.$"
    with pytest.raises(InfeasibleFlowError, match=words):
        solve_flow(cost, groups, lower, upper, sizes, sizes)


def test_costs_must_be_finite():
    cost = np.zeros((4, 2))
    cost[1, 1] = np.nan
    sizes = np.array([2, 2])
    with pytest.raises(
        ValueError, match=r"^the cost .* NaN or infinity; every cost must be finite\.$"
    ):
        solve_flow(cost, np.zeros(4, int), sizes[None] * 0, sizes[None] * 2, sizes, sizes)
