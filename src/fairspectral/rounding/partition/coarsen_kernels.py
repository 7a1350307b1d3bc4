"""The compiled part of coarsening: which nodes become one.

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
def contract_complete(weights, into, count):  # pragma: no cover - compiled
    """The sums of the weights between heaps, shape (count, count), where all are linked with all.

    One addition for each pair, which takes a fraction of the time of sparse products, and no
    memory beside the answer.
    """
    m = len(into)
    coarse = np.zeros((count, count))
    for i in range(m):
        row = coarse[into[i]]
        for j, weight in enumerate(weights[i * m : (i + 1) * m]):
            row[into[j]] += weight
    return coarse
