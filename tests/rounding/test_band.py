"""Bringing small clusters into the band by one person."""

import numpy as np
import pytest

from fairspectral.cells import count_cells
from fairspectral.constraints import encode_groups
from fairspectral.rounding.band import into_band
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.start import WeightedRows

TOL = 0.2


def clustering(table, seed=0):
    """Groups and labels with this table of persons, and rows near their clusters' centres."""
    rng = np.random.default_rng(seed)
    cells = [
        (s, c) for s, row in enumerate(table) for c, count in enumerate(row) for _ in range(count)
    ]
    groups, labels = np.array(cells).T
    rows = labels[:, None] + 0.3 * rng.standard_normal((len(labels), 3))
    return groups, labels.astype(np.int32), WeightedRows(rows, rng.uniform(0.5, 2, len(labels)))


def moved_into_band(table, smallest=1, tol=TOL):
    groups, labels, points = clustering(table)
    k = len(table[0])
    plan = plan_rounding(
        encode_groups(groups, len(groups)), k, fairness_tol=tol, min_cluster_size=smallest
    )
    return into_band(points, labels, plan), labels, points, plan


def outside(labels, plan):
    (rule,) = plan.rules
    codes = rule.attribute.codes
    return rule.persons_outside(count_cells(codes, labels, len(rule.target), plan.n_clusters))


def test_one_person_brings_a_cluster_inside_at_the_least_rise_of_the_cost():
    after, before, points, plan = moved_into_band([[20, 2, 18], [20, 4, 20]])
    assert outside(before, plan) > 0
    assert outside(after, plan) == 0.0
    (person,) = np.flatnonzero(after != before)
    costs = {}
    for other in range(len(before)):
        for cluster in range(3):
            trial = before.copy()
            trial[other] = cluster
            if (trial != before).any() and outside(trial, plan) == 0.0:
                costs[other, cluster] = points.cost(trial, points.centroids(trial, 3))
    assert min(costs, key=costs.get) == (person, after[person])


def test_clusters_inside_are_left_alone():
    after, before, _, plan = moved_into_band([[20, 20], [20, 20]])
    assert outside(before, plan) == 0.0
    np.testing.assert_array_equal(after, before)


def test_no_move_if_one_person_does_not_help():
    # Five of ten: twice as many as in the band.
    after, before, _, plan = moved_into_band([[5, 15], [5, 75]])
    assert outside(before, plan) > 1
    np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("smallest", [1, 6])
def test_the_floor_is_kept(smallest):
    after, before, _, plan = moved_into_band([[3, 20], [6, 20]], smallest=smallest)
    assert np.bincount(after).min() >= smallest
    assert outside(after, plan) <= outside(before, plan)


def test_several_attributes_are_all_brought_inside():
    groups, labels, points = clustering([[20, 2, 18], [20, 4, 20]])
    second = np.random.default_rng(1).permutation(groups)
    plan = plan_rounding(
        encode_groups(np.stack([groups, second], axis=1), len(groups)),
        3,
        fairness_tol=0.5,
        min_cluster_size=1,
    )
    after = into_band(points, labels, plan)
    for rule in plan.rules:
        table = count_cells(rule.attribute.codes, after, 2, 3)
        before = count_cells(rule.attribute.codes, labels, 2, 3)
        assert rule.persons_outside(table) <= rule.persons_outside(before)


def test_tolerance_zero_means_up_to_whole_persons():
    after, before, _, plan = moved_into_band([[11, 20], [10, 21]], tol=0.0)
    assert outside(before, plan) > 0
    np.testing.assert_array_equal(after, before)


def test_a_cluster_of_one_keeps_its_person():
    after, before, _, plan = moved_into_band([[1, 6, 9], [0, 7, 9]])
    assert np.bincount(after, minlength=3).min() >= 1
    assert outside(after, plan) <= outside(before, plan)
