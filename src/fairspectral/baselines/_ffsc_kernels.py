"""The compiled part of the FFSC-style baseline: one sweep of coordinate descent.

Importing this module imports numba; `fairspectral.baselines.ffsc` does so when it needs it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairspectral.linalg.compiled import njit


class State(NamedTuple):
    """A clustering and everything that a move changes."""

    labels: np.ndarray  # (n,)
    links: np.ndarray  # (k, n): W y_l; row l is contiguous, since a move rewrites it
    within: np.ndarray  # (k,): y_l^T W y_l
    volumes: np.ndarray  # (k,): y_l^T d
    sizes: np.ndarray  # (k,)
    excess: np.ndarray  # (k, h): F0^T y_l, members of each group beyond its share


@njit(cache=True, nogil=True)
def _cost(within, volume, excess_norm, size, weight):  # pragma: no cover - compiled
    """One cluster's term of the objective."""
    return 1.0 - within / volume + weight * excess_norm / size


@njit(cache=True, nogil=True)
def _change(rows, state, F0, weight, i, cluster, sign):  # pragma: no cover - compiled
    """Change of one cluster's term when i joins it (sign 1) or leaves it (sign -1)."""
    norm, shifted = 0.0, 0.0
    for s in range(F0.shape[1]):
        norm += state.excess[cluster, s] ** 2
        shifted += (state.excess[cluster, s] + sign * F0[i, s]) ** 2
    within, volume = state.within[cluster], state.volumes[cluster]
    after = within + 2 * sign * state.links[cluster, i] + rows.diagonal[i]
    return _cost(
        after, volume + sign * rows.degrees[i], shifted, state.sizes[cluster] + sign, weight
    ) - _cost(within, volume, norm, state.sizes[cluster], weight)


@njit(cache=True, nogil=True)
def _move(rows, state, F0, i, there):  # pragma: no cover - compiled
    here = state.labels[i]
    for side in range(2):
        cluster, sign = (here, -1) if side == 0 else (there, 1)
        links = state.links[cluster]
        state.within[cluster] += rows.diagonal[i] + 2 * sign * links[i]
        state.volumes[cluster] += sign * rows.degrees[i]
        state.sizes[cluster] += sign
        for s in range(F0.shape[1]):
            state.excess[cluster, s] += sign * F0[i, s]
        if rows.dense.shape[0] > 0:
            row = rows.dense[i]
            for j in range(len(row)):
                links[j] += sign * row[j]
        else:
            for at in range(rows.indptr[i], rows.indptr[i + 1]):
                links[rows.indices[at]] += sign * rows.weights[at]
    state.labels[i] = there


@njit(cache=True, nogil=True)
def sweep(rows, state, F0, weight, order, threshold):  # pragma: no cover - compiled
    """Move each node in turn to the cluster where the objective is least; count the moves."""
    moves = 0
    for i in order:
        here = state.labels[i]
        if state.sizes[here] == 1:
            continue
        leave = _change(rows, state, F0, weight, i, here, -1)
        best, least = here, -threshold
        for there in range(len(state.sizes)):
            if there != here:
                change = leave + _change(rows, state, F0, weight, i, there, 1)
                if change < least:
                    best, least = there, change
        if best != here:
            _move(rows, state, F0, i, best)
            moves += 1
    return moves
