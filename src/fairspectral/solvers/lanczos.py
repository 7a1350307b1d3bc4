"""s-FSC: implicitly restarted Lanczos on the projected operator (Wang et al. 2023).

The iteration itself is ARPACK's, through ``scipy.sparse.linalg.eigsh``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from fairspectral.parameters import check_choice
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.base import Outcome, Solver
from fairspectral.solvers.result import Recorder
from fairspectral.solvers.ritz import rayleigh_ritz

# Below every eigenvalue of M, which lie in [-1, 1].
_BELOW_SPECTRUM = 2.0
# Relative accuracy of the first search for missed eigenvalues.
_ROUGH = 1e-2
# Random starts of ARPACK before the solve fails.
_STARTS = 5


@dataclass(frozen=True)
class LanczosParams:
    """Parameters of the Lanczos solver.

    Attributes
    ----------
    formulation : {"projected", "paper"}
        ``"projected"``: the largest eigenvalues of ``P M P - 2 Q Q^T``; the second term keeps
        range(Q), where ``P M P`` is zero, out even when a wanted eigenvalue is negative.
        Afterwards it looks for copies of multiple eigenvalues that one start vector misses.
        ``"paper"``: the smallest eigenvalues of ``P L P + s Q Q^T`` with the shift
        ``s = ||L||_1``, as s-FSC was run in the paper's experiments.
    tol : float
        Relative accuracy of the eigenvalues; 0 means machine precision.
    max_iter : int or None
        Largest number of restarts; None is ARPACK's 10 n.
    ncv : int or None
        Lanczos vectors; None is ARPACK's max(2k + 1, 20).
    """

    formulation: str = "projected"
    tol: float = 0.0
    max_iter: int | None = None
    ncv: int | None = None

    def __post_init__(self) -> None:
        check_choice(self.formulation, ("projected", "paper"), "formulation")


class LanczosSolver(Solver):
    """Eigenvectors of the projected operator, one matrix-vector product at a time."""

    name = "lanczos"
    Params = LanczosParams

    def _solve(
        self, problem: FairCutProblem, recorder: Recorder, rng: np.random.RandomState, start: Any
    ) -> Outcome:
        n, k = problem.n_samples, problem.n_clusters
        if k >= n:
            raise ValueError(
                f"the solver 'lanczos' needs fewer vectors ({k}) than samples ({n}); "
                "use solver='nullspace' for a problem of this size."
            )
        ncv = min(n, self.params.ncv or max(2 * k + 1, 20))
        if ncv <= k:
            raise ValueError(f"ncv={ncv} must be larger than the number of vectors, {k}.")
        operator, which = self._operator(problem, recorder, matvecs_per_restart=max(1, ncv - k))
        v0 = problem.project(rng.standard_normal((n, 1)))[:, 0].astype(problem.dtype)
        missing = 0
        try:
            _, vectors = _eigsh(
                operator,
                v0,
                rng,
                k=k,
                which=which,
                ncv=ncv,
                tol=self.params.tol,
                maxiter=self.params.max_iter,
            )
        except ArpackNoConvergence as stopped:
            missing = k - stopped.eigenvectors.shape[1]
            vectors = np.hstack([stopped.eigenvectors, rng.standard_normal((n, missing))])
        H, values = rayleigh_ritz(problem, vectors, rng)
        if self.params.formulation == "projected" and not missing:
            H, values = self._add_missed_copies(problem, recorder, rng, H, values)
        recorder.record(
            objective=float(values.sum()),
            fairness=problem.fairness(H),
            orthogonality=problem.orthogonality_residual(H),
        )
        if missing:
            status = (
                f"stopped at max_iter with {missing} of {k} eigenvectors not converged; "
                "raise max_iter or ncv, or use solver='auto'"
            )
        else:
            tol = self.params.tol
            accuracy = f"the tolerance {tol:g}" if tol else "machine precision"
            status = f"all {k} eigenpairs converged to {accuracy}"
            if self.params.formulation == "paper":
                status += " (further copies of multiple eigenvalues were not looked for)"
        return Outcome(H, values, converged=not missing, status=status)

    def _add_missed_copies(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        rng: np.random.RandomState,
        H: np.ndarray,
        values: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Search outside the span of ``H`` until there is no larger eigenvalue.

        One start vector finds only one direction of a multiple eigenvalue, so ARPACK may report
        k pairs as converged and miss further copies of the larger ones.
        """
        n, k = problem.n_samples, problem.n_clusters
        room = n - problem.constraints.rank - k
        slack = max(self.params.tol, 100 * float(np.finfo(problem.dtype).eps))
        # A rough search is enough where the spectrum has a gap below the k-th eigenvalue.
        looks = [(1, max(_ROUGH, self.params.tol)), (8, self.params.tol)]
        while room > 0 and looks:
            count, tol = min(looks[0][0], room), looks[0][1]
            ncv = min(n, max(2 * count + 1, 20))
            operator, which = self._operator(problem, recorder, max(1, ncv - count), outside=H)
            v0 = rng.standard_normal(n).astype(problem.dtype)
            try:
                found, vectors = _eigsh(operator, v0, rng, k=count, which=which, ncv=ncv, tol=tol)
            except ArpackNoConvergence as stopped:
                found, vectors = stopped.eigenvalues, stopped.eigenvectors
                if not found.size:
                    break
            if found.max() + tol * abs(found.max()) <= values[-1] + slack:
                break
            if found.max() > values[-1] + slack:
                H, values = rayleigh_ritz(problem, np.hstack([H, vectors]), rng, k)
            elif len(looks) == 1:
                break
            looks = looks[-1:]
        return H, values

    def _operator(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        matvecs_per_restart: int,
        outside: np.ndarray | None = None,
    ) -> tuple[LinearOperator, str]:
        """The matrix for ARPACK, and the end of its spectrum; `outside` is deflated like ``Q``."""
        n = problem.n_samples
        paper = self.params.formulation == "paper"
        shift = laplacian_one_norm(problem) if paper else -_BELOW_SPECTRUM
        deflated = None if outside is None else outside.astype(problem.dtype, copy=False)
        seen = 0

        def project(block: np.ndarray) -> np.ndarray:
            block = problem.project(block)
            return block if deflated is None else block - deflated @ (deflated.T @ block)

        def matvec(x: np.ndarray) -> np.ndarray:
            nonlocal seen
            column = x.reshape(-1, 1)
            inside = project(column)
            image = problem.apply_on_host(inside)
            if paper:
                image = inside - image
            result = project(image) + (shift * (column - inside)).astype(image.dtype, copy=False)
            # ARPACK has no callback, so restarts are counted: each takes this many products.
            seen += 1
            if seen % matvecs_per_restart == 0:
                recorder.record(inner_iterations=matvecs_per_restart)
            return result[:, 0]

        operator = LinearOperator((n, n), matvec=matvec, dtype=problem.dtype)
        return operator, "SA" if paper else "LA"


def _eigsh(
    operator: LinearOperator, v0: np.ndarray, rng: np.random.RandomState, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """``eigsh`` from ``v0``, and from random vectors where ARPACK breaks down on the way.

    With a multiple eigenvalue the Krylov space of a vector is soon exhausted. ARPACK goes on from
    random vectors of its own, and for some of them it fails with "no shifts could be applied".
    """
    for _ in range(_STARTS):
        try:
            return eigsh(operator, v0=v0, **options)
        except ArpackNoConvergence:
            raise
        except ArpackError as error:
            reason = error
            v0 = rng.standard_normal(len(v0)).astype(v0.dtype)
    raise np.linalg.LinAlgError(
        f"ARPACK failed from {_STARTS} random starts ({reason}); use solver='krylov'."
    ) from reason


def laplacian_one_norm(problem: FairCutProblem) -> float:
    """``||L||_1`` of the normalised Laplacian ``L = I - M``, up to the diagonal of ``M``.

    ``M`` is non-negative, so its column sums are one product; ``1 + max(M 1)`` exceeds the
    norm by at most twice the largest diagonal entry, which is zero for graphs.
    """
    sums = problem.apply_on_host(np.ones((problem.n_samples, 1), dtype=problem.dtype))
    return 1.0 + float(sums.max())
