"""The search for neighbours on a device, beside scikit-learn's through all pairs."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from fairspectral.affinity import make_operator, torch_neighbours
from fairspectral.affinity.nearest import find_neighbours
from fairspectral.affinity.neighbours import self_tuned_graph
from fairspectral.affinity.torch_sparse import TorchSparseOperator

torch = pytest.importorskip(
    "torch", reason="torch is not installed: pip install 'fairspectral[gpu]'"
)

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def expected(X, count):
    distances, indices = (
        NearestNeighbors(n_neighbors=count, algorithm="kd_tree").fit(X).kneighbors()
    )
    return indices, distances


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("n", "d", "count"), [(700, 3, 9), (500, 20, 5), (30, 2, 29), (2, 1, 1)])
def test_neighbours_are_the_nearest(n, d, count, device, monkeypatch):
    monkeypatch.setattr(torch_neighbours, "_OTHERS", 64)  # several parts, merged
    monkeypatch.setattr(torch_neighbours, "_STRIP_BYTES", 64 * 12 * 50)
    X = np.random.default_rng(n).standard_normal((n, d))
    found = find_neighbours(torch.from_numpy(X).to(device), count)
    indices, distances = expected(X, count)
    assert found.words == ""
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, atol=1e-12)


def test_near_neighbours_far_from_the_centre_are_not_confused():
    """Products of float32 cannot tell these apart; differences in float64 can."""
    rng = np.random.default_rng(0)
    # Heaps of so many points as are looked at more closely, a thousand units from each other.
    X = np.repeat(rng.standard_normal((40, 2)) * 1000, 10, axis=0) + 1e-4 * rng.random((400, 2))
    found = find_neighbours(torch.from_numpy(X), 5)
    np.testing.assert_array_equal(found.indices, expected(X, 5)[0])


def test_copies_of_one_row():
    X = torch.zeros((50, 2), dtype=torch.float64)
    found = find_neighbours(X, 4)
    assert (found.indices != np.arange(50)[:, None]).all()
    assert not found.distances.any()


def test_the_graph_is_that_of_the_host():
    X = np.random.default_rng(0).standard_normal((400, 4))
    X[:200] += 100.0  # two pieces, to be joined
    theirs, pieces, _ = self_tuned_graph(X)
    ours, found, _ = self_tuned_graph(torch.from_numpy(X))
    assert pieces == found == 2
    assert abs(theirs - ours).max() < 1e-9


@pytest.mark.parametrize("n_neighbors", [1, 6])
def test_the_operator_of_a_tensor(n_neighbors):
    X = np.random.default_rng(0).standard_normal((80, 4))
    if n_neighbors == 1:
        with pytest.raises(ValueError, match="pass at least 2"):
            make_operator(torch.from_numpy(X), "nearest_neighbors", n_neighbors=1)
        return
    operator = make_operator(torch.from_numpy(X), "nearest_neighbors", n_neighbors=n_neighbors)
    assert isinstance(operator, TorchSparseOperator)
    theirs = make_operator(X, "nearest_neighbors", n_neighbors=n_neighbors)
    assert abs(operator.stored_weights - theirs.stored_weights).max() == 0


def heaps(scale):
    rng = np.random.default_rng(1)
    return np.vstack([rng.standard_normal((500, 5)), rng.standard_normal((500, 5)) + 1 / scale])


def cities():
    rng = np.random.default_rng(1)
    places = np.repeat([[48.2, 16.37], [40.7, -74.0]], 600, axis=0)
    return places + 0.002 * rng.standard_normal((1200, 2))


@pytest.mark.parametrize(
    "X", [*(s * heaps(s) for s in (1e-3, 1e-4, 1e-5)), cities()], ids=["-3", "-4", "-5", "cities"]
)
@pytest.mark.parametrize("others", [256, 2**16])
def test_tight_heaps_have_the_graph_of_the_host(X, others, monkeypatch):
    """More rows than candidates are too near to each other for products of float32."""
    monkeypatch.setattr(torch_neighbours, "_OTHERS", others)
    theirs = make_operator(X, "nearest_neighbors").stored_weights
    ours = make_operator(torch.from_numpy(X), "nearest_neighbors").stored_weights
    assert abs(theirs - ours).nnz == 0


def test_heaps_too_tight_for_products_of_float64():
    # Multiples of 2^-52 beside 1, so that distances are exact.
    X = np.ones((300, 2))
    X[:150] = -1.0
    X[:, 0] += np.random.default_rng(0).permutation(300) * 2.0**-40
    indices, distances = torch_neighbours.search_on_device(torch.from_numpy(X), 5)
    theirs = expected(X, 5)
    np.testing.assert_array_equal(distances, theirs[1])
    assert (indices // 150 == np.arange(300)[:, None] // 150).all()


def test_a_search_of_scattered_rows_stays_quick(monkeypatch):
    """An outlier costs nobody else the second search."""
    monkeypatch.setattr(torch_neighbours, "_differences", lambda *_: None)
    X = np.random.default_rng(0).standard_normal((2000, 4))
    X[0] = 1e4
    X /= 2e4
    searched = []
    original = torch_neighbours._search

    def search(apart, dtype, exact, people, *rest):
        searched.append(len(people))
        return original(apart, dtype, exact, people, *rest)

    monkeypatch.setattr(torch_neighbours, "_search", search)
    indices, _ = torch_neighbours.search_on_device(torch.from_numpy(X), 5)
    np.testing.assert_array_equal(indices, expected(X, 5)[0])
    assert sum(searched[1:]) < 20
