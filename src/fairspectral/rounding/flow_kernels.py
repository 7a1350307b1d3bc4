"""The compiled part of the flow: successive shortest paths on the cell graph.

Importing this module imports numba; `fairspectral.rounding.flow` does so at the first solve.

The graph has a node for each cell (group s, cluster l), each cluster, and one root:

* cell (s, l) -> cell (s, l'): one person of group s moves from l to l'. The cheapest such
  person is on top of a heap, so the n points never enter the graph.
* cell (s, l) <-> cluster l: the cell's head count rises (up to its upper bound) or falls (down
  to its lower bound), at no cost.
* cluster l <-> root: the same for the size of the cluster.

With potentials ``p`` a residual arc u -> v of cost c has the reduced cost ``c + p[u] - p[v]``,
which is kept >= 0; so a solution without surplus is optimal, whatever potentials it began with.
All costs are int64: equality means equality, and no tolerance is needed anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairspectral.linalg.compiled import njit

_FAR = 2**62
OPTIMAL, INFEASIBLE = 0, 1


class Network(NamedTuple):
    """The free arcs: bounds and flow of arc v (from cell or cluster v), and every node's state."""

    low: np.ndarray  # (h k + k,)
    high: np.ndarray  # (h k + k,)
    flow: np.ndarray  # (h k + k,)
    potentials: np.ndarray  # (h k + k + 1,)
    surplus: np.ndarray  # (h k + k + 1,) persons too many (> 0) or missing (< 0)


class Heaps(NamedTuple):
    """For each cell and each other cluster, the cell's members by the price of moving there."""

    keys: np.ndarray
    items: np.ndarray
    starts: np.ndarray  # (cells,) where a cell's first heap begins
    room: np.ndarray  # (cells,) capacity of each of its k heaps
    sizes: np.ndarray  # (cells, k)
    top_key: np.ndarray  # (cells, k)
    top_item: np.ndarray  # (cells, k), -1 where no person can move


class Search(NamedTuple):
    """Working memory of Dijkstra's algorithm; stamps avoid clearing it between searches."""

    distance: np.ndarray
    parent: np.ndarray
    seen: np.ndarray
    closed: np.ndarray
    order: np.ndarray
    queue_keys: np.ndarray
    queue_nodes: np.ndarray


# --- binary heaps in slices of two arrays ------------------------------------------------


@njit(cache=True, nogil=True)
def _sift_down(keys, items, start, size, at):  # pragma: no cover - compiled
    key, item = keys[start + at], items[start + at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and keys[start + child + 1] < keys[start + child]:
            child += 1
        if keys[start + child] >= key:
            break
        keys[start + at] = keys[start + child]
        items[start + at] = items[start + child]
        at = child
    keys[start + at] = key
    items[start + at] = item


@njit(cache=True, nogil=True)
def _push(keys, items, start, size, key, item):  # pragma: no cover - compiled
    at = size
    while at > 0:
        above = (at - 1) // 2
        if keys[start + above] <= key:
            break
        keys[start + at] = keys[start + above]
        items[start + at] = items[start + above]
        at = above
    keys[start + at] = key
    items[start + at] = item


@njit(cache=True, nogil=True)
def _pop(keys, items, start, size):  # pragma: no cover - compiled
    keys[start] = keys[start + size - 1]
    items[start] = items[start + size - 1]
    if size > 1:
        _sift_down(keys, items, start, size - 1, 0)


# --- the cheapest person to move ---------------------------------------------------------


@njit(cache=True, nogil=True)
def _build_heaps(cost, groups, labels, n_groups, spare):  # pragma: no cover - compiled
    """Heaps of every cell's members, with space for ``spare`` times the usual newcomers.

    An entry goes stale when its person leaves the cell; it is dropped when it comes to the top.
    """
    n, k = cost.shape
    cells = n_groups * k
    members = np.zeros(cells, np.int64)
    for i in range(n):
        members[groups[i] * k + labels[i]] += 1
    room = members + spare * (members // 8 + 16)
    starts = np.zeros(cells, np.int64)
    for cell in range(1, cells):
        starts[cell] = starts[cell - 1] + room[cell - 1] * k
    entries = starts[cells - 1] + room[cells - 1] * k
    keys = np.empty(entries, np.int64)
    items = np.empty(entries, np.int32)
    filled = np.zeros(cells, np.int64)
    for i in range(n):
        here = labels[i]
        cell = groups[i] * k + here
        at = starts[cell] + filled[cell]
        filled[cell] += 1
        for there in range(k):
            keys[at] = cost[i, there] - cost[i, here]
            items[at] = i
            at += room[cell]
    sizes = np.zeros((cells, k), np.int64)
    for cell in range(cells):
        for there in range(k):
            if there != cell % k:
                sizes[cell, there] = members[cell]
                start = starts[cell] + there * room[cell]
                for at in range(members[cell] // 2 - 1, -1, -1):
                    _sift_down(keys, items, start, members[cell], at)
    top_key = np.full((cells, k), _FAR, np.int64)
    top_item = np.full((cells, k), -1, np.int32)
    heaps = Heaps(keys, items, starts, room, sizes, top_key, top_item)
    for cell in range(cells):
        _refresh_tops(heaps, cell, labels)
    return heaps


@njit(cache=True, nogil=True)
def _refresh_tops(heaps, cell, labels):  # pragma: no cover - compiled
    """Drop stale entries of a cell's heaps and record the cheapest person for each target."""
    k = heaps.sizes.shape[1]
    here = cell % k
    for there in range(k):
        start, size = heaps.starts[cell] + there * heaps.room[cell], heaps.sizes[cell, there]
        while size > 0 and labels[heaps.items[start]] != here:
            _pop(heaps.keys, heaps.items, start, size)
            size -= 1
        heaps.sizes[cell, there] = size
        heaps.top_key[cell, there] = heaps.keys[start] if size > 0 else _FAR
        heaps.top_item[cell, there] = heaps.items[start] if size > 0 else -1


@njit(cache=True, nogil=True)
def _enter(heaps, cell, person, prices):  # pragma: no cover - compiled
    """A person joins a cell; False if one of its heaps is full."""
    k = len(prices)
    here = cell % k
    for there in range(k):
        if heaps.sizes[cell, there] == heaps.room[cell]:
            return False
    for there in range(k):
        if there != here:
            start, size = heaps.starts[cell] + there * heaps.room[cell], heaps.sizes[cell, there]
            _push(heaps.keys, heaps.items, start, size, prices[there] - prices[here], person)
            heaps.sizes[cell, there] = size + 1
    return True


# --- shortest paths ----------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _start(cost, groups, low, high, potentials):  # pragma: no cover - compiled
    """Labels and flows that agree with the potentials, and the surplus that they leave."""
    n, k = cost.shape
    root = len(low)
    cells = root - k
    surplus = np.zeros(root + 1, np.int64)
    labels = np.empty(n, np.int32)
    for i in range(n):
        base = groups[i] * k
        best, at = cost[i, 0] - potentials[base], 0
        for cluster in range(1, k):
            reduced = cost[i, cluster] - potentials[base + cluster]
            if reduced < best:
                best, at = reduced, cluster
        labels[i] = at
        surplus[base + at] += 1
    flow = np.empty(root, np.int64)
    for node in range(root):
        above = cells + node % k if node < cells else root
        if potentials[node] > potentials[above]:
            flow[node] = low[node]
        elif potentials[node] < potentials[above]:
            flow[node] = high[node]
        else:
            flow[node] = min(max(surplus[node], low[node]), high[node])
        surplus[node] -= flow[node]
        surplus[above] += flow[node]
    surplus[root] -= n
    return labels, Network(low, high, flow, potentials, surplus)


@njit(cache=True, nogil=True)
def _offer(search, now, queue, u, v, length):  # pragma: no cover - compiled
    """Offer node v a path of this length through u; returns the size of the queue."""
    if search.closed[v] == now or (search.seen[v] == now and search.distance[v] <= length):
        return queue
    search.seen[v] = now
    search.distance[v] = length
    search.parent[v] = u
    _push(search.queue_keys, search.queue_nodes, 0, queue, length, v)
    return queue + 1


@njit(cache=True, nogil=True)
def _shortest_path(network, heaps, search, source, now):  # pragma: no cover - compiled
    """Dijkstra from a surplus to the nearest deficit; updates the potentials, -1 if none."""
    low, high, flow, potentials, surplus = network
    k = heaps.sizes.shape[1]
    root = len(flow)
    cells = root - k
    n_closed = 0
    queue = _offer(search, now, 0, -1, source, 0)
    while queue > 0:
        reach, u = search.queue_keys[0], search.queue_nodes[0]
        _pop(search.queue_keys, search.queue_nodes, 0, queue)
        queue -= 1
        if search.closed[u] == now:
            continue
        search.closed[u] = now
        search.order[n_closed] = u
        n_closed += 1
        if surplus[u] < 0:
            for at in range(n_closed):
                v = search.order[at]
                potentials[v] += search.distance[v] - reach
            return u
        here = reach + potentials[u]
        if u < cells:
            base = u - u % k
            for there in range(k):
                if heaps.top_item[u, there] >= 0:
                    v = base + there
                    length = here + heaps.top_key[u, there] - potentials[v]
                    queue = _offer(search, now, queue, u, v, length)
        elif u < root:
            for v in range(u - cells, cells, k):
                if flow[v] > low[v]:
                    queue = _offer(search, now, queue, u, v, here - potentials[v])
        else:
            for v in range(cells, root):
                if flow[v] > low[v]:
                    queue = _offer(search, now, queue, u, v, here - potentials[v])
        if u < root and flow[u] < high[u]:
            above = cells + u % k if u < cells else root
            queue = _offer(search, now, queue, u, above, here - potentials[above])
    return -1


@njit(cache=True, nogil=True)
def _augment(cost, labels, network, heaps, search, source, target):  # pragma: no cover - compiled
    """Send one person's surplus along the path found; False if the heaps must be rebuilt."""
    k = heaps.sizes.shape[1]
    cells = len(network.flow) - k
    fits = True
    network.surplus[source] -= 1
    network.surplus[target] += 1
    v = target
    while v != source:
        u = search.parent[v]
        if u < cells and v < cells:
            person = heaps.top_item[u, v % k]
            labels[person] = v % k
            fits = _enter(heaps, v, person, cost[person]) and fits
        elif u < v:  # towards the root
            network.flow[u] += 1
        else:
            network.flow[v] -= 1
        v = u
    v = target
    while True:
        if v < cells:
            _refresh_tops(heaps, v, labels)
        if v == source:
            return fits
        v = search.parent[v]


@njit(cache=True, nogil=True)
def solve(cost, groups, low, high, potentials):  # pragma: no cover - compiled
    """Successive shortest paths from the given potentials, which are updated in place.

    Returns the labels, the status and the number of augmentations.
    """
    k = cost.shape[1]
    root = len(low)
    cells = root - k
    labels, network = _start(cost, groups, low, high, potentials)
    augmentations = 0
    if np.all(network.surplus <= 0):
        return labels, OPTIMAL, augmentations
    spare = 1
    heaps = _build_heaps(cost, groups, labels, cells // k, spare)
    arcs = cells * (k + 2) + 2 * k + 1
    search = Search(
        np.zeros(root + 1, np.int64),
        np.zeros(root + 1, np.int64),
        np.zeros(root + 1, np.int64),
        np.zeros(root + 1, np.int64),
        np.zeros(root + 1, np.int64),
        np.empty(arcs, np.int64),
        np.empty(arcs, np.int64),
    )
    for source in range(root + 1):
        while network.surplus[source] > 0:
            augmentations += 1
            target = _shortest_path(network, heaps, search, source, augmentations)
            if target < 0:
                return labels, INFEASIBLE, augmentations
            if not _augment(cost, labels, network, heaps, search, source, target):
                spare *= 2
                heaps = _build_heaps(cost, groups, labels, cells // k, spare)
    return labels, OPTIMAL, augmentations
