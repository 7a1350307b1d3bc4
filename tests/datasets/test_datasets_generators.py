"""The generators: sizes, the models' statistics, and that fair clustering has its answer."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from fairspectral.datasets import (
    load_diabetes_patients,
    make_ds577,
    make_elliptical,
    make_msbm,
    make_randlaplace,
)
from fairspectral.datasets import msbm as msbm_module
from fairspectral.datasets.msbm import _triangle

STRONG = (0.9, 0.3, 0.25, 0.02)


def spectral_labels(W, k, groups=None):
    """Labels by dense eigenvectors, on the fair subspace if groups are given."""
    d = W.sum(axis=1)
    M = W / np.sqrt(np.outer(d, d))
    if groups is not None:
        G = (groups[:, None] == np.unique(groups)).astype(float)
        Q = scipy.linalg.orth((G - G.mean(axis=0)) / np.sqrt(d)[:, None])
        P = np.eye(len(d)) - Q @ Q.T
        M = P @ M @ P
    H = scipy.linalg.eigh(M, subset_by_index=[len(d) - k, len(d) - 1])[1]
    return KMeans(k, n_init=5, random_state=0).fit_predict(H / np.sqrt(d)[:, None])


# --- the fair block model ---------------------------------------------------------------


def check_graph(graph):
    assert (graph.diagonal() == 0).all()
    assert abs(graph - graph.T).max() == 0
    assert graph.sum(axis=1).min() >= 1
    values = graph.data if sp.issparse(graph) else graph[graph != 0]
    assert (values == 1).all()


@pytest.mark.parametrize(("scale", "kind"), [(1.0, np.ndarray), (0.3, sp.csr_array)])
def test_msbm_has_the_edge_frequencies_of_the_model(scale, kind):
    data = make_msbm(1500, 3, 2, probabilities=(0.4, 0.3, 0.2, 0.1), scale=scale, random_state=0)
    assert isinstance(data.graph, kind)
    check_graph(data.graph)
    W = data.graph.toarray() if kind is sp.csr_array else data.graph
    same_cluster = data.clusters[:, None] == data.clusters
    same_group = data.sensitive_features[:, None] == data.sensitive_features
    other = ~np.eye(data.n, dtype=bool)
    kinds = [
        (0.4, same_cluster & same_group & other),
        (0.3, ~same_cluster & same_group),
        (0.2, same_cluster & ~same_group),
        (0.1, ~same_cluster & ~same_group),
    ]
    for probability, pairs in kinds:
        p = probability * scale
        deviation = np.sqrt(p * (1 - p) / (pairs.sum() / 2))
        assert abs(W[pairs].mean() - p) < 5 * deviation


def test_msbm_spreads_the_remainder_over_whole_clusters():
    data = make_msbm(47, 5, 2, scale=1.0, random_state=0)
    cells = np.zeros((5, 2), dtype=int)
    np.add.at(cells, (data.clusters, data.sensitive_features), 1)
    np.testing.assert_array_equal(cells, [[5, 5], [5, 5], [5, 5], [5, 4], [4, 4]])


@pytest.mark.parametrize("chunk", [64, 2**22])
def test_msbm_depends_on_the_seed_alone(chunk, monkeypatch):
    monkeypatch.setattr(msbm_module, "_CHUNK", chunk)
    first, again, other = (make_msbm(300, random_state=seed).graph for seed in (7, 7, 8))
    assert (first != again).sum() == 0
    assert (first != other).sum() > 0


def test_msbm_in_small_chunks_has_no_edge_twice(monkeypatch):
    monkeypatch.setattr(msbm_module, "_CHUNK", 64)
    data = make_msbm(300, 3, 2, scale=0.2, random_state=0)
    check_graph(data.graph)


def test_msbm_with_certain_and_impossible_edges():
    data = make_msbm(24, 3, 2, probabilities=(1, 0, 1, 0), scale=1.0, random_state=0)
    same_cluster = data.clusters[:, None] == data.clusters
    np.testing.assert_array_equal(data.graph, same_cluster & ~np.eye(24, dtype=bool))


def test_msbm_connects_isolated_nodes_inside_their_cluster():
    data = make_msbm(200, 4, 2, probabilities=(0, 0, 0, 0), random_state=0)
    check_graph(data.graph)
    i, j = data.graph.nonzero()
    assert (data.clusters[i] == data.clusters[j]).all()


def test_msbm_is_sparse_and_cheap_for_many_nodes():
    data = make_msbm(
        50_000,
        5,
        2,
        probabilities=(0.4, 0.3, 0.2, 0.1),
        scale=1e-3,
        dtype=np.float32,
        random_state=0,
    )
    assert data.graph.dtype == np.float32
    assert data.graph.indices.dtype == np.int32
    assert data.graph.nnz / data.n == pytest.approx(11, abs=0.2)  # 0.22e-3 of 50,000


def test_numbering_of_the_triangle_is_exact_where_floats_are_not():
    i = np.array([2, 3, 10**6, 10**8, 2**31])
    first, last = i * (i - 1) // 2, i * (i + 1) // 2 - 1
    np.testing.assert_array_equal(_triangle(first), [i, np.zeros_like(i)])
    np.testing.assert_array_equal(_triangle(last), [i, i - 1])


def test_fair_clustering_recovers_the_block_model_and_plain_does_not():
    data = make_msbm(600, 3, 2, probabilities=STRONG, random_state=0)
    groups = data.sensitive_features
    assert adjusted_rand_score(data.clusters, spectral_labels(data.graph, 3, groups)) == 1.0
    assert adjusted_rand_score(data.clusters, spectral_labels(data.graph, 3)) < 0.7
    assert adjusted_rand_score(groups, spectral_labels(data.graph, 2)) == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0 is too small"),
        ({"n_groups": 0}, "n_groups=0 is too small"),
        ({"n_samples": 19}, "n_samples=19 is too small; pass at least 20"),
        ({"scale": 3.0}, "times scale=3 are not four numbers from 0 to 1"),
        ({"probabilities": (0.5, 0.1)}, "are not four numbers"),
    ],
)
def test_msbm_refuses_what_the_model_cannot_have(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_msbm(**arguments)


# --- the random graph -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_randlaplace_is_symmetric_and_uniform(dtype):
    data = make_randlaplace(600, dtype=dtype, random_state=0)
    W = data.graph
    assert W.dtype == dtype
    np.testing.assert_array_equal(W, W.T)
    assert (W.diagonal() == 0).all()
    weights = W[np.triu_indices(600, 1)]
    assert weights.min() >= 0
    assert np.histogram(weights, 10, (0, 1))[0] / len(weights) == pytest.approx(0.1, abs=0.005)


def test_randlaplace_groups():
    two = make_randlaplace(2000, random_state=0).sensitive_features
    assert two.mean() == pytest.approx(0.3, abs=0.04)
    five = make_randlaplace(2000, 5, random_state=0).sensitive_features
    assert np.bincount(five) / 2000 == pytest.approx(0.2, abs=0.04)
    assert make_randlaplace(6, 6, random_state=0).h == 6


def test_randlaplace_needs_a_node_for_every_group():
    with pytest.raises(ValueError, match="n_samples=3 is too small; pass at least 4"):
        make_randlaplace(3, 4)


# --- the plane --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("make", "k"), [(make_elliptical, 2), (make_ds577, 3)])
def test_in_the_plane_only_the_fair_cut_finds_the_clusters(make, k, seed):
    data = make(random_state=seed)
    W = rbf_kernel(data.X, gamma=0.5)
    fair = spectral_labels(W, k, data.sensitive_features)
    assert adjusted_rand_score(data.clusters, fair) == 1.0
    assert adjusted_rand_score(data.clusters, spectral_labels(W, k)) < 0.7


def test_sizes_in_the_plane():
    data = make_ds577(random_state=0)
    assert (data.n, data.h, data.X.shape) == (577, 3, (577, 2))
    cells = np.zeros((3, 3), dtype=int)
    np.add.at(cells, (data.clusters, data.sensitive_features), 1)
    np.testing.assert_array_equal(cells, [[97, 64, 32], [96, 64, 32], [96, 64, 32]])
    odd = make_elliptical(203, random_state=0)
    assert (odd.n, odd.h) == (203, 2)
    with pytest.raises(ValueError, match="n_samples=3 is too small"):
        make_elliptical(3)


# --- the patients -----------------------------------------------------------------------


def test_diabetes_patients():
    data = load_diabetes_patients()
    assert data.X.shape == (442, 9)
    assert len(data.feature_names) == 9
    assert "sex" not in data.feature_names
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.X.std(axis=0), 1, rtol=0, atol=1e-12)
    names, counts = np.unique(data.sensitive_features, return_counts=True)
    assert dict(zip(names, counts, strict=True)) == {"sex 1": 235, "sex 2": 207}
    assert repr(data) == "Dataset('Diabetes patients', n=442, h=2, X=ndarray)"
