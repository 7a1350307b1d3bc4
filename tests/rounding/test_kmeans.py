import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from fairspectral.rounding.kmeans import fill_empty_clusters, kmeans_labels


def test_finds_blobs():
    truth = np.repeat(np.arange(4), 25)
    rows = 10 * np.eye(4)[truth] + np.random.default_rng(0).standard_normal((100, 4))
    assert adjusted_rand_score(truth, kmeans_labels(rows, 4, random_state=0)) == 1


@pytest.mark.parametrize(
    "rows",
    [np.zeros((6, 2)), np.repeat([[0.0, 0], [1, 1]], 3, axis=0), np.arange(12.0).reshape(6, 2)],
    ids=["identical", "two distinct", "distinct"],
)
@pytest.mark.parametrize("n_clusters", [1, 4, 6])
def test_every_cluster_is_used(rows, n_clusters):
    labels = kmeans_labels(rows, n_clusters, n_init=2, random_state=0)
    assert sorted(set(labels.tolist())) == list(range(n_clusters))


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_an_empty_cluster_takes_the_farthest_row_of_the_largest(storage):
    rows = storage(np.array([[0.0], [0], [0], [5], [100], [100]]))
    labels = fill_empty_clusters(rows, np.array([0, 0, 0, 0, 1, 1]), 3)
    np.testing.assert_array_equal(labels, [0, 0, 0, 2, 1, 1])


def test_weights_count():
    rows = np.array([[0.0], [1.0], [2.6]])
    heavy_left = kmeans_labels(rows, 2, random_state=0, sample_weight=np.array([9.0, 1.0, 1.0]))
    heavy_right = kmeans_labels(rows, 2, random_state=0, sample_weight=np.array([1.0, 9.0, 9.0]))
    assert heavy_left[0] == heavy_left[1] != heavy_left[2]
    assert heavy_right[0] == heavy_right[1] != heavy_right[2]
