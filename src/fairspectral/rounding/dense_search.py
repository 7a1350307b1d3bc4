"""The search for a low cut on dense affinities: flow, wider bounds, moves after perturbations.

On kernels it ends lower than the multilevel search of `fairspectral.rounding.partition`, which
is for sparse graphs: where everybody is close to everybody there is little to coarsen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from fairspectral.anytime import Deadline
from fairspectral.cut import CutState
from fairspectral.rounding.assign import fair_flow
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.refine import affordable_rounds, flow_steps, local_search, tighten
from fairspectral.rounding.result import all_inside
from fairspectral.rounding.start import Assign, WeightedRows, fair_lloyd

# The wider band of shares, relative to the population's, in which the search for a low cut begins.
_RELAXED = 0.4
# Rounds at each effort, as a part of the default.
_ROUNDS = {"fast": 0.1, "default": 1.0, "thorough": 10.0}

Stage = tuple[str, CutState]


def search_dense(
    plan: RoundingPlan,
    points: WeightedRows,
    affinity: Any,
    state: CutState,
    assign: Assign,
    first_labels: np.ndarray | None,
    rng: np.random.Generator,
    deadline: Deadline,
    begin: float,
) -> Iterator[Stage]:
    """The stages of the search, each with a lower cut than the one before.

    Parameters
    ----------
    plan : RoundingPlan
        Bounds, floor and effort.
    points : WeightedRows
        The rows of the embedding.
    affinity : AffinityOperator
        It holds its rows in memory.
    state : CutState
        The start, within the bounds.
    assign : Assign
        The flow for clusters of its sizes.
    first_labels : ndarray of shape (n,) or None
        Labels before the bounds, from which wider ones are tried.
    rng : numpy Generator
        For the orders and the perturbations.
    deadline : Deadline
        When to stop.
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
    state = flow_steps(affinity, state, assign)
    yield "cut by flow", state
    rounds = rounds_of(plan, affinity)
    if first_labels is not None:
        middle = (1 + begin) / 2
        wide = partial(search, rounds=rounds // 2, progress=(begin, middle))
        other = _by_wider_bounds(plan, points, affinity, first_labels, wide)
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


def _by_wider_bounds(
    plan: RoundingPlan,
    points: WeightedRows,
    affinity: Any,
    labels: np.ndarray,
    search: Callable[..., CutState],
) -> CutState:
    """A clustering with a low cut within wider bounds, moved into the true ones.

    Tight bounds leave few moves, and a search under them gets stuck early.
    """
    wide = [rule.relaxed(_RELAXED) for rule in plan.rules]
    assign, k = fair_flow(plan, wide, labels), plan.n_clusters
    state = CutState.measure(affinity, fair_lloyd(points, labels, k, assign), k)
    state = search(flow_steps(affinity, state, assign), wide)
    return tighten(affinity, state, fair_flow(plan, plan.rules, state.labels))
