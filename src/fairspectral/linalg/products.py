"""Products of the affinities with a narrow block, in as many threads as BLAS may use."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.linalg.threads import allowed_threads, in_threads, one_thread

# Multiplications below which loading compiled code (and compiling it, once per machine) is not
# worthwhile; fewer for sparse matrices, since scipy uses one thread and a solve has more products.
_SMALL, _SMALL_SPARSE = 2**26, 2**24
# Number of columns from which a library's copy of W pays off.
_WIDE = 96


def dense_product(W: np.ndarray, block: np.ndarray, scale: np.ndarray | None = None) -> np.ndarray:
    """``W @ (scale * block)`` for a symmetric contiguous ``W``.

    Parameters
    ----------
    W : ndarray of shape (n, n)
    block : ndarray of shape (n, b)
    scale : ndarray of shape (n, 1) or None
        Factors of the rows of the block; given separately to avoid a scaled copy.
    """
    n, b = block.shape
    if b == 1 or b >= _WIDE or n * n * b < _SMALL:
        return _library_product(W, block if scale is None else block * scale)
    from fairspectral.linalg.product_kernels import TILE_COLUMNS, TILE_ROWS, dense_rows

    padded = -(-b // TILE_COLUMNS) * TILE_COLUMNS
    columns = np.zeros((padded, n), dtype=W.dtype)
    columns[:b] = block.T
    if scale is not None:
        columns *= scale[:, 0]
    out = np.empty((n, padded), dtype=W.dtype)
    rows = W if W.flags.c_contiguous else W.T
    bounds = np.linspace(0, n // TILE_ROWS, allowed_threads() + 1).astype(int) * TILE_ROWS
    bounds[-1] = n
    in_threads(lambda first, last: dense_rows(rows, columns, out, first, last), bounds)
    return out if b == padded else np.ascontiguousarray(out[:, :b])


def _library_product(W: np.ndarray, block: np.ndarray) -> np.ndarray:
    n, b = block.shape
    if b < _WIDE:
        return W @ block
    # In our own threads, where a solver has set BLAS to one thread.
    out = np.empty((n, b), dtype=W.dtype)
    bounds = np.linspace(0, n, allowed_threads() + 1).astype(int)
    with one_thread():
        in_threads(lambda first, last: np.matmul(W[first:last], block, out=out[first:last]), bounds)
    return out


def sparse_product(W: Any, block: np.ndarray) -> np.ndarray:
    """``W @ block`` for ``W`` in CSR of shape (m, n), block of shape (n, b)."""
    rows, b = W.shape[0], block.shape[1]
    if b == 1 or W.nnz * b < _SMALL_SPARSE:
        return W @ block  # for a single vector, scipy keeps the sum in a register
    from fairspectral.linalg.product_kernels import sparse_rows

    block = np.ascontiguousarray(block)
    out = np.empty((rows, b), dtype=block.dtype)
    bounds = np.searchsorted(W.indptr, np.linspace(0, W.nnz, allowed_threads() + 1))
    bounds[0], bounds[-1] = 0, rows
    in_threads(
        lambda first, last: sparse_rows(W.indptr, W.indices, W.data, block, out, first, last),
        bounds,
    )
    return out
