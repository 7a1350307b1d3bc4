"""The rows of the affinities, stored or computed when they are needed, for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

# Bytes whose copy takes less time than compiling the kernels for int64 indices or for read-only
# arrays (of pandas, or mapped from a file), which takes seconds.
_CHEAP_COPY = 2**26
# The share of pairs with an affinity from which on it is dense.
_DENSE = 0.5
# Rows of a dense matrix that are looked at for that.
_ROWS_LOOKED_AT = 100
# Persons up to whom the multilevel search is the better one on dense affinities too: single
# persons matter, and it takes half a second (scripts/ablate_starts.py).
_FEW = 60


class Rows(NamedTuple):
    """Rows of ``W``.

    ``dense`` is (n, n), or (0, 0) where the graph is in the CSR arrays. Where the `features` are
    not empty, the rows are computed from them.
    """

    dense: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    diagonal: np.ndarray  # (n,)
    degrees: np.ndarray  # (n,)
    features: Any  # of affinity.tile_kernels


def can_search(affinity: Any) -> bool:
    """Whether the operator holds the rows of ``W``, for any search."""
    return affinity.stored_weights is not None


def can_move(affinity: Any) -> bool:
    """Whether the search by moves has what it needs: the rows of ``W``, or a quick way to them."""
    return can_search(affinity) or affinity.computed_rows is not None


def suits_levels(affinity: Any) -> bool:
    """Whether the multilevel search suits: few pairs have an affinity, or there are few persons."""
    if not can_search(affinity):
        return False
    return affinity.shape[0] <= _FEW or _share_of_pairs(affinity) < _DENSE


def _share_of_pairs(affinity: Any) -> float:
    """The share of pairs with an affinity; of a graph in a dense matrix, from some of its rows."""
    W = affinity.stored_weights
    if W is None or sp.issparse(W):
        return float(affinity.density)
    rows = np.linspace(0, len(W) - 1, min(len(W), _ROWS_LOOKED_AT)).astype(np.intp)
    return float(np.mean(W[rows] != 0))


def rows_of(affinity: Any) -> Rows:
    """The rows of an operator's ``W``, in the form for the compiled code."""
    from fairspectral.affinity.tile_kernels import NO_FEATURES

    W, degrees, nothing = affinity.stored_weights, affinity.degrees, np.zeros(0, dtype=np.int32)
    if W is None:
        none = np.zeros(0, dtype=np.float32)
        dense, features = none.reshape(0, 0), affinity.computed_rows
        return Rows(dense, nothing, nothing, none, affinity.diagonal, degrees, features)
    diagonal = np.array(W.diagonal(), dtype=np.float64)
    if sp.issparse(W):
        dense = np.zeros((0, 0), dtype=W.dtype)
        pointers, indices, weights = W.indptr, W.indices, W.data
        if indices.nbytes <= _CHEAP_COPY:
            pointers, indices = (part.astype(np.int32) for part in (pointers, indices))
            weights = _writable(weights)
        return Rows(dense, pointers, indices, weights, diagonal, degrees, NO_FEATURES)
    # W is symmetric: use its transpose if only that has contiguous rows.
    dense = _writable(W if W.flags.c_contiguous else W.T)
    return Rows(dense, nothing, nothing, np.zeros(0, W.dtype), diagonal, degrees, NO_FEATURES)


def unlinked_rows(affinity: Any) -> Rows:
    """Rows without any affinity between persons, by which moves change no links."""
    from fairspectral.affinity.tile_kernels import NO_FEATURES

    n, nothing = affinity.shape[0], np.zeros(0, dtype=np.float32)
    pointers, indices = np.zeros(n + 1, dtype=np.int32), np.zeros(0, dtype=np.int32)
    dense = nothing.reshape(0, 0)
    return Rows(dense, pointers, indices, nothing, np.zeros(n), affinity.degrees, NO_FEATURES)


def _writable(weights: np.ndarray) -> np.ndarray:
    """A copy of a small read-only array, for which the kernels would be compiled again."""
    return weights if weights.flags.writeable or weights.nbytes > _CHEAP_COPY else weights.copy()
