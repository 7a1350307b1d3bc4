"""A block Krylov space with full orthogonalisation, Rayleigh-Ritz and thick restart.

The basis ``V`` and the residual block ``U`` are orthonormal, and ``A V = V T + U C``. A step
multiplies some columns of ``U``, those that matter most for the wanted Ritz vectors; they join the
basis, and what their products add takes their place in ``U``. So a block that is wide enough to
miss nothing is multiplied a few columns at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import array_api_compat
import numpy as np

from fairspectral.linalg.blocks import (
    epsilon,
    like,
    place,
    replace_last,
    rotate,
    row_bounds,
    strips,
    subtract_projection,
)
from fairspectral.linalg.orthonormal import normalise, random_block, triangular_factor
from fairspectral.linalg.small import eigh_decreasing
from fairspectral.linalg.threads import in_threads

# Overlap between basis vectors that is tolerated in any case, in units of roundoff: below that,
# orthogonalising again gains nothing.
_LEAST_OVERLAP = 16


@dataclass(frozen=True)
class RitzPairs:
    """Ritz values, decreasing; coordinates of the vectors in V, and of their residuals in U."""

    values: np.ndarray
    coordinates: np.ndarray
    in_residual_block: np.ndarray

    @property
    def residuals(self) -> np.ndarray:
        """Norm of the residual of each pair."""
        return np.linalg.norm(self.in_residual_block, axis=0)


class BlockKrylov:
    """Ritz pairs of a symmetric ``A`` in a growing space orthogonal to given vectors.

    Parameters
    ----------
    multiply : callable
        ``A @ block``; the result may be overwritten.
    deflated : array of shape (n, r)
        Orthonormal columns that the space must not touch; its namespace, dtype and device are
        those of all blocks.
    block : array of shape (n, u)
        The first residual block; dependent columns are replaced by random ones.
    capacity : int
        Columns that the basis may hold.
    rng : numpy Generator
        For directions that replace exhausted ones.
    overlap : float
        Tolerated between basis vectors; Ritz values are as accurate as that, relatively.

    Attributes
    ----------
    size : int
        Columns in the basis now.
    width : int
        Columns of the residual block.
    """

    def __init__(
        self,
        multiply: Callable[[Any], Any],
        deflated: Any,
        block: Any,
        capacity: int,
        rng: np.random.Generator,
        overlap: float = 0.0,
    ) -> None:
        self._multiply, self._rng = multiply, rng
        self._fixed, self.width = deflated.shape[1], block.shape[1]
        self.capacity, self.size = capacity, 0
        # Deflated columns, basis and residual block, side by side.
        self._xp = array_api_compat.array_namespace(block)
        self._columns = self._xp.empty(
            (block.shape[0], self._fixed + capacity + self.width),
            dtype=block.dtype,
            device=array_api_compat.device(block),
        )
        self._columns[:, : self._fixed] = deflated
        self._T, self._C = np.zeros((capacity, capacity)), np.zeros((self.width, capacity))
        self._eps = self._overlap = epsilon(block)
        self._tolerated = max(overlap, _LEAST_OVERLAP * self._eps)
        self._longest = 1.0
        # Makes new columns of the last product; and whether to orthogonalise them again.
        self._pending: tuple[np.ndarray, bool] | None = None
        self._pairs: RitzPairs | None = None
        self._residual_block()[:, :] = block
        gram = np.empty((self.width, self.width))
        subtract_projection(self._residual_block(), self._up_to(0), gram)
        self._orthonormalise(self._up_to(self.width), gram, 0.0)

    def state(self) -> dict[str, Any]:
        """All that `restore` needs, in numpy arrays and numbers; parts of it are views."""
        pairs, pending = self._pairs, self._pending
        columns = self._up_to(self.width)[:, self._fixed :]
        return {
            "columns": np.asarray(array_api_compat.to_device(columns, "cpu")),
            "size": self.size,
            "T": self._T,
            "C": self._C,
            "overlap": self._overlap,
            "longest": self._longest,
            "pending": None if pending is None else list(pending),
            "pairs": None if pairs is None else [getattr(pairs, f.name) for f in fields(pairs)],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to an earlier `state` of a space that was made in the same way."""
        self.size = state["size"]
        self._up_to(self.width)[:, self._fixed :] = like(state["columns"], self._columns)
        self._T[:], self._C[:] = state["T"], state["C"]
        self._overlap, self._longest = state["overlap"], state["longest"]
        pairs, pending = state["pairs"], state["pending"]
        self._pending = None if pending is None else (pending[0], pending[1])
        self._pairs = None if pairs is None else RitzPairs(*pairs)

    def advance(self, step: int) -> None:
        """Multiply the first `step` columns of the residual block, which join the basis."""
        self._settle()
        old, new, rest = self.size, self.size + step, self.width - step
        image = self._multiply(self._columns[:, self._fixed + old : self._fixed + new])
        self.size, self._pairs = new, None
        coefficients, R = self._append(image)
        inside = coefficients[self._fixed : self._fixed + new]
        self._T[old:new, :new] = inside.T  # the lower triangle is enough
        self._C[:rest, :old] = self._C[step:, :old]
        self._C[:rest, old:new] = coefficients[self._fixed + new :]
        self._C[rest:, :old] = 0.0
        self._C[rest:, old:new] = R

    def ritz(self) -> RitzPairs:
        """Ritz pairs, with the residuals' coordinates in the residual block."""
        if self._pairs is None:
            values, coordinates = eigh_decreasing(self._T[: self.size, : self.size])
            self._pairs = RitzPairs(values, coordinates, self._C[:, : self.size] @ coordinates)
        return self._pairs

    def turn(self, count: int) -> None:
        """Turn the residual block: its first columns matter most for the first Ritz vectors."""
        self._settle()
        pairs = self.ritz()
        U = np.linalg.svd(pairs.in_residual_block[:, :count])[0]
        rotate(self._residual_block(), U)
        self._C[:, : self.size] = U.T @ self._C[:, : self.size]
        self._pairs = replace(pairs, in_residual_block=U.T @ pairs.in_residual_block)

    def restart(self, keep: int) -> None:
        """Compress the basis to its first Ritz vectors, in place."""
        self._settle()
        pairs = self.ritz()
        self._combine(keep, self._columns[:, self._fixed : self._fixed + keep])
        # A copy: it moves to where a part of it may be now.
        following = self._xp.asarray(self._residual_block(), copy=True)
        self._T[:] = 0.0
        np.fill_diagonal(self._T[:keep, :keep], pairs.values[:keep])
        self._C[:, :keep] = pairs.in_residual_block[:, :keep]
        self.size, self._pairs = keep, None
        self._residual_block()[:, :] = following

    def vectors(self, count: int) -> Any:
        """The first Ritz vectors, shape (n, count)."""
        vectors = self._xp.empty_like(self._columns[:, :count])
        self._combine(count, vectors)
        return vectors

    def _combine(self, count: int, target: Any) -> None:
        """Write the first Ritz vectors into a block, which may be part of the basis."""
        small = like(self.ritz().coordinates[:, :count], self._columns)

        def multiply(first: int, last: int) -> None:
            part = self._columns[first:last, self._fixed : self._fixed + self.size]
            for rows in strips(part, count):
                target[first:last, :][rows, :] = part[rows, :] @ small

        in_threads(multiply, row_bounds(self._columns, self.size * count))

    def _up_to(self, behind: int) -> Any:
        """Deflated columns, basis, and so many columns behind it."""
        return self._columns[:, : self._fixed + self.size + behind]

    def _residual_block(self) -> Any:
        return self._up_to(self.width)[:, -self.width :]

    def _append(self, image: Any) -> tuple[np.ndarray, np.ndarray]:
        """Put a product behind the rest of the residual block, and orthonormalise it there.

        Returns its coefficients in all columns before it, and the triangular factor of what these
        leave over.
        """
        columns, b = self._up_to(self.width), image.shape[1]
        inner = place(image, columns)
        coefficients, squares = inner[:-b], inner[-b:]
        removed = float(np.linalg.norm(coefficients, axis=0).max())
        longest = float(squares.diagonal().max()) ** 0.5
        self._longest = max(self._longest, longest)
        # The Gram matrix of what is left over follows from Pythagoras, up to floating-point error.
        gram = squares - coefficients.T @ coefficients
        noise = 10 * self._eps * self._longest
        if (R := triangular_factor(gram, noise, self._eps)) is None:
            replace_last(columns, np.vstack([-coefficients, np.eye(b)]), gram)
            return coefficients, self._orthonormalise(columns, gram, noise)
        inverse = np.linalg.inv(R)
        shortest = 1.0 / np.linalg.norm(inverse, 2)
        with_basis = (self._overlap * removed + self._eps * longest) / shortest
        among = (self._overlap * removed**2 + self._eps * longest**2) / shortest**2
        again = max(with_basis, among) > self._tolerated
        if not again:
            self._overlap = max(self._overlap, with_basis, among)
        self._pending = np.vstack([-coefficients @ inverse, inverse]), again
        return coefficients, R

    def _settle(self) -> None:
        """Orthonormalise the last product; not before it is needed, which in the end it is not."""
        if self._pending is None:
            return
        (matrix, again), self._pending = self._pending, None
        columns, b = self._up_to(self.width), matrix.shape[1]
        replace_last(columns, matrix)
        if again:
            gram = np.empty((b, b))
            subtract_projection(columns[:, -b:], columns[:, :-b], gram)
            R = self._orthonormalise(columns, gram, 10 * self._eps)
            pairs, C = self.ritz(), self._C[:, : self.size]
            C[-b:] = R @ C[-b:]
            self._pairs = replace(pairs, in_residual_block=C @ pairs.coordinates)

    def _orthonormalise(self, columns: Any, gram: np.ndarray, noise: float) -> np.ndarray:
        """Cholesky and Gram-Schmidt until the last columns are orthonormal; their factor R."""
        b = len(gram)
        before, block, total = columns[:, :-b], columns[:, -b:], np.eye(b)
        for _ in range(5):
            R, lost = normalise(block, noise, gram)
            total, noise = R @ total, 10 * self._eps
            if lost.size:
                # The space is exhausted in these directions; random ones find what it missed.
                fresh = random_block(block.shape[0], lost.size, self._rng, block)
                block[:, lost.tolist()] = fresh / block.shape[0] ** 0.5
            # Close to the identity: little was removed, so that what is left is orthonormal.
            elif np.abs(R - np.eye(b)).max() < 0.1:
                break
            subtract_projection(block, before, gram)
        return total
