"""The stages of the fair rounding, for a request that was checked.

1. k-means on the rows of the embedding, with a floor on the sizes of the clusters;
2. bounds in whole persons on every cell (group, cluster), and the exact flow that meets them at
   the least distance to the centroids, alternated with updates of the sizes and the centroids;
3. where the affinity is known, the search for the lowest normalised cut within the bounds:
   multilevel on sparse graphs (`fairspectral.rounding.partition`), by moves on dense affinities
   (`dense_search`), and by the flow and batches of moves where rows cannot be had (`stand_in`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairspectral.affinity.fringe import Fringe
from fairspectral.anytime import Deadline, searching
from fairspectral.cut import CutState
from fairspectral.parameters import seeded
from fairspectral.progress import ROUNDING, report
from fairspectral.rounding.assign import fair_flow
from fairspectral.rounding.band import into_band
from fairspectral.rounding.dense_search import rounds_of, search_dense
from fairspectral.rounding.gram import GramOperator
from fairspectral.rounding.history import History
from fairspectral.rounding.inputs import check_labels, check_weights
from fairspectral.rounding.partition import partition
from fairspectral.rounding.partition.evolve import EFFORTS
from fairspectral.rounding.partition.search import Effort
from fairspectral.rounding.placement import (
    beside_fringe,
    fringe_of_nodes,
    settle_pieces,
    start_beside_fringe,
)
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.refine import flow_steps, local_search, tighten
from fairspectral.rounding.result import FairAssignment, all_inside, certify
from fairspectral.rounding.rows import can_move, suits_levels
from fairspectral.rounding.sources import Source, one_after_another
from fairspectral.rounding.stand_in import batches_of_moves
from fairspectral.rounding.start import (
    WeightedRows,
    fair_lloyd,
    floored_clusters,
    nearest_with_floor,
)

# Up to this many rows, single persons matter to the k-means cost and all inner products are cheap.
_GRAM_ROWS = 2000

# The rounds that correspond to the default effort of the search.
_ROUNDS = 100

# People of a dense affinity beyond whom, with weights or links, it is searched with less effort:
# every clustering of the population costs several passes over all pairs. Fits of 8,000 people took
# half of the processor time, and ended at the same cut.
_MANY_DENSE = 3000
_LESS = {"fast": "fast", "default": "fast", "thorough": "default"}

# Names of the first stage: of one's own, of labels that were given, and of an earlier search.
KMEANS = "k-means with a floor"
INITIAL = "initial labels"
KNOWN = "known labels"
# Name of the last stage where neither the rows of the affinities nor single ones can be had.
BATCHES = "cut by batches of moves"
# Name of the last stage where small components were set aside.
SETTLED = "small components placed whole"

# Rough share of the time before the search for a low cut.
_STARTED = 0.2


def follow_plan(
    plan: RoundingPlan,
    rows: np.ndarray,
    *,
    affinity: Any = None,
    sample_weight: Any = None,
    centroids: np.ndarray | None = None,
    initial_labels: Any = None,
    initial_name: str = INITIAL,
    starts: Sequence[tuple[str, np.ndarray]] = (),
    fringe: Fringe | None = None,
    n_init: int = 10,
    random_state: Any = None,
) -> FairAssignment:
    """`fair_assignment` for a validated request; `rows` is the embedding.

    `starts` are clusterings by name, in place of k-means, for an affinity that can be searched.
    Pieces of the `fringe` are placed again at the end, whole if the search has split them.
    From the beginning one time budget is for all of it, and one Ctrl-C ends it: then only what the
    bounds need is done.
    """
    n, k = len(rows), plan.n_clusters
    if affinity is not None and affinity.shape[0] != n:
        raise ValueError(
            f"affinity has {affinity.shape[0]} nodes but the embedding has {n} rows; pass the "
            "affinity that the embedding came from."
        )
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    points = WeightedRows.scaled(rows, weights, plan.row_scaling, affinity)
    seeds = seeded(random_state)
    rng = np.random.default_rng(seeds.randint(2**31 - 1))
    history = History(points, affinity, k)

    searched, fair = _without_leftovers(plan, affinity, fringe), False
    with searching(plan.time_budget) as deadline:
        if starts:
            history.add(*starts[0])
            report(ROUNDING, _STARTED)
            fair = _search_graph(affinity, list(starts), searched, rng, history)
        elif fringe and initial_labels is None:
            seed = seeds.randint(2**31 - 1)
            labels, points = start_beside_fringe(points, affinity, fringe, searched, n_init, seed)
            history = History(points, affinity, k)
            history.add(KMEANS, labels)
        else:
            name, labels = _start(points, plan, centroids, initial_labels, n_init, seeds)
            history.add(name if initial_labels is None else initial_name, labels)
        if not starts:
            report(ROUNDING, _STARTED)
        if not fair and starts and not plan.in_nodes:
            _into_the_bounds(searched, affinity, history, rng, deadline)
        elif not fair:
            _from_one_start(
                searched, points, affinity, history, centroids, initial_labels, rng, deadline
            )
        if fringe:
            settled = settle_pieces(affinity, history.labels, fringe, searched)
            history.add(SETTLED, settled)
            history.stopped = history.stopped or deadline.passed
    return certify(history.labels, plan, history.stages, history.starts, stopped=history.stopped)


def _without_leftovers(plan: RoundingPlan, affinity: Any, fringe: Fringe | None) -> RoundingPlan:
    """The plan of a search that makes no cluster out of small components."""
    if plan.in_nodes and affinity is not None:
        # They stay in the embedding, which knows neither weights nor links of components.
        fringe = fringe_of_nodes(affinity, plan)
    return beside_fringe(plan, fringe) if fringe else plan


def measure_labels(
    plan: RoundingPlan,
    rows: np.ndarray,
    labels: np.ndarray,
    affinity: Any = None,
    sample_weight: Any = None,
    name: str = KNOWN,
) -> FairAssignment:
    """A clustering from elsewhere as a result: its costs, and what the plan's bounds say of it."""
    k = plan.n_clusters
    weights = None if sample_weight is None else check_weights(sample_weight, len(rows))
    history = History(WeightedRows.scaled(rows, weights, plan.row_scaling, affinity), affinity, k)
    history.add(name, labels)
    return certify(labels, plan, history.stages)


def _from_one_start(
    plan: RoundingPlan,
    points: WeightedRows,
    affinity: Any,
    history: History,
    centroids: np.ndarray | None,
    initial_labels: Any,
    rng: np.random.Generator,
    deadline: Deadline,
) -> None:
    """Move the first labels into the bounds, then lower the cut; without an affinity, the cost."""
    first, k = (history.stages[-1].name, history.labels), plan.n_clusters
    if plan.in_nodes:
        _search_nodes(plan, points, affinity, history, rng)
        return
    labels = history.labels
    # Without an affinity nothing refines the sizes later.
    assign = fair_flow(plan, plan.rules, labels, thorough=affinity is None)
    # Labels that are fair already, and whose cut will be refined, need no Lloyd steps.
    if initial_labels is None or affinity is None or not all_inside(plan.rules, labels, k):
        if centroids is None:
            labels = fair_lloyd(points, labels, k, assign)
        else:
            costs = points.costs(centroids)
            assign.resize(costs)
            labels = assign(costs).labels
        history.add("fair flow", labels)
    if affinity is None:
        if centroids is None and len(labels) <= _GRAM_ROWS and (points.weights > 0).all():
            _lower_the_cost(plan, points, history, rng, deadline)
    elif not can_move(affinity):
        _search_by_batches(plan, affinity, history, assign, deadline)
    elif suits_levels(affinity):
        _search_graph(affinity, [first, ("fair flow", labels)], plan, rng, history)
    else:
        assert history.measured is not None
        stages = search_dense(
            plan,
            affinity,
            history.measured,
            rng,
            deadline,
            widen=centroids is None and initial_labels is None,
            name=history.stages[-1].name,
            begin=_STARTED,
        )
        for name, state, history.starts in stages:
            history.add(name, state.labels, state)
        history.stopped = deadline.passed


def _search_by_batches(
    plan: RoundingPlan, affinity: Any, history: History, assign: Any, deadline: Deadline
) -> None:
    """The flow on the cut, and then moves of many persons at once."""
    assert history.measured is not None
    start, inside = history.stages[-1], all_inside(plan.rules, history.labels, plan.n_clusters)
    state = flow_steps(affinity, history.measured, assign)
    history.add("cut by flow", state.labels, state)
    state = batches_of_moves(
        affinity,
        state,
        plan.rules,
        smallest=plan.smallest,
        largest=plan.largest,
        stopped=lambda: deadline.passed,
    )
    history.stopped = deadline.passed
    history.add(BATCHES, state.labels, state)
    source = Source(start.name, start.normalized_cut, inside, state.cut, won=True)
    history.starts = (source,)


def _into_the_bounds(
    plan: RoundingPlan,
    affinity: Any,
    history: History,
    rng: np.random.Generator,
    deadline: Deadline,
) -> None:
    """Bring what a search left outside its bounds into them by the flow, and search from there.

    At the fast effort it is a descent only: a second search would take as long as all the rest.
    So it is after a search that was stopped.
    """
    assert history.measured is not None
    found = (history.stages[-1].name, history.labels)
    near = tighten(affinity, history.measured, fair_flow(plan, plan.rules, history.labels))
    history.add("fair flow", near.labels, near)
    effort = EFFORTS[plan.effort]
    if plan.effort == "fast" or deadline.passed:
        effort = effort.scaled(0)
    _search_graph(affinity, [found, ("fair flow", near.labels)], plan, rng, history, effort)


def _search_nodes(
    plan: RoundingPlan,
    points: WeightedRows,
    affinity: Any,
    history: History,
    rng: np.random.Generator,
) -> None:
    """Search for the lowest cut of persons with weights or links, from the flow by heads.

    The flow moves whole persons, who are alike but for their groups, so that it ends near the
    bounds only; the search moves everybody into them, if it can.
    """
    first, k = (history.stages[-1].name, history.labels), plan.n_clusters
    heads = plan.by_heads()
    labels = fair_lloyd(points, history.labels, k, fair_flow(heads, heads.rules, history.labels))
    if plan.links is not None:
        labels = plan.links.together(labels, k)
    history.add("fair flow by heads", labels)
    _search_graph(affinity, [first, ("fair flow by heads", labels)], plan, rng, history)


def _search_graph(
    affinity: Any,
    starts: list[tuple[str, np.ndarray]],
    plan: RoundingPlan,
    rng: np.random.Generator,
    history: History,
    effort: Effort | None = None,
) -> bool:
    """Search for the lowest cut of a sparse graph; whether it ends within the bounds."""
    if effort is None:
        large = affinity.shape[0] > _MANY_DENSE and not suits_levels(affinity)
        effort = EFFORTS[_LESS[plan.effort] if large else plan.effort]
    if plan.refine_rounds is not None:
        effort = effort.scaled(plan.refine_rounds / _ROUNDS)
    found = partition(
        affinity,
        starts,
        plan,
        rng,
        effort,
        progress=(_STARTED, 1.0),
    )
    history.add("cut by search", found.labels)
    # Of a second search too, which begins where the first one ended outside the bounds.
    history.starts = one_after_another(history.starts, found.sources)
    history.stopped = history.stopped or found.interrupted
    return found.fair


def _lower_the_cost(
    plan: RoundingPlan,
    points: WeightedRows,
    history: History,
    rng: np.random.Generator,
    deadline: Deadline,
) -> None:
    """Moves and swaps that lower the k-means cost, then small clusters into the band."""
    gram = GramOperator(points)
    measured = CutState.measure(gram, history.labels, plan.n_clusters)
    state = local_search(
        gram,
        measured,
        plan.rules,
        plan.kinds,
        smallest=plan.smallest,
        largest=plan.largest,
        rounds=rounds_of(plan, gram),
        rng=rng,
        progress=(_STARTED, 1.0),
        stopped=lambda: deadline.passed,
    )
    history.stopped = deadline.passed
    history.add("cost by moves", state.labels)
    history.add("into the band", into_band(points, state.labels, plan))


def _start(
    points: WeightedRows,
    plan: RoundingPlan,
    centroids: np.ndarray | None,
    initial_labels: Any,
    n_init: int,
    seeds: Any,
) -> tuple[str, np.ndarray]:
    """The name of the first stage, and its labels."""
    k, smallest, largest = plan.n_clusters, plan.smallest, plan.largest
    if initial_labels is not None:
        given = check_labels(initial_labels, len(points.rows), k, smallest, largest=largest)
        return INITIAL, given
    if centroids is not None:
        return "nearest centroid", nearest_with_floor(points, centroids, smallest, largest)
    seed = seeds.randint(2**31 - 1)
    return KMEANS, floored_clusters(points, k, smallest, n_init, seed, largest=largest)
