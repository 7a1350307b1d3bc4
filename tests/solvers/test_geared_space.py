"""The second gear of the default solver: the same answers through a filter."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import make_problem, oracle, random_affinity, relative_gap
from test_krylov import SPECTRA, assert_solved, prescribed, solve, true_gap

from fairspectral.solvers import geared_space
from fairspectral.solvers.geared_space import suggested_degree


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@pytest.mark.parametrize("name", SPECTRA)
def test_hard_spectra_through_the_filter(name, tol):
    problem, _, values = prescribed(SPECTRA[name], n_clusters=10)
    result = solve(problem, tol=tol, degree=4)
    assert_solved(problem, result, values, tol)
    assert result.objective == pytest.approx(problem.objective(result.vectors), rel=1e-5)


@pytest.mark.parametrize("name", SPECTRA)
def test_narrow_blocks_through_the_filter(name):
    problem, _, values = prescribed(SPECTRA[name], n_clusters=10)
    result = solve(problem, tol=1e-5, degree=3, block=4)
    assert result.converged, result.status
    assert true_gap(problem, result, values) <= 1e-5


def test_a_misled_filter_is_corrected(monkeypatch):
    # As if three eigenvalues were expected above the interval where nine are wanted.
    monkeypatch.setattr(geared_space, "_SPARE", 3 - 18)
    spectrum = np.concatenate([np.linspace(0.95, 0.6, 9), np.linspace(0.5, -0.5, 400)])
    problem, _, values = prescribed(spectrum, n_clusters=10)
    result = solve(problem, degree=4)
    assert result.converged, result.status
    assert true_gap(problem, result, values) <= 1e-3


def test_a_sparse_graph_shifts_gear_by_itself():
    rng = np.random.default_rng(0)
    W = random_affinity(900) * (random_affinity(900, seed=1) > 1.97)
    W = sp.csr_array((W + W.T) / 2 + sp.diags_array([np.ones(899)] * 2, offsets=[1, -1]))
    problem = make_problem(W, rng.integers(0, 3, 900), 10)
    reference = oracle(problem)
    for tol in (1e-3, 1e-7):
        result = solve(problem, tol=tol)
        assert "Chebyshev" in result.details["method"]
        assert result.converged
        assert relative_gap(problem, result, reference) <= tol
        residuals = problem.project(problem.apply(result.vectors))
        residuals -= result.vectors * result.eigenvalues
        np.testing.assert_allclose(
            np.linalg.norm(residuals, axis=0), result.details["residuals"], atol=1e-4
        )


def test_the_degree_follows_the_density():
    def problem(density):
        W = sp.csr_array(random_affinity(500) * (random_affinity(500, seed=1) > 2 - 2 * density))
        W = (W + W.T) / 2 + sp.eye_array(500)
        return make_problem(sp.csr_array(W), None, 20)

    degrees = [suggested_degree(problem(density), 24) for density in (0.02, 0.1, 0.5)]
    assert degrees == sorted(degrees, reverse=True)
    assert degrees[0] > 3
    assert suggested_degree(make_problem(random_affinity(500), None, 20), 24) == 1


def test_the_limit_of_passes_holds_in_the_second_gear():
    problem, _, _ = prescribed(SPECTRA["dense bulk"], n_clusters=10)
    result = solve(problem, tol=1e-8, degree=4, max_iter=20)
    assert not result.converged
    assert result.passes <= 20
    assert result.vectors.shape == (problem.n_samples, 10)
