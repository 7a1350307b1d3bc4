"""Simulated annealing of a clustering on the cut, with a price on persons outside the bounds.

Importing this module imports numba.

A hard bound leaves few moves, so that a search gets stuck early. Here persons outside the bounds
cost something, at first little and at the end more than they can be worth.
"""

from __future__ import annotations

import math

import numpy as np

from fairspectral.linalg.compiled import njit
from fairspectral.rounding.partition.state_kernels import gain_of, move, outside_after, swap_gain

# Of a swap, the second node is the first suitable one among this many random nodes; with fewer,
# swaps of persons in small clusters are rarely found (scripts/ablate_partition.py lastfm 5).
_PARTNERS = 64
# The temperature changes after this many steps: powers cost more than a step.
_BEAT = 128
# One step in so many takes any node and any cluster. On sparse graphs the cheapest fair clusters
# are small, and put together of parts that have no links with each other, some from each group:
# only such steps exchange one part for another (scripts/ablate_partition.py lastfm 5).
_ANYWHERE = 2


@njit(cache=True, nogil=True, inline="always")
def _next(random):  # pragma: no cover - compiled
    """The next number of xorshift64*, in the upper half of 64 bits."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return (x * np.uint64(2685821657736338717)) >> np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def _below(random, bound):  # pragma: no cover - compiled
    """A random whole number below `bound`."""
    return np.int64((_next(random) * np.uint64(bound)) >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def _uniform(random):  # pragma: no cover - compiled
    """A random number above 0, at most 1."""
    return (np.float64(_next(random)) + 1.0) * 2.0**-32


@njit(cache=True, nogil=True)
def _pick(graph, state, random):  # pragma: no cover - compiled
    """A random node that may move, and a cluster for it, its own where there is none."""
    m, k = len(state.labels), len(state.sizes)
    if _below(random, _ANYWHERE) == 0:
        return _below(random, m), _below(random, k)
    if state.length[0] == 0:
        return 0, state.labels[0]
    i = np.int64(state.border[_below(random, state.length[0])])
    first, last = graph.indptr[i], graph.indptr[i + 1]
    for _ in range(4):
        there = state.labels[graph.indices[first + _below(random, last - first)]]
        if there != state.labels[i]:
            return i, there
    return i, state.labels[i]


@njit(cache=True, nogil=True)
def _partner(state, random, there):  # pragma: no cover - compiled
    """A random node of a cluster, on the border if there is one; -1 if none was met."""
    m = len(state.labels)
    border = state.length[0]
    for _ in range(_PARTNERS):
        j = np.int64(state.border[_below(random, border)]) if border else _below(random, m)
        if state.labels[j] == there:
            return j
    return -1


@njit(cache=True, nogil=True)
def typical_gain(graph, state, random, tries):  # pragma: no cover - compiled
    """The mean size of the change of the cut when a random node moves to where it is best."""
    total = 0.0
    for _ in range(tries):
        i = _below(random, len(state.labels))
        best = -np.inf
        for there in range(len(state.sizes)):
            if there != state.labels[i]:
                best = max(best, gain_of(graph, state, i, there))
        total += abs(best)
    return total / tries


@njit(cache=True, nogil=True)
def anneal(
    graph, band, state, first, steps, hot, cold, cheap, dear, random, work
):  # pragma: no cover - compiled
    """Random moves and swaps, kept by Metropolis' rule at a falling temperature.

    What is lowered is the cut plus the price of the share of each cluster that is outside the
    bounds; temperature and price change geometrically from (`hot`, `cheap`) to (`cold`, `dear`).
    Begins at step `first` of `steps`, and returns the step it came to when its `work` was done.
    """
    temperature, price = hot, cheap
    for step in range(first, steps):
        if step % _BEAT == 0 or step == first:
            done = step / steps
            temperature = hot * (cold / hot) ** done
            price = cheap * (dear / cheap) ** done
            if work <= 0:
                return step
            work -= _BEAT
        i, there = _pick(graph, state, random)
        here = state.labels[i]
        if here == there:
            continue
        needed = temperature * math.log(_uniform(random))  # below 0
        now = state.outside[here] + state.outside[there]
        # A cluster at the floor can only change its members.
        if state.sizes[here] - graph.persons[i] >= band.smallest:
            gain = gain_of(graph, state, i, there)
            if gain + price * now <= needed:
                continue
            after_here = outside_after(graph, band, state, here, -1, i)
            after_there = outside_after(graph, band, state, there, i, -1)
            if gain + price * (now - after_here - after_there) > needed:
                move(graph, state, i, there)
                state.outside[here], state.outside[there] = after_here, after_there
                continue
        j = _partner(state, random, there)
        if j < 0 or state.sizes[there] + graph.persons[i] - graph.persons[j] < band.smallest:
            continue
        if state.sizes[here] + graph.persons[j] - graph.persons[i] < band.smallest:
            continue
        gain = swap_gain(graph, state, i, j)
        if gain + price * now <= needed:
            continue
        after_here = outside_after(graph, band, state, here, j, i)
        after_there = outside_after(graph, band, state, there, i, j)
        if gain + price * (now - after_here - after_there) > needed:
            move(graph, state, i, there)
            move(graph, state, j, here)
            state.outside[here], state.outside[there] = after_here, after_there
    return steps
