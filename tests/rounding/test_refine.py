"""The refinement: its costs, its invariants, and that it finds known optima."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from rounding_cases import STORAGES, make_block_graph, store
from threadpoolctl import threadpool_limits

from fairspectral.affinity import AffinityOperator, KernelOperator, make_operator
from fairspectral.affinity.kernel import make_kernel
from fairspectral.cells import count_cells
from fairspectral.cut import CutState
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.flow import solve_flow
from fairspectral.rounding.refine import (
    affordable_rounds,
    flow_steps,
    kernel_costs,
    local_search,
    make_partition,
    tighten,
)
from fairspectral.validation import Attribute


@pytest.fixture
def block_graph():
    return make_block_graph()


@pytest.fixture(params=STORAGES)
def operator(request, block_graph):
    return store(block_graph[0], request.param)


def direct_cut(W, labels, k):
    total = 0.0
    for cluster in range(k):
        inside = labels == cluster
        total += W[np.ix_(inside, ~inside)].sum() / W[inside].sum()
    return total


def rule_for(groups, k, tol=0.2):
    return make_rule(Attribute("g", groups, (0, 1)), k, fairness_tol=tol)


def flow_within(rule, sizes):
    low, high = rule.cell_bounds(sizes)
    return lambda cost, potentials=None: solve_flow(
        cost, rule.attribute.codes, low, high, sizes, sizes, potentials=potentials
    )


def mixed_start(groups, k, seed=0):
    """Fair labels that do not depend on the graph."""
    rng = np.random.default_rng(seed)
    labels = np.empty(len(groups), dtype=np.int32)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        labels[rng.permutation(members)] = np.arange(len(members)) % k
    return labels


def test_measure_gives_the_cut(block_graph, operator):
    W, groups, _ = block_graph
    labels = mixed_start(groups, 4)
    state = CutState.measure(operator, labels, 4)
    assert state.cut == pytest.approx(direct_cut(W, labels, 4), rel=1e-6)


@pytest.mark.parametrize("shift", [0.0, 0.7, 1.0])
def test_kernel_costs_are_distances_in_the_feature_space(block_graph, shift):
    W, groups, _ = block_graph
    labels = mixed_start(groups, 4)
    degrees = W.sum(axis=1)
    kernel = W / np.outer(degrees, degrees) + shift * np.diag(1 / degrees)
    expected = np.empty((len(W), 4))
    for cluster in range(4):
        weights = np.where(labels == cluster, degrees, 0.0)
        weights /= weights.sum()
        offset = np.eye(len(W)) - weights  # row i: person i minus the cluster's mean
        expected[:, cluster] = degrees * np.einsum("ij,jk,ik->i", offset, kernel, offset)
    state = CutState.measure(make_operator(W, "precomputed"), labels, 4)
    found = kernel_costs(state, degrees, shift)
    # They may differ by a constant for each person.
    difference = found - expected
    assert np.ptp(difference, axis=1).max() < 1e-10 * np.abs(expected).max()


def test_flow_steps_lower_the_cut_and_keep_the_bounds(block_graph, operator):
    _, groups, _ = block_graph
    rule = rule_for(groups, 4)
    start = CutState.measure(operator, mixed_start(groups, 4), 4)
    sizes = np.bincount(start.labels)
    end = flow_steps(operator, start, flow_within(rule, sizes))
    assert end.cut < 0.95 * start.cut
    low, high = rule.cell_bounds(sizes)
    table = count_cells(groups, end.labels, 2, 4)
    assert ((table >= low) & (table <= high)).all()


def test_tighten_gives_labels_within_the_new_bounds(block_graph, operator):
    _, groups, clusters = block_graph
    unfair = clusters.copy()
    unfair[np.flatnonzero((clusters == 0) & (groups == 1))[:10]] = 1
    rule = rule_for(groups, 4, tol=0.0)
    state = CutState.measure(operator, unfair, 4)
    tight = tighten(operator, state, flow_within(rule, np.bincount(unfair)))
    assert not _inside(rule, unfair, 4)
    assert _inside(rule, tight.labels, 4)
    assert np.mean(tight.labels == clusters) > 0.9


def test_flow_steps_stop_at_their_passes(block_graph):
    W, groups, _ = block_graph
    operator = make_operator(W, "precomputed")
    start = CutState.measure(operator, mixed_start(groups, 4), 4)
    assign = flow_within(rule_for(groups, 4), np.bincount(start.labels))
    assert flow_steps(operator, start, assign, max_passes=0) is start


@pytest.mark.parametrize("tol", [0.0, 0.2])
def test_local_search_finds_the_planted_clusters(block_graph, operator, tol):
    W, groups, clusters = block_graph
    start = CutState.measure(operator, mixed_start(groups, 4), 4)
    end = local_search(
        operator, start, [rule_for(groups, 4, tol)], groups,
        smallest=5, rounds=20, rng=np.random.default_rng(0),
    )  # fmt: skip
    assert end.cut <= direct_cut(W, clusters, 4) * (1 + 1e-6)
    assert end.cut == pytest.approx(direct_cut(W, end.labels, 4), rel=1e-6)


@pytest.mark.parametrize("tol", [0.0, 0.1, 0.3])
def test_local_search_keeps_every_bound(block_graph, operator, tol):
    _, groups, _ = block_graph
    other = np.arange(200) % 3
    rules = [
        rule_for(groups, 7, tol),
        make_rule(Attribute("b", other, (0, 1, 2)), 7, fairness_tol=tol),
    ]
    kinds = 3 * groups + other
    start = CutState.measure(operator, mixed_start(kinds, 7), 7)
    sizes = np.bincount(start.labels)
    was_inside = [_inside(rule, start.labels, 7) for rule in rules]
    end = local_search(
        operator, start, rules, kinds, smallest=int(sizes.min()) - 3, rounds=5,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    assert end.cut < start.cut
    assert np.bincount(end.labels, minlength=7).min() >= sizes.min() - 3
    for rule, before in zip(rules, was_inside, strict=True):
        assert _inside(rule, end.labels, 7) or not before


def _inside(rule, labels, k):
    table = count_cells(rule.attribute.codes, labels, len(rule.target), k)
    low, high = rule.cell_bounds(table.sum(axis=0))
    return bool(((table >= low) & (table <= high)).all())


def test_local_search_changes_sizes_only_down_to_the_floor(block_graph):
    """Four planted clusters of 50 fit in three only as 50, 50 and 100."""
    W, groups, _ = block_graph
    operator = make_operator(W, "precomputed")
    start = CutState.measure(operator, mixed_start(groups, 3), 3)
    rule = make_rule(Attribute("g", groups, (0, 1)), 3, fairness_tol=None)

    def sizes(smallest):
        rng = np.random.default_rng(0)
        end = local_search(operator, start, [rule], groups, smallest=smallest, rounds=20, rng=rng)
        return sorted(np.bincount(end.labels).tolist())

    assert sizes(20) == [50, 50, 100]
    assert sizes(60)[0] == 60
    assert sizes(66)[0] == 66


def test_local_search_is_optimal_on_a_tiny_graph():
    """All fair halvings of ten persons, by enumeration."""
    rng = np.random.default_rng(3)
    W = rng.random((10, 10)) ** 3
    W = W + W.T
    groups = np.array([0, 1] * 5)
    rule = rule_for(groups, 2, tol=0.0)
    operator = make_operator(W, "precomputed")
    best = min(
        direct_cut(W, labels, 2)
        for labels in map(np.array, itertools.product([0, 1], repeat=10))
        if 2 <= labels.sum() <= 8 and _inside(rule, labels, 2)
    )
    start = CutState.measure(operator, mixed_start(groups, 2), 2)
    end = local_search(
        operator, start, [rule], groups, smallest=2, rounds=200, rng=np.random.default_rng(0)
    )
    assert end.cut == pytest.approx(best)


def test_cached_quantities_follow_the_moves(block_graph, operator):
    """After many moves the caches equal freshly computed ones."""
    from fairspectral.rounding import refine_kernels as kernels
    from fairspectral.rounding.refine import make_band, rows_of

    _, groups, _ = block_graph
    rules = [rule_for(groups, 4)]
    state = CutState.measure(operator, mixed_start(groups, 4), 4)
    partition, band = make_partition(state, rules), make_band(rules, 1)
    pairs = np.random.default_rng(0).integers(0, 200, (300, 2))
    kernels.perturb(rows_of(operator), partition, band, groups.astype(np.int64), pairs)
    anew = make_partition(CutState.measure(operator, partition.labels, 4), rules)
    assert not np.array_equal(partition.labels, state.labels)
    for cached, fresh in zip(partition, anew, strict=True):
        assert cached == pytest.approx(fresh, rel=1e-5, abs=1e-4)


def test_swaps_pay_keep_the_cells_and_leave_none_that_pays(block_graph, operator):
    """A round without a swap, after all clusters changed, means that nothing is left to swap."""
    from fairspectral.rounding import refine_kernels as kernels
    from fairspectral.rounding.refine import make_band, rows_of

    _, groups, _ = block_graph
    rules, kinds = [rule_for(groups, 4)], groups.astype(np.int64)
    state = CutState.measure(operator, mixed_start(groups, 4), 4)
    partition, band, rows = make_partition(state, rules), make_band(rules, 1), rows_of(operator)
    changed = np.ones(4, dtype=bool)
    while kernels.swap_round(rows, partition, band, kinds, 2, 1e-9, changed):
        pass
    assert not changed.any()
    assert kernels.swap_round(rows, partition, band, kinds, 2, 1e-9, np.ones(4, dtype=bool)) == 0
    np.testing.assert_array_equal(
        count_cells(groups, partition.labels, 2, 4), count_cells(groups, state.labels, 2, 4)
    )
    anew = make_partition(CutState.measure(operator, partition.labels, 4), rules)
    for cached, fresh in zip(partition, anew, strict=True):
        assert cached == pytest.approx(fresh, rel=1e-5, abs=1e-4)
    assert CutState.measure(operator, partition.labels, 4).cut < 0.95 * state.cut


def test_one_result_for_a_seed_whatever_the_threads(block_graph):
    W, groups, _ = block_graph
    operator, rules = make_operator(W, "precomputed"), [rule_for(groups, 4)]
    start = CutState.measure(operator, mixed_start(groups, 4), 4)
    found = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads, user_api="blas"):
            rng = np.random.default_rng(5)
            end = local_search(operator, start, rules, groups, smallest=5, rounds=7, rng=rng)
            found.append(end.labels)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_the_start_is_left_as_it_was(block_graph):
    """Also where its links lie in memory as the search keeps its own."""
    W, groups, _ = block_graph
    operator, rules = make_operator(W, "precomputed"), [rule_for(groups, 4)]
    measured = CutState.measure(operator, mixed_start(groups, 4), 4)
    start = CutState(
        measured.labels, np.asfortranarray(measured.links), measured.within, measured.volumes
    )
    rng = np.random.default_rng(0)
    end = local_search(operator, start, rules, groups, smallest=5, rounds=1, rng=rng)
    assert end.cut < start.cut
    again = CutState.measure(operator, start.labels, 4)
    np.testing.assert_allclose(start.links, again.links, atol=1e-9)
    np.testing.assert_allclose(start.within, again.within, atol=1e-9)


class Given(AffinityOperator):
    """A given matrix with degrees of one."""

    def __init__(self, W):
        self.stored_weights, self.degrees = W, np.ones(len(W))
        self.shape, self.dtype = W.shape, W.dtype

    def matmat(self, block):
        return self.stored_weights @ block


def test_gains_from_floating_point_error_do_not_go_on_forever():
    rng = np.random.default_rng(0)
    rows = rng.choice([2e4, 3.5e4, 5e4], (200, 1))
    W = rows @ rows.T  # in units in which floating-point error exceeds the smallest accepted gain
    operator = Given(W)
    groups = rng.integers(0, 2, 200)
    state = CutState.measure(operator, mixed_start(groups, 8), 8)
    rules = [rule_for(groups, 8)]
    end = local_search(operator, state, rules, groups, smallest=1, rounds=2, rng=rng)
    assert end.cut < state.cut


def test_without_rows_in_memory_there_is_nothing_to_search(block_graph):
    _, groups, _ = block_graph
    X = np.random.default_rng(0).standard_normal((200, 3))
    operator = KernelOperator(X, make_kernel("rbf", X, 0.5, None), np.float64)
    state = CutState.measure(operator, mixed_start(groups, 4), 4)
    rng = np.random.default_rng(0)
    rules = [rule_for(groups, 4)]
    assert local_search(operator, state, rules, groups, smallest=1, rounds=3, rng=rng) is state


@pytest.mark.parametrize(
    ("n", "density", "rounds"), [(1000, 1, 100), (10_000, 1, 28), (10**6, 1, 5), (10**5, 1e-4, 13)]
)
def test_rounds_that_a_large_affinity_can_afford(n, density, rounds):
    affinity = SimpleNamespace(shape=(n, n), density=density)
    assert affordable_rounds(affinity, 25) == rounds
