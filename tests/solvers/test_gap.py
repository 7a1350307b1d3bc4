import numpy as np
import pytest

from fairspectral.solvers.gap import GapGauge
from fairspectral.solvers.sample import View

CLEAR = View(width=16, resolved=6)
DEGREE = 50


def gauge(wanted=2, tol=1e-3, dtype=np.float64):
    return GapGauge(wanted, tol, np.dtype(dtype))


def read(g, values, residual=np.inf, translate=np.asarray):
    g.read(np.asarray(values), residual, translate)


def approach(p):
    """Ritz values that converge to 0.8, 0.6, with the runner-up at 0.3."""
    return np.array([0.8 - 0.4 * 0.3**p, 0.6 - 0.4 * 0.3**p, 0.3])


def test_the_estimate_bounds_the_true_gap_and_falls_with_it():
    g = gauge()
    for p in range(12):
        read(g, approach(p))
        if p >= 2:
            true = (2.4 - g.objective) / 2.4
            assert true <= g.gap <= 20 * true
    assert g.reached
    assert g.verdict(12) == (
        True,
        f"converged: estimated gap {g.gap:.1e} <= tol=0.001 after 12 passes",
    )


def test_residuals_bound_it_before_there_is_a_history():
    g = gauge()
    read(g, np.array([0.8, 0.6, 0.3]), residual=1e-5)
    assert g.gap == pytest.approx(2e-5 / 2.4)


def test_too_few_values_say_nothing():
    g = gauge(wanted=3)
    read(g, np.array([0.5, 0.4, 0.3]), residual=0.0)
    assert np.isinf(g.gap)
    assert g.objective is None


def test_a_climbing_runner_up_holds_convergence_back():
    calm, watching = gauge(), gauge()
    watching.watching = True
    for runner_up in (0.1, 0.3, 0.5):
        values = np.array([0.8, 0.6, runner_up])
        read(calm, values)
        read(watching, values)
    assert calm.reached
    assert not watching.reached
    for p in range(6):
        read(watching, np.array([0.8, 0.6, 0.55 - 0.05 * 0.1**p]))
    assert watching.reached


def test_values_are_translated_and_damped_ones_awaited():
    g = gauge()
    for _ in range(3):
        read(
            g, np.array([64.0, 27.0, 8.0]), translate=lambda v: np.where(v > 10, np.cbrt(v), np.nan)
        )
    assert g.objective == pytest.approx(8.0)
    waiting = gauge()
    read(waiting, np.array([64.0, 8.0, 1.0]), translate=lambda v: np.where(v > 10, v, np.nan))
    assert np.isinf(waiting.gap)


def seen_by(values, width, resolved=None, residual=1e-9, tol=1e-3):
    """A gauge that has read these values to the end, through so many columns."""
    values = np.asarray(values)
    g = gauge(wanted=len(values) - 1, tol=tol)
    for _ in range(3):
        read(g, values)
    resolved = len(values) if resolved is None else resolved
    residuals = np.full(len(values), residual)
    g.confirm(values, residuals, np.asarray, View(width, resolved), DEGREE)
    return g


def test_copies_beyond_the_width_may_be_missing():
    values = [0.9, 0.9, 0.9, 0.5, 0.1]
    assert seen_by(values, width=3).doubtful
    assert not seen_by(values, width=4).doubtful
    assert not seen_by(values, width=8).doubtful


def test_values_that_differ_by_many_residuals_are_no_copies():
    values = [0.9, 0.9 - 1e-4, 0.9 - 2e-4, 0.5, 0.1]
    assert seen_by(values, width=3, residual=1e-4).doubtful
    assert not seen_by(values, width=3, residual=1e-6).doubtful


def test_copies_too_small_to_matter_count_as_missing_but_raise_no_doubt():
    # One copy of 2e-3 more instead of 1e-3, of an objective of 1.907 of which 4e-3 may be missing.
    values = [0.9, 2e-3, 2e-3, 2e-3, 1e-3, 0.0]
    g = seen_by(values, width=3, tol=2e-3)
    assert not g.doubtful
    assert g.reached
    assert g.gap == pytest.approx(1e-3 / 1.907, rel=1e-3)
    assert seen_by(values, width=3, tol=1e-4).doubtful


def test_mixtures_too_small_to_matter_raise_no_doubt():
    values = [0.9, 0.8, 0.7, 0.6, 1e-5, 1e-6, 0.0]
    assert not seen_by(values, width=5, resolved=4).doubtful
    assert seen_by(values, width=5, resolved=3).doubtful


def test_a_doubt_clears_while_it_shrinks():
    values = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1, 0.0])
    g = seen_by(values, width=5, resolved=3)
    assert g.doubtful
    assert g.clearing
    for resolved, clearing in ((4, True), (4, False)):
        g.confirm(values, np.zeros(7), np.asarray, View(5, resolved), DEGREE)
        assert g.doubtful
        assert g.clearing == clearing


def test_what_is_not_known_beforehand_has_to_be_good_as_well():
    # 5e-4 of an objective of 1.005 are a tenth of what is looked for.
    g = gauge(wanted=1)
    for missing in (4e-3, 2e-3, 1e-3, 5e-4):
        read(g, [0.005 - missing, 0.0])
    assert g.gap < 1e-3
    assert not g.reached
    converged, status = g.verdict(4)
    assert not converged
    assert "more than 10 tol of what is not known beforehand; raise max_iter or tol" in status
    for step in range(1, 6):
        read(g, [0.005 - 5e-4 / 4**step, 0.0])
    assert g.reached


def test_forgetting_starts_over():
    g = gauge()
    for p in range(12):
        read(g, approach(p))
    g.forget()
    assert np.isinf(g.gap)
    assert not g.reached
    read(g, approach(12))
    assert np.isinf(g.gap)


def test_the_accuracy_of_the_products_is_the_floor():
    g, values = gauge(tol=1e-12, dtype=np.float32), np.array([0.8, 0.6, 0.3])
    for _ in range(3):
        read(g, values)
        g.confirm(values, np.zeros(3), np.asarray, CLEAR, DEGREE)
    converged, status = g.verdict(3)
    assert not converged
    assert "accuracy of float32" in status


def test_a_delicate_claim_is_made_twice():
    values = np.array([0.8, 0.6, 0.3, 0.2, 0.1, 0.0])
    for tol, at_once in ((1e-3, True), (1e-6, False)):
        g = gauge(tol=tol)
        for reached in (at_once, True):
            read(g, values, residual=1e-9)
            g.confirm(values, np.full(6, 1e-9), np.asarray, CLEAR, DEGREE)
            assert g.reached == reached
            converged, status = g.verdict(1)
            assert converged == reached
            assert ("second reading" in status) != reached
        g.forget()
        read(g, values, residual=1e-9)
        assert g.reached == at_once


def test_residuals_in_a_crowded_spectrum_hold_convergence_back():
    values = np.array([0.8, 0.6, 0.59, 0.58, 0.57, 0.56])
    g = gauge()
    for _ in range(3):
        read(g, values)
    assert g.reached
    # 1e-2^2 / 0.24 + 3e-2^2 / 0.04 of an objective of 2.4
    g.confirm(values, np.array([1e-2, 3e-2, 0, 0, 0, 0]), np.asarray, CLEAR, DEGREE)
    assert g.gap == pytest.approx((1e-4 / 0.24 + 9e-4 / 0.04) / 2.4)
    assert not g.reached


def test_residuals_may_show_that_enough_is_reached_before_growth_does():
    values = np.array([0.8, 0.6, 0.3, 0.2, 0.1, 0.0])
    gaps = {}
    for residual in (1e-3, 1e-1):
        g = gauge()
        for missing in (0.1, 0.025, 6.25e-3, 1.6e-3):
            read(g, values - [missing, 0, 0, 0, 0, 0])
        assert g.near
        assert not g.reached
        g.confirm(values, np.full(6, residual), np.asarray, CLEAR, DEGREE)
        gaps[residual] = g.gap
    assert gaps[1e-3] < 1e-5 < 1e-3 < gaps[1e-1]


def test_a_warm_start_is_not_believed_by_its_residuals_alone():
    # The given vectors are exact; a random one climbs towards their place.
    values = np.array([0.8, 0.6, 0.3, 0.2, 0.1, 0.0])
    g = gauge()
    g.watching = True
    for runner_up in (0.3, 0.45, 0.55):
        read(g, [0.8, 0.6, runner_up])
    g.confirm(values, np.full(6, 1e-9), np.asarray, CLEAR, DEGREE)
    assert not g.reached


def test_a_damped_value_is_no_reading():
    g = gauge()
    for _ in range(3):
        read(g, [0.8, 0.6, 0.3])
    assert g.reached
    read(g, [0.8, 0.6, 0.3], translate=lambda values: np.where(values < 0.7, np.nan, values))
    assert not g.reached
    assert not g.near


def test_a_tie_is_bounded_by_the_residual_itself():
    values = np.full(6, 0.5)
    g = gauge()
    for _ in range(3):
        read(g, values)
    g.confirm(values, np.full(6, 1e-4), np.asarray, CLEAR, DEGREE)
    assert g.gap == pytest.approx(2e-4 / 2.0)


def test_mixtures_may_hide_eigenvalues_above_them():
    values, residuals = np.array([0.8, 0.6, 0.3, 0.2, 0.1, 0.0]), np.full(6, 1e-3)
    gaps = {}
    for resolved in (2, 1):
        g = gauge()
        for p in range(6, 12):
            read(g, approach(p))
        g.confirm(values, residuals, np.asarray, View(16, resolved), DEGREE)
        gaps[resolved] = g.gap
    assert gaps[2] < 1e-4 < 2 * 1e-3 / 2.4 <= gaps[1]


def test_thinned_readings_go_on_in_twice_the_distance():
    # Of a sequence that gains half as much with every step.
    traces = 3.0 - 0.5 ** np.arange(13)
    gauge = GapGauge(1, 1e-6, np.dtype(float))
    for trace in traces[:7]:
        gauge.read(np.array([trace - 1.0, 0.0]), np.inf, np.asarray)
    gauge.thin()
    for trace in traces[8::2]:
        gauge.read(np.array([trace - 1.0, 0.0]), np.inf, np.asarray)
    missing = 3.0 - traces[-1]
    assert missing <= gauge.gap * gauge.objective <= 5 * missing


def test_a_reading_out_of_turn_takes_the_place_of_the_last():
    # Half as much is gained with every step; one more step after two at a time.
    traces = 3.0 - 0.5 ** np.arange(14)
    gaps = {}
    for taken_back in (False, True):
        g = gauge(wanted=1, tol=1e-6)
        for trace in traces[:13:2]:
            read(g, [trace - 1.0, 0.0])
        if taken_back:
            g.take_back()
        read(g, [traces[-1] - 1.0, 0.0])
        gaps[taken_back] = g.gap * g.objective
    missing = 3.0 - traces[-1]
    assert max(missing, 1.2 * gaps[False]) < gaps[True]


def test_restarted_readings_are_compared_by_whole_cycles():
    # In turn, a step gains nearly nothing and more than half of what is missing.
    gained = np.tile([0.01, 0.6], 12)
    traces = 3.0 - np.concatenate([[1.0], np.cumprod(1.0 - gained)])
    gaps = {}
    for told in (False, True):
        g = gauge(wanted=1, tol=1e-6)
        for count, trace in enumerate(traces):
            read(g, [trace - 1.0, 0.0])
            if told and count % 2 == 0:
                g.restarted(2)
        gaps[told] = g.gap * g.objective
    missing = 3.0 - traces[-1]
    assert missing <= gaps[True] <= 3 * missing
    assert gaps[True] < gaps[False] / 5


def test_after_many_readings_growth_counts_for_more_than_residuals():
    values, residuals = np.array([0.8, 0.6, 0.3, 0.2, 0.1, 0.0]), np.full(6, 0.03)
    gaps = {}
    for many in (False, True):
        g = gauge()
        for p in range(3 if many else 7, 12):
            read(g, approach(p))
        g.confirm(values, residuals, np.asarray, CLEAR, DEGREE)
        gaps[many] = g.gap
    assert gaps[True] == pytest.approx(0.3 * gaps[False], rel=1e-3)
