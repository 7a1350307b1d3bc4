"""Passes over a kernel that is not stored: tiles computed in float32, each used twice at once.

Between two groups of rows every tile serves both, as it is and transposed. The rounds of a
tournament let threads work on different pairs of groups at the same time: none writes to the rows
of another, so that no thread needs sums of its own, and a pass gives the same numbers with any
number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fairspectral.affinity.checks import bad_weight
from fairspectral.linalg.threads import allowed_threads, in_threads, threads_apart

# Samples from which compiled tiles are used: below, a pass takes milliseconds in any way, and the
# first call of compiled code takes seconds on a new machine.
FEWEST_ROWS = 2000
# Groups of rows: twice the number of threads that can work at a time.
_GROUPS = 32
# Features up to which differences are as quick as products (`python benchmarks/kernel.py`), and
# more accurate.
_FEW_FEATURES = 8
# Largest error of the exponent that is accepted, as a power of two. It is the relative error of an
# affinity, and errors of different affinities have different signs: the objective differs by less.
EXPONENT_ERROR = 1e-4
_ROUNDOFF = float(np.finfo(np.float32).eps) / 2
# An exponent of this size leaves an affinity of no weight beside others: 2**-24.
DISTANT = 24.0
# Powers of products beyond these would overflow or underflow in sums of float32.
SMALLEST, LARGEST = 1e-20, 1e20
HIGHEST_DEGREE = 16
# Error of a sum of products and its power, in units of roundoff of the largest affinity.
ERROR_UNITS = 64
LOG2_E = float(np.log2(np.e))


@dataclass(frozen=True)
class TiledKernel:
    """A kernel of some rows, for passes over all its tiles.

    Attributes
    ----------
    features : tile_kernels.Features
        The rows, with the kernel's parameters in them.
    name : str
        Its name in errors.
    """

    features: Any
    name: str

    @property
    def of_distances(self) -> bool:
        """Whether it is an exponential of distances, which floating-point errors leave positive."""
        return not self.features.degree

    @property
    def nbytes(self) -> int:
        """Memory of the features, twice, and of the tiles that are in work."""
        return 2 * self.features.rows.nbytes + allowed_threads() * 2**19

    def product(self, block: np.ndarray) -> np.ndarray:
        """``W @ block`` for a float32 block of shape (n, b)."""
        from fairspectral.affinity.tile_kernels import add_products

        features = self.features
        if features.degree == 1 and features.offset == 0:
            return features.rows @ (features.columns @ block)
        block = np.ascontiguousarray(block)
        out = np.zeros_like(block)
        if not block.size:
            return out
        self._tournament(lambda these, those: add_products(features, block, out, these, those))
        return out

    def sums(self, report: Callable[[float], Any]) -> tuple[np.ndarray, np.ndarray]:
        """The degrees and the diagonal, both of shape (n,) in float64, of checked affinities."""
        from fairspectral.affinity.tile_kernels import add_sums

        features, sums, diagonal = self.features, np.zeros(len(self.features.rows)), self._diagonal
        least = self._tournament(
            lambda these, those: add_sums(features, sums, these, those), report
        )
        # An affinity of zero may come out as a floating-point error below it.
        allowed = -ERROR_UNITS * _ROUNDOFF * float(diagonal.max())
        if not min(least) >= allowed:
            self._refuse_negative(allowed)
        return sums, diagonal

    def _refuse_negative(self, allowed: float) -> None:
        for i in range(len(self.features.rows)):
            row = self.rows(np.array([i]))[0]
            if not row.min() >= allowed:
                at = int(np.argmin(row))
                raise bad_weight(float(row[at]), i, at, self.name)

    def fill(self, K: np.ndarray, report: Callable[[float], Any] = lambda _: None) -> None:
        """Write all affinities into an n×n array."""
        from fairspectral.affinity.tile_kernels import copy_tiles

        self._tournament(lambda these, those: copy_tiles(self.features, K, these, those), report)

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of ``W``, shape (m, n)."""
        from fairspectral.affinity.tile_kernels import kernel_rows

        out = np.empty((len(indices), len(self.features.rows)), dtype=np.float32)
        kernel_rows(self.features, np.asarray(indices, dtype=np.int64), out)
        return out

    def part(self, first: int, last: int, begin: int, end: int) -> np.ndarray:
        """The affinities of the rows from `first` to `last` to those from `begin` to `end`."""
        from fairspectral.affinity.tile_kernels import fill_tile

        out = np.empty((last - first, end - begin), dtype=np.float32)
        fill_tile(self.features, first, last, begin, end, out)
        return out

    @property
    def _diagonal(self) -> np.ndarray:
        """The affinity of each row to itself, shape (n,) in float64."""
        features = self.features
        if not features.degree:
            return np.ones(len(features.rows))
        squares = np.square(features.rows, dtype=np.float64).sum(axis=1)
        return (squares + float(features.offset)) ** features.degree

    def seconds_a_pass(self, columns: int = 32) -> float:
        """About how long a product takes here and now, from a few tiles."""
        from fairspectral.affinity.tile_kernels import TILE, add_products

        n = len(self.features.rows)
        block = np.zeros((n, columns), dtype=np.float32)
        out, size = np.zeros_like(block), min(4 * TILE, n // 2)
        these, those = _tile_bounds(0, size), _tile_bounds(size, 2 * size)
        with threads_apart():
            took = []
            for _ in range(3):  # the first one may compile
                begin = time.perf_counter()
                add_products(self.features, block, out, these, those)
                took.append(time.perf_counter() - begin)
        return min(took) / size**2 * n * n / 2 / min(allowed_threads(), _GROUPS // 2)

    def _tournament(
        self,
        work: Callable[[np.ndarray, np.ndarray], Any],
        report: Callable[[float], Any] = lambda _: None,
    ) -> list[Any]:
        """``work`` on every pair of groups, and on each group with itself; what it returned."""
        bounds = _group_bounds(len(self.features.rows))
        groups = [_tile_bounds(first, last) for first, last in pairwise(bounds)]
        found: list[Any] = []
        with threads_apart():
            for done, pairs in enumerate(_rounds(len(groups))):
                report(done / len(groups))

                def play(first: int, last: int, pairs: list[tuple[int, int]] = pairs) -> list[Any]:
                    return [work(groups[a], groups[b]) for a, b in pairs[first:last]]

                shares = np.linspace(0, len(pairs), allowed_threads() + 1).astype(int)
                found += [one for part in in_threads(play, shares) for one in part]
        return found


def _group_bounds(n: int) -> np.ndarray:
    from fairspectral.affinity.tile_kernels import TILE

    groups = min(_GROUPS, 2 * max(1, n // (2 * TILE)))
    return np.linspace(0, n, groups + 1).astype(np.int64)


def _tile_bounds(first: int, last: int) -> np.ndarray:
    """Bounds of tiles of nearly equal size."""
    from fairspectral.affinity.tile_kernels import TILE

    return np.linspace(first, last, -(-(last - first) // TILE) + 1).astype(np.int64)


def _rounds(groups: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of groups, in rounds in which each group occurs once; an even number of them."""
    yield [(one, one) for one in range(groups)]
    circle = list(range(1, groups))
    for _ in range(groups - 1):
        around = [0, *circle]
        yield [(around[at], around[-1 - at]) for at in range(groups // 2)]
        circle = [circle[-1], *circle[:-1]]


def tiled_kernel(X: Any, metric: Any, params: dict[str, Any], *, name: str) -> TiledKernel | None:
    """The kernel for compiled tiles; None where scikit-learn has to compute it.

    That is: for other kernels, for sparse or few rows, and for rows so far apart that float32 could
    not tell near ones from each other.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
        Rows as `Kernel.prepare` returns them.
    metric : str or callable
        Its name in scikit-learn.
    params : dict
        Its parameters.
    name : str
        Its name in errors.
    """
    if not isinstance(X, np.ndarray) or X.shape[0] < FEWEST_ROWS or not isinstance(metric, str):
        return None
    features = _features(X, metric, params)
    return None if features is None else TiledKernel(features, name)


def _features(X: np.ndarray, metric: str, params: dict[str, Any]) -> Any:
    if metric == "rbf":
        return _squared(X, params["gamma"])
    if metric == "laplacian":
        return _absolute(X, params["gamma"])
    if metric in ("poly", "polynomial"):
        gamma, degree = params["gamma"], params.get("degree", 3)
        return _power(X * np.sqrt(gamma), params.get("coef0", 1), degree)
    if metric == "cosine":
        norms = np.sqrt(np.square(X, dtype=np.float64).sum(axis=1))
        return _power(X / np.where(norms > 0, norms, 1.0)[:, None], 0, 1)
    return _power(X, 0, 1) if metric == "linear" else None


def _squared(X: np.ndarray, gamma: float) -> Any:
    from fairspectral.affinity import tile_kernels as kernels

    with np.errstate(over="ignore"):
        rows = X * np.sqrt(gamma * LOG2_E)
        squares = np.square(rows, dtype=np.float64).sum(axis=1)
    reach = float(squares.max())
    # By products the error is that of the squared norms; by differences that of a coordinate,
    # times the distance.
    if X.shape[1] > _FEW_FEATURES and 4 * reach * _ROUNDOFF <= EXPONENT_ERROR:
        squares = squares.astype(np.float32)
        return _tiled(kernels.SQUARED_BY_PRODUCTS, rows, squares=squares)
    if not 2 * np.sqrt(reach * DISTANT) * _ROUNDOFF <= EXPONENT_ERROR:
        return None
    return _tiled(kernels.SQUARED_DIFFERENCES, rows)


def _absolute(X: np.ndarray, gamma: float) -> Any:
    from fairspectral.affinity import tile_kernels as kernels

    with np.errstate(over="ignore"):
        rows = X * (gamma * LOG2_E)
        reach = float(np.abs(rows).sum(axis=1).max())
    if not 2 * reach * _ROUNDOFF <= EXPONENT_ERROR:
        return None
    return _tiled(kernels.ABSOLUTE_DIFFERENCES, rows)


def _power(rows: np.ndarray, offset: Any, degree: Any) -> Any:
    from fairspectral.affinity import tile_kernels as kernels

    whole = isinstance(degree, int | np.integer) and 1 <= degree <= HIGHEST_DEGREE
    if not whole or not np.isreal(offset) or not abs(offset) < np.inf:
        return None
    with np.errstate(over="ignore"):
        largest = float(np.square(rows, dtype=np.float64).sum(axis=1).max()) + abs(offset)
        if not SMALLEST < largest ** int(degree) < LARGEST:
            return None
    return _tiled(kernels.POWER_OF_PRODUCT, rows, offset=offset, degree=int(degree))


def _tiled(
    kind: int,
    rows: np.ndarray,
    *,
    squares: np.ndarray | None = None,
    offset: float = 0.0,
    degree: int = 0,
) -> Any:
    from fairspectral.affinity.tile_kernels import Features

    rows = np.ascontiguousarray(rows, dtype=np.float32)
    squares = np.zeros(0, dtype=np.float32) if squares is None else squares
    columns = np.ascontiguousarray(rows.T)
    return Features(kind, rows, columns, squares, np.float32(offset), degree)
