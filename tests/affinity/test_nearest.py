"""Nearest neighbours by each of the searches, against all pairs."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from fairspectral.affinity import make_operator, nearest
from fairspectral.affinity.nearest import find_neighbours


def table(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def true_distances(X, count):
    distances = pairwise_distances(X)
    np.fill_diagonal(distances, np.inf)
    return np.sort(distances, axis=1)[:, :count]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_the_tree_is_exact_with_any_number_of_threads(monkeypatch, n_jobs):
    monkeypatch.setattr(nearest, "_LARGE", 100)
    X = table(500, 4)
    found = find_neighbours(X, 7, n_jobs)
    assert found.words == ""
    np.testing.assert_allclose(found.distances, true_distances(X, 7), atol=1e-9)
    apart = X[:, None] - X[found.indices]
    np.testing.assert_allclose(np.linalg.norm(apart, axis=2), found.distances, atol=1e-9)
    assert not (found.indices == np.arange(500)[:, None]).any()


def test_both_exact_searches_give_the_same_graph(monkeypatch):
    X = table(300, 3)
    small = make_operator(X, "nearest_neighbors").stored_weights
    monkeypatch.setattr(nearest, "_LARGE", 100)
    assert (make_operator(X, "nearest_neighbors").stored_weights != small).nnz == 0


def test_nobody_is_their_own_neighbour_among_many_copies(monkeypatch):
    monkeypatch.setattr(nearest, "_LARGE", 100)
    X = np.repeat(table(10, 3), 30, axis=0)
    found = find_neighbours(X, 5)
    assert not (found.indices == np.arange(300)[:, None]).any()
    assert found.distances.max() == 0
    assert all(len(set(row)) == 5 for row in found.indices)


def test_many_features_are_searched_approximately_and_the_recall_is_said(monkeypatch):
    pytest.importorskip("pynndescent", reason="it needs: pip install 'fairspectral[knn]'")
    monkeypatch.setattr(nearest, "_TOO_MANY_PAIRS", 500)
    X = table(1500, 20)
    operator = make_operator(X, "nearest_neighbors", n_neighbors=11)
    said = operator.choice
    assert said.startswith("affinity='nearest_neighbors', as given.")
    assert "approximate search" in said
    found = find_neighbours(X, 10)
    exact = true_distances(X, 10)
    # A neighbour is right if it is no farther than the last true one.
    right = found.distances <= exact[:, -1:] + 1e-5
    assert right.mean() > 0.9
    assert found.recall == pytest.approx(right.mean(), abs=0.1)
    assert not (found.indices == np.arange(1500)[:, None]).any()
    assert operator.stored_weights.sum(axis=1).min() >= 1 + 10 / 2  # nobody is alone


def test_a_missing_package_leaves_the_exact_search(monkeypatch):
    monkeypatch.setattr(nearest, "_TOO_MANY_PAIRS", 100)
    monkeypatch.setattr(nearest, "_has_pynndescent", lambda: False)
    X = table(200, 20)
    found = find_neighbours(X, 5)
    assert found.recall is None
    np.testing.assert_allclose(found.distances, true_distances(X, 5), atol=1e-6)
