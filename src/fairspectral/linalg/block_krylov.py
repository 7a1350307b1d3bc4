"""A block Krylov space with full orthogonalisation, Rayleigh-Ritz and thick restart.

Only the basis is stored, not its image: each product is projected onto the whole basis, which
gives the columns of ``T = V^T A V`` for free, and what is left over is the next block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_compat
import numpy as np

from fairspectral.linalg.blocks import epsilon, like, strips, subtract_projection, to_host
from fairspectral.linalg.orthonormal import normalise, random_block
from fairspectral.linalg.small import eigh_decreasing


class BlockKrylov:
    """Ritz pairs of a symmetric ``A`` in a growing space orthogonal to given vectors.

    Parameters
    ----------
    multiply : callable
        ``A @ block``.
    deflated : array of shape (n, r)
        Orthonormal columns that the space must not touch; its namespace, dtype and device are
        those of all blocks.
    capacity : int
        Columns that the basis may hold.
    rng : numpy Generator
        For directions that replace exhausted ones.

    Attributes
    ----------
    size : int
        Columns in the basis now.
    values : ndarray of shape (size,)
        Ritz values, decreasing (after `ritz`).
    residuals : ndarray of shape (size,)
        Norms of ``A x - value x`` (after `ritz`).
    """

    def __init__(
        self,
        multiply: Callable[[Any], Any],
        deflated: Any,
        capacity: int,
        rng: np.random.Generator,
    ) -> None:
        n, self._fixed = deflated.shape
        self._multiply = multiply
        self._rng = rng
        self._columns = array_api_compat.array_namespace(deflated).empty(
            (n, self._fixed + capacity),
            dtype=deflated.dtype,
            device=array_api_compat.device(deflated),
        )
        self._columns[:, : self._fixed] = deflated
        self._T = np.zeros((capacity, capacity))
        self._scale = 0.0
        self.capacity = capacity
        self.size = 0

    def start(self, block: Any) -> None:
        """Begin with a block of shape (n, b); it is overwritten, dependent columns replaced."""
        self._next, _ = self._orthonormalise(block, epsilon(block))

    @property
    def full(self) -> bool:
        """Whether the next block does not fit: time for `restart`."""
        return self.size + self._next.shape[1] > self.capacity

    def advance(self) -> None:
        """Append the next block and multiply it: one pass."""
        old, new = self.size, self.size + self._next.shape[1]
        columns = slice(self._fixed + old, self._fixed + new)
        self._columns[:, columns] = self._next
        del self._next  # its memory is needed for the image
        self.size = new
        image = self._multiply(self._columns[:, columns])
        C = subtract_projection(image, self._basis())[self._fixed :]
        self._T[:new, old:new] = C
        self._T[old:new, :new] = C.T
        diagonal = C[old:new]
        self._T[old:new, old:new] = (diagonal + diagonal.T) / 2
        self._scale = max(self._scale, float(np.linalg.norm(C, axis=0).max()))
        self._next, self._coupling = self._orthonormalise(image, 10 * epsilon(image) * self._scale)

    def ritz(self) -> None:
        """Solve the projected problem."""
        m, b = self.size, self._coupling.shape[1]
        self.values, self._S = eigh_decreasing(self._T[:m, :m])
        # A V = V T + next @ [0 ... 0 coupling]
        self.residuals = np.linalg.norm(self._coupling @ self._S[m - b :], axis=0)

    def restart(self, keep: int) -> None:
        """Compress the basis to the first Ritz vectors, in place (after `ritz`)."""
        small = like(np.ascontiguousarray(self._S[:, :keep]), self._columns)
        r, m = self._fixed, self.size
        for rows in strips(self._columns, keep):
            self._columns[rows, r : r + keep] = self._columns[rows, r : r + m] @ small
        self._T[:] = 0.0
        np.fill_diagonal(self._T[:keep, :keep], self.values[:keep])
        self.size = keep

    def vectors(self, count: int) -> np.ndarray:
        """The first Ritz vectors, shape (n, count), on the host in float64 (after `ritz`)."""
        small = like(np.ascontiguousarray(self._S[:, :count]), self._columns)
        r, m = self._fixed, self.size
        result = np.empty((self._columns.shape[0], count))
        for rows in strips(self._columns, count):
            result[rows] = to_host(self._columns[rows, r : r + m] @ small)
        return result

    def _basis(self) -> Any:
        return self._columns[:, : self._fixed + self.size]

    def _orthonormalise(self, block: Any, noise: float) -> tuple[Any, np.ndarray]:
        """Orthonormalise a block against the basis and in itself; also the factor R."""
        R = self._normalise(block, noise)
        for _ in range(4):
            subtract_projection(block, self._basis())
            again = self._normalise(block, 10 * epsilon(block))
            R = again @ R
            # Close to the identity: little was removed, so that what is left is orthonormal.
            if np.abs(again - np.eye(len(again))).max() < 0.1:
                break
        return block, R

    def _normalise(self, block: Any, noise: float) -> np.ndarray:
        R, lost = normalise(block, noise)
        if lost.size:
            # The space is exhausted in these directions; random ones find what it has missed,
            # such as further copies of a multiple eigenvalue.
            fresh = random_block(block.shape[0], lost.size, self._rng, block)
            block[:, lost.tolist()] = fresh / block.shape[0] ** 0.5
        return R
