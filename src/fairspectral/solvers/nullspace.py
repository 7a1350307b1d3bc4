"""o-FSC: the explicit null space and a dense eigendecomposition (Kleindessner et al. 2019).

Cubic in n and exact: the reference that every other solver is tested against.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from fairspectral.problem import FairCutProblem
from fairspectral.solvers.base import Outcome, Solver
from fairspectral.solvers.result import Recorder


@dataclass(frozen=True)
class NullspaceParams:
    """The dense solver has no parameters."""


class NullspaceSolver(Solver):
    """Top eigenvectors of ``Z^T M Z``, with ``Z`` an orthonormal basis of ``null(F^T)``."""

    name = "nullspace"
    Params = NullspaceParams

    def _solve(
        self, problem: FairCutProblem, recorder: Recorder, rng: np.random.RandomState, start: Any
    ) -> Outcome:
        n, k = problem.n_samples, problem.n_clusters
        Q = problem.constraints.basis
        M = problem.apply_on_host(np.eye(n, dtype=problem.dtype)).astype(np.float64, copy=False)
        if Q.shape[1]:
            Z = scipy.linalg.qr(Q, mode="full", check_finite=False)[0][:, Q.shape[1] :]
            M = Z.T @ M @ Z
        m = M.shape[0]
        M = (M + M.T) / 2
        first = max(0, m - k - 1)  # one more, if there is one, for the gap
        values, Y = scipy.linalg.eigh(M, subset_by_index=(first, m - 1), check_finite=False)
        if len(values) < m - first:  # LAPACK's search for a part of a spectrum nearly one point
            values, Y = scipy.linalg.eigh(M, check_finite=False)
        details = {"next_eigenvalue": float(values[-k - 1])} if m > k else {}
        values, Y = values[: -k - 1 : -1], Y[:, : -k - 1 : -1]
        H = Z @ Y if Q.shape[1] else np.ascontiguousarray(Y)
        recorder.record(
            objective=float(values.sum()),
            fairness=problem.fairness(H),
            orthogonality=problem.orthogonality_residual(H),
            gap=0.0,
        )
        status = "exact, by a dense eigendecomposition"
        return Outcome(H, values, converged=True, status=status, gap=0.0, details=details)
