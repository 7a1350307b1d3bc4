"""A block Krylov space with full orthogonalisation, Rayleigh-Ritz and thick restart.

Only the basis is stored, not its image: each product is projected onto the whole basis, which
gives the new columns of ``T = V^T A V`` for free, and what sticks out of it is the next block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np
from scipy.linalg.lapack import dtrtri

from fairspectral.linalg.blocks import (
    epsilon,
    like,
    place,
    replace_last,
    row_bounds,
    strips,
    subtract_projection,
)
from fairspectral.linalg.orthonormal import normalise, random_block, triangular_factor
from fairspectral.linalg.small import eigh_decreasing, eigvalsh_decreasing
from fairspectral.linalg.threads import beside, in_threads

# Overlap between basis vectors that is tolerated in any case, in units of roundoff.
_LEAST_OVERLAP = 16
# Relative error up to which the squared lengths of what sticks out count as known.
_KNOWN = 0.01
# Multiplications of a product, for each of m^3, that take as long as m eigenpairs, measured.
_EIGENPAIRS = 12


@dataclass(frozen=True)
class RitzPairs:
    """Ritz values, decreasing, coordinates of the vectors, and norms of the residuals."""

    values: np.ndarray
    coordinates: np.ndarray
    residuals: np.ndarray


class BlockKrylov:
    """Ritz pairs of a symmetric ``A`` in a growing space orthogonal to given vectors.

    Parameters
    ----------
    multiply : callable
        ``A @ block``; the result may be overwritten.
    deflated : array of shape (n, r)
        Orthonormal columns that the space must not touch; its namespace, dtype and device are
        those of all blocks.
    capacity : int
        Columns that the basis may hold.
    rng : numpy Generator
        For directions that replace exhausted ones.
    overlap : float
        Tolerated between basis vectors; Ritz values are as accurate as that, relatively. A new
        block that would have more is orthogonalised a second time.

    Attributes
    ----------
    size : int
        Columns in the basis now.
    width : int
        Columns of the first block.
    leftover : float
        Norm of what the last product sticks out of the basis; no Ritz pair has a residual
        larger than this.
    """

    def __init__(
        self,
        multiply: Callable[[Any], Any],
        deflated: Any,
        capacity: int,
        rng: np.random.Generator,
        overlap: float = 0.0,
    ) -> None:
        self._fixed = deflated.shape[1]
        self._multiply = multiply
        self._rng = rng
        self._deflated = deflated
        self._T = np.zeros((capacity, capacity))
        # The largest part of a product that lay in the basis.
        self._largest = 0.0
        self._eps = self._overlap = epsilon(deflated)
        self._tolerated = max(overlap, _LEAST_OVERLAP * self._eps)
        self._pairs: RitzPairs | None = None
        self.capacity = capacity
        self.size = 0

    def start(self, block: Any) -> None:
        """Begin with a block of shape (n, b), of which dependent columns are replaced."""
        self.width = block.shape[1]
        self._columns = array_api_compat.array_namespace(block).empty(
            (block.shape[0], self._fixed + self.capacity + self.width),
            dtype=block.dtype,
            device=array_api_compat.device(block),
        )
        self._columns[:, : self._fixed] = self._deflated
        self._put_behind(block)
        if self._factor is not None:
            self._subtract()
        self._removed[:] = 0.0  # unknown: it is orthogonalised twice
        self._largest = 0.0

    @property
    def full(self) -> bool:
        """Whether the next block does not fit: time for `restart`."""
        return self.size + self.width > self.capacity

    def advance(self) -> None:
        """Append the next block and multiply it: one product."""
        self._settle_next()
        old, new = self.size, self.size + self.width
        image = self._multiply(self._next())
        self.size = new
        self._pairs = None
        inside = self._put_behind(image)[self._fixed :]
        self._T[:new, old:new] = inside
        self._T[old:new, :new] = inside.T
        self._T[old:new, old:new] = (inside[old:new] + inside[old:new].T) / 2
        self.leftover = float(np.trace(self._gram)) ** 0.5

    def ritz_values(self) -> np.ndarray:
        """Ritz values, decreasing, shape (size,)."""
        if self.full:
            return self.ritz().values  # the restart needs the vectors too
        return eigvalsh_decreasing(self._T[: self.size, : self.size])

    def ritz(self) -> RitzPairs:
        """Ritz values with the vectors' coordinates in the basis, and their residuals."""
        if self._pairs is not None:
            return self._pairs
        m, b = self.size, self.width
        values, coordinates = self._eigenpairs(self._T[:m, :m])
        # A V = V T + [0 ... 0 left over]
        last = coordinates[m - b :]
        residuals = np.sqrt(np.maximum(np.sum(last * (self._gram @ last), axis=0), 0.0))
        self._pairs = RitzPairs(values, coordinates, residuals)
        return self._pairs

    def _eigenpairs(self, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, columns = self._up_to_next().shape
        if not self.full or n * columns * self.width > _EIGENPAIRS * self.size**3:
            return eigh_decreasing(matrix)
        # It takes longer than the next block does, which a restart will ask for.
        return beside(lambda: eigh_decreasing(matrix), self._settle_next)

    def restart(self, pairs: RitzPairs, keep: int) -> None:
        """Compress the basis to its first Ritz vectors, in place."""
        self._settle_next()
        small = like(pairs.coordinates[:, :keep], self._columns)
        r, m = self._fixed, self.size

        def compress(first: int, last: int) -> None:
            part = self._columns[first:last, r : r + m]
            for rows in strips(part, keep):
                part[rows, :keep] = part[rows, :] @ small

        in_threads(compress, row_bounds(self._columns, m * keep))
        # A copy: it moves to where a part of it may be now.
        following = array_api_compat.array_namespace(self._columns).asarray(self._next(), copy=True)
        self._T[:] = 0.0
        np.fill_diagonal(self._T[:keep, :keep], pairs.values[:keep])
        self.size = keep
        self._next()[:, :] = following
        self._pairs = None

    def vectors(self, pairs: RitzPairs, count: int) -> Any:
        """The first Ritz vectors, shape (n, count)."""
        return self.combine(pairs.coordinates[:, :count])

    def vectors_by_strips(self, pairs: RitzPairs, count: int) -> Iterator[Any]:
        """The first Ritz vectors, a strip of rows at a time."""
        r, m = self._fixed, self.size
        small = like(pairs.coordinates[:, :count], self._columns)
        for rows in strips(self._columns, count):
            yield self._columns[rows, r : r + m] @ small

    def combine(self, coordinates: np.ndarray) -> Any:
        """The basis times coordinates of shape (size, count)."""
        r, (m, count) = self._fixed, coordinates.shape
        small, n = like(coordinates, self._columns), self._columns.shape[0]
        xp = array_api_compat.array_namespace(small)
        combined = xp.empty((n, count), dtype=small.dtype, device=array_api_compat.device(small))

        def multiply(first: int, last: int) -> None:
            part, target = self._columns[first:last, r : r + m], combined[first:last, :]
            for rows in strips(part, count):
                target[rows, :] = part[rows, :] @ small

        in_threads(multiply, row_bounds(self._columns, m * count))
        return combined

    def _basis(self) -> Any:
        return self._columns[:, : self._fixed + self.size]

    def _next(self) -> Any:
        """The next block, behind the basis."""
        end = self._fixed + self.size
        return self._columns[:, end : end + self.width]

    def _up_to_next(self) -> Any:
        """The basis and the next block."""
        return self._columns[:, : self._fixed + self.size + self.width]

    def _put_behind(self, block: Any) -> np.ndarray:
        """Put a block behind the basis, and find how much of it sticks out.

        What sticks out has the Gram matrix `_gram`. As long as there is a `_factor`, its triangular
        one, the block lies there whole; without, only what sticks out is left (`_subtract`).

        Returns the coefficients in the basis, shape (r + size, b).
        """
        b, eps = self.width, self._eps
        inner = place(block, self._up_to_next())
        self._coefficients, squares = inner[:-b], inner[-b:]
        self._removed = np.linalg.norm(self._coefficients, axis=0)
        self._largest = max(self._largest, float(self._removed.max()))
        # Of what sticks out, Pythagoras knows the Gram matrix, unless that is too little.
        self._gram = squares - self._coefficients.T @ self._coefficients
        self._error = eps * squares.diagonal() + self._overlap * self._removed**2
        self._factor = triangular_factor(self._gram, self._noise, eps)
        if self._factor is None or (self._error > _KNOWN * self._factor.diagonal() ** 2).any():
            self._subtract()
        self._settled = False
        return self._coefficients

    @property
    def _noise(self) -> float:
        """What rounding in the products alone may leave over."""
        return 10 * self._eps * self._largest

    def _subtract(self) -> None:
        """Of the block behind the basis, leave only what sticks out."""
        matrix = np.vstack([-self._coefficients, np.eye(self.width)])
        replace_last(self._up_to_next(), matrix, self._gram)
        self._factor = None

    def _settle_next(self) -> None:
        """Orthonormalise what sticks out: the next block.

        Not before it is needed, which after the last product it is not.
        """
        if self._settled:
            return
        self._settled = True
        if self._factor is not None:
            if self._accept(self._factor, self._error):
                inverse = dtrtri(self._factor)[0]
                matrix = np.vstack([-self._coefficients @ inverse, inverse])
                replace_last(self._up_to_next(), matrix)
                return
            self._subtract()
        R, sound = self._normalise(self._gram, self._noise)
        if sound and self._removed.any() and self._accept(R):
            return
        gram = np.empty_like(self._gram)
        for _ in range(4):
            subtract_projection(self._next(), self._basis(), gram)
            again, sound = self._normalise(gram, 10 * self._eps)
            # Close to the identity: little was removed, so that what is left is orthonormal.
            if sound and np.abs(again - np.eye(len(again))).max() < 0.1:
                break

    def _accept(self, R: np.ndarray, error: np.ndarray | float = 0.0) -> bool:
        """Whether the next block, which R makes of what sticks out, is orthonormal enough; noted.

        The squared lengths may be known up to an error only, which must not be worse than the
        overlap with the basis.
        """
        # Orthogonalising against a basis with some overlap leaves that overlap times the
        # part removed, and both it and rounding grow when the rest is scaled to length 1.
        removed, eps, scale = self._removed, self._eps, R.diagonal()
        left = np.linalg.norm(R, axis=0)
        lengths = np.hypot(removed, left)
        overlap = float(((self._overlap * removed + eps * lengths) / scale).max())
        within = float((error / scale**2).max())
        little = min(8 * eps, self._tolerated / 16)
        # A Gram matrix is rounded like its longest directions, and has squares of the shortest.
        rounding = eps * float((left / scale).max()) ** 2
        if max(overlap, rounding) > self._tolerated or within > max(overlap, little):
            return False
        self._overlap = max(self._overlap, overlap, within, rounding)
        return True

    def _normalise(self, gram: np.ndarray, noise: float) -> tuple[np.ndarray, bool]:
        """The next block's factor R; also whether that was well-conditioned, R triangular."""
        block = self._next()
        R, lost = normalise(block, noise, gram)
        if lost.size:
            # The space is exhausted in these directions; random ones find what it has missed,
            # such as further copies of a multiple eigenvalue.
            fresh = random_block(block.shape[0], lost.size, self._rng, block)
            block[:, lost.tolist()] = fresh / block.shape[0] ** 0.5
        return R, not (lost.size or np.tril(R, -1).any())
