"""The default solver: block Krylov with full orthogonalisation and thick restart.

The fair embedding is the top-k eigenspace of ``P M P``. One pass over ``M`` with a block costs
little more than with a vector, and a block a little wider than k finds multiple and clustered
eigenvalues without luck, so a handful of passes gives the exact answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.linalg.block_krylov import BlockKrylov
from fairspectral.linalg.orthonormal import polish, random_block
from fairspectral.linalg.tail import geometric_tail
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.base import Outcome, Solver
from fairspectral.solvers.result import Recorder
from fairspectral.validation import parse_memory_budget

# Random directions beyond the wanted ones: with a few of them a Gaussian block misses no
# wanted direction (Halko, Martinsson and Tropp 2011, doi 10.1137/090771806).
_OVERSAMPLING = 4
# Matrix products are tuned for multiples of this many columns.
_COLUMN_MULTIPLE = 16
# The projected problem is exact to about this many units of roundoff of the products.
_ROUNDOFF_UNITS = 8


@dataclass(frozen=True)
class KrylovParams:
    """Parameters of the block Krylov solver.

    Attributes
    ----------
    tol : float
        Relative gap of the objective, ``(tr* - tr) / tr*``, at which it stops. float32
        products reach about 1e-6.
    max_iter : int
        Passes over ``M`` at most.
    block : int or None
        Columns of a block; None is k and a few more.
    memory_budget : int, str or None
        Bytes that the solver may use beside the operator; less than the default, about
        6 (k + 32) vectors of length n, means more restarts.
    """

    tol: float = 1e-3
    max_iter: int = 1000
    block: int | None = None
    memory_budget: int | str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.tol < 1:
            raise ValueError(f"tol={self.tol!r} must lie between 0 and 1; try 1e-3.")
        for name in ("max_iter", "block"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name}={value!r} must be at least 1; pass a positive number.")
        if self.memory_budget is not None:
            parse_memory_budget(self.memory_budget)


@dataclass(frozen=True)
class Shape:
    """Columns of a block, of the whole basis, and those that a restart keeps."""

    block: int
    capacity: int
    keep: int


class KrylovSolver(Solver):
    """Top eigenspace of the projected operator in a handful of passes."""

    name = "krylov"
    Params = KrylovParams

    def _solve(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        rng: np.random.RandomState,
        start: np.ndarray | None,
    ) -> Outcome:
        # sqrt(d) is an eigenvector, known for free: it is deflated with range(Q).
        wanted = problem.n_clusters - 1
        fixed = np.hstack([problem.known_vector, problem.constraints.basis])
        if not wanted:
            status = "the only eigenvector wanted is known in closed form"
            return Outcome(problem.known_vector.copy(), np.ones(1), True, status, gap=0.0)
        shape = choose_shape(problem, self.params)
        if problem.n_samples <= fixed.shape[1] + shape.capacity + shape.block:
            return _solve_dense(problem, recorder, fixed)
        generator = np.random.default_rng(rng.randint(2**31 - 1))
        deflated = problem.asarray(fixed)
        space = BlockKrylov(problem.apply, deflated, shape.capacity, generator)
        first = random_block(problem.n_samples, shape.block, generator, deflated)
        if start is not None:
            given = problem.asarray(start[:, : shape.block - _OVERSAMPLING])
            first[:, : given.shape[1]] = given
        space.start(first)
        return self._iterate(problem, recorder, space, shape, fixed)

    def _iterate(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        space: BlockKrylov,
        shape: Shape,
        fixed: np.ndarray,
    ) -> Outcome:
        wanted = problem.n_clusters - 1
        attainable = _ROUNDOFF_UNITS * np.finfo(problem.dtype).eps
        traces: list[float] = []
        restarts = 0
        while True:
            space.advance()
            space.ritz()
            traces.append(1.0 + float(space.values[:wanted].sum()))
            # Either the trace has stopped growing, or the Ritz pairs are eigenpairs.
            gap = min(geometric_tail(traces), float(space.residuals[:wanted].sum()))
            gap = max(gap / abs(traces[-1]), attainable)
            recorder.record(objective=traces[-1], gap=gap)
            if gap <= max(self.params.tol, attainable) or recorder.passes >= self.params.max_iter:
                break
            if space.full:
                space.restart(shape.keep)
                restarts += 1
        vectors = np.hstack([problem.known_vector, polish(space.vectors(wanted), fixed)])
        # M has no eigenvalue above 1; rounding may say otherwise.
        values = np.minimum(np.concatenate([[1.0], space.values[:wanted]]), 1.0)
        details = {
            "method": "block Krylov",
            "block": shape.block,
            "capacity": shape.capacity,
            "restarts": restarts,
            "residuals": np.concatenate([[0.0], space.residuals[:wanted]]),
        }
        converged, status = self._status(gap, attainable, recorder.passes, problem.dtype)
        return Outcome(vectors, values, converged, status, gap=gap, details=details)

    def _status(
        self, gap: float, attainable: float, passes: int, dtype: np.dtype
    ) -> tuple[bool, str]:
        tol = self.params.tol
        if gap <= tol:
            return True, f"converged: estimated gap {gap:.1e} <= tol={tol:g} after {passes} passes"
        if gap <= attainable:
            return False, (
                f"stopped at the accuracy of {dtype} products, gap about {gap:.1e}, short of "
                f"tol={tol:g}; pass float64 affinities for more"
            )
        return False, (
            f"stopped at max_iter={passes} passes with estimated gap {gap:.1e} > tol={tol:g}; "
            "raise max_iter or tol"
        )


def choose_shape(problem: FairCutProblem, params: KrylovParams) -> Shape:
    """Widths that fit the memory: by default 6 (k + 32) vectors of length n in all."""
    k, n = problem.n_clusters, problem.n_samples
    wanted = k - 1
    rank = problem.constraints.rank + 1
    available = 6 * (k + 32)
    if params.memory_budget is not None:
        budget = parse_memory_budget(params.memory_budget)
        available = min(available, budget // (n * problem.dtype.itemsize))
    multiple = _COLUMN_MULTIPLE
    block = params.block or multiple * -(-(wanted + _OVERSAMPLING) // multiple)
    # Beside the basis: a block's image, and the copy of the block that the operator scales.
    capacity = available - rank - 2 * block
    return Shape(block, capacity, min(wanted + block // 2, capacity - block))


def _solve_dense(problem: FairCutProblem, recorder: Recorder, fixed: np.ndarray) -> Outcome:
    """All of ``M``, where a Krylov space would fill the whole of it anyway: exact."""
    n, wanted = problem.n_samples, problem.n_clusters - 1
    M = np.asarray(problem.apply(problem.asarray(np.eye(n))), dtype=np.float64)
    inside = (M + M.T) / 2
    inside -= fixed @ (fixed.T @ inside)
    inside -= (inside @ fixed) @ fixed.T
    # Below every eigenvalue of M, which lie in [-1, 1].
    inside -= 2.0 * fixed @ fixed.T
    values, vectors = np.linalg.eigh((inside + inside.T) / 2)
    top = polish(np.ascontiguousarray(vectors[:, ::-1][:, :wanted]), fixed)
    values = np.minimum(np.concatenate([[1.0], values[::-1][:wanted]]), 1.0)
    recorder.record(objective=float(values.sum()), gap=0.0)
    details = {"method": "dense", "block": n, "restarts": 0, "residuals": np.zeros(wanted + 1)}
    status = f"converged: exact, n={n} is small enough for a dense eigendecomposition"
    vectors = np.hstack([problem.known_vector, top])
    return Outcome(vectors, values, True, status, gap=0.0, details=details)
