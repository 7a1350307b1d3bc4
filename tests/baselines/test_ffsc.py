"""The FFSC-style baseline: its objective, its moves and its start."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from baseline_cases import four_clusters
from helpers import random_affinity
from sklearn.exceptions import ConvergenceWarning

from fairspectral import metrics
from fairspectral.baselines import FFSCStyle
from fairspectral.baselines.ffsc import seeded_partition

STORAGES = {
    "dense": lambda W: W,
    "float32": lambda W: W.astype(np.float32),
    "fortran": np.asfortranarray,
    "csr": sp.csr_array,
}


def sparse_affinity(n, seed=0):
    """A graph with loops and with few edges, still connected."""
    W = random_affinity(n, seed)
    W = np.where(W > 1.4, W, 0)
    W[np.arange(n - 1), np.arange(1, n)] = W[np.arange(1, n), np.arange(n - 1)] = 0.5
    return W


def objective(W, labels, attributes, weight):
    """The formula written out cluster by cluster."""
    d = W.sum(axis=1)
    L = np.diag(d) - W
    total = 0.0
    for cluster in np.unique(labels):
        y = (labels == cluster).astype(float)
        total += y @ L @ y / (y @ (d * y))
        for groups in attributes:
            for group in np.unique(groups):
                column = (groups == group) - np.mean(groups == group)
                total += weight * (column @ y) ** 2 / y.sum()
    return total


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("weight", [0.0, 0.3])
class TestDescent:
    def fit(self, storage, weight):
        W = sparse_affinity(60)
        rng = np.random.default_rng(1)
        table = {"sex": rng.integers(0, 2, 60), "age": rng.integers(0, 3, 60)}
        model = FFSCStyle(4, affinity="precomputed", fairness_weight=weight, random_state=0)
        return W, list(table.values()), model.fit(STORAGES[storage](W), sensitive_features=table)

    def test_the_objective_falls_in_every_sweep_but_the_last(self, storage, weight):
        _, _, model = self.fit(storage, weight)
        assert model.n_iter_ == len(model.history_) - 1 >= 2
        assert (np.diff(model.history_[:-1]) < 0).all()
        assert model.history_[-1] == pytest.approx(model.history_[-2], abs=1e-9)

    def test_the_cached_objective_is_the_true_one(self, storage, weight):
        W, attributes, model = self.fit(storage, weight)
        expected = objective(W, model.labels_, attributes, weight)
        assert model.history_[-1] == pytest.approx(expected, abs=1e-4)  # cuts of at most 4

    def test_no_single_move_is_better(self, storage, weight):
        W, attributes, model = self.fit(storage, weight)
        reached = objective(W, model.labels_, attributes, weight)
        for i, cluster in itertools.product(range(60), range(4)):
            moved = model.labels_.copy()
            moved[i] = cluster
            if len(np.unique(moved)) == 4:
                assert objective(W, moved, attributes, weight) > reached - 1e-5


def test_embedding_is_orthonormal_and_spans_the_clusters():
    X, groups, _ = four_clusters()
    model = FFSCStyle(4, random_state=0).fit(X, sensitive_features=groups)
    H, operator = model.embedding_, model.affinity_operator_
    np.testing.assert_allclose(H.T @ H, np.eye(4), atol=1e-12)
    cut = 4 - np.sum(H * operator.matmat(H))
    assert cut == pytest.approx(metrics.normalized_cut(model.labels_, operator), abs=1e-5)


def test_more_weight_is_fairer_and_cuts_more():
    X, groups, _ = four_clusters()
    models = [
        FFSCStyle(4, fairness_weight=weight, random_state=0).fit(X, sensitive_features=groups)
        for weight in (0.0, "auto")
    ]
    differences = [metrics.representation_difference(m.labels_, groups) for m in models]
    cuts = [m.audit_.normalized_cut for m in models]
    assert differences[1] < 0.1 < differences[0]
    assert cuts[0] < cuts[1]
    assert models[1].fairness_weight_ == pytest.approx(10 * 4 / len(X), abs=1e-12)


def test_no_cluster_is_emptied():
    # A single cluster would cut nothing, so moving everyone into it would be best.
    W = np.ones((12, 12))
    model = FFSCStyle(5, affinity="precomputed", random_state=0).fit(W)
    assert len(np.unique(model.labels_)) == 5


def test_stopping_early_is_reported():
    X, groups, _ = four_clusters()
    model = FFSCStyle(4, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model.fit(X, sensitive_features=groups)
    assert not model.converged_
    assert model.n_iter_ == 1


def test_affinities_that_are_not_stored_are_refused():
    X, groups, _ = four_clusters()
    with pytest.raises(ValueError, match="160 × 160 affinities in memory; raise memory_budget"):
        FFSCStyle(4, affinity="rbf", memory_budget=1000).fit(X, sensitive_features=groups)


class TestSeededPartition:
    @pytest.mark.parametrize("store", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
    def test_a_component_joins_its_seed(self, store):
        W = np.kron(np.eye(2), np.ones((5, 5)))
        # The first of the states that put one seed into each component.
        state = next(
            seed
            for seed in range(50)
            if np.ptp(np.random.RandomState(seed).choice(10, 2, replace=False) // 5)
        )
        labels = seeded_partition(store(W), 2, np.random.RandomState(state))
        assert len(set(labels[:5])) == len(set(labels[5:])) == 1
        assert labels[0] != labels[5]

    def test_fewest_edges_decide(self):
        n = 20
        path = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr")
        labels = seeded_partition(path, 3, np.random.RandomState(0))
        assert np.count_nonzero(np.diff(labels)) == 2  # three intervals


def test_sparse_features_with_fewer_distinct_rows_than_clusters():
    X = sp.csr_array(np.repeat(np.eye(2), 15, axis=0))
    model = FFSCStyle(4, random_state=0).fit(X, sensitive_features=np.arange(30) % 2)
    assert set(model.labels_) == set(range(4))
