"""Products in float64 with affinities that are held, or computed, in float32.

A bound that is to be proved needs products whose floating-point errors are far below it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.fringe import PrincipalOperator
from fairspectral.affinity.kernel import KernelOperator
from fairspectral.affinity.scaled import ScaledOperator
from fairspectral.affinity.torch_scaled import TorchOperator
from fairspectral.linalg.products import sparse_product
from fairspectral.linalg.threads import allowed_threads, in_threads

# Memory for the float64 copy of some rows of a dense matrix, in each thread.
_STRIP_BYTES = 2**23


class WideOperator(ScaledOperator):
    """``M`` in float64, from the weights and the degrees that an operator has.

    Parameters
    ----------
    operator : AffinityOperator
        Its weights are stored, or its rows are quick to compute; a dense matrix is not copied.
    """

    def __init__(self, operator: AffinityOperator) -> None:
        W = operator.stored_weights
        self.stored_weights = W.astype(np.float64) if sp.issparse(W) else W
        self.shape, self.dtype = operator.shape, np.dtype(np.float64)
        self.degrees, self.density = operator.degrees, operator.density
        self.nbytes, self.own_threads = operator.nbytes, True
        self._scale = 1.0 / np.sqrt(operator.degrees)[:, None]
        self._original = operator

    def _product(self, block: np.ndarray) -> np.ndarray:
        W = self.stored_weights
        if sp.issparse(W):
            return sparse_product(W, block)
        n, product = self.shape[0], np.empty_like(block)
        strip = max(1, _STRIP_BYTES // (8 * n))

        def multiply(first: int, last: int) -> None:
            for start in range(first, last, strip):
                rows = slice(start, min(start + strip, last))
                product[rows] = self._rows(rows).astype(np.float64, copy=False) @ block

        # Rows that are computed have threads of their own.
        threads = allowed_threads() if W is not None else 1
        in_threads(multiply, np.linspace(0, n, threads + 1).astype(int))
        return product

    def _rows(self, rows: slice) -> np.ndarray:
        if self.stored_weights is not None:
            return self.stored_weights[rows]
        return self._original.rows(np.arange(rows.start, rows.stop))

    def component_labels(self) -> np.ndarray | None:
        """The connected component of each node."""
        return self._original.component_labels()


def in_float64(operator: AffinityOperator) -> Any:
    """The same affinities with products in float64; None where they are in float32 only.

    The degrees stay those of the operator, so that its eigenvalues are those of the problem that
    was solved up to the rounding of float32 in the affinities themselves.
    """
    if operator.dtype == np.float64:
        return operator
    if operator.stored_weights is not None or isinstance(operator, KernelOperator):
        return WideOperator(operator)
    if isinstance(operator, TorchOperator):
        return operator.in_float64()
    if isinstance(operator, PrincipalOperator):
        inner = in_float64(operator._operator)
        return None if inner is None else PrincipalOperator(inner, operator._kept)
    return None
