"""The compiled state of a clustering: its cut, its cells, and what one move changes in them.

Importing this module imports numba.

A state keeps the links ``W y_l`` of every node, so that the exact change of the cut by one move
costs a few operations, and the move itself one row of ``W``. A node stands for one person, or on
a coarse graph for many; with weights, its persons are counted in units of weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairspectral.cells import cell_range
from fairspectral.linalg.compiled import njit

_cell_range = njit(cache=True, nogil=True, inline="always")(cell_range)


class Graph(NamedTuple):
    """Nodes with their links as CSR arrays."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    loops: np.ndarray  # (m,): diagonal of W
    degrees: np.ndarray  # (m,)
    persons: np.ndarray  # (m,): persons that a node stands for
    groups: np.ndarray  # (m, H): how many of them are in each group
    rivals_from: np.ndarray  # (m + 1,) and
    rivals: np.ndarray  # CSR arrays: the nodes that must not be in the same cluster


class Band(NamedTuple):
    """What every cluster must satisfy; several attributes have their groups one after another."""

    ranges: np.ndarray  # (sizes, H, 2): least and most persons of each group, for each size
    shift: int  # sizes that agree but for so many bits have the same bounds
    smallest: int  # the floor on cluster sizes
    largest: int  # the ceiling on them
    everybody: int  # all persons
    pair: float  # share of a cluster that two rivals in it count as outside the bounds


class State(NamedTuple):
    """A clustering of the nodes and everything that a move changes."""

    labels: np.ndarray  # (m,)
    links: np.ndarray  # (m, k): W y_l; what a move of one node asks for is side by side
    within: np.ndarray  # (k,): y_l^T W y_l
    volumes: np.ndarray  # (k,): y_l^T d
    table: np.ndarray  # (k, H) persons of each group in each cluster
    sizes: np.ndarray  # (k,) persons
    outside: np.ndarray  # (k,): share outside the bounds
    pairs: np.ndarray  # (k,) pairs of rivals
    foreign: np.ndarray  # (m,): links to other clusters, counted
    border: np.ndarray  # (m,): the nodes with such links, in no order
    place: np.ndarray  # (m,): where a node is in `border`, or -1
    length: np.ndarray  # (1,): how many they are


@njit(cache=True, nogil=True)
def ranges_of_sizes(lower, upper, counts, n, largest, shift):  # pragma: no cover - compiled
    """The bounds on every group in a cluster of every size, shape (n / 2^shift + 1, H, 2).

    Computed once, because a search asks for them at every step. Both bounds grow with the size,
    so for several sizes together the least is that of the largest and the most that of the
    smallest of them.
    """
    ranges = np.empty(((n >> shift) + 1, len(counts), 2), np.int32)
    for at in range(len(ranges)):
        first = at << shift
        last = min(first + (1 << shift) - 1, n)
        for group in range(len(counts)):
            band = lower[group], upper[group], counts[group], n
            low, _ = _cell_range(band[0], band[1], band[2], band[3], last, largest)
            _, high = _cell_range(band[0], band[1], band[2], band[3], first, largest)
            ranges[at, group, 0], ranges[at, group, 1] = low, high
    return ranges


@njit(cache=True, nogil=True, inline="always")
def _share(within, volume):  # pragma: no cover - compiled
    """``within / volume``; 0 for a volume that consists of floating-point errors only."""
    return within / volume if volume > 0 else 0.0


@njit(cache=True, nogil=True)
def _rivals_in(graph, state, i, cluster, but):  # pragma: no cover - compiled
    """How many rivals of node i are in a cluster, one of them left out (or -1)."""
    count = 0
    for at in range(graph.rivals_from[i], graph.rivals_from[i + 1]):
        j = graph.rivals[at]
        if j != but and state.labels[j] == cluster:
            count += 1
    return count


@njit(cache=True, nogil=True)
def outside_after(graph, band, state, cluster, enters, leaves):  # pragma: no cover - compiled
    """The share of a cluster outside its bounds after `enters` came and `leaves` left (or -1).

    Pairs of rivals cost the same in every cluster: as a share of it, a pair that cannot be parted
    would draw everybody into its cluster, where it would be a smaller one.
    """
    size = state.sizes[cluster]
    if enters >= 0:
        size += graph.persons[enters]
    if leaves >= 0:
        size -= graph.persons[leaves]
    total, rivals = max(band.smallest - size, 0) + max(size - band.largest, 0), 0.0
    if band.pair > 0:
        pairs = state.pairs[cluster]
        if enters >= 0:
            pairs += _rivals_in(graph, state, enters, cluster, leaves)
        if leaves >= 0:
            pairs -= _rivals_in(graph, state, leaves, cluster, -1)
        rivals = band.pair * pairs
    ranges = band.ranges[size >> band.shift]
    for group in range(len(ranges)):
        persons = state.table[cluster, group]
        if enters >= 0:
            persons += graph.groups[enters, group]
        if leaves >= 0:
            persons -= graph.groups[leaves, group]
        total += max(ranges[group, 0] - persons, 0) + max(persons - ranges[group, 1], 0)
    return rivals + total / max(size, 1)


@njit(cache=True, nogil=True)
def _weight(graph, i, j):  # pragma: no cover - compiled
    start, stop = graph.indptr[i], graph.indptr[i + 1]
    at = start + np.searchsorted(graph.indices[start:stop], j)
    if at < stop and graph.indices[at] == j:
        return np.float64(graph.weights[at])
    return 0.0


@njit(cache=True, nogil=True, inline="always")
def _list(state, i):  # pragma: no cover - compiled
    """Put a node on the border, or take it off, as its links tell."""
    place = state.place[i]
    if state.foreign[i] > 0 and place < 0:
        state.place[i] = state.length[0]
        state.border[state.length[0]] = i
        state.length[0] += 1
    elif state.foreign[i] == 0 and place >= 0:
        state.length[0] -= 1
        last = state.border[state.length[0]]
        state.border[place] = last
        state.place[last] = place
        state.place[i] = -1


@njit(cache=True, nogil=True)
def move(graph, state, i, there):  # pragma: no cover - compiled
    """Move node i and bring everything but `outside` up to date."""
    here = state.labels[i]
    links = state.links
    state.pairs[here] -= _rivals_in(graph, state, i, here, -1)
    state.pairs[there] += _rivals_in(graph, state, i, there, -1)
    state.within[here] += graph.loops[i] - 2 * links[i, here]
    state.within[there] += graph.loops[i] + 2 * links[i, there]
    state.volumes[here] -= graph.degrees[i]
    state.volumes[there] += graph.degrees[i]
    state.labels[i] = there
    first, last = graph.indptr[i], graph.indptr[i + 1]
    if len(graph.weights) == len(state.labels) ** 2:
        # All are linked with all, so that everybody stays on the border.
        for j, weight in enumerate(graph.weights[first:last]):
            links[j, here] -= weight
            links[j, there] += weight
    else:
        for at in range(first, last):
            j = graph.indices[at]
            links[j, here] -= graph.weights[at]
            links[j, there] += graph.weights[at]
            if j == i:
                continue
            other = state.labels[j]
            if other == here:
                state.foreign[i] += 1
                state.foreign[j] += 1
                _list(state, j)
            elif other == there:
                state.foreign[i] -= 1
                state.foreign[j] -= 1
                _list(state, j)
        _list(state, i)
    state.sizes[here] -= graph.persons[i]
    state.sizes[there] += graph.persons[i]
    for group in range(graph.groups.shape[1]):
        state.table[here, group] -= graph.groups[i, group]
        state.table[there, group] += graph.groups[i, group]


@njit(cache=True, nogil=True)
def fill(graph, band, state):  # pragma: no cover - compiled
    """Compute everything of a state from its labels."""
    m, k = state.links.shape
    state.links[:] = 0.0
    state.within[:] = 0.0
    state.volumes[:] = 0.0
    state.table[:] = 0
    state.sizes[:] = 0
    state.pairs[:] = 0
    state.foreign[:] = 0
    state.place[:] = -1
    state.length[0] = 0
    for i in range(m):
        here = state.labels[i]
        for at in range(graph.indptr[i], graph.indptr[i + 1]):
            j = graph.indices[at]
            state.links[j, here] += graph.weights[at]
            if state.labels[j] != here:
                state.foreign[i] += 1
        state.volumes[here] += graph.degrees[i]
        state.sizes[here] += graph.persons[i]
        for group in range(graph.groups.shape[1]):
            state.table[here, group] += graph.groups[i, group]
    for i in range(m):
        state.within[state.labels[i]] += state.links[i, state.labels[i]]
        state.pairs[state.labels[i]] += _rivals_in(graph, state, i, state.labels[i], -1)
        _list(state, i)
    for cluster in range(k):
        state.pairs[cluster] //= 2  # each pair was seen from both sides
        state.outside[cluster] = outside_after(graph, band, state, cluster, -1, -1)


@njit(cache=True, nogil=True)
def gain_of(graph, state, i, there):  # pragma: no cover - compiled
    """Exact fall of the cut when node i moves."""
    here = state.labels[i]
    within, volume = state.within[here], state.volumes[here]
    gain = _share(
        within - 2 * state.links[i, here] + graph.loops[i], volume - graph.degrees[i]
    ) - _share(within, volume)
    within, volume = state.within[there], state.volumes[there]
    return (
        gain
        + _share(within + 2 * state.links[i, there] + graph.loops[i], volume + graph.degrees[i])
        - _share(within, volume)
    )


@njit(cache=True, nogil=True)
def swap_gain(graph, state, i, j):  # pragma: no cover - compiled
    """Exact fall of the cut when nodes i and j change places."""
    a, b = state.labels[i], state.labels[j]
    links, between = state.links, _weight(graph, i, j)
    change = graph.degrees[j] - graph.degrees[i]
    own = graph.loops[i] + graph.loops[j] - 2 * between
    within_a = state.within[a] + own + 2 * (links[j, a] - links[i, a])
    within_b = state.within[b] + own + 2 * (links[i, b] - links[j, b])
    return (
        _share(within_a, state.volumes[a] + change)
        + _share(within_b, state.volumes[b] - change)
        - _share(state.within[a], state.volumes[a])
        - _share(state.within[b], state.volumes[b])
    )
