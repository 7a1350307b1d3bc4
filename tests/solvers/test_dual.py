"""The dual of the H-step: conjugate, gradient, cost in passes, primal recovery."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from fairspectral.solvers.dual import DualSubproblem

N, K = 9, 3


def subproblem(seed=0, alpha=0.3):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((N, N))
    M = A @ A.T / N + 0.1 * np.eye(N)
    Y, P = rng.standard_normal((N, K)), 0.1 * rng.standard_normal((N, K))
    calls = []

    def apply(block):
        calls.append(block.shape)
        return M @ block

    return DualSubproblem(apply, Y, P, alpha), M, calls


def phi(dual, X):
    return 0.5 * np.sum(X**2) - np.sum(dual.P * X) - 0.5 * dual.alpha * np.sum((X - dual.Y) ** 2)


def test_conjugate_is_the_numerical_supremum():
    dual, _, _ = subproblem()
    V = np.random.default_rng(1).standard_normal((N, K))
    found = minimize(
        lambda x: phi(dual, x.reshape(N, K)) - V.reshape(-1) @ x,
        np.zeros(N * K),
        method="BFGS",
        options={"gtol": 1e-9},
    )
    value, maximiser = dual.conjugate(V)
    assert value == pytest.approx(-found.fun, abs=1e-8)
    np.testing.assert_allclose(maximiser.reshape(-1), found.x, atol=1e-4)


def test_value_contains_the_nuclear_norm():
    dual, M, _ = subproblem()
    V = np.random.default_rng(2).standard_normal((N, K))
    expected = dual.conjugate(V)[0] - np.linalg.norm(M @ V, "nuc")
    assert dual.value_and_gradient(V)[0] == pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_gradient_against_finite_differences(seed):
    dual, _, _ = subproblem(seed)
    V = np.random.default_rng(seed + 10).standard_normal((N, K))
    numerical = approx_fprime(
        V.reshape(-1), lambda x: dual.value_and_gradient(x.reshape(N, K))[0], 1e-6
    )
    np.testing.assert_allclose(
        dual.value_and_gradient(V)[1].reshape(-1), numerical, atol=2e-5, rtol=1e-4
    )


def test_one_evaluation_costs_two_passes():
    dual, _, calls = subproblem()
    dual.value_and_gradient(np.ones((N, K)) + np.eye(N, K))
    assert calls == [(N, K), (N, K)]


def test_primal_solves_the_h_step():
    """H maximises phi(M H) over orthonormal H: no orthonormal rival does better."""
    dual, M, calls = subproblem(alpha=0.2)
    rng = np.random.default_rng(3)
    best = None
    for _ in range(5):
        V, iterations = dual.minimize(
            rng.standard_normal((N, K)), gtol=1e-10, ftol=1e-15, max_iter=500
        )
        assert iterations > 1
        before = len(calls)
        H, MH = dual.primal(V)
        # What L-BFGS last evaluated is reused; anything else would cost two passes more.
        assert len(calls) == before
        np.testing.assert_allclose(H.T @ H, np.eye(K), rtol=0, atol=1e-12)
        np.testing.assert_allclose(MH, M @ H, rtol=0, atol=1e-12)
        # Strong duality: phi*(V) - ||MV||_* = -phi(MH) at a critical point.
        assert dual.value_and_gradient(V)[0] == pytest.approx(-phi(dual, MH), abs=1e-6)
        best = max(best or -np.inf, phi(dual, MH))
    rivals = (np.linalg.qr(rng.standard_normal((N, K)))[0] for _ in range(200))
    assert best >= max(phi(dual, M @ rival) for rival in rivals)


def test_primal_from_a_dual_variable_it_has_not_seen():
    dual, M, _ = subproblem()
    V = np.random.default_rng(4).standard_normal((N, K))
    H, MH = dual.primal(V)
    left, _, right = np.linalg.svd(M @ V, full_matrices=False)
    np.testing.assert_allclose(H, left @ right, rtol=0, atol=1e-12)
    np.testing.assert_allclose(MH, M @ H, rtol=0, atol=1e-12)


def test_rank_deficient_dual_variable_has_a_finite_gradient():
    dual, _, _ = subproblem()
    V = np.zeros((N, K))
    V[:, 0] = 1.0
    value, gradient = dual.value_and_gradient(V)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.5])
def test_alpha_must_stay_below_one(alpha):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        subproblem(alpha=alpha)
