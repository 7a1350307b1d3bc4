"""The search for a low cut on dense affinities: moves after perturbations, in wider bounds first.

On most kernels it ends lower than the multilevel search of `fairspectral.rounding.partition`, which
is for sparse graphs: where everybody is close to everybody there is little to coarsen. Kernels of
moderate size get a short one as well, for the sake of those in which some people are close to few.
`scripts/ablate_dense.py` measures what each stage is worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from fairspectral.anytime import Deadline
from fairspectral.cut import CutState
from fairspectral.rounding.assign import fair_flow
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.partition import partition
from fairspectral.rounding.partition.evolve import EFFORTS
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.refine import affordable_rounds, local_search, tighten
from fairspectral.rounding.result import all_inside
from fairspectral.rounding.rows import can_search
from fairspectral.rounding.sources import Source, none_won

# The bands of shares, relative to the population's, in which the search for a low cut begins. From
# the widest one straight to the bounds of a user, much of what it gained would be lost.
_RELAXED = (0.4, 0.3)
# The multilevel search beside them, which finds small clusters of outliers that moves of single
# persons cannot make (`scripts/ablate_dense.py 4area 10 --rows 2000`, `benchmarks/cut.py --only
# tails`). Most other kernels end where they did, so "default" has fewer generations than on graphs.
# For a large kernel it takes too long: every clustering of its population costs several passes over
# all pairs.
_LEVELS = {**EFFORTS, "default": replace(EFFORTS["default"], generations=3)}
_MOST = 3000
# Rounds at each effort, as a part of the default.
_ROUNDS = {"fast": 0.1, "default": 1.0, "thorough": 10.0}

# The names of what the search tries beside the start that was given.
WIDER = "search within wider bounds"
COARSER = "{} through coarser levels"

Stage = tuple[str, CutState, tuple[Source, ...]]
# A clustering that the search may go on from, and the starts that it comes from.
Candidate = tuple[CutState, tuple[Source, ...]]


def search_dense(
    plan: RoundingPlan,
    affinity: Any,
    state: CutState,
    rng: np.random.Generator,
    deadline: Deadline,
    *,
    widen: bool,
    name: str,
    begin: float,
) -> Iterator[Stage]:
    """The stages of the search, each with a lower cut than the one before, and what it began with.

    Parameters
    ----------
    plan : RoundingPlan
        Bounds, floor and effort.
    affinity : AffinityOperator
        It holds its rows in memory.
    state : CutState
        The start, within the bounds.
    rng : numpy Generator
        For the orders and the perturbations.
    deadline : Deadline
        When to stop.
    widen : bool
        Whether to search within wider bounds first. Tight bounds leave few moves, and a search
        under them gets stuck early.
    name : str
        That of the start.
    begin : float
        Fraction of the whole rounding that is done.
    """
    search = partial(
        local_search,
        affinity,
        kinds=plan.kinds,
        smallest=plan.smallest,
        largest=plan.largest,
        rng=rng,
        stopped=lambda: deadline.passed,
    )
    rounds = rounds_of(plan, affinity)
    bands = _wider_bands(plan.rules) if widen and not deadline.passed else []
    levels = _suits_levels(plan, affinity)
    part, span = rounds // (len(bands) + 1), (1 - begin) / (len(bands) + levels + 1)
    candidates: list[Candidate] = [(state, (_source(name, plan, state),))]
    other = state
    for rules, tighter in pairwise([*bands, plan.rules]):
        other = search(other, rules, rounds=part, progress=(begin, begin + span))
        if deadline.passed:  # the flows into tighter bounds take long, and the start is within them
            break
        other = tighten(affinity, other, fair_flow(plan, tighter, other.labels))
        rounds, begin = rounds - part, begin + span
    else:
        if bands:
            candidates.append((other, (Source(WIDER, None, False, None),)))
    if levels and not deadline.passed:
        candidates.append(_through_levels(plan, affinity, state, name, rng, (begin, begin + span)))
        begin += span
    start, several = state, len(candidates) > 1
    if several:
        descended = [(search(one, plan.rules, rounds=0), told) for one, told in candidates]
        state, sources = _choose(plan, descended)
        yield "from wider bounds" if bands else "from coarser levels", state, sources
    found = search(state, plan.rules, rounds=rounds, progress=(begin, 1.0))
    # Its cut was updated by many small steps: measure it again. Then a gain as small as a
    # floating-point error may prove to be none.
    measured = CutState.measure(affinity, found.labels, plan.n_clusters)
    best = _best(plan, [measured, start])
    if not several:
        sources = _choose(plan, [(best, candidates[0][1])])[1]
    yield "cut by moves", best, sources


def _suits_levels(plan: RoundingPlan, affinity: Any) -> bool:
    asked = plan.refine_rounds is None
    return asked and can_search(affinity) and affinity.shape[0] <= _MOST


def _through_levels(
    plan: RoundingPlan,
    affinity: Any,
    state: CutState,
    name: str,
    rng: np.random.Generator,
    progress: tuple[float, float],
) -> Candidate:
    """A clustering by a short multilevel search from a given one, which has the same deadline."""
    effort = _LEVELS[plan.effort]
    found = partition(affinity, [(name, state.labels)], plan, rng, effort, progress=progress)
    sources = (replace(one, name=COARSER.format(one.name)) for one in found.sources)
    return CutState.measure(affinity, found.labels, plan.n_clusters), tuple(sources)


def _source(name: str, plan: RoundingPlan, state: CutState) -> Source:
    return Source(name, state.cut, all_inside(plan.rules, state.labels, plan.n_clusters), None)


def _choose(plan: RoundingPlan, candidates: list[Candidate]) -> Candidate:
    """The best clustering, and the starts of all, of which only its own may have won."""
    best = _best(plan, [state for state, _ in candidates])
    sources: list[Source] = []
    for state, own in candidates:
        if len(own) == 1:
            inside = all_inside(plan.rules, state.labels, plan.n_clusters)
            own = (replace(own[0], found=state.cut if inside else None, won=True),)
        sources += own if state is best else none_won(own)
    return best, tuple(sources)


def rounds_of(plan: RoundingPlan, affinity: Any) -> int:
    """The rounds that were asked for, or those that the effort affords."""
    if plan.refine_rounds is not None:
        return plan.refine_rounds
    return max(1, int(_ROUNDS[plan.effort] * affordable_rounds(affinity, plan.n_clusters)))


def _best(plan: RoundingPlan, states: list[CutState]) -> CutState:
    """The first of the lowest cut; with several attributes some may be outside the bounds, too."""

    def rank(state: CutState) -> tuple[bool, float]:
        return not all_inside(plan.rules, state.labels, plan.n_clusters), state.cut

    return min(states, key=rank)


def _wider_bands(rules: list[FairnessRule]) -> list[list[FairnessRule]]:
    """The rules with wider bands, the widest first; those that are no wider are left out."""
    bands = [[rule.relaxed(tolerance) for rule in rules] for tolerance in _RELAXED]
    return [band for band in bands if any(map(_differ, band, rules))]


def _differ(one: FairnessRule, other: FairnessRule) -> bool:
    return not (np.array_equal(one.lower, other.lower) and np.array_equal(one.upper, other.upper))
