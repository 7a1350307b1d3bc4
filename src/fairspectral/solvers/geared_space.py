"""The space of one solve of the default solver, in two gears.

The first is plain block Krylov. The second, for sparse graphs, is Krylov on a polynomial of
``M``: a product costs less there than the orthogonalisation of its result, so that each step
makes several products, which together apply a Chebyshev polynomial, before it orthogonalises
once (the filter of Zhou, Saad, Tiago and Chelikowsky 2006, doi 10.1103/PhysRevE.74.066704, with
Rayleigh-Ritz over all steps instead of the last one alone).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.linalg.block_krylov import BlockKrylov
from fairspectral.linalg.blocks import like, subtract_projection, to_host
from fairspectral.linalg.chebyshev import ChebyshevFilter
from fairspectral.linalg.small import eigh_decreasing
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.gap import GapGauge, Translation
from fairspectral.solvers.sample import OVERSAMPLING, RandomSample

# M has no eigenvalue below.
_LOWEST = -1.0
# The damped interval must leave room below 1, the largest eigenvalue there is.
_HIGHEST_END = 0.999
# Eigenvalues expected above the damped interval, beside twice the wanted ones.
_SPARE = 8
# How far below a wanted Ritz value a corrected interval ends, as a part of the spectrum.
_MARGIN = 0.03
# Nanoseconds per column and row, measured: for a stored affinity in a product; for what a
# product costs beside (scaling, projection, recurrence); for a basis vector when a column is
# orthogonalised.
_AFFINITY, _BESIDE, _ORTHOGONALISATION = 0.7, 4.0, 0.15
_LARGEST_DEGREE = 8
# Ritz values of m vectors cost as much as so many times m^3 multiplications of a product with
# dense affinities, measured; they are dear from this part of a product on.
_READING, _DEAR = 12, 1 / 25
# Density from which affinities count as dense.
DENSE = 0.5


@dataclass(frozen=True)
class Shape:
    """How wide the blocks and the basis are, and how the filter is applied.

    Attributes
    ----------
    block : int
        Columns of a block.
    capacity : int
        Columns of the basis.
    degree : int
        Of the filter; 1 is none.
    first_look : int
        Plain passes before the filter is chosen.
    wider : Shape or None
        For a second try, where the block turns out to be too narrow.
    """

    block: int
    capacity: int
    degree: int = 1
    first_look: int = 0
    wider: Shape | None = None


def suggested_degree(problem: FairCutProblem, block: int) -> int:
    """Degree at which the products of a step cost a few times its orthogonalisation.

    One, which is no filter, where products are the more expensive part anyway.
    """
    stored_per_row = problem.operator.density * problem.n_samples
    product = _AFFINITY * stored_per_row + _BESIDE
    orthogonalisation = _ORTHOGONALISATION * 4 * block
    return min(_LARGEST_DEGREE, max(1, round(4 * orthogonalisation / product)))


class GearedSpace:
    """The Krylov space of one solve: plain at first, filtered once the filter can be chosen.

    Parameters
    ----------
    problem : FairCutProblem
        Applies ``M``.
    shape : Shape
        Widths, and the degree of the filter; degree 1 stays in the first gear.
    deflated : array of shape (n, r)
        Known and forbidden directions.
    rng : numpy Generator
        For random directions.
    overlap : float
        Tolerated between basis vectors.

    Attributes
    ----------
    restarts : int
        How often the basis was compressed.
    """

    def __init__(
        self,
        problem: FairCutProblem,
        shape: Shape,
        deflated: Any,
        rng: np.random.Generator,
        overlap: float,
    ) -> None:
        self._problem, self._shape, self._deflated = problem, shape, deflated
        self._rng, self._overlap = rng, overlap
        self._wanted = problem.n_clusters - 1
        self._filter: ChebyshevFilter | None = None
        self.restarts = 0

    def start(self, known: np.ndarray | None = None) -> None:
        """Begin with a random block, of which given vectors of shape (n, j) replace a part."""
        shape = self._shape
        first = shape.capacity if shape.degree == 1 else shape.first_look * shape.block
        self._degree = self._unread = 0
        self._reading_distance = 1
        block = self._draw(shape.block)
        if known is not None:
            # The leading vectors; the other columns stay random, to find what they miss.
            given = self._problem.asarray(known[:, : max(1, shape.block - OVERSAMPLING)])
            self._sample.replaced = given.shape[1]
            block[:, : given.shape[1]] = given
        self._space = self._make_space(self._problem.apply, first, block)

    def _draw(self, width: int) -> Any:
        self._sample = RandomSample(self._problem, width, int(self._rng.integers(2**31)))
        return self._sample.draw()

    def _make_space(self, multiply: Callable[[Any], Any], capacity: int, block: Any) -> BlockKrylov:
        space = BlockKrylov(multiply, self._deflated, capacity, self._rng, self._overlap)
        space.start(block)
        return space

    @property
    def size(self) -> int:
        """Columns in the basis now."""
        return self._space.size

    @property
    def capacity(self) -> int:
        """Columns that the basis may have."""
        return self._shape.capacity

    @property
    def cost(self) -> int:
        """Passes of one more step, and of `pairs` after it."""
        return 1 if self._filter is None else self._filter.degree + 1

    @property
    def method(self) -> str:
        """In words."""
        if self._filter is None:
            return "block Krylov"
        return f"block Krylov with a Chebyshev filter of degree {self._filter.degree}"

    def step(self) -> None:
        """Grow by a block."""
        self._space.advance()
        self._degree += 1 if self._filter is None else self._filter.degree
        self._unread += 1

    @property
    def due(self) -> bool:
        """Whether the Ritz values are worth a reading: after each step, or every second one."""
        return self._unread >= self._reading_distance

    def _dear_to_read(self) -> bool:
        """Whether a reading costs a good part of a product with stored, dense affinities."""
        n, operator = self._problem.n_samples, self._problem.operator
        stored = getattr(operator, "own_threads", False) and operator.density > DENSE
        if self._shape.degree > 1 or not stored:
            return False
        return _READING * self.capacity**3 > _DEAR * n * n * self.width

    def read(self, gauge: GapGauge) -> None:
        """Let the gauge read the Ritz values, in turn or out of turn."""
        if not self.due:
            # The growth of one step after that of two would look like convergence.
            gauge.take_back()
        self._unread = 0
        translate: Translation = np.asarray
        residual = self._space.leftover
        if self._filter is not None:
            translate, residual = self._filter.invert, float("inf")
        gauge.read(self._space.ritz_values(), residual, translate)
        if gauge.near:
            pairs = self._space.ritz()
            view = self._sample.view(self._space.vectors_by_strips(pairs, self._wanted))
            gauge.confirm(pairs.values, pairs.residuals, translate, view, self._degree)

    @property
    def width(self) -> int:
        """Columns of a block."""
        return self._space.width

    def start_wider(self) -> bool:
        """Begin anew with a wider block, if there is room for one.

        Fresh directions beside a space that has settled would take as long, and what they find
        would be harder to judge.
        """
        if self._shape.wider is None:
            return False
        self._shape, self._filter = self._shape.wider, None
        del self._space  # the new one needs its memory
        self.start()
        return True

    def make_room(self, gauge: GapGauge) -> None:
        """Where the next block does not fit, shift into the second gear or restart."""
        if not self._space.full:
            return
        if self._filter is None and self._shape.degree > 1:
            self._shift_up()
            gauge.forget()
        elif self._filter is not None and np.isnan(gauge.values[: self._wanted]).any():
            self._correct_filter()
            gauge.forget()
        else:
            self._restart(gauge)

    def pairs(self, count: int) -> tuple[Any, np.ndarray, np.ndarray]:
        """Ritz vectors of ``M`` itself, their values and residual norms."""
        pairs = self._space.ritz()
        block = self._space.vectors(pairs, count)
        if self._filter is None:
            return block, pairs.values[:count], pairs.residuals[:count]
        image = self._problem.apply(block)
        subtract_projection(image, self._deflated)
        values, turn = eigh_decreasing(to_host(block.T @ image))
        turn = like(turn, block)
        block, image = block @ turn, image @ turn
        image -= block * like(values, block)
        return block, values, np.sqrt(np.diag(to_host(image.T @ image)))

    def _restart(self, gauge: GapGauge) -> None:
        """Keep the wanted vectors and some more, such that whole blocks fill the rest."""
        capacity, width = self._space.capacity, self.width
        blocks = max(1, (capacity - self._wanted - width // 2) // width)
        self._space.restart(self._space.ritz(), capacity - blocks * width)
        self.restarts += 1
        # Not before: early in a solve one pass more would count. And not at any other time, so
        # that readings fall where a restart needs the Ritz pairs anyway.
        if self._reading_distance == 1 and self._dear_to_read():
            self._reading_distance = 2
            gauge.thin()
        gauge.restarted(math.lcm(blocks, self._reading_distance) // self._reading_distance)

    def _shift_up(self) -> None:
        """Go on with the filtered matrix where the plain space has got to.

        The first block was random, so that the squared coordinates in it of a Ritz vector
        estimate the share of the eigenvalues that it stands for: the damped interval ends
        where well more eigenvalues than wanted are expected above. And the space knows every
        polynomial of its degree of that block, so that the filter's own polynomial of that
        degree gives the next first block without a product.
        """
        pairs, first = self._space.ritz(), self._space.width
        shares = np.sum(pairs.coordinates[:first] ** 2, axis=0) / first
        above = np.cumsum(shares) * self._problem.n_samples
        expected = pairs.values[np.searchsorted(above, 2 * self._wanted + _SPARE)]
        self._filter = self._make_filter(max(expected, pairs.values[self._wanted]))
        weights = self._filter.evaluate(pairs.values, self._space.size // first - 1)
        coordinates = pairs.coordinates @ (weights[:, None] * pairs.coordinates[:first].T)
        block = self._space.combine(coordinates)
        del self._space  # the new one needs its memory
        self._space = self._make_space(self._filter, self._shape.capacity, block)

    def _correct_filter(self) -> None:
        """Where sampling misled and a wanted eigenvalue is damped, end the interval lower."""
        vectors, values, _ = self.pairs(self._wanted + 1)
        self._filter = self._make_filter(values[self._wanted] - _MARGIN * (values[0] - _LOWEST))
        mix = self._rng.standard_normal((vectors.shape[1], self._shape.block))
        del self._space
        block = vectors @ like(mix, vectors)
        self._space = self._make_space(self._filter, self._shape.capacity, block)

    def _make_filter(self, high: float) -> ChebyshevFilter:
        # With more copies of the eigenvalue 1 than are wanted, nothing lies above them.
        high = min(float(high), _HIGHEST_END)
        # Rounding errors scale with the largest eigenvalue of the filtered matrix, which must
        # not drown the last wanted one.
        largest = (2.0 - high - _LOWEST) / (high - _LOWEST)
        growth = float(np.finfo(self._problem.dtype).eps) ** -0.5
        degree = max(1, min(self._shape.degree, int(np.arccosh(growth) / np.arccosh(largest))))
        return ChebyshevFilter(self._problem.apply, self._deflated, _LOWEST, high, degree)
