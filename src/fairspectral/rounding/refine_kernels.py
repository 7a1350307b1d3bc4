"""The compiled part of the refinement: moves and swaps of single persons on the cut itself.

Importing this module imports numba; `fairspectral.rounding.refine` does so when it needs it.

The normalised cut is ``k - sum_l within_l / volume_l`` with ``within_l = y_l^T W y_l``. With the
links ``W y_l`` of every point kept up to date, the exact change of the cut by one move costs a
few operations, and the move itself one row of ``W``: far less than a pass over ``W``. A row of a
kernel that is not stored is computed when somebody moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairspectral.affinity.tile_kernels import kernel_row, kernel_value
from fairspectral.cells import cell_range
from fairspectral.linalg.compiled import njit

_cell_range = njit(cache=True, nogil=True, inline="always")(cell_range)

# Numbers of a row that are computed at a time: they stay in the first-level cache.
_SPAN = 1024


class Partition(NamedTuple):
    """A clustering and everything that a move changes."""

    labels: np.ndarray  # (n,)
    links: np.ndarray  # (k, n): W y_l; row l is contiguous, since a move rewrites it
    within: np.ndarray  # (k,): y_l^T W y_l
    volumes: np.ndarray  # (k,): y_l^T d
    table: np.ndarray  # (H, k) persons of each group in each cluster
    sizes: np.ndarray  # (k,)


class Band(NamedTuple):
    """What every cluster must satisfy; several attributes have their groups one after another."""

    memberships: np.ndarray  # (a, n): the group of each person in each attribute
    counts: np.ndarray  # (H,) persons in each group
    lower: np.ndarray  # (H,) shares
    upper: np.ndarray  # (H,) shares
    smallest: int  # the floor on cluster sizes
    largest: int  # the ceiling on them


@njit(cache=True, nogil=True)
def _weight(rows, i, j):  # pragma: no cover - compiled
    if rows.dense.shape[0] > 0:
        return np.float64(rows.dense[i, j])
    if rows.features.rows.shape[0] > 0:
        return np.float64(kernel_value(rows.features, i, j))
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    at = start + np.searchsorted(rows.indices[start:stop], j)
    if at < stop and rows.indices[at] == j:
        return np.float64(rows.weights[at])
    return 0.0


@njit(cache=True, nogil=True)
def _move(rows, partition, band, i, there):  # pragma: no cover - compiled
    """Move person i and bring every cached quantity up to date."""
    here = partition.labels[i]
    leave, join = partition.links[here], partition.links[there]
    partition.within[here] += rows.diagonal[i] - 2 * leave[i]
    partition.within[there] += rows.diagonal[i] + 2 * join[i]
    partition.volumes[here] -= rows.degrees[i]
    partition.volumes[there] += rows.degrees[i]
    if rows.dense.shape[0] > 0:
        row = rows.dense[i]
        for j in range(len(row)):
            leave[j] -= row[j]
            join[j] += row[j]
    elif rows.features.rows.shape[0] > 0:
        _move_computed(rows.features, i, leave, join)
    else:
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            leave[rows.indices[at]] -= rows.weights[at]
            join[rows.indices[at]] += rows.weights[at]
    partition.labels[i] = there
    partition.sizes[here] -= 1
    partition.sizes[there] += 1
    for attribute in range(band.memberships.shape[0]):
        group = band.memberships[attribute, i]
        partition.table[group, here] -= 1
        partition.table[group, there] += 1


@njit(cache=True, nogil=True)
def _move_computed(features, i, leave, join):  # pragma: no cover - compiled
    """Take the row of i, computed here, from some links and add it to others."""
    n, room = len(leave), np.empty(_SPAN, np.float32)
    for first in range(0, n, _SPAN):
        last = min(first + _SPAN, n)
        kernel_row(features, i, first, last, room)
        for at in range(first, last):
            leave[at] -= room[at - first]
            join[at] += room[at - first]


@njit(cache=True, nogil=True, inline="always")
def _share(within, volume):  # pragma: no cover - compiled
    """``within / volume``; 0 for a volume that consists of floating-point errors only."""
    return within / volume if volume > 0 else 0.0


@njit(cache=True, nogil=True)
def _leave_gain(rows, partition, i):  # pragma: no cover - compiled
    """Change of ``within / volume`` of i's cluster when i leaves it."""
    here = partition.labels[i]
    within, volume = partition.within[here], partition.volumes[here]
    left = within - 2 * partition.links[here, i] + rows.diagonal[i]
    rest = volume - rows.degrees[i]
    return _share(left, rest) - _share(within, volume)


@njit(cache=True, nogil=True)
def _join_gain(rows, partition, i, there):  # pragma: no cover - compiled
    within, volume = partition.within[there], partition.volumes[there]
    joined = within + 2 * partition.links[there, i] + rows.diagonal[i]
    return _share(joined, volume + rows.degrees[i]) - _share(within, volume)


@njit(cache=True, nogil=True)
def _allowed(partition, band, i, there):  # pragma: no cover - compiled
    """Whether every cell of the two clusters stays within bounds when i moves."""
    here = partition.labels[i]
    n = partition.labels.shape[0]
    if partition.sizes[here] <= band.smallest or partition.sizes[there] >= band.largest:
        return False
    for side in range(2):
        cluster, step = (here, -1) if side == 0 else (there, 1)
        size = partition.sizes[cluster] + step
        for group in range(len(band.counts)):
            low, high = _cell_range(
                band.lower[group], band.upper[group], band.counts[group], n, size, 1
            )
            persons = partition.table[group, cluster]
            for attribute in range(band.memberships.shape[0]):
                if band.memberships[attribute, i] == group:
                    persons += step
            if persons < low or persons > high:
                return False
    return True


@njit(cache=True, nogil=True)
def sweep(rows, partition, band, order, threshold):  # pragma: no cover - compiled
    """Make for each person in turn the allowed move that lowers the cut most; count the moves."""
    k = len(partition.sizes)
    moves = 0
    gains = np.empty(k)
    for i in order:
        here = partition.labels[i]
        if partition.sizes[here] <= band.smallest:
            continue
        leave = _leave_gain(rows, partition, i)
        for there in range(k):
            gains[there] = leave + _join_gain(rows, partition, i, there) if there != here else 0.0
        while True:
            there = int(np.argmax(gains))
            if gains[there] <= threshold:
                break
            if _allowed(partition, band, i, there):
                _move(rows, partition, band, i, there)
                moves += 1
                break
            gains[there] = 0.0
    return moves


@njit(cache=True, nogil=True)
def swap_round(
    rows, partition, band, kinds, n_kinds, threshold, changed
):  # pragma: no cover - compiled
    """Swap persons of one kind between two clusters as long as it pays; count the swaps.

    Persons of one kind belong to the same groups, so a swap leaves every cell as it is. Each pair
    of clusters is searched in turn and looks at its own members only, because one look at
    everybody for each swap would take most of the time. Pairs without a cluster that `changed`
    since they were searched last are skipped; in the end it says which changed in this round.
    """
    k = len(partition.sizes)
    members = np.argsort(partition.labels, kind="mergesort")
    first = np.zeros(k + 1, np.int64)
    first[1:] = np.cumsum(partition.sizes)
    best, at = np.empty((2, n_kinds)), np.empty((2, n_kinds), np.int64)
    before = changed.copy()
    changed[:] = False
    swaps = 0
    for a in range(k):
        for b in range(a + 1, k):
            if not (before[a] or before[b] or changed[a] or changed[b]):
                continue
            # Gains that are floating-point errors must not go on forever.
            for _ in range(partition.sizes[a]):
                best[:] = -np.inf
                for side in range(2):
                    here, there = (a, b) if side == 0 else (b, a)
                    own = members[first[here] : first[here + 1]]
                    _best_of_kinds(rows, partition, kinds, own, here, there, best[side], at[side])
                done = 0
                for kind in range(n_kinds):
                    if best[0, kind] + best[1, kind] <= threshold:
                        continue
                    at_i, at_j = first[a] + at[0, kind], first[b] + at[1, kind]
                    i, j = members[at_i], members[at_j]
                    if _swap_gain(rows, partition, i, j) > threshold:
                        _swap(rows, partition, band, i, j)
                        members[at_i], members[at_j] = j, i
                        done += 1
                if done == 0:
                    break
                swaps += done
                changed[a] = changed[b] = True
    return swaps


@njit(cache=True, nogil=True)
def _best_of_kinds(
    rows, partition, kinds, members, here, there, best, at
):  # pragma: no cover - compiled
    """Of each kind, the gain and the place of the member who would gain most by moving."""
    left, joined = partition.links[here], partition.links[there]
    within, volume = partition.within[here], partition.volumes[here]
    within_there, volume_there = partition.within[there], partition.volumes[there]
    now = _share(within, volume) + _share(within_there, volume_there)
    for place in range(len(members)):
        i = members[place]
        own, degree, kind = rows.diagonal[i], rows.degrees[i], kinds[i]
        gain = (
            _share(within - 2 * left[i] + own, volume - degree)
            + _share(within_there + 2 * joined[i] + own, volume_there + degree)
            - now
        )
        if gain > best[kind]:
            best[kind], at[kind] = gain, place


@njit(cache=True, nogil=True)
def _swap(rows, partition, band, i, j):  # pragma: no cover - compiled
    """Let two persons of one kind change places, in half the time of two moves."""
    a, b = partition.labels[i], partition.labels[j]
    if rows.dense.shape[0] == 0:
        _move(rows, partition, band, i, b)
        _move(rows, partition, band, j, a)
        return
    links_a, links_b = partition.links[a], partition.links[b]
    own = rows.diagonal[i] + rows.diagonal[j] - 2 * _weight(rows, i, j)
    partition.within[a] += own + 2 * (links_a[j] - links_a[i])
    partition.within[b] += own + 2 * (links_b[i] - links_b[j])
    partition.volumes[a] += rows.degrees[j] - rows.degrees[i]
    partition.volumes[b] += rows.degrees[i] - rows.degrees[j]
    row_i, row_j = rows.dense[i], rows.dense[j]
    for at in range(len(row_i)):
        difference = np.float64(row_j[at]) - np.float64(row_i[at])
        links_a[at] += difference
        links_b[at] -= difference
    partition.labels[i], partition.labels[j] = b, a


@njit(cache=True, nogil=True)
def perturb(rows, partition, band, kinds, pairs):  # pragma: no cover - compiled
    """Swap those of the given pairs that are of one kind, even if the cut rises."""
    for at in range(len(pairs)):
        i, j = pairs[at, 0], pairs[at, 1]
        a, b = partition.labels[i], partition.labels[j]
        if a != b and kinds[i] == kinds[j]:
            _swap(rows, partition, band, i, j)


@njit(cache=True, nogil=True)
def _swap_gain(rows, partition, i, j):  # pragma: no cover - compiled
    """Exact fall of the cut when i and j change places."""
    a, b = partition.labels[i], partition.labels[j]
    links, between = partition.links, _weight(rows, i, j)
    change = rows.degrees[j] - rows.degrees[i]
    own = rows.diagonal[i] + rows.diagonal[j] - 2 * between
    within_a = partition.within[a] + own + 2 * (links[a, j] - links[a, i])
    within_b = partition.within[b] + own + 2 * (links[b, i] - links[b, j])
    return (
        _share(within_a, partition.volumes[a] + change)
        + _share(within_b, partition.volumes[b] - change)
        - _share(partition.within[a], partition.volumes[a])
        - _share(partition.within[b], partition.volumes[b])
    )
