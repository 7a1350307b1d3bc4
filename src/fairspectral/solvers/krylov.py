"""The default solver: block Krylov with full orthogonalisation and thick restart.

The fair embedding is the top-k eigenspace of ``P M P``. One pass over ``M`` with a block costs
little more than with a vector, so a handful of passes gives the exact answer. A random block a
little wider than k finds multiple and clustered eigenvalues without luck; where a narrower one is
cheaper, it is tried first, and its own random numbers tell whether it was wide enough. On sparse
graphs, where products are cheap, `GearedSpace` shifts to a filter after the first passes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fairspectral.linalg.blocks import to_host
from fairspectral.linalg.orthonormal import polish
from fairspectral.linalg.small import eigh_decreasing
from fairspectral.parameters import parse_memory_budget
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.base import Outcome, Solver
from fairspectral.solvers.gap import OVERLAP_SHARE, GapGauge
from fairspectral.solvers.geared_space import DENSE, GearedSpace, Shape, suggested_degree
from fairspectral.solvers.result import Recorder
from fairspectral.solvers.sample import OVERSAMPLING

# Columns of a block are a multiple of this, which products are tuned for.
_COLUMN_MULTIPLE = 8
_FEWEST_COLUMNS = 16
# Columns below which products with dense affinities wait for memory rather than for arithmetic.
_FULL_RATE = 32
# Passes that must be allowed for narrow blocks to be tried.
_MANY_PASSES = 200
# Plain passes, at least, before the filter of a sparse problem is chosen.
_FIRST_LOOK = 5


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
        Columns of a block. None is k and a few more, or three fifths of that at first where
        the affinities are stored. A narrow block that may have seen too little is widened.
    degree : int or None
        Products between two orthogonalisations: 1 is plain block Krylov, more is a Chebyshev
        filter. None suits it to the density of the affinities.
    memory_budget : int, str or None
        About how many bytes the solver may use beside the operator; much less than the default,
        at most about 6 (k + 32) vectors of length n and the constraints, means more restarts. The
        answer itself, k vectors in float64, comes on top where the budget is hardly more than that.
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
        largest = max(tried.capacity + 2 * tried.block for tried in (shape, shape.wider or shape))
        if problem.n_samples <= fixed.shape[1] + largest:
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
        space = GearedSpace(problem, shape, deflated, rng, overlap=OVERLAP_SHARE * tol)
        space.start(start)
        while True:
            space.step()
            last = space.size > wanted and recorder.passes + space.cost > limit
            if last or space.due:
                space.read(gauge)
            # What was last read, where this step was not.
            recorder.record(objective=gauge.objective, gap=gauge.gap)
            lacking = gauge.reached and gauge.doubtful
            # Starting over pays off only where it can get as far again.
            affordable = 2 * recorder.passes <= limit
            now_or_never = affordable and 2 * (recorder.passes + space.cost) > limit
            undecided = lacking and gauge.clearing and not now_or_never
            if lacking and not undecided and affordable and space.start_wider():
                gauge.forget()
                continue
            if last or (gauge.reached and not undecided):
                vectors, values, residuals = space.pairs(wanted + OVERSAMPLING)
                gauge.settle(1.0 + float(values[:wanted].sum()))
                if gauge.reached or last:
                    break
            space.make_room(gauge)
        details = {
            "method": space.method,
            "block": space.width,
            "capacity": space.capacity,
            "restarts": space.restarts,
            "residuals": np.concatenate([[0.0], residuals[:wanted]]),
        }
        if len(values) > wanted:
            details["next_eigenvalue"] = float(values[wanted])
        del space  # its memory is needed to polish the vectors in double precision
        vectors = polish(to_host(vectors[:, :wanted]), fixed)
        converged, status = gauge.verdict(recorder.passes)
        if converged and lacking:
            converged = False
            narrowed_by = "memory_budget" if shape.wider is None else "max_iter"
            status = (
                f"stopped: blocks of {details['block']} columns may have missed copies of a "
                f"multiple eigenvalue; raise {narrowed_by}"
            )
        return Outcome(
            np.hstack([problem.known_vector, vectors]),
            _with_known(values[:wanted]),
            converged,
            status,
            gap=gauge.gap,
            details=details,
        )


def choose_shape(problem: FairCutProblem, params: KrylovParams, *, warm: bool) -> Shape:
    """Widths that fit the memory: by default at most 6 (k + 32) vectors of length n in all."""
    k, n, itemsize = problem.n_clusters, problem.n_samples, problem.dtype.itemsize
    wanted, rank = k - 1, problem.constraints.rank + 1
    enough = wanted + OVERSAMPLING
    # The constraints come with the problem: a thousand groups must not leave the solver no room.
    available = 6 * (k + 32)
    if params.memory_budget is not None:
        budget = parse_memory_budget(params.memory_budget)
        available = min(available, budget // (n * itemsize) - rank)
    # Narrow blocks need more passes; with few of them allowed, and near an answer, a wide one.
    hurried = warm or params.max_iter < _MANY_PASSES
    block = params.block or _suggested_block(problem, enough, narrow=not hurried)
    degree = params.degree or suggested_degree(problem, enough)
    if degree > 1 and not warm:
        narrow = _filtered_shape(block, wanted, available, degree)
        wide = _filtered_shape(max(block, enough), wanted, available, degree)
        if narrow and wide:
            return narrow if block >= enough else replace(narrow, wider=wide)
    # The wanted vectors, two blocks to grow by, the next one, its image, the copy that is scaled.
    widest = (available - wanted) // 5
    if widest < 1:
        needed = (rank + wanted + 5) * n * itemsize
        raise ValueError(
            f"memory_budget={params.memory_budget!r} is too small for {k} vectors of length {n} "
            f"beside {rank - 1} fairness constraint(s); allow at least {needed} bytes."
        )
    narrow = _plain_shape(min(block, widest), wanted, available, params.tol)
    if block >= enough or widest < enough:
        return narrow
    wide = _plain_shape(min(_rounded(enough), widest), wanted, available, params.tol)
    return replace(narrow, wider=wide)


def _suggested_block(problem: FairCutProblem, enough: int, *, narrow: bool) -> int:
    """Columns of a block; `enough` is safe whatever the spectrum.

    With stored affinities every column costs alike, and narrow blocks need fewer in all: three
    fifths of the columns that are safe, with a second try where the spectrum asks for it.
    Computed affinities cost the same for a wide block as for a narrow one.
    """
    operator = problem.operator
    if narrow and getattr(operator, "own_threads", False):
        least = _FULL_RATE if operator.density > DENSE else _FEWEST_COLUMNS
        enough = min(enough, max(least, 3 * enough // 5))
    return max(_FEWEST_COLUMNS, _rounded(enough))


def _rounded(block: int) -> int:
    return _COLUMN_MULTIPLE * -(-block // _COLUMN_MULTIPLE)


def _plain_shape(block: int, wanted: int, available: int, tol: float) -> Shape:
    # As many blocks as digits asked for, and two, beside the wanted vectors: a longer basis
    # costs more than the restarts that it saves. Of narrow blocks, as many as make a wide one.
    growth = max((2 + math.ceil(-math.log10(tol))) * block, wanted + OVERSAMPLING)
    return Shape(block, min(available - 3 * block, wanted + growth))


def _filtered_shape(block: int, wanted: int, available: int, degree: int) -> Shape | None:
    """None where it does not fit."""
    # The next block, two of the filter, the operator's image, and the copy that it scales; as
    # many of the wanted vectors in the end.
    capacity = available - 5 * max(block, wanted + OVERSAMPLING)
    first_look = max(_FIRST_LOOK, wanted // block + 2)
    fits = capacity >= wanted + 3 * block and (first_look + 3) * block <= available
    return Shape(block, capacity, degree, first_look) if fits else None


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
    details = {"method": "dense", "block": n, "restarts": 0, "residuals": np.zeros(wanted + 1)}
    if n > wanted + fixed.shape[1]:
        details["next_eigenvalue"] = float(values[wanted])
    values = _with_known(values[:wanted])
    recorder.record(objective=float(values.sum()), gap=0.0)
    status = f"converged: exact, n={n} is small enough for a dense eigendecomposition"
    vectors = np.hstack([problem.known_vector, top])
    return Outcome(vectors, values, True, status, gap=0.0, details=details)
