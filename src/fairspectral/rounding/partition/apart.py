"""The search on a small graph: populations that know nothing of each other, until several agree.

One population may settle on a cut that is not the lowest, and all its members then agree on it.
Several that began apart hardly settle on the same wrong one. So an easy graph costs few
populations, and on a hard one the best of all are combined.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fairspectral.rounding.partition.coarsen import Level
from fairspectral.rounding.partition.evolve import best_of, evolve, evolve_on, is_as_low
from fairspectral.rounding.partition.search import TINY, Effort, Member, Search
from fairspectral.rounding.partition.watch import Watch

# Populations at most, and how many must agree. With two in place of three, 80 people in eight
# clusters had seeds 2 to 4 % above the best known (`benchmarks/cut.py --only lfr80`).
POPULATIONS, _AGREEING = 6, 3
# Nodes of a complete graph up to which there are several too. Its population is quick, but with one
# alone a kernel of 350 people has some seeds that end 0.9 % higher than at a tighter tolerance
# (`benchmarks/cut.py --only tails`).
_FEW_COMPLETE = 500


def suits_populations(finest: Level) -> bool:
    """Whether the graph is so small that several populations take little time."""
    n = finest.size
    return n <= TINY or (n <= _FEW_COMPLETE and len(finest.graph.weights) == n * n)


def evolve_apart(
    search: Search,
    starts: list[np.ndarray],
    effort: Effort,
    rng: np.random.Generator,
    watch: Watch,
) -> tuple[list[Member | None], list[Member]]:
    """`evolve` for a small graph; the parameters are the same.

    The first population begins with the starts, the others with random labels alone.
    """
    first, best = evolve(search, starts, effort, rng, watch)
    if not best:
        return first, best
    champions = [best_of(best)]
    while not watch.interrupted and not _agreed(champions):
        if len(champions) == POPULATIONS:
            champions.append(evolve_on(search, champions, effort.generations, rng, watch))
            break
        made, best = evolve(search, [], effort, rng, watch)
        if best:
            champions.append(_numbered_from(len(first), best_of(best)))
        first += made
    return first, champions


def _numbered_from(number: int, one: Member) -> Member:
    """The same member of a first generation whose starts are counted after others."""
    return one if one.start < 0 else replace(one, start=number + one.start)


def _agreed(champions: list[Member]) -> bool:
    lowest = best_of(champions)
    return sum(is_as_low(one, lowest) for one in champions) >= _AGREEING
