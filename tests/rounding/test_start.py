"""k-means with a floor, and fair Lloyd steps."""

import numpy as np
import pytest
from helpers import assert_close

from fairspectral.affinity import make_operator
from fairspectral.cells import count_cells
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.sizes import SizedFlow
from fairspectral.rounding.start import (
    WeightedRows,
    fair_lloyd,
    floored_clusters,
    nearest_with_floor,
)
from fairspectral.validation import Attribute


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((120, 3)) + np.repeat([[0, 0, 0], [6, 0, 0], [0, 6, 0]], 40, axis=0)
    return WeightedRows(rows, rng.random(120) + 0.5)


def test_costs_are_weighted_squared_distances(points):
    centroids = np.arange(6.0).reshape(2, 3)
    expected = [
        [w * np.sum((row - c) ** 2) for c in centroids]
        for row, w in zip(points.rows, points.weights, strict=True)
    ]
    assert_close(points.costs(centroids), np.array(expected))
    labels = np.arange(120) % 2
    assert points.cost(labels, centroids) == pytest.approx(
        sum(expected[i][labels[i]] for i in range(120))
    )


def test_centroids_are_weighted_means(points):
    labels = np.arange(120) % 4
    expected = [
        np.average(points.rows[labels == c], axis=0, weights=points.weights[labels == c])
        for c in range(4)
    ]
    assert_close(points.centroids(labels, 4), np.array(expected))


def test_a_cluster_without_weight_has_a_finite_centroid():
    points = WeightedRows(np.ones((4, 2)), np.array([0.0, 0.0, 1.0, 1.0]))
    assert np.isfinite(points.centroids(np.array([0, 0, 1, 1]), 2)).all()


def test_floor_is_reached_and_otherwise_left_alone(points):
    outlier = WeightedRows(np.vstack([points.rows, [[1e3, 0, 0]]]), np.append(points.weights, 1.0))
    for smallest in (1, 10, 40):
        labels = floored_clusters(outlier, 3, smallest, n_init=5, seed=0)
        assert np.bincount(labels, minlength=3).min() >= smallest
    assert np.bincount(floored_clusters(outlier, 3, 1, n_init=5, seed=0)).min() == 1


def test_floored_assignment_is_the_cheapest(points):
    centroids = np.array([[0.0, 0, 0], [6, 0, 0], [500, 0, 0]])
    labels = nearest_with_floor(points, centroids, 5)
    assert np.bincount(labels, minlength=3)[2] == 5
    costs = points.costs(centroids)
    # The five that suffer least from going to the far centroid.
    regret = costs[:, 2] - costs[:, :2].min(axis=1)
    assert set(np.flatnonzero(labels == 2)) == set(np.argsort(regret)[:5])


@pytest.fixture
def halves(points):
    groups = (points.rows[:, 0] > np.median(points.rows[:, 0])).astype(int)
    return make_rule(Attribute("g", groups, (0, 1)), 3, fairness_tol=0.1)


def test_fair_lloyd_lowers_the_cost_of_fair_labels(points, halves):
    start = floored_clusters(points, 3, 5, n_init=3, seed=0)
    sizes = np.bincount(start)
    first = SizedFlow(halves, sizes, 5)(points.costs(points.centroids(start, 3))).labels
    labels = fair_lloyd(points, start, 3, SizedFlow(halves, sizes, 5))
    cost = points.cost(labels, points.centroids(labels, 3))
    assert cost < 0.999 * points.cost(first, points.centroids(first, 3))
    table = count_cells(halves.attribute.codes, labels, 2, 3)
    low, high = halves.cell_bounds(table.sum(axis=0))
    assert ((table >= low) & (table <= high)).all()


def test_fair_lloyd_stops_where_nothing_is_gained(points, halves):
    start = floored_clusters(points, 3, 5, n_init=3, seed=0)
    calls = []

    class Counted(SizedFlow):
        def __call__(self, cost, potentials=None):
            calls.append(super().__call__(cost, potentials))
            return calls[-1]

    labels = fair_lloyd(points, start, 3, Counted(halves, np.bincount(start), 5))
    costs = [flow.cost for flow in calls]
    assert (np.diff(costs[:-1]) < 0).all()
    assert 2 <= len(calls) <= 10
    assert (labels == calls[-1 if costs[-1] < 0.9999 * costs[-2] else -2].labels).all()


def test_row_scalings():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((30, 2))
    rows[3] = 0
    kernel = make_operator(rng.standard_normal((30, 2)), "rbf", gamma=1.0)
    graph = make_operator(rng.standard_normal((30, 2)), "nearest_neighbors", n_neighbors=2)
    assert graph.density < 0.1
    unit = WeightedRows.scaled(rows, None, "auto", graph)
    assert np.linalg.norm(unit.rows, axis=1) == pytest.approx(np.where(np.arange(30) == 3, 0, 1))
    assert (unit.weights == 1).all()
    weighted = WeightedRows.scaled(rows, np.full(30, 2.0), "auto", kernel)
    assert (weighted.rows == rows).all()
    assert weighted.weights == pytest.approx(2 * kernel.degrees / kernel.degrees.mean())
    plain = WeightedRows.scaled(rows, None, "auto", None)
    assert (plain.rows == rows).all()
    assert (plain.weights == 1).all()
    with pytest.raises(ValueError, match="row_scaling='degree' needs the degrees"):
        WeightedRows.scaled(rows, None, "degree", None)
    with pytest.raises(ValueError, match="row_scaling='length' is unknown"):
        WeightedRows.scaled(rows, None, "length", None)
