"""Components of affinities that are computed, not stored: those of the matrix, in few rows."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from fairspectral import FairSpectralClustering
from fairspectral.affinity import components, make_operator
from fairspectral.affinity.components import computed_components


def searched(W):
    """The components, and how many rows were computed."""
    asked = []

    def rows(indices):
        asked.extend(indices)
        return W[indices]

    return computed_components(W.sum(axis=1), W.diagonal(), rows), len(asked)


@pytest.mark.parametrize("step", [1, 3, 256])
@pytest.mark.parametrize("seed", range(5))
def test_they_are_those_of_the_matrix(seed, step, monkeypatch):
    monkeypatch.setattr(components, "_ROWS", step)
    rng = np.random.default_rng(seed)
    W = rng.random((60, 60)) * (rng.random((60, 60)) < 0.02)
    W = W + W.T + np.eye(60)
    found, computed = searched(W)
    np.testing.assert_array_equal(found, connected_components(W, directed=False)[1])
    assert computed <= 2 * 60


def test_a_few_rows_suffice_where_only_single_people_are_apart():
    W = np.full((500, 500), 0.5)
    W[[3, 70]] = W[:, [3, 70]] = 0.0
    np.fill_diagonal(W, 1.0)
    found, computed = searched(W)
    assert np.bincount(found).tolist() == [498, 1, 1]
    assert computed == 3


def test_somebody_with_a_tiny_affinity_is_not_alone():
    W = np.full((9, 9), 0.5)
    W[4] = W[:, 4] = 1e-30
    np.fill_diagonal(W, 1.0)
    assert searched(W)[0].tolist() == [0] * 9


def scattered(n=200):
    """Two clouds, a pair and a person, far from each other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)) + 3.0 * (np.arange(n) % 2)[:, None]
    X[[20, 21]], X[50] = 60.0, -60.0
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("way", ["compiled", "strips", "torch"])
def test_a_small_memory_budget_is_the_same_problem(way):
    X, groups = scattered(2100 if way == "compiled" else 200)
    given = X
    if way == "torch":
        given = pytest.importorskip("torch", reason="needs torch").from_numpy(X)
    budget = "2MB" if way == "compiled" else "50KB"
    dtype = "float64" if way == "strips" else None
    params = {"gamma": 0.1, "dtype": dtype, "random_state": 0, "effort": "fast"}
    model = FairSpectralClustering(3, affinity="rbf", **params)
    stored = model.fit(X, sensitive_features=groups)
    aside, objective = stored.set_aside_, stored.solve_result_.objective
    again = FairSpectralClustering(3, affinity="rbf", memory_budget=budget, **params)
    again.fit(given, sensitive_features=groups)
    assert again.affinity_operator_.stored_weights is None
    assert (again.affinity_operator_.computed_rows is not None) == (way == "compiled")
    assert sorted(again.set_aside_.indices) == sorted(aside.indices) == [20, 21, 50]
    assert again.set_aside_.n_pieces == 2
    assert again.solve_result_.objective == pytest.approx(objective, rel=1e-5)


@pytest.mark.parametrize("n", [200, 2100])
def test_on_workers_the_client_searches_where_it_has_the_rows(n):
    distributed = pytest.importorskip("distributed", reason="needs Dask")
    import dask.array as da

    from fairspectral.people import read_dask

    X, _ = scattered(n)
    expected = make_operator(X, "rbf", gamma=0.1).component_labels()
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 1}
    with distributed.Client(**options, dashboard_address=None):
        table, _ = read_dask(da.from_array(X), None, "rbf")
        found = make_operator(table, "rbf", gamma=0.1).component_labels()
        np.testing.assert_array_equal(found, expected)
        assert make_operator(table, "rbf", gamma=0.1, memory_budget=1).component_labels() is None
