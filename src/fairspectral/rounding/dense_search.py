"""The search for a low cut on dense affinities: moves after perturbations, in wider bounds first.

On kernels it ends lower than the multilevel search of `fairspectral.rounding.partition`, which
is for sparse graphs: where everybody is close to everybody there is little to coarsen.
`scripts/ablate_dense.py` measures what each stage is worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from fairspectral.anytime import Deadline
from fairspectral.cut import CutState
from fairspectral.rounding.assign import fair_flow
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.refine import affordable_rounds, local_search, tighten
from fairspectral.rounding.result import all_inside

# The wider band of shares, relative to the population's, in which the search for a low cut begins.
_RELAXED = 0.4
# Rounds at each effort, as a part of the default.
_ROUNDS = {"fast": 0.1, "default": 1.0, "thorough": 10.0}

Stage = tuple[str, CutState]


def search_dense(
    plan: RoundingPlan,
    affinity: Any,
    state: CutState,
    rng: np.random.Generator,
    deadline: Deadline,
    *,
    widen: bool,
    begin: float,
) -> Iterator[Stage]:
    """The stages of the search, each with a lower cut than the one before.

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
    begin : float
        Fraction of the whole rounding that is done.
    """
    search = partial(
        local_search,
        affinity,
        kinds=plan.kinds,
        smallest=plan.smallest,
        rng=rng,
        stopped=lambda: deadline.passed,
    )
    rounds = rounds_of(plan, affinity)
    wide = [rule.relaxed(_RELAXED) for rule in plan.rules]
    if widen and any(_differ(rules) for rules in zip(plan.rules, wide, strict=True)):
        middle = (1 + begin) / 2
        other = search(state, wide, rounds=rounds // 2, progress=(begin, middle))
        other = tighten(affinity, other, fair_flow(plan, plan.rules, other.labels))
        both = [search(start, plan.rules, rounds=0) for start in (state, other)]
        # With several attributes either of them may be outside the bounds.
        state = min(
            both, key=lambda at: (not all_inside(plan.rules, at.labels, len(at.volumes)), at.cut)
        )
        yield "from wider bounds", state
        rounds, begin = rounds - rounds // 2, middle
    yield "cut by moves", search(state, plan.rules, rounds=rounds, progress=(begin, 1.0))


def rounds_of(plan: RoundingPlan, affinity: Any) -> int:
    """The rounds that were asked for, or those that the effort affords."""
    if plan.refine_rounds is not None:
        return plan.refine_rounds
    return max(1, int(_ROUNDS[plan.effort] * affordable_rounds(affinity, plan.n_clusters)))


def _differ(rules: tuple[Any, Any]) -> bool:
    """Whether two rules have different bands."""
    one, other = rules
    return not (np.array_equal(one.lower, other.lower) and np.array_equal(one.upper, other.upper))
