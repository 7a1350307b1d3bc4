import numpy as np
import pytest

from fairspectral.solvers.gap import CAUTION, SHARE, GapEstimate, residual_bound

NONE = np.zeros(3)  # residuals


def make_estimate(wanted=2, tol=1e-3, dtype=np.float64, span=1):
    return GapEstimate(wanted, tol, np.dtype(dtype), span)


def approach(step):
    """Ritz values that converge to 0.8 and 0.6, with the next one at 0.3."""
    return np.array([0.8 - 0.4 * 0.3**step, 0.6 - 0.4 * 0.3**step, 0.3])


def test_the_estimate_bounds_the_true_gap_and_falls_with_it():
    estimate = make_estimate()
    for step in range(12):
        estimate.read(approach(step), NONE)
        if step >= 2:
            true = (2.4 - estimate.objective) / 2.4
            assert true <= estimate.gap <= 1.1 * CAUTION * true
    assert estimate.reached
    assert estimate.verdict(12) == (
        True,
        f"converged: estimated gap {estimate.gap:.1e} <= tol=0.001 after 12 passes",
    )


@pytest.mark.parametrize("power", [1, 2, 4])
def test_slow_growth_is_not_underestimated(power):
    estimate = make_estimate()
    for step in range(1, 60):
        estimate.read(np.array([0.8 - 0.1 / step**power, 0.6, 0.1]), NONE)
    true = (2.4 - estimate.objective) / 2.4
    assert 0.9 * true <= estimate.gap <= 3 * true


def test_residuals_give_the_estimate_before_growth_does():
    estimate = make_estimate()
    residuals = np.full(3, 1e-3)
    estimate.read(np.array([0.8, 0.6, 0.3]), residuals)
    bound = 1e-6 / 0.5 + 1e-6 / 0.3
    assert estimate.gap == pytest.approx(CAUTION * bound / 2.4, rel=1e-3)


def test_residuals_bound_the_estimate_from_below():
    estimate = make_estimate()
    for _ in range(4):  # no growth at all
        estimate.read(np.array([0.8, 0.6, 0.3]), np.full(3, 0.1))
    bound = residual_bound(np.array([0.8, 0.6, 0.3]), np.full(3, 0.1), np.array([0.8, 0.6, 0.3]), 2)
    assert estimate.gap == pytest.approx(SHARE * bound / 2.4)


def test_too_few_values_say_nothing():
    estimate = make_estimate(wanted=3)
    estimate.read(np.array([0.5, 0.4, 0.3]), NONE)
    assert np.isinf(estimate.gap)
    assert estimate.objective is None
    assert not estimate.reached


def test_a_climbing_follower_holds_convergence_back():
    calm, climbing = make_estimate(), make_estimate()
    for follower in (0.1, 0.3, 0.45):
        calm.read(np.array([0.8, 0.6, 0.1]), NONE)
        climbing.read(np.array([0.8, 0.6, follower]), NONE)
    assert calm.reached
    assert not climbing.reached


def test_growth_is_compared_over_whole_cycles_after_restarts():
    estimate = make_estimate()
    readings = []
    for cycle in range(6):
        for part in (0.0, 0.1, 0.9):  # most of the growth of a cycle comes with its last step
            readings.append(0.8 - 0.2 * 0.5 ** (cycle + part))
    for step, value in enumerate(readings):
        if step == 3:
            estimate.restarted(3)
        estimate.read(np.array([value, 0.6, 0.1]), NONE)
        if step >= 9:
            true = (2.4 - estimate.objective) / 2.4
            assert true <= estimate.gap <= 2.5 * true


def test_what_was_seen_before_a_restart_still_bounds_the_gap():
    values, residuals = np.array([0.8, 0.6, 0.59]), np.full(3, 1e-3)
    known, forgotten = make_estimate(), make_estimate()
    known.read(values, residuals)
    for estimate in (known, forgotten):
        estimate.read(np.array([0.8, 0.6, 0.1]), residuals)
    assert known.gap > forgotten.gap


def test_mixtures_may_hide_eigenvalues_above_them():
    estimate = make_estimate()
    for _ in range(4):
        estimate.read(np.array([0.8, 0.6, 0.3]), np.full(3, 1e-2))
    assert estimate.reached
    before = estimate.gap
    estimate.doubt(0.0, np.full(3, 1e-2))
    assert estimate.gap == before
    estimate.doubt(0.5, np.full(3, 1e-2))
    assert not estimate.reached


def test_the_gap_without_the_trivial_eigenvalue_counts_too():
    # The known eigenvalue is nearly all of the objective.
    estimate = make_estimate(wanted=1, tol=1e-3)
    for step in range(3):
        estimate.read(np.array([1e-3 * (1 - 0.5**step), 0.0]), np.zeros(2))
    assert estimate.gap <= 1e-3
    assert not estimate.reached
    assert estimate.verdict(3) == (
        False,
        f"stopped at max_iter after 3 passes with estimated gap {estimate.gap:.1e} of the whole; "
        "the gap without the trivial eigenvalue exceeds 10 tol; raise max_iter or tol",
    )


def test_the_accuracy_of_the_products_is_the_floor():
    estimate = make_estimate(tol=1e-9, dtype=np.float32)
    for _ in range(4):
        estimate.read(np.array([0.8, 0.6, 0.3]), NONE)
    assert estimate.reached
    converged, status = estimate.verdict(4)
    assert not converged
    assert status.startswith("stopped at the accuracy of float32 products, gap about")


def residual_bound_one_by_one(values, residuals, following, wanted):
    best = np.inf
    for m in range(wanted, min(2 * wanted + 1, len(values))):
        total = 0.0
        for i in range(m):
            small = np.array([[values[i], residuals[i]], [residuals[i], following[m]]])
            total += max(np.linalg.eigvalsh(small)[-1] - values[i], 0.0)
        best = min(best, total)
    return best


@pytest.mark.parametrize("seed", range(5))
def test_the_residual_bound_is_that_of_two_by_two_problems(seed):
    rng = np.random.default_rng(seed)
    values = np.sort(rng.random(9))[::-1]
    residuals = 0.1 * rng.random(9)
    expected = residual_bound_one_by_one(values, residuals, values, 3)
    assert residual_bound(values, residuals, values, 3) == pytest.approx(expected, rel=1e-10)


def test_the_residual_bound_holds_where_nothing_was_missed():
    rng = np.random.default_rng(0)
    for _ in range(200):
        # Five Ritz pairs in a space of 40 dimensions whose other eigenvalues are below.
        top, rest = np.sort(rng.uniform(0.5, 1, 5))[::-1], rng.uniform(-1, 0.3, 35)
        coupling = 0.1 * rng.standard_normal((35, 5))
        A = np.block([[np.diag(top), coupling.T], [coupling, np.diag(rest)]])
        values = np.concatenate([top, [0.3]])
        residuals = np.append(np.linalg.norm(coupling, axis=0), 0.0)
        true = np.linalg.eigvalsh(A)[::-1][:5].sum() - top.sum()
        assert true <= residual_bound(values, residuals, values, 5) + 1e-12
