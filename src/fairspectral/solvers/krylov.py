"""The default solver: block Krylov with full orthogonalisation and thick restart.

The fair embedding is the top-k eigenspace of ``P M P``. One pass over ``M`` with a block costs
little more than with a vector, so a handful of passes gives the exact answer. The solve starts from
a random block a little wider than k, which finds multiple and clustered eigenvalues without luck,
and multiplies as many of its columns at a time as products are quick with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fairspectral.linalg.block_krylov import BlockKrylov
from fairspectral.linalg.blocks import to_host
from fairspectral.linalg.orthonormal import polish
from fairspectral.linalg.small import eigh_decreasing
from fairspectral.parameters import parse_memory_budget
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.base import Outcome, Solver
from fairspectral.solvers.gap import GapEstimate
from fairspectral.solvers.result import Recorder
from fairspectral.solvers.sample import OVERSAMPLING, RandomSample

# Products are tuned for multiples of so many columns; with fewer than twice as many a pass takes
# hardly less time (`python benchmarks/products.py`).
COLUMN_MULTIPLE = 8
# From so many columns on, products with stored affinities wait for arithmetic rather than for
# memory (`python benchmarks/products.py`).
FULL_RATE = 32
# The basis has m columns where a product makes this times m^3 multiplications: Rayleigh-Ritz then
# takes about a sixteenth of its time (`python benchmarks/products.py`).
RITZ_WORK = 192
# But at least the wanted columns and so many steps: fewer do not tell close eigenvalues apart
# (`python benchmarks/stress.py --constant krylov.FEWEST_STEPS 4 6 8`).
FEWEST_STEPS = 6
# The overlap that a solve tolerates between basis vectors, as a part of the gap asked for
# (`python benchmarks/stress.py --constant krylov.OVERLAP_SHARE 0.0625 0.25 64`).
OVERLAP_SHARE = 1 / 4


@dataclass(frozen=True)
class KrylovParams:
    """Parameters of the block Krylov solver.

    Attributes
    ----------
    tol : float
        Relative gap of the objective, ``(tr* - tr) / tr*``, at which it stops. Of the objective
        without the known eigenvalue 1, the gap is at most ten times that. float32 products
        reach about 1e-6.
    max_iter : int
        Passes over ``M`` at most.
    block : int or None
        Columns that are multiplied in one pass, rounded up to a multiple of eight. None is k and a
        few more, at most 32 where the affinities are stored.
    memory_budget : int, str or None
        About how many bytes the solver may use beside the operator; less means more restarts.
        None is 6 (k + 32) vectors of length n, or a tenth of what the stored affinities take if
        that is more. The answer itself, k vectors in float64, comes on top where the budget is
        hardly more than that.
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


class KrylovSolver(Solver):
    """Top eigenspace of the projected operator in a handful of passes."""

    name = "krylov"
    Params = KrylovParams
    block_products = True

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
        if problem.n_samples <= fixed.shape[1] + shape.capacity + 2 * shape.width:
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
        wanted, tol = problem.n_clusters - 1, self.params.tol
        sample = RandomSample(problem, shape.width, int(rng.integers(2**31)))
        block = sample.draw()
        if start is not None:
            # The leading vectors; the other columns stay random, to find what they miss.
            given = problem.asarray(start[:, : shape.width - OVERSAMPLING])
            sample.replaced = given.shape[1]
            block[:, : sample.replaced] = given
        deflated, overlap = problem.asarray(fixed), OVERLAP_SHARE * tol
        space = BlockKrylov(problem.apply, deflated, block, shape.capacity, rng, overlap)
        del block
        rounds = -(-shape.width // shape.step)
        estimate, restarts = GapEstimate(wanted, tol, problem.dtype, rounds, start is not None), 0
        fresh = shape.width  # random columns: all of them are multiplied before any others
        if (before := recorder.saved.under_way()) is not None:
            for part, name in ((space, "space"), (estimate, "estimate"), (recorder, "recorder")):
                part.restore(before[name])
            rng.bit_generator.state = before["rng"]
            fresh, restarts = before["fresh"], before["restarts"]
        del before
        while True:
            space.advance(min(shape.step, fresh or shape.step))
            fresh = max(0, fresh - shape.step)
            last = space.size > wanted and recorder.passes >= self.params.max_iter
            pairs = space.ritz()
            estimate.read(pairs.values, pairs.residuals)
            if last or estimate.reached:
                vectors = space.vectors(wanted)
                estimate.doubt(sample.mixture(vectors), pairs.residuals)
            recorder.record(objective=estimate.objective, gap=estimate.gap)
            if last or estimate.reached:
                break
            if shape.step < shape.width and not fresh:
                space.turn(wanted)
            if space.size + shape.step > shape.capacity:
                space.restart(shape.kept)
                estimate.restarted((shape.capacity - shape.kept) // shape.step)
                restarts += 1
            now = partial(_state, space, estimate, recorder, rng, fresh, restarts)
            recorder.saved.advance(now)
        details = {
            "method": "block Krylov",
            "block": shape.step,
            "capacity": shape.capacity,
            "restarts": restarts,
            "residuals": np.concatenate([[0.0], pairs.residuals[:wanted]]),
            "next_eigenvalue": float(pairs.values[wanted]),
        }
        del space  # its memory is needed to polish the vectors in double precision
        converged, status = estimate.verdict(recorder.passes)
        return Outcome(
            np.hstack([problem.known_vector, polish(to_host(vectors), fixed)]),
            _with_known(pairs.values[:wanted]),
            converged,
            status,
            gap=estimate.gap,
            details=details,
        )


def _state(
    space: BlockKrylov,
    estimate: GapEstimate,
    recorder: Recorder,
    rng: np.random.Generator,
    fresh: int,
    restarts: int,
) -> dict[str, Any]:
    """All that a later process needs to go on after this pass."""
    return {
        "space": space.state(),
        "estimate": estimate.state(),
        "recorder": recorder.state(),
        "rng": rng.bit_generator.state,
        "fresh": fresh,
        "restarts": restarts,
    }


@dataclass(frozen=True)
class Shape:
    """Columns in the space of one solve."""

    width: int  # of the residual block: enough to miss nothing
    step: int  # multiplied in one pass
    capacity: int  # of the basis
    kept: int  # of the basis after a restart


def choose_shape(problem: FairCutProblem, params: KrylovParams) -> Shape:
    """Widths that suit the products and fit the memory."""
    operator, n, k = problem.operator, problem.n_samples, problem.n_clusters
    wanted, vector = k - 1, n * problem.dtype.itemsize
    width = max(2 * COLUMN_MULTIPLE, _rounded(wanted + OVERSAMPLING))
    # Computed affinities cost as much for a few columns as for many.
    step = min(width, _rounded(params.block or (FULL_RATE if operator.own_threads else width)))
    available = max(6 * (k + 32), operator.nbytes // (10 * vector))
    if params.memory_budget is not None:
        # The constraints come with the problem: a thousand groups must not leave no room.
        rank = problem.constraints.rank + 1
        available = min(available, parse_memory_budget(params.memory_budget) // vector - rank)
        # The wanted vectors, the residual block, two steps to grow by, an image and its copy.
        step = min(step, COLUMN_MULTIPLE * ((available - wanted - width) // (4 * COLUMN_MULTIPLE)))
        if step < COLUMN_MULTIPLE:
            raise ValueError(
                f"memory_budget={params.memory_budget!r} is too small for {k} vectors of length "
                f"{n} beside {rank - 1} fairness constraint(s); allow at least "
                f"{(rank + wanted + width + 4 * COLUMN_MULTIPLE) * vector} bytes."
            )
    product = operator.density * n * n * step
    affordable = int((product / RITZ_WORK) ** (1 / 3))
    longest = max(affordable, wanted + FEWEST_STEPS * step)
    capacity = min(longest, available - width - 2 * step)
    # A restart keeps the wanted vectors and at least half a step more, so that whole steps fill
    # what it frees.
    steps = max(1, (capacity - wanted - step // 2) // step)
    return Shape(width, step, capacity, capacity - steps * step)


def _rounded(columns: int) -> int:
    return COLUMN_MULTIPLE * -(-columns // COLUMN_MULTIPLE)


def _with_known(values: np.ndarray) -> np.ndarray:
    # M has no eigenvalue above 1, whatever floating-point errors say.
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
    details = {"method": "dense", "block": n, "restarts": 0, "residuals": np.zeros(wanted + 1)}
    if n > wanted + fixed.shape[1]:
        details["next_eigenvalue"] = float(values[wanted])
    values = _with_known(values[:wanted])
    recorder.record(objective=float(values.sum()), gap=0.0)
    status = f"converged: exact, n={n} is small enough for a dense eigendecomposition"
    vectors = np.hstack([problem.known_vector, top])
    return Outcome(vectors, values, True, status, gap=0.0, details=details)
