"""Sizes of clusters: near the optimum of the linear program that leaves them free."""

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from fairspectral.rounding import sizes as module
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.flow import solve_flow
from fairspectral.rounding.sizes import SizedFlow, _slopes, apportion, choose_sizes
from fairspectral.validation import Attribute

ROUNDING = 1 + 1e-12  # of a sum of positive costs


def problem(seed, n=400, k=4, tol=0.2):
    """Well separated groups: sizes from the nearest centroid are far from optimal."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 2)) * [3, 1]
    centroids = rng.standard_normal((k, 2)) * [3, 1]
    cost = ((rows[:, None] - centroids) ** 2).sum(axis=2)
    groups = (rows[:, 0] + rng.standard_normal(n) > 1).astype(int)
    rule = make_rule(Attribute("g", groups, (0, 1)), k, fairness_tol=tol)
    return cost, rule, np.maximum(np.bincount(cost.argmin(axis=1), minlength=k), 1)


def fair_cost(cost, rule, sizes):
    low, high = rule.cell_bounds(sizes)
    return solve_flow(cost, rule.attribute.codes, low, high, sizes, sizes).cost


def free_optimum(cost, rule):
    """The linear program of Bera et al. (2019): shares of clusters of any size."""
    n, k = cost.shape
    members = np.eye(2)[:, rule.attribute.codes]
    blocks = []
    for sign, share in ((-1, rule.lower), (1, rule.upper)):
        blocks.append(sp.kron(sp.csr_array(sign * (members - share[:, None])), sp.eye_array(k)))
    return linprog(
        cost.ravel(),
        A_ub=sp.vstack(blocks),
        b_ub=np.zeros(4 * k),
        A_eq=sp.kron(sp.eye_array(n), np.ones((1, k))),
        b_eq=np.ones(n),
    ).fun


@pytest.mark.parametrize("seed", range(4))
def test_chosen_sizes_are_near_the_free_optimum(seed):
    cost, rule, sizes = problem(seed)
    sizes = apportion(sizes, 400, 1)
    chosen = choose_sizes(cost, rule, sizes, 1)
    assert chosen.sum() == 400
    best = free_optimum(cost, rule)
    found = fair_cost(cost, rule, chosen)
    assert found <= 1.01 * best
    assert found < fair_cost(cost, rule, sizes)


def test_the_floor_holds():
    cost, rule, sizes = problem(0)
    chosen = choose_sizes(cost, rule, apportion(sizes, 400, 60), 60)
    assert chosen.min() >= 60


def test_slopes_predict_the_change_of_the_cost():
    """Wide bands and many persons: one cluster grows by a few, another shrinks."""
    cost, rule, sizes = problem(1, n=4000)
    sizes = apportion(sizes, 4000, 100)
    low, high = rule.cell_bounds(sizes)
    flow = solve_flow(cost, rule.attribute.codes, low, high, sizes, sizes)
    slopes = _slopes(flow, rule, 4)
    step = np.array([50, -50, 0, 0])
    # A convex function lies above its tangent and, this near, not far above.
    change = fair_cost(cost, rule, sizes + step) - flow.cost
    assert slopes @ step - 5 <= change <= slopes @ step + 0.1 * abs(slopes @ step) + 5


def test_a_sample_is_enough(monkeypatch):
    cost, rule, sizes = problem(2, n=5000)
    sizes = apportion(sizes, 5000, 10)
    whole = choose_sizes(cost, rule, sizes, 10)
    monkeypatch.setattr(module, "_SAMPLE", 1000)
    sampled = choose_sizes(cost, rule, sizes, 10)
    assert sampled.sum() == 5000
    assert (sampled != sizes).any()
    assert sampled.min() >= 10
    assert fair_cost(cost, rule, sampled) <= 1.02 * fair_cost(cost, rule, whole)


def test_thorough_uses_all_persons_if_that_is_fast(monkeypatch):
    cost, rule, sizes = problem(2, n=2000)
    sizes = apportion(sizes, 2000, 10)
    whole = choose_sizes(cost, rule, sizes, 10)
    monkeypatch.setattr(module, "_SAMPLE", 200)
    sampled = choose_sizes(cost, rule, sizes, 10)
    assert fair_cost(cost, rule, whole) < fair_cost(cost, rule, sampled)
    thorough = choose_sizes(cost, rule, sizes, 10, thorough=True)
    assert fair_cost(cost, rule, thorough) <= ROUNDING * fair_cost(cost, rule, whole)
    monkeypatch.setattr(module, "_EVERYBODY", cost.size - 1)
    assert (choose_sizes(cost, rule, sizes, 10, thorough=True) == sampled).all()


def test_no_shift_of_a_person_lowers_the_cost_of_small_clusters():
    shifted_anywhere = 0
    for seed in range(4):
        cost, rule, sizes = problem(seed, n=60)
        sizes = apportion(sizes, 60, 2)
        found = choose_sizes(cost, rule, sizes, 2, thorough=True)
        least = fair_cost(cost, rule, found)
        shifted_anywhere += least < fair_cost(cost, rule, choose_sizes(cost, rule, sizes, 2))
        assert found.sum() == 60
        assert found.min() >= 2
        for giver, taker in permutations(range(4), 2):
            shifted = found.copy()
            shifted[giver] -= 1
            shifted[taker] += 1
            if shifted.min() >= 2:
                assert ROUNDING * fair_cost(cost, rule, shifted) >= least
    assert shifted_anywhere


def test_nothing_to_choose():
    cost, rule, _ = problem(0)
    even = np.full(4, 100)
    assert choose_sizes(cost, rule, even, 100) is even
    one = np.array([400])
    assert choose_sizes(cost[:, :1], rule, one, 1) is one


def test_sized_flow_keeps_its_sizes_until_resized():
    cost, rule, sizes = problem(3)
    sizes = apportion(sizes, 400, 5)
    assign = SizedFlow(rule, sizes, 5)
    before = assign(cost)
    assert (np.bincount(before.labels, minlength=4) == sizes).all()
    assign.resize(cost)
    assert assign(cost).cost < before.cost


@pytest.mark.parametrize(
    ("given", "n", "smallest", "expected"),
    [
        ([1, 2, 3], 12, 1, [2, 4, 6]),
        ([0, 0, 10], 10, 2, [2, 2, 6]),
        ([1, 1, 1], 10, 1, [4, 3, 3]),
        ([1, 1], 7, 3, [4, 3]),
    ],
)
def testapportioned_sizes_are_whole_and_above_the_floor(given, n, smallest, expected):
    assert apportion(np.array(given), n, smallest).tolist() == expected


def test_a_sample_that_misleads_is_not_believed(monkeypatch):
    """Four far persons are a cluster; a sample of a tenth must not blow it up to forty."""
    rng = np.random.default_rng(0)
    rows = np.append(rng.standard_normal(2000), [100.0] * 4)
    cost = (rows[:, None] - [-1.0, 1.0, 100.0]) ** 2
    rule = make_rule(Attribute("g", np.arange(2004) % 2, (0, 1)), 3)
    sizes = np.bincount(cost.argmin(axis=1))
    monkeypatch.setattr(module, "_SAMPLE", 200)
    chosen = choose_sizes(cost, rule, sizes, 1)
    assert fair_cost(cost, rule, chosen) <= ROUNDING * fair_cost(cost, rule, sizes)


@pytest.mark.parametrize(
    ("given", "n", "smallest", "largest", "expected"),
    [
        ([80, 10, 10], 100, 5, 50, [50, 25, 25]),
        ([80, 15, 5], 100, 1, 40, [40, 40, 20]),
        ([80, 15, 5], 99, 1, 33, [33, 33, 33]),
        ([50, 30, 20], 100, 1, 60, [50, 30, 20]),
    ],
)
def test_apportioned_sizes_are_below_the_ceiling(given, n, smallest, largest, expected):
    found = apportion(np.array(given), n, smallest, largest)
    assert found.sum() == n
    assert found.max() <= largest
    assert found.min() >= smallest
    assert np.abs(found - expected).max() <= 5


@pytest.mark.parametrize(("n", "thorough"), [(400, False), (400, True), (8000, False)])
def test_chosen_sizes_are_below_the_ceiling(n, thorough):
    cost, rule, sizes = problem(0, n=n)
    ceiling = int(0.3 * n)
    begin = apportion(sizes, n, 1, ceiling)
    chosen = choose_sizes(cost, rule, begin, 1, ceiling, thorough=thorough)
    assert chosen.sum() == n
    assert chosen.max() <= ceiling < choose_sizes(cost, rule, sizes, 1).max()
    assert fair_cost(cost, rule, chosen) <= fair_cost(cost, rule, begin) * ROUNDING
