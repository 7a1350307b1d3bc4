"""Upper bounds on sums of largest eigenvalues, on matrices with a known spectrum."""

import numpy as np
import pytest

from fairspectral.linalg.eigenvalue_sums import FAILURE, Effort, bounded_sum, exact_sum


def with_spectrum(values, seed):
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    return (Q * values) @ Q.T, Q


def bound(A, count, seed, fixed=None, effort=None, lowest=-1.0):
    fixed = np.zeros((len(A), 0)) if fixed is None else fixed
    return bounded_sum(
        lambda block: A @ block,
        fixed,
        count,
        lowest=lowest,
        highest=1.0,
        effort=effort or Effort(30, 60),
        rng=np.random.default_rng(seed),
        terms=len(A),
    )


SPECTRA = {
    "a gap": np.r_[0.9, 0.8, 0.7, np.linspace(0.2, -0.5, 97)],
    "none": np.linspace(1, -1, 100),
    "crowded": np.r_[0.99 - 1e-4 * np.arange(20), np.linspace(0.9, -1, 80)],
    "equal": np.r_[np.full(5, 0.9), np.zeros(95)],
    "zero": np.zeros(100),
}


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("count", [1, 3, 6])
def test_the_sum_lies_between(name, count):
    values = SPECTRA[name]
    A, _ = with_spectrum(values, 0)
    found = bound(A, count, seed=1)
    true = np.sort(values)[::-1][:count].sum()
    assert found.lower <= true + 1e-12
    assert true <= found.upper
    assert found.failure in (0.0, FAILURE)
    exact = exact_sum(A, count)
    assert exact.lower <= true <= exact.upper
    assert exact.upper - exact.lower < 1e-10
    assert exact.failure == 0.0


def test_with_a_gap_the_bound_is_tight():
    A, _ = with_spectrum(SPECTRA["a gap"], 0)
    found = bound(A, 3, seed=1)
    assert found.upper - found.lower < 1e-8
    assert found.failure == FAILURE


def test_a_space_that_missed_an_eigenvector_is_found_out():
    """One pass is far from convergence: the Ritz values are too low, the bound is not."""
    A, _ = with_spectrum(SPECTRA["crowded"], 3)
    found = bound(A, 5, seed=4, effort=Effort(1, 40))
    true = np.sort(SPECTRA["crowded"])[::-1][:5].sum()
    assert found.lower < true - 0.01
    assert found.upper >= true


def test_fixed_columns_are_left_out():
    values = SPECTRA["a gap"]
    A, Q = with_spectrum(values, 0)
    found = bound(A, 2, seed=1, fixed=Q[:, :1])
    assert found.lower <= 1.5 + 1e-12
    assert found.upper == pytest.approx(1.5, abs=1e-8)
    assert np.abs(Q[:, :1].T @ found.vectors).max() < 1e-10


def test_eigenvalues_below_minus_one():
    A, Q = with_spectrum(SPECTRA["a gap"], 0)
    A -= 4 * Q[:, -2:] @ Q[:, -2:].T
    found = bound(A, 3, seed=1, lowest=-5.0, effort=Effort(30, 120))
    assert 2.4 <= found.upper < 2.4 + 1e-6


def test_too_little_effort_gives_a_loose_bound_and_no_wrong_one():
    A, _ = with_spectrum(SPECTRA["none"], 5)
    found = bound(A, 3, seed=6, effort=Effort(1, 1))
    assert SPECTRA["none"][:3].sum() <= found.upper <= 3.0 + 1e-9


def test_the_level_holds_for_many_random_blocks():
    """With a failure probability of 1e-9, none of two hundred may fail."""
    A, _ = with_spectrum(SPECTRA["crowded"], 7)
    true = np.sort(SPECTRA["crowded"])[::-1][:2].sum()
    for seed in range(200):
        assert bound(A, 2, seed=seed, effort=Effort(3, 20)).upper >= true
