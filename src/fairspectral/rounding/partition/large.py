"""The search on a graph of very many nodes: its population lives on a coarser graph.

What decides the cut is which parts go together, and that is found on a graph of some ten thousand
nodes as well as on one of a million. So the graph is coarsened once, the population evolves on the
coarse graph, and the best clusterings come up through the levels in between, where only borders
change. The work on the coarse graph does not grow with n, and the rest grows in proportion to it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from fairspectral.rounding.partition.coarsen import project_to_coarsest
from fairspectral.rounding.partition.evolve import Job, evolve, run_all
from fairspectral.rounding.partition.search import Effort, Member, Schedule, Search
from fairspectral.rounding.partition.watch import Watch

# Nodes beyond which the population lives on a coarser graph, and of how many nodes. Of a social
# network of 68,000 people it ends 8 % higher there (benchmarks/cut.py --large), and of 100,000
# people in blobs 8 % lower. scripts/ablate_large.py shows what each choice below is worth.
LARGE, POPULATED = 80_000, 30_000
# On the way up it is cooler than in the population, so that what was found survives, and persons
# outside the bounds cost more from the beginning: at the lower prices many are outside at the end,
# and bringing them in one by one raises the cut.
_UP = Schedule(hot=0.1, warm=0.1, cold=0.02, cheap=1.0, fair=3.0, dear=10.0)
# Clusterings that come up to the finest level, each in a thread.
_CLIMBERS = 2


def evolve_large(
    search: Search,
    starts: list[np.ndarray],
    effort: Effort,
    rng: np.random.Generator,
    watch: Watch,
) -> tuple[list[Member | None], list[Member]]:
    """`evolve` for a graph of more than `LARGE` nodes; the parameters are the same.

    Persons become one node only where they are together in all the starts.
    """
    if not effort.members:
        return [], []
    levels = search.coarsen(_agreement(starts, search.finest.size), rng, POPULATED)
    coarse = [project_to_coarsest(labels, levels) for labels in starts]
    population = search.on(levels[-1])
    if coarse:
        measured = [population.measure(labels) for labels in coarse]
        population.calibrate(min(measured, key=lambda one: one.worth).labels, rng)
    first, members = evolve(population, coarse, effort, rng, watch)
    chosen = _different(members)[:_CLIMBERS]
    jobs: list[Job] = [
        partial(search.climb, levels, member.labels, _UP, stream)
        for member, stream in zip(chosen, rng.spawn(len(chosen)), strict=True)
    ]
    climbed = zip(chosen, run_all(jobs, watch), strict=True)
    return first, [replace(one, start=coarse.start) for coarse, one in climbed if one is not None]


def _agreement(starts: list[np.ndarray], n: int) -> np.ndarray:
    """Numbers that are the same for persons who are together in all the starts."""
    same = np.zeros(n, dtype=np.int64)
    for labels in starts:
        pairs = same * (int(labels.max()) + 1) + labels
        same = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    return same


def _different(members: list[Member]) -> list[Member]:
    """The members without copies, the best first."""
    found: list[Member] = []
    for one in sorted(members, key=lambda one: (one.outside > 0.0, one.worth)):
        if not any(np.array_equal(one.labels, other.labels) for other in found):
            found.append(one)
    return found
