"""The most similar cluster, for every kind of affinity."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from fairspectral import FairSpectralClustering, FairSpectralWarning
from fairspectral.cut import CutState
from fairspectral.later.placing import ClusterTerms, place
from fairspectral.later.training import Training
from fairspectral.metrics import normalized_cut


def blobs(n=120, seed=0):
    X, y = make_blobs(n, centers=[[0, 0], [8, 0], [0, 8]], cluster_std=0.7, random_state=seed)
    return X, y, np.random.default_rng(seed).integers(0, 2, n)


def fitted(X, groups, **params):
    params = {"affinity": "rbf", "effort": "fast", **params}
    return FairSpectralClustering(3, random_state=0, **params).fit(X, sensitive_features=groups)


@pytest.mark.parametrize("affinity", ["rbf", "laplacian", "nearest_neighbors", "auto", "gower"])
def test_new_people_join_the_blob_where_they_are(affinity):
    X, y, groups = blobs()
    model = fitted(X, groups, affinity=affinity, n_neighbors=60)
    new, truth, _ = blobs(seed=1)
    cluster = [np.bincount(model.labels_[y == blob]).argmax() for blob in range(3)]
    assert np.mean(model.predict(new) == np.array(cluster)[truth]) > 0.98
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_the_cut_is_lowest_there():
    # With the affinities of everyone at hand, every other cluster has a higher cut.
    X, _, groups = blobs(60)
    X = X / 4  # clusters that touch
    model = fitted(X[:50], groups[:50], gamma=1.0)
    W = rbf_kernel(X, gamma=1.0)
    labels = model.predict(X[50:])
    for i, label in enumerate(labels, start=50):
        rows = np.r_[0:50, i]
        cuts = [normalized_cut(np.r_[model.labels_, c], W[np.ix_(rows, rows)]) for c in range(3)]
        assert cuts[label] <= min(cuts) + 0.02


def test_edges_of_a_graph():
    rng = np.random.default_rng(3)
    side = np.arange(40) % 2
    W = ((side[:, None] == side) & (rng.random((40, 40)) < 0.5)).astype(float)
    W = np.triu(W, 1) + np.triu(W, 1).T
    W[0, 1] = W[1, 0] = 1.0
    model = FairSpectralClustering(2, affinity="precomputed", random_state=0)
    model.fit(sp.csr_array(W), sensitive_features=np.arange(40) // 2 % 2)
    edges = np.zeros((2, 40))
    edges[0, :6], edges[1, [1, 3, 5, 8]] = side[:6] == 0, 1.0
    labels = model.predict(sp.csr_array(edges))
    np.testing.assert_array_equal(labels, model.predict(edges))
    np.testing.assert_array_equal(labels, [model.labels_[2], model.labels_[3]])
    np.testing.assert_array_equal(model.predict(W), model.labels_)


def test_an_operator_takes_affinities():
    X, _, groups = blobs()
    W = rbf_kernel(X, gamma=0.5)
    given = fitted(X, groups, gamma=0.5, dtype="float64").affinity_operator_
    model = FairSpectralClustering(3, affinity=given, random_state=0)
    model.fit(None, sensitive_features=groups)
    assert np.mean(model.predict(W) == model.labels_) > 0.95


def test_equal_people_in_different_clusters_are_their_own():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((6, 2)), 20, axis=0)
    # Each group is one half of the rows, so fair clusters must split equal people.
    model = fitted(X, np.arange(120) // 60, fairness_tol=0.0)
    assert len({tuple(row) for row in np.c_[X, model.labels_].tolist()}) > 6
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_one_person_without_affinity_is_said():
    X, _, groups = blobs()
    model = fitted(X, groups)
    with pytest.warns(FairSpectralWarning, match=r"1 row\(s\) without any affinity .* row 1;"):
        labels = model.predict([[0.0, 0.0], [1e9, 1e9]])
    assert labels[1] == np.bincount(model.labels_).argmax()


def test_nobody_joins_a_cluster_without_members():
    W = np.ones((6, 6))
    labels = np.array([0, 0, 0, 2, 2, 2])
    state = CutState.measure(_operator(W), labels, 3)
    later = np.array([[1.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1.0]])
    found = place(later, Training("precomputed", None), labels, ClusterTerms.of(state))
    np.testing.assert_array_equal(found.labels, [0, 2])
    assert state.cut == pytest.approx(normalized_cut(labels, W), abs=1e-6)


def _operator(W):
    from fairspectral.affinity import make_operator

    return make_operator(W, "precomputed")


def test_rows_of_mixed_tables_are_read_alike():
    pandas = pytest.importorskip("pandas", reason="the table needs: pip install pandas")
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(
        {
            "age": np.where(np.arange(60) == 3, np.nan, rng.integers(20, 60, 60)),
            "town": rng.choice(["Rome", "Oslo"], 60),
            "size": pandas.Categorical.from_codes(
                rng.integers(0, 3, 60), ["s", "m", "l"], ordered=True
            ),
            "same": 1,
        }
    )
    model = fitted(table, np.arange(60) % 2, affinity="auto")
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    np.testing.assert_array_equal(model.predict(table[40:]), model.labels_[40:])
    with pytest.warns(FairSpectralWarning, match="1 value.* column 'town' that nobody .* 'Lima'"):
        model.predict(table[:1].assign(town="Lima"))
    with pytest.raises(ValueError, match="other values than numbers in column 'age'"):
        model.predict(table[:2].assign(age="old"))
    with pytest.raises(ValueError, match="other ordered categories in column 'size'"):
        model.predict(table[:2].assign(size="s"))
    missing = pandas.Categorical([None, None], ["s", "m", "l"], ordered=True)
    with pytest.raises(ValueError, match="no value in row 1 "):
        model.predict(table[:2].assign(age=[30, np.nan], town=["Rome", None], size=missing))


def test_columns_in_different_units_are_rescaled_alike():
    X, y, groups = blobs()
    X = X * [1.0, 1e4] + X[:, ::-1] * [0.3, 0.0]  # years and dollars, correlated
    model = FairSpectralClustering(3, random_state=0).fit(X, sensitive_features=groups)
    assert model.affinity_operator_.rescaled
    cluster = np.array([np.bincount(model.labels_[y == blob]).argmax() for blob in range(3)])
    near = X + np.random.default_rng(0).normal(size=X.shape) * [0.01, 100.0]
    assert np.mean(model.predict(near) == cluster[y]) > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)
