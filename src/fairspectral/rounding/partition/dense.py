"""The search on large dense affinities, where one look at all of them takes a second.

The population lives on a coarse graph, whose affinities are sums of the persons' and therefore
exact. Only its best clustering goes down to the persons, whose moves and swaps correct it; the
next coarse graph keeps what is together in it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fairspectral.rounding.partition.coarsen import Level, coarsen, project_up
from fairspectral.rounding.partition.evolve import best_of, evolve
from fairspectral.rounding.partition.search import Effort, Member, Search
from fairspectral.rounding.partition.watch import Watch

# Nodes of the coarse graph: at least so many, and so many for each cluster. A step on it costs
# as many operations, and the graph itself one pass over all affinities whatever its size.
_NODES, _NODES_PER_CLUSTER = 1000, 60


def is_large(finest: Level) -> bool:
    """Whether a graph is dense, and too large to anneal its persons one by one."""
    return finest.graph.dense.shape[0] > 2 * _NODES


def evolve_dense(
    search: Search,
    starts: list[np.ndarray],
    effort: Effort,
    rng: np.random.Generator,
    watch: Watch,
) -> tuple[list[Member | None], list[Member]]:
    """`evolve` on coarse graphs; as many of them in turn as there are generations.

    Returns the members of the first coarse graph, and the best of each, corrected.
    """
    best, first = starts, list[Member | None]()
    members: list[Member] = []
    for turn in range(max(1, effort.generations) if effort.members else 0):
        coarse, maps = _coarse(search, best, rng)
        labels = [project_up(one, maps, coarse.size) for one in best]
        inner = search.on(coarse)
        found, last = evolve(inner, labels, replace(effort, generations=1), rng, watch)
        if turn == 0:
            first = [one and _expand(one, maps) for one in found]
        if not last:
            break
        chosen = _expand(best_of(last), maps)
        members.append(search.finish(chosen, rng))
        if watch.interrupted:
            break
        best = [best_of(members).labels]
    return first, members


def _coarse(
    search: Search, labels: list[np.ndarray], rng: np.random.Generator
) -> tuple[Level, np.ndarray]:
    """A coarse graph on which the given clusterings exist, and the node of each person."""
    finest, k = search.finest, search.k
    same = np.zeros(finest.size, dtype=np.int64)
    for one in labels:
        same = np.unique(same * k + one, return_inverse=True)[1].reshape(-1)
    wanted = max(_NODES, _NODES_PER_CLUSTER * k)
    levels = coarsen(finest, same, wanted, search.most, rng, at_once=True)
    coarsest = levels[-1]
    maps = np.arange(finest.size) if coarsest.into is None else coarsest.into
    return Level(coarsest.graph, coarsest.ties), maps


def _expand(member: Member, maps: np.ndarray) -> Member:
    return Member(member.labels[maps], member.cut, member.outside)
