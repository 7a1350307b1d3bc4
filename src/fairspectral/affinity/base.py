"""What every affinity operator gives: degrees, and ``M`` applied to a block of vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.checks import check_degrees


class AffinityOperator(ABC):
    """The normalised affinity ``M = D^-1/2 W D^-1/2``, known by its products.

    A subclass knows ``W`` (or how to compute it) and implements `_product`; the scaling by
    the degrees is done here, on the block, so that ``W`` is never copied or modified.

    Attributes
    ----------
    shape : tuple of int
        ``(n, n)``.
    dtype : numpy dtype
        float32 or float64; blocks are cast to it and products come back in it.
    degrees : ndarray of shape (n,), float64
        Row sums of ``W``, all positive.
    nbytes : int
        Memory that the operator holds.
    own_threads : bool
        Whether products of blocks run in threads of our own, not in those of BLAS.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    nbytes: int
    density: float = 1.0
    own_threads: bool = False
    _W: Any = None

    @property
    def stored_weights(self) -> Any:
        """``W``, dense or CSR, where it is held in memory; None where it is recomputed."""
        return self._W

    def _set_degrees(
        self, degrees: np.ndarray, name: str, *, diagonal: np.ndarray, remedy: str = ""
    ) -> None:
        check_degrees(degrees, name, diagonal=diagonal, dtype=self.dtype, remedy=remedy)
        self.degrees = degrees
        self._scale = (1.0 / np.sqrt(degrees)).astype(self.dtype)[:, None]

    @abstractmethod
    def _product(self, block: np.ndarray) -> np.ndarray:
        """``W @ block`` for a block of the operator's dtype."""

    def matmat(self, block: Any) -> Any:
        """Apply ``M`` to a block of shape (n, b): one pass over the affinities."""
        # A float64 block must not make numpy upcast a float32 W, n×n, behind our back.
        product = self._product_of_scaled(np.asarray(block, dtype=self.dtype))
        product *= self._scale
        return product

    def _product_of_scaled(self, block: np.ndarray) -> np.ndarray:
        """``W D^-1/2 @ block``; the result may be overwritten."""
        return self._product(block * self._scale)

    def component_sizes(self) -> np.ndarray | None:
        """Nodes in each connected component, or None where it is not cheap to know."""
        return None

    def count_components(self) -> int | None:
        """Number of connected components, or None where it is not cheap to know."""
        sizes = self.component_sizes()
        return None if sizes is None else len(sizes)

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of ``W`` as a dense array of shape (m, n); meant for a small sample."""
        if self._W is not None:
            rows = self._W[indices]
            return rows.toarray() if sp.issparse(rows) else np.asarray(rows)
        units = np.zeros((self.shape[0], len(indices)))
        units[indices, np.arange(len(indices))] = 1.0
        roots = np.sqrt(self.degrees)
        return np.asarray(self.matmat(units)).T * roots * roots[indices][:, None]


def is_operator(candidate: Any) -> bool:
    """Whether an object offers the operator interface (ours or a user's own)."""
    return all(hasattr(candidate, name) for name in ("matmat", "degrees", "shape", "dtype"))
