"""Simulated annealing of the normalised cut within bounds, compiled."""

# Compiled, these calls draw from numba's own generator, which `anneal` seeds: it is the fastest.
# ruff: noqa: NPY002

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

# One proposal in so many goes to any cluster, others to the cluster of a random neighbour.
_ANYWHERE = 16
# Steps at one temperature.
_PERIOD = 1024


class Rows(NamedTuple):
    """Affinities: CSR, or a dense array where `pointers` is empty."""

    pointers: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dense: np.ndarray
    diagonal: np.ndarray
    degrees: np.ndarray


class State(NamedTuple):
    """A clustering with everything that a step needs.

    ``members[c, places[i]] == i`` for the persons i of cluster c.
    """

    labels: np.ndarray
    links: np.ndarray
    within: np.ndarray
    volumes: np.ndarray
    table: np.ndarray
    sizes: np.ndarray
    members: np.ndarray
    places: np.ndarray


@numba.njit(cache=True)
def _weight(rows: Any, i: int, j: int) -> float:
    if len(rows.pointers) == 0:
        return rows.dense[i, j]
    low, high = rows.pointers[i], rows.pointers[i + 1]
    at = low + np.searchsorted(rows.indices[low:high], j)
    return rows.weights[at] if at < high and rows.indices[at] == j else 0.0


@numba.njit(cache=True)
def _random_neighbour(rows: Any, i: int, n: int) -> int:
    if len(rows.pointers) == 0:
        return np.random.randint(n)
    low, high = rows.pointers[i], rows.pointers[i + 1]
    return rows.indices[np.random.randint(low, high)] if high > low else np.random.randint(n)


@numba.njit(cache=True)
def _move(rows: Any, state: Any, group: int, i: int, b: int) -> None:
    """Put person i into cluster b, with all that follows."""
    a = state.labels[i]
    state.within[a] += rows.diagonal[i] - 2 * state.links[i, a]
    state.within[b] += rows.diagonal[i] + 2 * state.links[i, b]
    state.volumes[a] -= rows.degrees[i]
    state.volumes[b] += rows.degrees[i]
    state.table[group, a] -= 1
    state.table[group, b] += 1
    last = state.members[a, state.sizes[a] - 1]
    state.members[a, state.places[i]] = last
    state.places[last] = state.places[i]
    state.members[b, state.sizes[b]] = i
    state.places[i] = state.sizes[b]
    state.sizes[a] -= 1
    state.sizes[b] += 1
    state.labels[i] = b
    if len(rows.pointers) == 0:
        for j in range(len(state.labels)):
            state.links[j, a] -= rows.dense[i, j]
            state.links[j, b] += rows.dense[i, j]
    else:
        for at in range(rows.pointers[i], rows.pointers[i + 1]):
            state.links[rows.indices[at], a] -= rows.weights[at]
            state.links[rows.indices[at], b] += rows.weights[at]


@numba.njit(cache=True)
def _inside(
    table: np.ndarray, size: int, c: int, low: Any, high: Any, out: int, enter: int
) -> bool:
    """Whether cluster c is within bounds at a size, after a person of one group left (-1: nobody)
    and one of another entered.
    """
    for s in range(len(table)):
        persons = table[s, c] - (s == out) + (s == enter)
        if persons < low[s, size] or persons > high[s, size]:
            return False
    return True


@numba.njit(cache=True)
def anneal(
    rows: Any,
    state: Any,
    groups: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    floor: int,
    hot: float,
    cold: float,
    steps: int,
    seed: int,
) -> None:
    """Metropolis steps at a temperature that falls geometrically from `hot` to `cold`.

    Bounds `low` and `high` have shape (h, n + 1): persons of each group in a cluster of each size.
    """
    np.random.seed(seed)
    n, k = len(state.labels), len(state.sizes)
    within, volumes, links = state.within, state.volumes, state.links
    temperature = hot
    for step in range(steps):
        if step % _PERIOD == 0:
            temperature = hot * (cold / hot) ** (step / steps)
        i = np.random.randint(n)
        a = state.labels[i]
        if np.random.randint(_ANYWHERE) == 0:
            b = np.random.randint(k)
        else:
            b = state.labels[_random_neighbour(rows, i, n)]
        if a == b:
            continue
        # What changes is the sum of within / volume over the two clusters.
        da, db = rows.degrees[i], rows.degrees[i]
        wa = within[a] - 2 * links[i, a] + rows.diagonal[i]
        wb = within[b] + 2 * links[i, b] + rows.diagonal[i]
        j = -1
        if np.random.randint(2) == 0:
            if state.sizes[a] <= floor:
                continue
            if not _inside(state.table, state.sizes[a] - 1, a, low, high, groups[i], -1):
                continue
            if not _inside(state.table, state.sizes[b] + 1, b, low, high, -1, groups[i]):
                continue
        else:
            j = state.members[b, np.random.randint(state.sizes[b])]
            if groups[i] != groups[j]:
                if not _inside(state.table, state.sizes[a], a, low, high, groups[i], groups[j]):
                    continue
                if not _inside(state.table, state.sizes[b], b, low, high, groups[j], groups[i]):
                    continue
            w = _weight(rows, i, j)
            wa += 2 * (links[j, a] - w) + rows.diagonal[j]
            wb += rows.diagonal[j] - 2 * (links[j, b] + w)
            da -= rows.degrees[j]
            db -= rows.degrees[j]
        va, vb = volumes[a] - da, volumes[b] + db
        if va <= 0 or vb <= 0:
            continue
        gain = wa / va + wb / vb - within[a] / volumes[a] - within[b] / volumes[b]
        if gain >= 0 or np.random.random() < np.exp(gain / temperature):
            _move(rows, state, groups[i], i, b)
            if j >= 0:
                _move(rows, state, groups[j], j, a)
