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
