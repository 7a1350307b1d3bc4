"""The paper's Algorithm 1: ADMM with the variable augmentation ``M H = Y`` and a dual DC H-step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from fairspectral.problem import FairCutProblem
from fairspectral.solvers.base import Outcome, Solver
from fairspectral.solvers.dual import DualSubproblem
from fairspectral.solvers.krylov import KrylovParams, KrylovSolver
from fairspectral.solvers.result import Recorder
from fairspectral.solvers.ritz import feasible_basis, rayleigh_ritz

# The default preset differs from the paper's Algorithm 1 in:
#
# 1. The operator. The paper couples Y with M H, so its constraint is F^T M H = 0, not
#    F^T H = 0. And with alpha < 1 the augmented Lagrangian is concave along an unfair
#    direction u (curvature -(1 - alpha) ||M u||^2), so that only the multipliers push H back:
#    measured after the paper's ten iterations, ||Q^T H|| is still 1.0 on the fair block model
#    and 0.35 on the bundled patients, and more iterations help the first but not the second.
#    Here M is replaced by P M P, whose range is fair: the constraint is then the right one,
#    and the multipliers only have to correct floating-point errors.
# 2. The shift. The paper adds (1 + omega) I to make a graph's M positive semi-definite. Most
#    graphs have no eigenvalue near -1, and a needless shift flattens the spectrum on which the
#    inner solver's speed depends. Here the shift is as large as the first products require.
# 3. The scale. The inner stopping rules are absolute in the paper; where all wanted
#    eigenvalues but the first are tiny they are met at once. Here M is scaled so that its
#    largest unknown eigenvalue is about one, and the gradient is measured against 1/sqrt(n).
# 4. The known eigenvector sqrt(d) is taken out, and k - 1 columns are sought.
# 5. The start is the outcome of two block multiplications, not noise, and every later H-step
#    starts from the dual variable of the one before.
# 6. The end is a Rayleigh-Ritz step (project, orthonormalise, rotate), after which fairness
#    and orthogonality hold to machine precision.
#
# 7. If the residuals are small but the objective is below the optimum, the iteration goes on with
#    a smaller inner tolerance.
#
# Shared by both presets: Y and the multipliers are updated with the projection I - Q Q^T, never
# with an n×(n-h) basis; alpha is kept below 0.9; the iteration stops early when both residuals
# are small (the paper's Table 5 shows that its own code does, without giving the rule). Whether
# that is convergence is decided by the objective, against the optimum that the Krylov solver
# finds: two iterations in a row may differ little because the inner solver stopped early.
_LARGEST_ALPHA = 0.9
# The optimum is computed to this fraction of the tolerance.
_CHECK_SHARE = 0.25
# Factor of the inner tolerances where small residuals came with too large a gap.
_TIGHTEN = 0.1


@dataclass(frozen=True)
class ADMMParams:
    """Parameters of the ADMM.

    Attributes
    ----------
    alpha : float
        First penalty, in (0, 0.9].
    max_iter : int
        Largest number of ADMM iterations (the paper's T).
    tau, mu : float
        The penalty is multiplied or divided by tau when one residual is mu times the other.
    tol : float
        Stop when ``||M H - Y|| <= tol ||Y||`` and ``||Y - Y_old|| <= sqrt(tol) ||Y||`` (the
        objective moves with the square of the second), and the relative gap of the objective
        is at most tol.
    gtol, ftol, inner_max_iter :
        Stopping rules of the inner L-BFGS.
    shift : float or "auto"
        Added to the diagonal of ``M``; ``"auto"`` estimates it from the first products.
    projected, scaled, deflated, warm_start, polish : bool
        Points 1, 3, 4, 5 and 6 of the comment above the algorithm.
    """

    alpha: float = 0.005
    max_iter: int = 30
    tau: float = 2.0
    mu: float = 10.0
    tol: float = 1e-3
    gtol: float = 1e-3
    ftol: float = 1e-4
    inner_max_iter: int = 1000
    shift: float | str = "auto"
    projected: bool = True
    scaled: bool = True
    deflated: bool = True
    warm_start: bool = True
    polish: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= _LARGEST_ALPHA:
            raise ValueError(f"alpha={self.alpha!r} must lie in (0, 0.9]; the paper uses 0.005.")
        if self.max_iter < 1 or self.inner_max_iter < 1:
            raise ValueError("max_iter and inner_max_iter must be at least 1.")
        if not (self.tau > 1 and self.mu > 1):
            raise ValueError(
                f"tau={self.tau!r} and mu={self.mu!r} must be larger than 1; the paper uses 2, 10."
            )
        if isinstance(self.shift, str) and self.shift != "auto":
            raise ValueError(f"shift={self.shift!r} must be a number or 'auto'.")

    @classmethod
    def paper(cls, *, omega: float | None = 1e-3) -> ADMMParams:
        """The paper's settings: alpha0=0.005, T=10, gtol=1e-3, ftol=1e-4, a normal start.

        Parameters
        ----------
        omega : float or None
            For graphs, the ``omega`` of the shift ``M + (1 + omega) I`` (its Remark 2.3); None
            for positive definite kernels, which need no shift.
        """
        return cls(
            max_iter=10,
            shift=0.0 if omega is None else 1.0 + omega,
            projected=False,
            scaled=False,
            deflated=False,
            warm_start=False,
            polish=False,
        )


class ADMMSolver(Solver):
    """ADMM for ``max 1/2 ||M H||^2`` over orthonormal ``H`` with ``M H = Y``, ``F^T Y = 0``."""

    name = "admm"
    Params = ADMMParams
    block_products = True

    def _solve(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        rng: np.random.RandomState,
        start: np.ndarray | None,
    ) -> Outcome:
        params = self.params
        n = problem.n_samples
        columns = problem.n_clusters - int(params.deflated)
        if columns == 0:
            recorder.record(objective=1.0, fairness=0.0, orthogonality=0.0)
            status = "the one vector sqrt(d) is known"
            return Outcome(problem.known_vector, np.ones(1), converged=True, status=status, gap=0.0)

        operator, V = _prepare(problem, params, columns, rng, start)
        gtol = params.gtol / np.sqrt(n) if params.scaled else params.gtol
        ftol, alpha = params.ftol, params.alpha
        Y, P = np.zeros((n, columns)), np.zeros((n, columns))
        optimum: float | None = None
        for _ in range(params.max_iter):
            # H-step (Propositions 3.1, 3.2): minimise the dual, recover the primal.
            dual = DualSubproblem(operator.apply, Y, P, alpha)
            if not params.warm_start:
                V = rng.standard_normal((n, columns))
            V, inner = dual.minimize(V, gtol=gtol, ftol=ftol, max_iter=params.inner_max_iter)
            H, MH = dual.primal(V)
            # Y-step in closed form, then the multipliers.
            Y_old, Y = Y, problem.project(MH + P / alpha)
            P = P + alpha * (MH - Y)
            primal = float(np.linalg.norm(MH - Y))
            dual_residual = alpha * float(np.linalg.norm(Y - Y_old))
            recorder.record(
                objective=operator.objective(H, MH),
                primal_residual=primal,
                dual_residual=dual_residual,
                alpha=alpha,
                fairness=problem.fairness(H),
                orthogonality=problem.orthogonality_residual(H),
                inner_iterations=inner,
            )
            size = float(np.linalg.norm(Y))
            if primal <= params.tol * size and dual_residual <= alpha * np.sqrt(params.tol) * size:
                if optimum is None:
                    optimum = _optimum(problem, params.tol, rng)
                outcome = self._finish(problem, recorder, rng, H, MH, operator, optimum)
                if outcome.converged or not params.polish:
                    return outcome
                gtol, ftol = _TIGHTEN * gtol, _TIGHTEN * ftol
            alpha = _next_penalty(alpha, primal, dual_residual, params)
        return self._finish(problem, recorder, rng, H, MH, operator, None)

    def _finish(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        rng: np.random.RandomState,
        H: np.ndarray,
        MH: np.ndarray,
        operator: _Operator,
        optimum: float | None,
    ) -> Outcome:
        """The result at an iterate; `optimum` is given where both residuals are small."""
        if self.params.polish:
            block = np.hstack([problem.known_vector, H]) if self.params.deflated else H
            vectors, values = rayleigh_ritz(problem, block, rng)
        else:
            # Only rotate: the span remains that of the ADMM's iterate.
            values, rotation = scipy.linalg.eigh(operator.compression(H, MH))
            vectors, values = H @ rotation[:, ::-1], values[::-1]
            if self.params.deflated:
                vectors = np.hstack([problem.known_vector, vectors])
                values = np.concatenate([[1.0], values])
        gap = None if optimum is None else (optimum - float(values.sum())) / abs(optimum)
        converged, status = self._verdict(gap, problem.fairness_residual(vectors), recorder)
        details = {"shift": operator.shift, "scale": operator.scale}
        return Outcome(vectors, values, converged, status, gap, details)

    def _verdict(self, gap: float | None, unfair: float, recorder: Recorder) -> tuple[bool, str]:
        """Whether the solver converged, and the status in words."""
        last, tol = recorder.history[-1], self.params.tol
        if gap is None:
            return False, (
                f"stopped after max_iter={last.iteration} iterations with primal residual "
                f"{last.primal_residual:.1e}, ||F^T H|| {last.fairness:.1e}; "
                "raise max_iter, or use solver='auto'"
            )
        small = f"both residuals below the tolerance after {last.iteration} iterations"
        # Vectors that are not feasible may even exceed the optimum.
        if abs(gap) <= tol and unfair <= np.sqrt(tol):
            return True, f"{small}, gap {abs(gap):.1e} <= tol={tol:g}"
        return False, (
            f"stopped with {small}, but at a gap of {gap:.1e} and ||Q^T H|| {unfair:.1e}; "
            "use solver='auto'"
        )


def _optimum(problem: FairCutProblem, tol: float, rng: np.random.RandomState) -> float:
    """The largest value of the objective, from the Krylov solver."""
    params = KrylovParams(tol=min(max(_CHECK_SHARE * tol, np.finfo(problem.dtype).eps), 0.1))
    outcome = KrylovSolver(params)._solve(problem, Recorder(problem), rng, None)
    return float(outcome.eigenvalues.sum()) * (1.0 + (outcome.gap or 0.0))


def _next_penalty(alpha: float, primal: float, dual: float, params: ADMMParams) -> float:
    """The rule of the paper's Equation 25 (Boyd et al. 2011), capped below one."""
    if primal > params.mu * dual:
        return min(params.tau * alpha, _LARGEST_ALPHA)
    if dual > params.mu * primal:
        return alpha / params.tau
    return alpha


@dataclass(frozen=True)
class _Operator:
    """The matrix that the ADMM works on: ``M``, projected, shifted, deflated and scaled."""

    problem: FairCutProblem
    projected: bool
    deflated: bool
    shift: float
    scale: float

    def apply(self, block: np.ndarray) -> np.ndarray:
        """One pass."""
        if self.projected:
            block = self.problem.project(block)
        image = self.problem.apply_on_host(block) + self.shift * block
        if self.projected:
            image = self.problem.project(image)
        if self.deflated:
            v = self.problem.known_vector
            image -= (1.0 + self.shift) * (v @ (v.T @ block))
        return image / self.scale

    def compression(self, H: np.ndarray, image: np.ndarray) -> np.ndarray:
        """``H^T M H`` of the unshifted ``M``, from the working operator's image of ``H``."""
        v = self.problem.known_vector.T @ H
        small = self.scale * (H.T @ image) - self.shift * (H.T @ H)
        if self.deflated:
            small += (1.0 + self.shift) * (v.T @ v)
        return (small + small.T) / 2

    def objective(self, H: np.ndarray, image: np.ndarray) -> float:
        """``tr(H^T M H)``, with the known vector's 1 where it was taken out."""
        return float(np.trace(self.compression(H, image))) + float(self.deflated)


def _prepare(
    problem: FairCutProblem,
    params: ADMMParams,
    columns: int,
    rng: np.random.RandomState,
    start: Any,
) -> tuple[_Operator, np.ndarray]:
    """The working operator and the first dual variable, from two block multiplications.

    A Rayleigh-Ritz step on ``span{B, M B}`` shows both ends of the spectrum (hence the shift
    and the scale) and the most promising directions (hence the start).
    """
    automatic = params.shift == "auto"
    if not (automatic or params.scaled or params.warm_start):
        shift = float(params.shift)
        return _Operator(problem, params.projected, params.deflated, shift, 1.0), np.empty((0, 0))
    n, v = problem.n_samples, problem.known_vector
    width = min(columns + 5, n - problem.constraints.rank - 1)
    block = rng.standard_normal((n, width))
    if start is not None:
        given = min(width, start.shape[1])
        block[:, :given] = start[:, :given]
    block = feasible_basis(problem, np.hstack([v, block]), rng)[:, 1:]
    plain = _Operator(problem, projected=True, deflated=True, shift=0.0, scale=1.0)
    basis = np.linalg.qr(np.hstack([block, plain.apply(block)]))[0]
    image = plain.apply(basis)
    values, rotation = scipy.linalg.eigh((basis.T @ image + image.T @ basis) / 2)
    # The smallest Ritz value lies above the smallest eigenvalue: add a margin.
    shift = max(0.0, -1.2 * float(values[0])) if automatic else float(params.shift)
    scale = max(float(values[-1]) + shift, np.finfo(float).tiny) if params.scaled else 1.0
    top = image @ rotation[:, ::-1][:, :columns]
    if not params.deflated:
        top = np.hstack([v, top[:, : columns - 1]])
    return _Operator(problem, params.projected, params.deflated, shift, scale), top / scale
