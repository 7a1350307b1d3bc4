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
from fairspectral.linalg.blocks import to_host
from fairspectral.linalg.orthonormal import polish
from fairspectral.linalg.small import eigh_decreasing
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
        wanted = problem.n_clusters - 1
        if not wanted:
            status = "converged: the only vector wanted is known in closed form"
            return Outcome(problem.known_vector.copy(), np.ones(1), True, status, gap=0.0)
        # sqrt(d) is an eigenvector, known for free: it is deflated with range(Q).
        fixed = np.hstack([problem.known_vector, problem.constraints.basis])
        shape = choose_shape(problem, self.params)
        if problem.n_samples <= fixed.shape[1] + shape.capacity + 2 * shape.block:
            return _solve_dense(problem, recorder, fixed)
        generator = np.random.default_rng(rng.randint(2**31 - 1))
        return self._iterate(problem, recorder, shape, fixed, generator, start)

    def _iterate(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        shape: Shape,
        fixed: np.ndarray,
        rng: np.random.Generator,
        start: np.ndarray | None,
    ) -> Outcome:
        wanted, warm = problem.n_clusters - 1, start is not None
        space = BlockKrylov(problem.apply, problem.asarray(fixed), shape.capacity, rng)
        space.start(_first_block(problem, shape, rng, start))
        attainable = _ROUNDOFF_UNITS * float(np.finfo(problem.dtype).eps)
        gauge = GapGauge(wanted, attainable)
        # A random block wider than the wanted space misses nothing. Otherwise a few fresh
        # random directions must have had the time to show what was missed.
        sure = not warm and shape.block >= wanted + _OVERSAMPLING
        gauge.watching = warm
        restarts = 0
        while True:
            space.advance()
            gap = gauge.read(space)
            recorder.record(objective=gauge.objective, gap=gap)
            if recorder.passes >= self.params.max_iter:
                break
            if gap <= max(self.params.tol, attainable):
                if sure or gauge.watching:
                    break
                gauge.watching = True
                space.widen(_OVERSAMPLING)
            if space.full:
                space.restart(space.ritz(), shape.keep)
                restarts += 1
        pairs = space.ritz()
        vectors = space.vectors(pairs, wanted)
        del space  # its memory is needed to polish the vectors in double precision
        vectors = np.hstack([problem.known_vector, polish(vectors, fixed)])
        details = {
            "method": "block Krylov",
            "block": shape.block,
            "capacity": shape.capacity,
            "restarts": restarts,
            "residuals": np.concatenate([[0.0], pairs.residuals[:wanted]]),
        }
        converged, status = self._status(gap, attainable, recorder.passes, problem.dtype)
        values = _with_known(pairs.values[:wanted])
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


class GapGauge:
    """Estimates the relative gap of the objective from the Ritz values of each pass.

    The trace grows with every pass towards the optimum. What it has still to grow is read off
    its last increments, or bounded by the residuals where these vanish first. While
    `watching`, the next Ritz value below the wanted ones is followed as well: as long as it
    may climb past them, something wanted may be missing.
    """

    def __init__(self, wanted: int, attainable: float) -> None:
        self._wanted = wanted
        self._attainable = attainable
        self._traces: list[float] = []
        self._runners_up: list[float] = []
        self.watching = False
        self.objective: float | None = None

    def read(self, space: BlockKrylov) -> float:
        """The estimate after one more pass, never below what roundoff allows."""
        values, wanted = space.ritz_values(), self._wanted
        if len(values) <= wanted:
            return float("inf")
        self.objective = 1.0 + float(values[:wanted].sum())
        self._traces.append(self.objective)
        missing = min(geometric_tail(self._traces), wanted * space.leftover)
        if self.watching:
            self._runners_up.append(float(values[wanted]))
            reach = self._runners_up[-1] + geometric_tail(self._runners_up)
            missing += max(0.0, reach - float(values[wanted - 1]))
        return max(missing / abs(self.objective), self._attainable)


def choose_shape(problem: FairCutProblem, params: KrylovParams) -> Shape:
    """Widths that fit the memory: by default 6 (k + 32) vectors of length n in all."""
    k, n, itemsize = problem.n_clusters, problem.n_samples, problem.dtype.itemsize
    wanted, rank = k - 1, problem.constraints.rank + 1
    available = 6 * (k + 32) - rank
    if params.memory_budget is not None:
        budget = parse_memory_budget(params.memory_budget)
        available = min(available, budget // (n * itemsize) - rank)
    multiple = _COLUMN_MULTIPLE
    block = params.block or multiple * -(-(wanted + _OVERSAMPLING) // multiple)
    # A narrow block is widened in the end, to look for what it has missed.
    spare = 0 if block >= wanted + _OVERSAMPLING else _OVERSAMPLING
    # The wanted vectors, two blocks to grow by, a block's image, and the copy of a block that
    # the operator scales.
    fitting = (available - wanted) // 4
    if block + spare > fitting:
        block, spare = fitting - _OVERSAMPLING, _OVERSAMPLING
    if block < 1:
        needed = (rank + wanted + 4 * (_OVERSAMPLING + 1)) * n * itemsize
        raise ValueError(
            f"memory_budget={params.memory_budget!r} is too small for {k} vectors of length {n}; "
            f"allow at least {needed} bytes."
        )
    widest = block + spare
    capacity = available - 2 * widest
    cycle = max(1, (capacity - wanted - widest // 2) // widest)
    return Shape(block, capacity, capacity - cycle * widest)


def _first_block(
    problem: FairCutProblem, shape: Shape, rng: np.random.Generator, start: np.ndarray | None
) -> Any:
    block = problem.asarray(rng.standard_normal((problem.n_samples, shape.block), dtype=np.float32))
    if start is not None:
        # The leading vectors; the other columns stay random, to find what they miss.
        given = problem.asarray(start[:, : max(1, shape.block - _OVERSAMPLING)])
        block[:, : given.shape[1]] = given
    return block


def _with_known(values: np.ndarray) -> np.ndarray:
    # M has no eigenvalue above 1; rounding may say otherwise.
    return np.minimum(np.concatenate([[1.0], values]), 1.0)


def _solve_dense(problem: FairCutProblem, recorder: Recorder, fixed: np.ndarray) -> Outcome:
    """All of ``M``, where a Krylov space would fill most of it anyway: exact."""
    n, wanted = problem.n_samples, problem.n_clusters - 1
    M = to_host(problem.apply(problem.asarray(np.eye(n))))
    inside = (M + M.T) / 2
    inside -= fixed @ (fixed.T @ inside)
    inside -= (inside @ fixed) @ fixed.T
    # Below every eigenvalue of M, which lie in [-1, 1].
    inside -= 2.0 * fixed @ fixed.T
    values, vectors = eigh_decreasing((inside + inside.T) / 2)
    top = polish(np.ascontiguousarray(vectors[:, :wanted]), fixed)
    values = _with_known(values[:wanted])
    recorder.record(objective=float(values.sum()), gap=0.0)
    details = {"method": "dense", "block": n, "restarts": 0, "residuals": np.zeros(wanted + 1)}
    status = f"converged: exact, n={n} is small enough for a dense eigendecomposition"
    vectors = np.hstack([problem.known_vector, top])
    return Outcome(vectors, values, True, status, gap=0.0, details=details)
