"""The default solver: block Krylov with full orthogonalisation and thick restart.

The fair embedding is the top-k eigenspace of ``P M P``. One pass over ``M`` with a block costs
little more than with a vector, and a block a little wider than k finds multiple and clustered
eigenvalues without luck, so a handful of passes gives the exact answer. On sparse graphs, where
products are cheap, `chebyshev` shifts to a filtered operator after the first passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.linalg.blocks import to_host
from fairspectral.linalg.orthonormal import polish
from fairspectral.linalg.small import eigh_decreasing
from fairspectral.parameters import parse_memory_budget
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.base import Outcome, Solver
from fairspectral.solvers.chebyshev import GearedSpace, Shape, suggested_degree
from fairspectral.solvers.gap import GapGauge
from fairspectral.solvers.result import Recorder
from fairspectral.solvers.sample import RandomSample

# Random directions beyond the wanted ones: with a few of them a Gaussian block misses no
# wanted direction (Halko, Martinsson and Tropp 2011, doi 10.1137/090771806).
_OVERSAMPLING = 4
# Columns of a block are a multiple of this, which products are tuned for; where affinities are
# computed anew in every pass, whatever its width, a wider one saves passes.
_COLUMN_MULTIPLE, _WIDER_MULTIPLE = 8, 16
_FEWEST_COLUMNS = 16
# Plain passes, at least, before the filter of a sparse problem is chosen.
_FIRST_LOOK = 5
# The overlap tolerated between basis vectors is this part of the gap asked for.
_OVERLAP_SHARE = 64


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
    degree : int or None
        Products between two orthogonalisations: 1 is plain block Krylov, more is a Chebyshev
        filter. None suits it to the density of the affinities.
    memory_budget : int, str or None
        Bytes that the solver may use beside the operator; less than the default, about
        6 (k + 32) vectors of length n, means more restarts.
    """

    tol: float = 1e-3
    max_iter: int = 1000
    block: int | None = None
    degree: int | None = None
    memory_budget: int | str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.tol < 1:
            raise ValueError(f"tol={self.tol!r} must lie between 0 and 1; try 1e-3.")
        for name in ("max_iter", "block", "degree"):
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
        shape = choose_shape(problem, self.params, warm=start is not None)
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
        wanted, tol, limit = problem.n_clusters - 1, self.params.tol, self.params.max_iter
        gauge = GapGauge(wanted, tol, problem.dtype)
        # Of vectors given and random ones together, the random ones must have had the time to
        # show what the given ones lack.
        gauge.watching = start is not None
        deflated = problem.asarray(fixed)
        sample = RandomSample(problem, shape.block, int(rng.integers(2**31)))
        space = GearedSpace(problem, shape, deflated, rng, sample, overlap=tol / _OVERLAP_SHARE)
        space.start(_first_block(sample, start))
        while True:
            space.step(gauge)
            recorder.record(objective=gauge.objective, gap=gauge.gap)
            last = space.size > wanted and recorder.passes + space.cost > limit
            if (
                gauge.reached
                and not last
                and _may_lack_copies(gauge, shape, space, recorder.passes)
            ):
                gauge.watching = True
                space.widen(_OVERSAMPLING)
            elif gauge.reached or last:
                vectors, values, residuals = space.pairs(wanted + _OVERSAMPLING)
                gauge.settle(1.0 + float(values[:wanted].sum()))
                if gauge.reached or last:
                    break
            space.make_room(gauge)
        details = {
            "method": space.method,
            "block": shape.block,
            "capacity": shape.capacity,
            "restarts": space.restarts,
            "residuals": np.concatenate([[0.0], residuals[:wanted]]),
        }
        del space  # its memory is needed to polish the vectors in double precision
        vectors = polish(to_host(vectors[:, :wanted]), fixed)
        converged, status = gauge.verdict(recorder.passes)
        return Outcome(
            np.hstack([problem.known_vector, vectors]),
            _with_known(values[:wanted]),
            converged,
            status,
            gap=gauge.gap,
            details=details,
        )


def _may_lack_copies(gauge: GapGauge, shape: Shape, space: GearedSpace, passes: int) -> bool:
    """Whether a narrow block has still to be widened.

    A random block wider than the wanted space misses nothing. A narrower one sees no more
    copies of a multiple eigenvalue than it has columns; fresh random directions show others.
    """
    if space.width >= gauge.wanted + _OVERSAMPLING:
        return False
    crowded = not gauge.watching and gauge.crowded(shape.block, passes)
    return crowded or (not space.resolved and space.can_widen(_OVERSAMPLING))


def choose_shape(problem: FairCutProblem, params: KrylovParams, *, warm: bool) -> Shape:
    """Widths that fit the memory: by default 6 (k + 32) vectors of length n in all."""
    k, n, itemsize = problem.n_clusters, problem.n_samples, problem.dtype.itemsize
    wanted, rank = k - 1, problem.constraints.rank + 1
    enough = wanted + _OVERSAMPLING
    available = 6 * (k + 32) - rank
    if params.memory_budget is not None:
        budget = parse_memory_budget(params.memory_budget)
        available = min(available, budget // (n * itemsize) - rank)
    # A sparse product costs the same for each column, so that a narrower block would be a
    # little cheaper; but it may miss copies of an eigenvalue with more copies than columns,
    # such as the 1 of a graph in many components, and then claim too much.
    stored = getattr(problem.operator, "own_threads", False)
    multiple = _COLUMN_MULTIPLE if stored else _WIDER_MULTIPLE
    block = params.block or max(_FEWEST_COLUMNS, enough)
    degree = params.degree or suggested_degree(problem, max(block, enough))
    if degree > 1 and not warm:
        # Two blocks of the filter, the operator's image, and the copy that it scales.
        capacity = available - 4 * max(block + _OVERSAMPLING, enough)
        first_look = max(_FIRST_LOOK, wanted // block + 2)
        keep = wanted + block
        if capacity >= max(first_look * block, keep + 2 * (block + _OVERSAMPLING)):
            return Shape(block, capacity, keep, degree, first_look)
    block = params.block or max(_FEWEST_COLUMNS, multiple * -(-enough // multiple))
    # A narrow block is widened in the end, to look for what it has missed.
    spare = 0 if block >= enough else _OVERSAMPLING
    # The wanted vectors, two blocks to grow by, a block's image, and the copy that is scaled.
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


def _first_block(sample: RandomSample, start: np.ndarray | None) -> Any:
    block = sample.draw()
    if start is not None:
        # The leading vectors; the other columns stay random, to find what they miss.
        given = sample.problem.asarray(start[:, : max(1, sample.width - _OVERSAMPLING)])
        sample.replaced = given.shape[1]
        block[:, : sample.replaced] = given
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
