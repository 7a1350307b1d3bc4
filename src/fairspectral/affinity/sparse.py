"""The affinity as a scipy sparse graph."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fairspectral.affinity.checks import asymmetric, bad_weight, check_square, refuse_complex
from fairspectral.affinity.scaled import ScaledOperator
from fairspectral.linalg.products import sparse_product
from fairspectral.validation import check_sparse_structure


class SparseOperator(ScaledOperator):
    """Sparse ``W`` in any scipy format, held as CSR with the index type it came with.

    Parameters
    ----------
    W : sparse matrix or sparse array of shape (n, n)
        Symmetric, non-negative, finite. It is never modified.
    name : str
        Its name in errors.
    remedy : str
        Advice in errors where there is no affinity between nodes.
    """

    own_threads = True

    def __init__(self, W: Any, *, name: str = "X", remedy: str = "") -> None:
        check_square(W.shape, name)
        check_sparse_structure(W, name)
        csr = sp.csr_array(W)
        refuse_complex(csr, name)
        if csr.dtype not in (np.float32, np.float64):
            csr = csr.astype(np.float64)
        if not csr.has_canonical_format:
            csr = csr.copy()  # sum_duplicates works in place, and must not change the user's graph
            csr.sum_duplicates()
        _check_weights(csr, name)
        self.stored_weights = csr
        self.shape = csr.shape
        self.dtype = csr.dtype
        self.nbytes = csr.data.nbytes + csr.indices.nbytes + csr.indptr.nbytes
        self.density = csr.nnz / max(1, csr.shape[0] ** 2)
        degrees = np.asarray(csr.sum(axis=1, dtype=np.float64)).reshape(-1)
        self._set_degrees(degrees, name, diagonal=csr.diagonal(), remedy=remedy)

    def _product(self, block: np.ndarray) -> np.ndarray:
        return sparse_product(self.stored_weights, block)

    @cached_property
    def _component_labels(self) -> np.ndarray:
        """The connected component of each node of the graph."""
        graph = self.stored_weights
        if not graph.data.all():  # a stored zero counts as an edge there
            graph = graph.copy()
            graph.eliminate_zeros()
        return np.asarray(connected_components(graph, directed=False)[1])


def _check_weights(csr: Any, name: str) -> None:
    bad = ~((csr.data >= 0) & (csr.data < np.inf))
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(csr.indptr, at, side="right")) - 1
        raise bad_weight(float(csr.data[at]), row, int(csr.indices[at]), name)
    difference = abs(csr - csr.T).tocoo()
    if difference.nnz:
        at = int(np.argmax(difference.data))
        if difference.data[at] > 50 * np.finfo(csr.dtype).eps * csr.data.max():
            row, column = int(difference.row[at]), int(difference.col[at])
            raise asymmetric(csr[row, column], csr[column, row], row, column, name)
