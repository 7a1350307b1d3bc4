"""The connected graph of nearest neighbours with a width for everyone."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fairspectral.affinity.neighbours import NEIGHBOURS, self_tuned_graph


def cloud(n=120, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def bunches(*places, n=40):
    """Bunches in a row, so far apart that no neighbour is in another one."""
    return np.vstack(
        [cloud(n, 2, seed) + np.array([place, 0]) for seed, place in enumerate(places)]
    )


def test_weights_lie_between_those_of_the_last_and_the_nearest_neighbour():
    graph, pieces, _ = self_tuned_graph(cloud())
    assert pieces == 1
    assert (graph != graph.T).nnz == 0
    assert graph.diagonal().max() == 0
    assert graph.data.min() >= np.exp(-1) / 2 - 1e-12  # a last neighbour, on one side
    assert graph.data.max() <= 1
    assert np.diff(graph.indptr).min() >= NEIGHBOURS


def test_an_outlier_is_tied_as_firmly_as_anyone():
    X = np.vstack([cloud(), [[50.0, 0, 0]]])
    graph, *_ = self_tuned_graph(X)
    degrees = graph.sum(axis=1)
    assert degrees[-1] >= NEIGHBOURS * np.exp(-1) / 2 - 1e-9


def test_units_and_origin_do_not_matter():
    X = cloud()
    graph, *_ = self_tuned_graph(X)
    for other in (X * 1e-200, X * 1e150, X + 1e6):
        found, *_ = self_tuned_graph(other)
        assert abs(found - graph).max() < 1e-6


def test_pieces_are_linked_to_the_nearest_one():
    X = bunches(0, 30, 100)
    graph, pieces, _ = self_tuned_graph(X)
    assert pieces == 3
    assert connected_components(graph)[0] == 1
    bunch = np.repeat(np.arange(3), 40)
    between = [[graph[bunch == a][:, bunch == b].sum() for a in range(3)] for b in range(3)]
    assert between[0][1] > between[1][2] > 0  # the farther the weaker
    assert between[0][2] == 0
    assert graph.data.min() > 1e-5


def test_many_copies_of_a_few_rows():
    X = np.repeat(cloud(4), 30, axis=0)
    graph, pieces, _ = self_tuned_graph(X)
    assert pieces >= 4
    assert connected_components(graph)[0] == 1
    assert np.isfinite(graph.data).all()
    assert graph.data.min() > 0


def test_nothing_differs():
    graph, *_ = self_tuned_graph(np.ones((50, 2)))
    assert connected_components(graph)[0] == 1
    assert graph.data.min() > 0


def test_few_rows_are_all_neighbours():
    graph, pieces, _ = self_tuned_graph(cloud(5))
    assert pieces == 1
    assert graph.nnz == 20


@pytest.mark.parametrize("places", [(0,), (0, 50)])
def test_sparse_features(places):
    X = bunches(*places)
    X[:, 1] = np.where(X[:, 1] > 0.5, X[:, 1], 0)
    dense, *_ = self_tuned_graph(X)
    sparse, *_ = self_tuned_graph(sp.csr_array(X))
    assert abs(dense - sparse).max() < 1e-6
