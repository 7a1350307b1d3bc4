"""k-means on a device, here on CPU tensors, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from fairspectral.rounding import kmeans, torch_kmeans
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.rounding.torch_kmeans import kmeans_on_device

torch = pytest.importorskip(
    "torch", reason="torch is not installed: pip install 'fairspectral[gpu]'"
)

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def cost(rows, labels, weights):
    total = 0.0
    for label in np.unique(labels):
        some, w = rows[labels == label], weights[labels == label]
        total += float(w @ np.square(some - np.average(some, axis=0, weights=w)).sum(axis=1))
    return total


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_the_cost_is_that_of_scikit_learn(weighted, scale, monkeypatch):
    monkeypatch.setattr(torch_kmeans, "_SAMPLE", 500)
    rows, _ = make_blobs(3000, centers=6, n_features=4, cluster_std=2.5, random_state=0)
    rows = rows * scale + 1.0
    weights = np.random.default_rng(0).random(3000) + 0.5 if weighted else np.ones(3000)
    found = kmeans_on_device(rows, 6, DEVICE, random_state=0, sample_weight=weights)
    theirs = KMeans(6, n_init=10, random_state=0).fit_predict(rows, sample_weight=weights)
    assert cost(rows, found, weights) <= 1.005 * cost(rows, theirs, weights)


def test_the_same_seed_gives_the_same_labels():
    rows = np.random.default_rng(0).standard_normal((1000, 3))
    once, again = (kmeans_on_device(rows, 5, DEVICE, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(once, again)


def test_fewer_distinct_rows_than_clusters(monkeypatch):
    monkeypatch.setattr(kmeans, "_MANY", 10)
    rows = np.repeat(np.eye(3), 20, axis=0)
    # Any device whose name begins with cuda takes this way; the steps run where torch can.
    original = torch_kmeans.kmeans_on_device
    monkeypatch.setattr(
        torch_kmeans, "kmeans_on_device", lambda r, k, _, *options: original(r, k, DEVICE, *options)
    )
    labels = kmeans_labels(rows, 5, random_state=0, device="cuda:0")
    assert sorted(set(labels.tolist())) == list(range(5))
    assert labels.dtype == np.int32


def test_few_rows_stay_on_the_host(monkeypatch):
    monkeypatch.setattr(torch_kmeans, "kmeans_on_device", None)
    rows = np.random.default_rng(0).standard_normal((100, 3))
    expected = kmeans_labels(rows, 3, random_state=0)
    np.testing.assert_array_equal(kmeans_labels(rows, 3, random_state=0, device="cuda:0"), expected)


def test_a_strip_that_found_no_memory_is_counted_once(monkeypatch):
    rng = torch.Generator().manual_seed(0)
    points, centres = torch.randn(100, 2, generator=rng), torch.randn(3, 2, generator=rng).double()
    weights, original, failed = torch.ones(100), torch.Tensor.sum, []
    expected = torch_kmeans._step(points, weights, centres, torch_kmeans.Strips(100, 100))

    def fails_once(self, *args, **options):
        if options.get("dim") == 0 and not failed:
            failed.append(True)
            raise torch.OutOfMemoryError("no memory")
        return original(self, *args, **options)

    monkeypatch.setattr(torch.Tensor, "sum", fails_once)
    found = torch_kmeans._step(points, weights, centres, torch_kmeans.Strips(100, 100))
    assert failed
    assert torch.equal(found[0], expected[0])
    torch.testing.assert_close(found[1], expected[1])


def test_rows_that_do_not_fit_are_clustered_on_the_host(monkeypatch):
    def no_memory(*_):
        raise torch.OutOfMemoryError("no memory")

    monkeypatch.setattr(kmeans, "_MANY", 10)
    monkeypatch.setattr(torch_kmeans, "kmeans_on_device", no_memory)
    rows = np.random.default_rng(0).standard_normal((100, 3))
    expected = kmeans_labels(rows, 3, random_state=0)
    np.testing.assert_array_equal(kmeans_labels(rows, 3, random_state=0, device="cuda:0"), expected)


def test_more_clusters_than_the_usual_sample_has_rows(monkeypatch):
    monkeypatch.setattr(torch_kmeans, "_SAMPLE", 20)
    rows = np.random.default_rng(0).standard_normal((400, 2))
    found = kmeans_on_device(rows, 50, DEVICE, n_init=1, random_state=0)
    assert found.max() == 49
