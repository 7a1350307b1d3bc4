"""The compiled part of inheriting clusters: where those go who belong to none.

Importing this module imports numba.
"""

from __future__ import annotations

import numpy as np

from fairspectral.linalg.compiled import njit


@njit(cache=True, nogil=True)
def join_most_linked(graph, labels, k):  # pragma: no cover - compiled
    """Give each node with label -1 that of the cluster it has most links with.

    Only links with those who had a label before count; nodes without any go into the last cluster.
    """
    nodes = np.flatnonzero(labels < 0)
    chosen, links = np.empty(len(nodes), labels.dtype), np.empty(k)
    for at, i in enumerate(nodes):
        links[:] = 0.0
        for entry in range(graph.indptr[i], graph.indptr[i + 1]):
            there = labels[graph.indices[entry]]
            if there >= 0:
                links[there] += graph.weights[entry]
        best = k - 1
        for there in range(k):
            if links[there] > links[best]:
                best = there
        chosen[at] = best
    labels[nodes] = chosen
