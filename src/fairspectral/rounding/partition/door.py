"""The one function by which the rest of the package searches for a low cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairspectral.anytime import searching
from fairspectral.cut import CutState
from fairspectral.linalg.threads import threads_apart
from fairspectral.rounding.partition.apart import POPULATIONS, evolve_apart, suits_populations
from fairspectral.rounding.partition.coarsen import Level
from fairspectral.rounding.partition.evolve import EFFORTS, best_of, evolve
from fairspectral.rounding.partition.graph import kinds_of_nodes, make_band, make_graph
from fairspectral.rounding.partition.large import LARGE, evolve_large
from fairspectral.rounding.partition.search import Effort, Member, Search
from fairspectral.rounding.partition.watch import Report, Watch
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.sources import RANDOM, Source


@dataclass(frozen=True)
class Partition:
    """The best clustering that was found.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
    cut : float
        Its normalised cut.
    fair : bool
        Whether it is within all bounds.
    sources : tuple of Source
        What each start gave, and which won.
    interrupted : bool
        Whether the search was stopped before its end.
    """

    labels: np.ndarray
    cut: float
    fair: bool
    sources: tuple[Source, ...]
    interrupted: bool


def partition(
    affinity: Any,
    starts: Sequence[tuple[str, np.ndarray]],
    plan: RoundingPlan,
    rng: np.random.Generator,
    effort: str | Effort = "default",
    *,
    time_budget: float | None = None,
    report: Report | None = None,
    progress: tuple[float, float] = (0.0, 1.0),
) -> Partition:
    """Search for the clustering with the lowest normalised cut within the bounds.

    Parameters
    ----------
    affinity : AffinityOperator
        It must hold the rows of ``W`` in memory (`fairspectral.rounding.rows.can_search`).
    starts : sequence of (name, labels)
        Clusterings to begin with, within the bounds or not. The result is never worse than one
        that is within.
    plan : RoundingPlan
        The number of clusters, the bounds, and the floor and the ceiling on the sizes.
    rng : numpy Generator
        The result depends on it alone, whatever the number of threads, unless there is a budget.
    effort : {"fast", "default", "thorough"} or Effort
        How long to search.
    time_budget : float or None
        Seconds after which the best so far is taken, as it is after the first Ctrl-C.
    report : callable or None
        Called now and then with the fraction done and the best cut so far; a true answer ends
        the search.
    progress : tuple of two floats
        Fractions of the whole rounding at which this search begins and ends.
    """
    k = plan.n_clusters
    with threads_apart(), searching(time_budget) as deadline:
        band = make_band(plan)  # compiles, so that Ctrl-C may come here already
        finest = Level(make_graph(affinity, plan.rules, plan.links))
        n = finest.size
        amount = (EFFORTS[effort] if isinstance(effort, str) else effort).suited_to(n, k)
        if plan.links is not None:
            starts = [(name, plan.links.of_nodes(labels, k)) for name, labels in starts]
        jobs = max(amount.members, len(starts) + amount.members // 2)
        jobs += amount.members * amount.generations
        apart = suits_populations(finest) and amount.generations > 0
        jobs *= POPULATIONS if apart else 1
        watch = Watch(3.0 * amount.steps * jobs, deadline, report, progress)
        search = Search(finest, band, k, kinds_of_nodes(finest.graph, plan), amount, watch)
        given = [replace(search.measure(one), start=at) for at, (_, one) in enumerate(starts)]
        if k == 1 or n == k:
            return _result(given or [search.measure(np.arange(n) % k)], (), affinity, plan, watch)
        if given:
            search.calibrate(min(given, key=lambda one: one.worth).labels, rng)
        evolving = evolve_apart if apart else evolve if n <= LARGE else evolve_large
        found, members = evolving(search, [one.labels for one in given], amount, rng, watch)
        best = best_of([*members, *given])
        if best.outside > 0.0 and plan.in_nodes and members:
            # The flow, which brings others into the bounds, knows neither weights nor links.
            best = best_of([best, replace(search.insist(best.labels, rng), start=best.start)])
        best = best_of([replace(search.finish(best, rng), start=best.start), *given])
    sources = _sources([name for name, _ in starts], given, found, best)
    return _result([best], sources, affinity, plan, watch)


def _sources(
    names: list[str], given: list[Member], found: list[Member | None], best: Member
) -> tuple[Source, ...]:
    """What each start gave, those that the search made itself after those with names.

    Of a start that is lower than what was found from it, it is the start itself.
    """

    def gave(at: int) -> float | None:
        members = [*given[at : at + 1], *found[at : at + 1], *[best] * (best.start == at)]
        cuts = [one.cut for one in members if one is not None and one.outside == 0.0]
        return min(cuts, default=None)

    sources = [
        Source(name, one.cut, one.outside == 0.0, gave(at), at == best.start)
        for at, (name, one) in enumerate(zip(names, given, strict=True))
    ]
    made = range(len(names), len(found))
    sources += [Source(RANDOM, None, False, gave(at), at == best.start) for at in made]
    return tuple(sources)


def _result(
    candidates: list[Member],
    sources: tuple[Source, ...],
    affinity: Any,
    plan: RoundingPlan,
    watch: Watch,
) -> Partition:
    best = best_of(candidates)
    labels = best.labels if plan.links is None else best.labels[plan.links.nodes]
    # The cut was updated by many small steps: measure it again.
    cut = CutState.measure(affinity, labels, plan.n_clusters).cut
    return Partition(labels, cut, best.outside == 0.0, sources, watch.interrupted)
