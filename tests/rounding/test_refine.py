"""The refinement by the flow: its costs and its invariants."""

import numpy as np
import pytest
from rounding_cases import STORAGES, make_block_graph, store

from fairspectral.affinity import make_operator
from fairspectral.cells import count_cells
from fairspectral.cut import CutState
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.flow import solve_flow
from fairspectral.rounding.refine import flow_steps, kernel_costs
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


def test_flow_steps_stop_at_their_passes(block_graph):
    W, groups, _ = block_graph
    operator = make_operator(W, "precomputed")
    start = CutState.measure(operator, mixed_start(groups, 4), 4)
    assign = flow_within(rule_for(groups, 4), np.bincount(start.labels))
    assert flow_steps(operator, start, assign, max_passes=0) is start
