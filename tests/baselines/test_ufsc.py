"""UFSC: each step against an independent check, then the alternation as a whole."""

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp
from baseline_cases import four_clusters
from helpers import random_affinity
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from fairspectral.baselines import UFSC
from fairspectral.baselines._graph import learn_graph
from fairspectral.baselines._smooth import laplacian, smooth_signals
from fairspectral.baselines._stiefel import curvilinear_search
from fairspectral.baselines.ufsc import State, Weights, procrustes


def random_graph(n, seed=0):
    W = random_affinity(n, seed)
    np.fill_diagonal(W, 0)
    return W, W.sum(axis=1)


class TestGraph:
    """``min sum w |p_i - p_j|^2 - alpha sum log d + beta ||W||^2``."""

    alpha, beta = 1.3, 0.7

    def learn(self, points, **options):
        return learn_graph(points, degree_weight=self.alpha, ridge_weight=self.beta, **options)

    def objective(self, W, costs):
        return (
            np.sum(W * costs) / 2
            - self.alpha * np.sum(np.log(W.sum(axis=1)))
            + self.beta * np.sum(W**2)
        )

    @pytest.mark.parametrize("spread", [0.1, 1.0, 3.0])
    def test_optimality_conditions(self, spread):
        points = spread * np.random.default_rng(0).standard_normal((50, 3))
        points[0] += 20 * spread  # an outlier
        graph = self.learn(points)
        W, d = graph.weights, graph.degrees
        assert graph.converged
        np.testing.assert_allclose(W.sum(axis=1), d, rtol=0, atol=1e-9 * d.max())
        np.testing.assert_allclose(W, W.T, rtol=0, atol=1e-12 * d.max())
        assert (W >= 0).all()
        assert not W.diagonal().any()
        slope = cdist(points, points, "sqeuclidean") + 4 * self.beta * W
        slope -= self.alpha / d + (self.alpha / d)[:, None]
        np.fill_diagonal(slope, 0)
        scale = np.abs(self.alpha / d).max()
        assert slope.min() > -1e-3 * scale
        assert np.abs(slope[W > 0]).max() < 1e-3 * scale

    def test_against_a_generic_optimiser(self):
        n = 8
        points = np.random.default_rng(1).standard_normal((n, 2))
        costs = cdist(points, points, "sqeuclidean")
        upper = np.triu_indices(n, 1)

        def value(w):
            W = np.zeros((n, n))
            W[upper] = w
            return self.objective(W + W.T, costs)

        start = np.full(len(upper[0]), 0.5)
        found = scipy.optimize.minimize(
            value, start, method="L-BFGS-B", bounds=[(1e-9, None)] * len(start)
        )
        graph = self.learn(points)
        assert value(graph.weights[upper]) == pytest.approx(found.fun, abs=1e-4)
        np.testing.assert_allclose(graph.weights[upper], found.x, atol=5e-3)

    def test_the_gap_bounds_the_distance_to_the_minimum(self):
        points = np.random.default_rng(2).standard_normal((40, 2))
        costs = cdist(points, points, "sqeuclidean")
        best = self.objective(self.learn(points, tol=1e-14).weights, costs)
        for sweeps in (1, 2, 3):
            graph = self.learn(points, max_iter=sweeps, tol=1e-14)
            above = self.objective(graph.weights, costs) - best
            assert not graph.converged
            assert graph.n_iter == sweeps
            assert -1e-9 < above <= graph.gap + 1e-9

    def test_a_good_start_saves_sweeps_and_memory_is_reused(self):
        points = np.random.default_rng(3).standard_normal((40, 2))
        first = self.learn(points)
        memory = np.empty((40, 40))
        again = self.learn(points, duals=first.duals, out=memory)
        assert again.n_iter < first.n_iter
        assert again.weights is memory
        np.testing.assert_allclose(again.weights, first.weights, atol=1e-3)


class TestStiefel:
    """``min tr(U^T A U) - 2 tr(U^T C)`` over orthonormal columns orthogonal to ``V``."""

    def problem(self, n=30, k=3, r=2):
        rng = np.random.default_rng(0)
        A = random_affinity(n)
        V = np.linalg.qr(rng.standard_normal((n, r)))[0]
        start = rng.standard_normal((n, k))
        start = np.linalg.qr(start - V @ (V.T @ start))[0]
        return A, V, start, rng.standard_normal((n, k))

    def test_without_a_linear_term_it_finds_the_smallest_eigenvalues(self):
        A, V, start, C = self.problem()
        found = curvilinear_search(lambda B: A @ B, 0 * C, start, V, tol=1e-8, max_iter=2000)
        Z = scipy.linalg.null_space(V.T)
        expected = np.linalg.eigvalsh(Z.T @ A @ Z)[:3].sum()
        assert found.value == pytest.approx(expected, abs=1e-8 * np.linalg.norm(A))

    def test_the_end_is_stationary_and_feasible(self):
        A, V, start, C = self.problem()
        found = curvilinear_search(lambda B: A @ B, C, start, V, tol=1e-8, max_iter=2000)
        U = found.vectors
        np.testing.assert_allclose(U.T @ U, np.eye(3), rtol=0, atol=1e-12)
        np.testing.assert_allclose(V.T @ U, 0, atol=1e-12)
        value = np.sum(U * (A @ U - 2 * C))
        assert found.value == pytest.approx(value, abs=1e-10 * np.linalg.norm(A))
        # The gradient by differences along random curves in the null space of V^T.
        Z = scipy.linalg.null_space(V.T)
        rng = np.random.default_rng(1)
        for _ in range(5):
            S = rng.standard_normal((28, 28))

            def value(t, S=S):
                turned = Z @ scipy.linalg.expm(t * (S - S.T)) @ (Z.T @ U)
                return np.sum(turned * (A @ turned - 2 * C))

            assert abs(value(1e-4) - value(-1e-4)) / 2e-4 < 1e-4
        assert found.gradient <= 1e-8

    @pytest.mark.parametrize("steps", [1, 2, 5, 20])
    def test_it_never_ends_above_its_start(self, steps):
        A, V, start, C = self.problem()
        found = curvilinear_search(lambda B: A @ B, C, start, V, max_iter=steps)
        assert found.n_iter <= steps
        assert found.value < np.sum(start * (A @ start - 2 * C))

    def test_at_a_minimum_it_stays(self):
        A, V, start, C = self.problem()
        U = curvilinear_search(lambda B: A @ B, C, start, V, tol=1e-10, max_iter=5000).vectors
        again = curvilinear_search(lambda B: A @ B, C, U, V, tol=0.0, max_iter=50)
        np.testing.assert_allclose(again.vectors, U, atol=1e-6)

    def test_a_zero_objective_is_stationary(self):
        _, V, start, C = self.problem()
        found = curvilinear_search(lambda B: 0 * B, 0 * C, start, V)
        assert found.n_iter == 0
        np.testing.assert_array_equal(found.vectors, start)


class TestSmallSteps:
    def test_procrustes_beats_every_other_rotation(self):
        rng = np.random.default_rng(0)
        U = np.linalg.qr(rng.standard_normal((20, 3)))[0]
        labels = rng.integers(0, 3, 20)
        Q, R = np.eye(3)[labels], procrustes(U, labels)
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
        # At the minimum R^T U^T Q is symmetric and positive semi-definite, and only there.
        polar = R.T @ U.T @ Q
        np.testing.assert_allclose(polar, polar.T, atol=1e-12)
        assert np.linalg.eigvalsh(polar).min() > 0
        best = np.linalg.norm(Q - U @ R)
        for _ in range(50):
            other = np.linalg.qr(rng.standard_normal((3, 3)))[0]
            assert np.linalg.norm(Q - U @ other) >= best

    @pytest.mark.parametrize("fidelity", [0.01, 5.0])
    def test_smoothing_solves_the_linear_system(self, fidelity):
        W, d = random_graph(30)
        observed = np.random.default_rng(0).standard_normal((30, 4))
        observed[:, 0] = 1.0  # constant over the graph, so already smooth
        X = smooth_signals(W, d, observed, fidelity, np.zeros_like(observed))
        L = np.diag(d) - W
        np.testing.assert_allclose(laplacian(W, d, observed), L @ observed, atol=1e-10)
        expected = np.linalg.solve(np.eye(30) + L / fidelity, observed)
        np.testing.assert_allclose(X, expected, atol=1e-6)


class TestAlternation:
    def start(self, weights):
        X, groups, _ = four_clusters(80)
        observed = 8 * X
        F0 = (groups == "a") - np.mean(groups == "a")
        fixed = (F0 / np.linalg.norm(F0))[:, None]
        U = np.random.default_rng(0).standard_normal((80, 4))
        U = np.linalg.qr(U - fixed @ (fixed.T @ U))[0]
        labels = np.arange(80) % 4
        return State(observed, U, procrustes(U, labels), labels), observed, fixed

    @pytest.mark.parametrize("weights", [Weights(1, 3, 5, 0.5, 0.01), Weights(2, 1, 1, 20, 5)])
    def test_the_objective_does_not_rise(self, weights):
        state, observed, fixed = self.start(weights)
        spare, values = None, []
        for _ in range(12):
            _, spare = state.improve(observed, fixed, weights, spare)
            values.append(state.objective(observed, weights))
        slack = 1e-9 * weights.alpha * 80  # the gap to which W is solved
        assert (np.diff(values) <= slack).all()
        assert values[-1] < values[0]

    def test_the_objective_as_it_is_written(self):
        weights = Weights(1, 3, 5, 0.5, 0.01)
        state, observed, fixed = self.start(weights)
        state.improve(observed, fixed, weights, None)
        W = state.graph.weights
        L = np.diag(W.sum(axis=1)) - W
        Q = np.eye(4)[state.labels]
        expected = (
            5 / 80 * np.linalg.norm(state.X - observed) ** 2
            + np.trace(state.X.T @ L @ state.X) / 80
            - np.sum(np.log(W.sum(axis=1)))
            + 3 * np.linalg.norm(W) ** 2
            + 0.5 * np.trace(state.U.T @ L @ state.U)
            + 0.01 * np.linalg.norm(Q - state.U @ state.R) ** 2
        )
        assert state.objective(observed, weights) == pytest.approx(expected, rel=1e-8, abs=1e-6)

    def test_change_of_the_graph(self):
        weights = Weights(1, 3, 5, 0.5, 0.01)
        state, observed, fixed = self.start(weights)
        change, spare = state.improve(observed, fixed, weights, None)
        assert change == np.inf
        assert spare is None
        old = state.graph.weights.copy()
        change, _ = state.improve(observed, fixed, weights, spare)
        expected = np.linalg.norm(state.graph.weights - old) / np.linalg.norm(old)
        assert change == pytest.approx(expected, abs=1e-8)


class TestEstimator:
    def test_clusters_are_found_and_the_embedding_is_fair(self):
        X, groups, clusters = four_clusters(300)
        model = UFSC(4, random_state=0).fit(X, sensitive_features=groups)
        assert adjusted_rand_score(clusters, model.labels_) > 0.9
        U = model.embedding_
        np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-12)
        F0 = (groups == "a") - np.mean(groups == "a")
        np.testing.assert_allclose(F0 @ U, 0, atol=1e-12)
        np.testing.assert_array_equal(model.labels_, np.argmax(U @ model.rotation_, axis=1))
        assert model.learned_graph_.shape == (300, 300)
        assert model.signals_.shape == X.shape
        assert len(model.history_) == model.n_iter_
        assert (np.diff(model.history_) <= 1e-6).all()

    def test_features_as_they_are_give_a_nearly_complete_graph(self):
        X, groups, _ = four_clusters(300)
        density = {}
        for scale in (0.1, "auto"):
            model = UFSC(4, signal_scale=scale, random_state=0).fit(X, sensitive_features=groups)
            density[scale] = np.mean(model.learned_graph_ > 0)
        assert density["auto"] < 0.5 < 0.95 < density[0.1]

    def test_the_scale_of_the_features_does_not_matter(self):
        X, groups, _ = four_clusters()
        model = UFSC(4, random_state=0)
        small = model.fit_predict(X, sensitive_features=groups)
        np.testing.assert_array_equal(model.fit_predict(64 * X, sensitive_features=groups), small)

    def test_a_graph_is_clustered_through_its_embedding(self):
        _, groups, clusters = four_clusters()
        W = np.where(clusters[:, None] == clusters, 0.9, 0.05)
        W = W * (0.5 + random_affinity(len(W)))
        model = UFSC(4, affinity="precomputed", random_state=0)
        assert adjusted_rand_score(clusters, model.fit_predict(W, sensitive_features=groups)) == 1
        # Three coordinates: the constant one is left out.
        assert model.signals_.shape == (len(W), 3)

    def test_sparse_and_constant_features(self):
        X, groups, _ = four_clusters(60)
        dense = UFSC(3, random_state=0).fit(X, sensitive_features=groups)
        sparse = UFSC(3, random_state=0).fit(sp.csr_array(X), sensitive_features=groups)
        assert dense.history_[-1] == pytest.approx(sparse.history_[-1], rel=1e-3, abs=1e-6)
        constant = UFSC(3, random_state=0).fit(np.ones((30, 2)))
        assert set(constant.labels_) == {0, 1, 2}

    def test_stopping_early_is_reported(self):
        X, groups, _ = four_clusters()
        model = UFSC(4, max_iter=2, random_state=0)
        with pytest.warns(ConvergenceWarning, match="round 2; raise max_iter or tol"):
            model.fit(X, sensitive_features=groups)
        assert not model.converged_
        assert model.n_iter_ == 2

    def test_an_unsolved_graph_is_reported(self):
        X, groups, _ = four_clusters()
        model = UFSC(4, signal_scale=1e5, max_iter=2, random_state=0)
        with pytest.warns(ConvergenceWarning, match="from optimal, so lower signal_scale"):
            model.fit(X, sensitive_features=groups)
        assert not model.converged_

    def test_too_many_samples_are_refused_before_anything_is_computed(self):
        X, groups, _ = four_clusters()
        message = r"160 × 160 and needs 0\.00051 GB, more than the memory budget of 0\.0005 GB"
        with pytest.raises(ValueError, match=message):
            UFSC(4, memory_budget="500kB").fit(X, sensitive_features=groups)
