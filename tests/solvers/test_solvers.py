"""Tests of all solvers: records, callbacks, repeatability, convergence status, clear errors."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import make_problem, oracle, random_affinity, relative_gap, sparse_blocks
from scipy.sparse.linalg import ArpackError, eigsh
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import kneighbors_graph

from fairspectral.solvers import lanczos
from fairspectral.solvers.admm import ADMMParams, ADMMSolver
from fairspectral.solvers.lanczos import LanczosParams, laplacian_one_norm
from fairspectral.solvers.registry import SOLVERS, choose_solver, make_solver, solve


@pytest.fixture
def problem():
    return make_problem(random_affinity(350), np.arange(350) % 3, 5)


def loosely_joined_blocks(seed):
    """Four random blocks of 60 nodes in all, joined by weak edges; two groups, k = 3."""
    rng = np.random.default_rng(seed)
    block = rng.integers(0, 4, 60)
    linked = rng.random((60, 60)) < np.where(block[:, None] == block, 0.6, 1e-3)
    W = np.triu(linked * rng.random((60, 60)), 1)
    W[np.arange(59), np.arange(1, 60)] += 1e-3
    return make_problem(W + W.T, rng.integers(0, 2, 60), 3)


@pytest.mark.parametrize("name", SOLVERS)
class TestEverySolver:
    def test_history_and_callback_agree(self, name, problem):
        seen = []
        result = make_solver(name).solve(problem, random_state=0, callback=seen.append)
        assert tuple(seen) == result.history
        assert len(seen) >= 1
        assert [record.iteration for record in seen] == list(range(1, len(seen) + 1))
        assert all(a.passes <= b.passes for a, b in pairwise(seen))
        assert all(a.seconds <= b.seconds for a, b in pairwise(seen))
        assert seen[-1].passes <= result.passes
        assert seen[-1].objective == pytest.approx(result.objective, rel=1e-2)
        assert seen[-1].as_dict()["iteration"] == len(seen)

    def test_exception_from_the_callback_ends_the_solve(self, name, problem):
        calls = []

        def stop(record):
            calls.append(record)
            raise KeyboardInterrupt("enough")

        with pytest.raises(KeyboardInterrupt, match="enough"):
            make_solver(name).solve(problem, random_state=0, callback=stop)
        assert len(calls) == 1
        # The problem can be solved again afterwards.
        assert make_solver(name).solve(problem, random_state=0).converged

    def test_a_spectrum_that_is_nearly_one_point(self, name):
        problem = make_problem(np.eye(60) + 1e-12, None, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # expected, and not tested here
            result = make_solver(name).solve(problem, random_state=0)
        assert result.vectors.shape == (60, 3)
        assert result.orthogonality_residual < 1e-8

    def test_repeatable(self, name, problem):
        first = make_solver(name).solve(problem, random_state=3)
        second = make_solver(name).solve(problem, random_state=3)
        np.testing.assert_array_equal(first.vectors, second.vectors)

    def test_float32_affinity(self, name):
        W, groups = random_affinity(300), np.arange(300) % 2
        problem = make_problem(W.astype(np.float32), groups, 4)
        result = make_solver(name).solve(problem, random_state=0)
        assert result.vectors.dtype == np.float64
        assert relative_gap(make_problem(W, groups, 4), result) < 1e-2
        assert result.fairness_residual < 1e-8
        assert result.orthogonality_residual < 1e-8

    def test_counts(self, name, problem):
        result = make_solver(name).solve(problem, random_state=0)
        assert result.passes >= 1
        assert result.columns >= result.passes
        assert result.seconds > 0
        assert name in str(result)
        assert result.status in str(result)

    def test_misspelt_parameter(self, name):
        with pytest.raises(ValueError, match=f"the solver '{name}' has no parameter 'toll'"):
            make_solver(name, {"toll": 1})

    def test_wrong_kind_of_parameters(self, name):
        class Other:
            pass

        with pytest.raises(TypeError, match=f"the solver '{name}' takes parameters of type"):
            make_solver(name, Other())


def test_unknown_solver():
    with pytest.raises(ValueError, match=r"solver='lancsoz' is unknown \(did you mean 'lanczos'"):
        make_solver("lancsoz")


class TestLanczos:
    def test_too_few_iterations_are_reported(self, problem):
        with pytest.warns(ConvergenceWarning, match="not converged; raise max_iter"):
            result = make_solver("lanczos", {"max_iter": 1}).solve(problem, random_state=0)
        assert not result.converged
        assert result.fairness_residual < 1e-8
        assert result.orthogonality_residual < 1e-8

    def test_range_of_f_stays_out_when_wanted_eigenvalues_are_negative(self):
        """P M P is zero on range(F), which must not be preferred to a negative eigenvalue."""
        problem = make_problem(np.ones((8, 8)) - np.eye(8), np.arange(8) % 2, 4)
        for formulation in ("projected", "paper"):
            result = make_solver("lanczos", {"formulation": formulation}).solve(
                problem, random_state=0
            )
            np.testing.assert_allclose(
                result.eigenvalues, oracle(problem).eigenvalues, rtol=0, atol=1e-10
            )
            assert result.eigenvalues[-1] < 0

    def test_paper_shift_is_the_norm_of_the_laplacian(self):
        W = random_affinity(20) - np.diag(np.diag(random_affinity(20)))
        problem = make_problem(W, np.arange(20) % 2, 2)
        L = np.eye(20) - problem.operator.matmat(np.eye(20))
        assert laplacian_one_norm(problem) == pytest.approx(np.linalg.norm(L, 1))

    def test_copies_of_a_multiple_eigenvalue_are_found(self):
        """60 components: 1 has 60 copies, of which one start vector finds one."""
        W = np.kron(np.eye(60), np.ones((6, 6)))
        problem = make_problem(W, np.arange(360) % 2, 40)
        for tol in (0.0, 1e-3):
            result = make_solver("lanczos", {"tol": tol}).solve(problem, random_state=0)
            np.testing.assert_allclose(result.eigenvalues, 1, rtol=0, atol=1e-6)

    def test_records_restarts(self, problem):
        result = make_solver("lanczos").solve(problem, random_state=0)
        assert len(result.history) > 2
        assert result.history[0].inner_iterations == 15

    @pytest.mark.parametrize("failures", [1, 99])
    def test_after_a_breakdown_arpack_starts_again(self, problem, monkeypatch, failures):
        starts = []

        def failing(operator, v0, **options):
            starts.append(v0)
            if len(starts) <= failures:
                raise ArpackError(3)  # as the Fortran ARPACK does on some multiple eigenvalues
            return eigsh(operator, v0=v0, **options)

        monkeypatch.setattr(lanczos, "eigsh", failing)
        if failures > 1:
            with pytest.raises(np.linalg.LinAlgError, match=r"random starts.*use solver='krylov'"):
                make_solver("lanczos").solve(problem, random_state=0)
        else:
            result = make_solver("lanczos").solve(problem, random_state=0)
            assert abs(relative_gap(problem, result)) < 1e-8
        assert not np.array_equal(starts[0], starts[1])

    def test_unknown_formulation(self):
        with pytest.raises(ValueError, match="formulation='papers' is unknown"):
            LanczosParams(formulation="papers")

    def test_as_many_vectors_as_samples(self):
        problem = make_problem(random_affinity(12), None, 12)
        with pytest.raises(ValueError, match="use solver='nullspace'"):
            make_solver("lanczos").solve(problem)


class TestADMM:
    def test_paper_preset_is_the_paper(self):
        paper = ADMMParams.paper()
        assert (paper.alpha, paper.max_iter, paper.gtol, paper.ftol) == (0.005, 10, 1e-3, 1e-4)
        assert (paper.tau, paper.mu, paper.shift) == (2, 10, 1.001)
        assert ADMMParams.paper(omega=None).shift == 0
        assert not any((paper.polish, paper.projected, paper.warm_start, paper.deflated))

    def test_paper_preset_reports_non_convergence(self, problem):
        with pytest.warns(ConvergenceWarning, match="stopped after max_iter=10"):
            result = ADMMSolver(ADMMParams.paper()).solve(problem, random_state=0)
        assert len(result.history) == 10
        assert not result.converged
        assert "||F^T H||" in result.status
        # The iterate is orthonormal but not exactly fair: nothing is polished away.
        assert result.orthogonality_residual < 1e-8
        assert result.fairness_residual > 1e-6
        assert result.history[-1].objective == pytest.approx(result.objective, rel=1e-6)
        assert problem.objective(result.vectors) == pytest.approx(result.objective, rel=1e-6)

    def test_every_field_of_the_history(self, problem):
        result = make_solver("admm").solve(problem, random_state=0)
        for record in result.history:
            values = record.as_dict()
            del values["gap"]
            assert None not in values.values()
            assert 0 < record.alpha < 1
            assert record.orthogonality < 1e-8
            assert record.passes >= 2 * record.inner_iterations

    def test_fixed_point_meets_the_first_order_conditions(self):
        """The paper's algorithm, where unfair directions are weaker than the wanted ones."""
        n, k = 30, 3
        clusters, groups = np.arange(n) % k, np.arange(n) // k % 2
        W = 5.0 * (clusters[:, None] == clusters) + 2.5 * (groups[:, None] == groups)
        W = W + random_affinity(n)
        problem = make_problem(W, groups, k)
        params = ADMMParams(
            alpha=0.3,
            max_iter=400,
            tol=1e-8,
            gtol=1e-12,
            ftol=1e-16,
            shift=0.0,
            projected=False,
            scaled=False,
            deflated=False,
            warm_start=True,
            polish=False,
        )
        # The paper's constraint is not F^T H = 0, so its fixed point is not claimed to solve that.
        with pytest.warns(ConvergenceWarning, match=r"both residuals below .* but at a gap of"):
            result = ADMMSolver(params).solve(problem, random_state=0)
        M = problem.operator.matmat(np.eye(n))
        H, Q = result.vectors, problem.constraints.basis
        # Primal feasibility of the paper's own constraint F^T M H = 0, and H^T H = I.
        assert np.linalg.norm(Q.T @ M @ H) < 1e-6
        assert result.orthogonality_residual < 1e-10
        # Stationarity: M (M H - P) = H Lambda for some multiplier P in range(Q). P is the
        # least-squares one, so that the test does not look inside the solver.
        complement = np.eye(n) - H @ H.T
        multiplier = np.linalg.lstsq(complement @ M @ Q, complement @ M @ M @ H, rcond=None)[0]
        assert np.linalg.norm(complement @ M @ (M @ H - Q @ multiplier)) < 1e-5

    @pytest.mark.parametrize("seed", [5, 31, 43, 59, 75])
    def test_claim_holds_where_two_iterations_hardly_differ(self, seed):
        """Loosely joined blocks, on which L-BFGS stops early: the residuals alone said "converged".

        Their gaps were then 0.007 to 0.018.
        """
        problem = loosely_joined_blocks(seed)
        result = make_solver("admm").solve(problem, random_state=seed)
        assert result.converged
        assert relative_gap(problem, result) <= 1e-3
        assert result.gap == pytest.approx(relative_gap(problem, result), abs=3e-4)

    def test_penalty_rule(self, problem):
        with pytest.warns(ConvergenceWarning):
            result = ADMMSolver(ADMMParams.paper()).solve(problem, random_state=0)
        for before, after in pairwise(result.history):
            if before.primal_residual > 10 * before.dual_residual:
                expected = min(2 * before.alpha, 0.9)
            elif before.dual_residual > 10 * before.primal_residual:
                expected = before.alpha / 2
            else:
                expected = before.alpha
            assert after.alpha == pytest.approx(expected)

    def test_one_vector_is_known(self):
        problem = make_problem(random_affinity(40), np.arange(40) % 2, 1)
        result = make_solver("admm").solve(problem)
        assert result.passes == 0
        assert result.eigenvalues == [1]
        assert result.fairness_residual < 1e-12

    def test_warm_start_saves_passes(self):
        problem = make_problem(random_affinity(300), np.arange(300) % 2, 6)
        cold = make_solver("admm").solve(problem, random_state=0)
        warm = make_solver("admm").solve(problem, random_state=0, start=oracle(problem).vectors)
        assert warm.passes < 0.7 * cold.passes

    def test_switches_can_be_set_one_by_one(self):
        problem = make_problem(random_affinity(60), np.arange(60) % 2, 3)
        for switch in ("scaled", "deflated", "polish"):
            result = make_solver("admm", {switch: False}).solve(problem, random_state=0)
            assert relative_gap(problem, result) < 1e-2, switch
        # From noise in every H-step Y keeps turning within its span: said, and still close.
        with pytest.warns(ConvergenceWarning, match="stopped after max_iter"):
            result = make_solver("admm", {"warm_start": False}).solve(problem, random_state=0)
        assert relative_gap(problem, result) < 1e-2
        result = make_solver("admm", {"shift": 1.001}).solve(problem, random_state=0)
        assert relative_gap(problem, result) < 1e-2

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"alpha": 1.0}, "alpha=1.0 must lie in"),
            ({"alpha": 0.0}, "alpha=0.0 must lie in"),
            ({"max_iter": 0}, "at least 1"),
            ({"tau": 1.0}, "larger than 1"),
            ({"shift": "big"}, "shift='big' must be"),
        ],
    )
    def test_refused_parameters(self, change, words):
        with pytest.raises(ValueError, match=words):
            ADMMParams(**change)


class TestManyComponents:
    """More copies of the eigenvalue 1 than any block is wide, on sparse graphs."""

    @pytest.mark.parametrize("name", ["krylov", "auto", "lanczos"])
    @pytest.mark.parametrize("size", [1, 2, 3])
    def test_equal_blocks(self, name, size):
        W = sparse_blocks(*[np.ones((size, size))] * (1200 // size)).tolil()
        W[0, 1] = W[1, 0] = 1.0  # of blocks of one node, a pair: no edge at all is refused
        groups = np.random.default_rng(0).integers(0, 2, 1200)
        result = solve(make_problem(W, groups, 20), name, random_state=0)
        assert result.converged
        np.testing.assert_allclose(result.eigenvalues, 1, rtol=0, atol=1e-3)

    @pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-8])
    def test_a_neighbour_graph_in_many_pieces(self, tol):
        X = np.random.default_rng(3).normal(size=(2000, 2))
        graph = kneighbors_graph(X, 3, include_self=True)
        problem = make_problem(sp.csr_array((graph + graph.T) / 2), np.arange(2000) % 2, 20)
        result = make_solver("krylov", {"tol": tol}).solve(problem, random_state=0)
        assert result.converged
        assert (20 - 1e-9 - problem.objective(result.vectors)) / 20 <= tol


class TestAuto:
    def test_small_problems_are_solved_densely(self):
        result = solve(make_problem(random_affinity(40), np.arange(40) % 2, 3))
        assert result.solver == "nullspace"
        assert "n=40 is small" in result.choice

    def test_others_by_blocks(self, problem):
        result = solve(problem, random_state=0)
        assert result.solver == "krylov"
        assert result.choice.startswith("krylov: n=350, k=5, dense float64")
        assert choose_solver(problem)[0] == "krylov"

    def test_a_misspelt_parameter_is_refused_for_every_choice(self):
        with pytest.raises(ValueError, match="has no parameter 'bloc'"):
            solve(make_problem(random_affinity(40), None, 2), params={"bloc": 3})

    def test_an_early_stop_is_reported(self, problem):
        with pytest.warns(ConvergenceWarning, match="krylov: stopped at max_iter"):
            result = solve(problem, params={"max_iter": 1, "tol": 1e-12}, random_state=0)
        assert result.solver == "krylov"
        assert not result.converged

    def test_falls_back_on_a_breakdown(self, problem, monkeypatch):
        def broken(*args, **kwargs):
            raise np.linalg.LinAlgError("not positive definite")

        monkeypatch.setattr(SOLVERS["krylov"], "_solve", broken)
        result = solve(problem, random_state=0)
        assert result.solver == "lanczos"
        assert result.converged
        assert result.choice == "lanczos, because krylov broke down (not positive definite)"

    def test_falls_back_densely_where_every_vector_is_wanted(self, monkeypatch):
        def broken(*args, **kwargs):
            raise np.linalg.LinAlgError("no")

        monkeypatch.setattr(SOLVERS["krylov"], "_solve", broken)
        result = solve(make_problem(random_affinity(310), None, 310), random_state=0)
        assert result.solver == "nullspace"
