"""The scaling by the degrees, shared by operators that multiply numpy blocks with ``W``."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.checks import check_degrees


class ScaledOperator(AffinityOperator):
    """``D^-1/2 W D^-1/2`` from products with ``W``, which is never copied or modified.

    A subclass implements `_product` and calls `_set_degrees`; the block is scaled, not ``W``.
    """

    def _set_degrees(
        self, degrees: np.ndarray, name: str, *, diagonal: np.ndarray, remedy: str = ""
    ) -> None:
        check_degrees(degrees, name, diagonal=diagonal, dtype=self.dtype, remedy=remedy)
        self.degrees = degrees
        self._scale = (1.0 / np.sqrt(degrees)).astype(self.dtype)[:, None]

    @abstractmethod
    def _product(self, block: np.ndarray) -> np.ndarray:
        """``W @ block`` for a block of the operator's dtype."""

    def matmat(self, block: Any) -> np.ndarray:
        """Apply ``M`` to a block of shape (n, b): one pass over the affinities."""
        # With a float64 block numpy would silently copy a float32 W, n×n, to float64.
        product = self._product_of_scaled(np.asarray(block, dtype=self.dtype))
        product *= self._scale
        return product

    def _product_of_scaled(self, block: np.ndarray) -> np.ndarray:
        """``W D^-1/2 @ block``; the result may be overwritten."""
        return self._product(block * self._scale)
