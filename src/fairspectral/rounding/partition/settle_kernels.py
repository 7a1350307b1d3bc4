"""The compiled descent: moves and swaps of single nodes, as long as one lowers the cut.

Importing this module imports numba.
"""

from __future__ import annotations

import numpy as np

from fairspectral.linalg.compiled import njit
from fairspectral.rounding.partition.state_kernels import gain_of, move, outside_after, swap_gain

# The price of the share of a cluster that is outside the bounds. One person is at least one part
# in n of a cluster, and the cut is at most k, so no fall of the cut is worth as much.
_FORBIDDEN = 1e9
# Shares that differ by less are equal, up to floating-point errors.
_EQUAL = 1e-13


@njit(cache=True, nogil=True, inline="always")
def _worth(gain, relief):  # pragma: no cover - compiled
    """The gain of a change, which no gain in the cut makes good if it leaves the bounds."""
    return gain if abs(relief) < _EQUAL else gain + _FORBIDDEN * relief


@njit(cache=True, nogil=True)
def sweep(graph, band, state, order, threshold):  # pragma: no cover - compiled
    """Make for each node in turn the move that is worth most; count the moves."""
    moves = 0
    for i in order:
        here = state.labels[i]
        if state.sizes[here] - graph.persons[i] < band.smallest:
            continue
        best, target = threshold, -1
        left, entered = -1.0, 0.0  # the shares outside, once they are needed
        for there in range(len(state.sizes)):
            if there == here:
                continue
            now = state.outside[here] + state.outside[there]
            gain = gain_of(graph, state, i, there)
            if now == 0.0 and gain <= best:
                continue
            if left < 0:
                left = outside_after(graph, band, state, here, -1, i)
            after = outside_after(graph, band, state, there, i, -1)
            worth = _worth(gain, now - left - after)
            if worth > best:
                best, target, entered = worth, there, after
        if target >= 0:
            move(graph, state, i, target)
            state.outside[here], state.outside[target] = left, entered
            moves += 1
    return moves


@njit(cache=True, nogil=True)
def swap_round(graph, state, order, kinds, n_kinds, threshold):  # pragma: no cover - compiled
    """Swap the best pairs of persons of one kind between two clusters, of those in `order`.

    Persons of one kind belong to the same groups, so a swap leaves every cell as it is. Those of
    kind -1 are like nobody else, and are not swapped. For
    each kind and each ordered pair of clusters the best candidate is found first; the exact
    gain is computed when the pair's turn comes, on the clustering as it then is.
    """
    k = len(state.sizes)
    best = np.full((n_kinds, k, k), -np.inf)
    who = np.full((n_kinds, k, k), -1, np.int64)
    for i in order:
        here, kind = state.labels[i], kinds[i]
        if kind < 0:
            continue
        for there in range(k):
            if there != here:
                gain = gain_of(graph, state, i, there)
                if gain > best[kind, here, there]:
                    best[kind, here, there] = gain
                    who[kind, here, there] = i
    swaps = 0
    for kind in range(n_kinds):
        for a in range(k):
            for b in range(a + 1, k):
                i, j = who[kind, a, b], who[kind, b, a]
                if i < 0 or j < 0 or best[kind, a, b] + best[kind, b, a] <= threshold:
                    continue
                if state.labels[i] != a or state.labels[j] != b:
                    continue
                if swap_gain(graph, state, i, j) > threshold:
                    move(graph, state, i, b)
                    move(graph, state, j, a)
                    swaps += 1
    return swaps
