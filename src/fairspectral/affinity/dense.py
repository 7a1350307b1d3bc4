"""The affinity as a dense numpy array, used in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from fairspectral.affinity.checks import asymmetric, bad_weight, check_square, refuse_complex
from fairspectral.affinity.scaled import ScaledOperator
from fairspectral.linalg.products import dense_product
from fairspectral.validation import refuse_masked

# Two tiles of this size (W[i, j] and W[j, i]) stay in the cache while they are compared.
_TILE = 512


class DenseOperator(ScaledOperator):
    """Dense ``W``: kept by reference, never copied if it is a contiguous float array.

    Parameters
    ----------
    W : ndarray of shape (n, n)
        Symmetric, non-negative, finite. float32 and float64 are used as they are; other
        types and non-contiguous views are copied once.
    name : str
        Its name in errors.
    remedy : str
        Advice in errors where there is no affinity between nodes.
    """

    own_threads = True

    def __init__(self, W: Any, *, name: str = "X", remedy: str = "") -> None:
        refuse_masked(W, name)
        W = np.asarray(W)
        check_square(W.shape, name)
        refuse_complex(W, name)
        if W.dtype not in (np.float32, np.float64):
            W = W.astype(np.float64)
        if not (W.flags.c_contiguous or W.flags.f_contiguous):
            W = np.ascontiguousarray(W)
        self.stored_weights = W
        self.shape = W.shape
        self.dtype = W.dtype
        self.nbytes = W.nbytes
        self._set_degrees(_scan(W, name), name, diagonal=W.diagonal(), remedy=remedy)

    def _product(self, block: np.ndarray) -> np.ndarray:
        return dense_product(self.stored_weights, block)

    def _product_of_scaled(self, block: np.ndarray) -> np.ndarray:
        return dense_product(self.stored_weights, block, self._scale)

    @cached_property
    def _component_labels(self) -> np.ndarray:
        """Search through the rows; a fully connected ``W`` is settled by its first row."""
        W = self.stored_weights
        return search_components(self.shape[0], lambda row: W[row] > 0)


def search_components(n: int, linked: Callable[[int], np.ndarray]) -> np.ndarray:
    """The component of each of n nodes; `linked` tells to whom one has an affinity, shape (n,)."""
    unseen = np.ones(n, dtype=bool)
    labels = np.zeros(n, dtype=np.int64)
    component = 0
    while unseen.any():
        frontier = [int(np.argmax(unseen))]
        unseen[frontier] = False
        labels[frontier] = component
        while frontier and unseen.any():
            found = np.flatnonzero(linked(frontier.pop()) & unseen)
            unseen[found] = False
            labels[found] = component
            frontier.extend(found.tolist())
        component += 1
    return labels


def _scan(W: np.ndarray, name: str) -> np.ndarray:
    """Check every weight and the symmetry, and sum the rows, in one pass over the memory."""
    n = W.shape[0]
    degrees = np.zeros(n)
    # Symmetric up to the floating-point error of a kernel computed in the precision of W.
    tolerance = 50 * np.finfo(W.dtype).eps
    for i in range(0, n, _TILE):
        rows = slice(i, i + _TILE)
        for j in range(i, n, _TILE):
            columns = slice(j, j + _TILE)
            tile, mirror = W[rows, columns], W[columns, rows].T
            for part in (tile, mirror):
                # Written so that NaN fails too.
                if not (part.min() >= 0 and part.max() < np.inf):
                    _raise_bad_weight(W, name)
            difference = np.abs(tile - mirror)
            largest = max(float(tile.max()), float(mirror.max()))
            if float(difference.max()) > tolerance * largest:
                a, b = np.unravel_index(int(np.argmax(difference)), difference.shape)
                row, column = i + int(a), j + int(b)
                raise asymmetric(W[row, column], W[column, row], row, column, name)
            degrees[rows] += tile.sum(axis=1, dtype=np.float64)
            if j > i:
                degrees[columns] += mirror.sum(axis=0, dtype=np.float64)
    return degrees


def _raise_bad_weight(W: np.ndarray, name: str) -> None:
    for row, weights in enumerate(W):
        bad = ~((weights >= 0) & (weights < np.inf))
        if bad.any():
            column = int(np.argmax(bad))
            raise bad_weight(float(weights[column]), row, column, name)
