"""The compiled part of coarsening: which nodes become one, and the coarse graph itself.

Importing this module imports numba.
"""

from __future__ import annotations

import numpy as np

from fairspectral.linalg.compiled import njit


@njit(cache=True, nogil=True)
def gather(ties, persons, degrees, same, order, most):  # pragma: no cover - compiled
    """Put each node into the heap to which it is tied most strongly for the heap's volume.

    Heaps grow beyond pairs, because the many leaves of a hub could never all be paired. Nodes
    are put together only where `same` agrees, and up to `most` persons.

    Returns the heap of each node, and the number of heaps.
    """
    m = len(order)
    indptr, indices, weights = ties
    into = np.full(m, -1, np.int64)
    size, volume = np.zeros(m, np.int64), np.zeros(m)
    tied, touched = np.zeros(m), np.empty(m, np.int64)
    count = 0
    for i in order:
        if into[i] >= 0:
            continue
        met, best, heap, partner = 0, 0.0, -1, -1
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            if j == i or same[j] != same[i]:
                continue
            if into[j] >= 0:
                if tied[into[j]] == 0.0:
                    touched[met] = into[j]
                    met += 1
                tied[into[j]] += weights[at]
            elif persons[i] + persons[j] <= most and weights[at] > best * degrees[j]:
                best, partner = weights[at] / degrees[j], j
        for t in range(met):
            other = touched[t]
            if persons[i] + size[other] <= most and tied[other] > best * volume[other]:
                best, heap = tied[other] / volume[other], other
            tied[other] = 0.0
        if heap < 0:
            heap = count
            count += 1
            if partner >= 0:
                into[partner] = heap
                size[heap] += persons[partner]
                volume[heap] += degrees[partner]
        into[i] = heap
        size[heap] += persons[i]
        volume[heap] += degrees[i]
    return into, count


@njit(cache=True, nogil=True)
def strongest(dense, degrees, first, last, count):  # pragma: no cover - compiled
    """For rows `first` to `last`, the neighbours with the largest ``w_ij / d_j``, and weights."""
    m = len(degrees)
    who = np.empty((last - first, count), np.int64)
    weights = np.empty((last - first, count))
    ratings = np.empty(count)
    for i in range(first, last):
        ratings[:] = -1.0
        weakest, row = 0, dense[i]
        for j in range(m):
            if row[j] > ratings[weakest] * degrees[j] and j != i:
                ratings[weakest] = row[j] / degrees[j]
                who[i - first, weakest] = j
                weights[i - first, weakest] = row[j]
                weakest = int(np.argmin(ratings))
    return who, weights


@njit(cache=True, nogil=True)
def add_rows(dense, into, members, first, last, coarse):  # pragma: no cover - compiled
    """Add up the weights between heaps, for the nodes ``members[first:last]``, in float64."""
    for at in range(first, last):
        i = members[at]
        row, total = dense[i], coarse[into[i]]
        for j in range(len(row)):
            total[into[j]] += row[j]
