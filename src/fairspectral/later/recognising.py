"""Rows of a table recognised among earlier rows, by 128 bits of each.

A fingerprint is a sum over the columns, so a zero that a sparse matrix does not store adds as
little as one that it stores. Every operation is one on 64-bit integers modulo ``2**64``, and the
result is the same on every machine: a saved model may keep the fingerprints and not the rows.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import scipy.sparse as sp

# Numbers in a block of rows, 32 MB.
_NUMBERS = 2**22


def fingerprints(rows: Any) -> np.ndarray:
    """The fingerprints of the rows of an array or a sparse matrix, shape (n, 2), uint64."""
    n, d = rows.shape
    factors = _mixed(np.arange(1, 2 * d + 1, dtype=np.uint64).reshape(d, 2)) | np.uint64(1)
    if sp.issparse(rows):
        return _of_sparse(sp.csr_array(rows), factors)
    found = np.empty((n, 2), dtype=np.uint64)
    step = max(1, _NUMBERS // max(d, 1))
    for start in range(0, n, step):
        found[start : start + step] = _bits(rows[start : start + step]) @ factors
    return found


def _of_sparse(rows: Any, factors: np.ndarray) -> np.ndarray:
    rows.sum_duplicates()
    sums = np.zeros((rows.nnz + 1, 2), dtype=np.uint64)
    np.cumsum(_bits(rows.data)[:, None] * factors[rows.indices], axis=0, out=sums[1:])
    return sums[rows.indptr[1:]] - sums[rows.indptr[:-1]]


def _bits(values: np.ndarray) -> np.ndarray:
    """Numbers as mixed bits: zero as 0, whatever its sign, and NaN as one number."""
    numbers = np.ascontiguousarray(values, dtype=np.float64) + 0.0
    numbers = np.where(np.isnan(numbers), np.nan, numbers)
    return _mixed(numbers.view(np.uint64))


def _mixed(words: np.ndarray) -> np.ndarray:
    """Each word spread over all its 64 bits; 0 stays 0 (the finaliser of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def recognise(known: np.ndarray, later: np.ndarray) -> np.ndarray:
    """The earlier row that each later row equals, or -1, shape (m,).

    Of several equal earlier rows the first is taken for the first such later row, the second for
    the second, and after the last the first again: so the rows of a fit are each their own.

    Parameters
    ----------
    known, later : ndarray of shape (n, 2) and (m, 2), uint64
        From `fingerprints`.
    """
    places: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i in np.flatnonzero(np.isin(known[:, 0], later[:, 0])).tolist():
        places[tuple(known[i].tolist())].append(i)
    found = np.full(len(later), -1, dtype=np.intp)
    seen: dict[tuple[int, ...], int] = defaultdict(int)
    for j in np.flatnonzero(np.isin(later[:, 0], known[:, 0])).tolist():
        key = tuple(later[j].tolist())
        if key in places:
            found[j] = places[key][seen[key] % len(places[key])]
            seen[key] += 1
    return found
