"""Tests of moves in batches, for affinities without rows."""

import numpy as np
import pytest

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.cut import CutState
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.result import all_inside
from fairspectral.rounding.stand_in import batches_of_moves
from fairspectral.validation import Attribute


def rule_for(groups, k):
    return make_rule(Attribute("g", groups, (0, 1, 2)), k, fairness_tol=0.2)


@pytest.fixture
def blobs():
    """Four blobs of three groups, and fair labels of which a third are wrong."""
    rng = np.random.default_rng(0)
    place, groups = np.repeat(np.arange(4), 150), np.arange(600) % 3
    X = np.column_stack([place % 2, place // 2]) * 4.0 + rng.standard_normal((600, 2))
    labels = place.copy()
    for group in range(3):
        wrong = rng.permutation(np.flatnonzero(groups == group))[:66]
        labels[wrong] = labels[np.roll(wrong, 1)]
    return X, groups, labels


def without_rows(X):
    operator = make_operator(X, "rbf", memory_budget=10**6)
    assert operator.stored_weights is None
    assert operator.computed_rows is None
    return operator


def test_the_cut_falls_within_the_bounds(blobs):
    X, groups, labels = blobs
    operator, rules = without_rows(X), [rule_for(groups, 4)]
    start = CutState.measure(operator, labels, 4)
    assert all_inside(rules, labels, 4)
    found = batches_of_moves(operator, start, rules, smallest=100)
    assert found.cut < start.cut
    assert all_inside(rules, found.labels, 4)
    assert np.bincount(found.labels).min() >= 100
    again = CutState.measure(operator, found.labels, 4)
    assert abs(again.cut - found.cut) < 1e-6


def test_no_pass_no_move(blobs):
    X, groups, labels = blobs
    operator, rules = without_rows(X), [rule_for(groups, 4)]
    start = CutState.measure(operator, labels, 4)
    assert batches_of_moves(operator, start, rules, smallest=1, max_passes=0) is start
    assert batches_of_moves(operator, start, rules, smallest=1, stopped=lambda: True) is start


def test_one_cluster_stays(blobs):
    X, groups, _ = blobs
    operator = without_rows(X)
    start = CutState.measure(operator, np.zeros(600, dtype=int), 1)
    assert batches_of_moves(operator, start, [rule_for(groups, 1)], smallest=1) is start


def test_a_fit_ends_near_the_stored_matrix(blobs):
    X, groups, _ = blobs
    cuts = []
    for budget in (None, 10**6):
        model = FairSpectralClustering(
            4, affinity="rbf", memory_budget=budget, dtype=np.float64, random_state=0
        )
        model.fit(X, sensitive_features=groups)
        cuts.append(model.audit_.normalized_cut)
    assert cuts[1] < 1.02 * cuts[0]
    assert [one.name for one in model.fair_assignment_.starts] == ["fair flow"]
    assert model.fair_assignment_.winner == "fair flow"
