"""The price of fairness in the report: which tolerances are searched, and where the run is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fairspectral.anytime import searching
from fairspectral.frontier import (
    TOLERANCES,
    FairnessFrontier,
    fairness_frontier,
    frontier_beside_run,
)
from fairspectral.report.collect import has_own_bounds
from fairspectral.rounding.archive import is_lower
from fairspectral.rounding.rows import can_search
from fairspectral.validation import Attribute, FairSpectralWarning

# The price of fairness takes about ten clusterings. By default it is computed in full up to the
# first number of samples, and up to the second in fewer steps and with little effort, if the
# affinities are in memory. Several attributes take longer, so they always get fewer steps.
FULL_FRONTIER_SAMPLES, QUICK_FRONTIER_SAMPLES = 5_000, 50_000
QUICK_TOLERANCES = (0.0, 0.05, 0.1, 0.2, 0.5, None)


def compute_frontier(
    model: Any,
    attributes: tuple[Attribute, ...],
    *,
    always: bool = False,
    random_state: Any = 0,
) -> FairnessFrontier | None:
    """The frontier for the report of a model; None where there is none or it would take long.

    Parameters
    ----------
    model : FairSpectralClustering
        Fitted. With fair rounding, its own labels are the point at its own tolerance, unless a
        search at another tolerance finds better ones.
    attributes : tuple of Attribute
        The groups.
    always : bool
        In full, however long it takes.
    random_state : int or None
        Seed for a model without fair rounding.
    """
    if has_own_bounds(model):
        return None
    n, operator = len(model.labels_), model.affinity_operator_
    quick = not always and n > FULL_FRONTIER_SAMPLES
    too_large = n > QUICK_FRONTIER_SAMPLES or not can_search(operator)
    if not attributes or (quick and too_large):
        return None
    steps = QUICK_TOLERANCES if quick or len(attributes) > 1 else TOLERANCES
    params: dict[str, Any] = {"effort": "fast"} if quick else {}
    own = () if model.fair_assignment_ is None else (model.fairness_tol, None)
    if model.time_budget is not None:
        # All of them together take no longer than the model did; its own searches have it whole.
        params["time_budget"] = model.time_budget / sum(step not in own for step in steps)
    with searching(), warnings.catch_warnings():
        # Warnings about the groups were given when the model was fitted.
        warnings.simplefilter("ignore", FairSpectralWarning)
        if model.fair_assignment_ is not None:
            # What fairness cost is judged by the same search without bounds, as long as the run's.
            fairness_frontier(model, tolerances=[None])
            return frontier_beside_run(model, [*steps, model.fairness_tol], **params)
        return fairness_frontier(
            model.embedding_,
            np.stack([attribute.codes for attribute in attributes], axis=1),
            model.n_clusters,
            tolerances=steps,
            affinity=operator,
            n_init=model.n_init,
            random_state=random_state,
            **params,
        )


def own_place(frontier: FairnessFrontier, model: Any) -> int | None:
    """Where on the frontier the run's tolerance is; None if it has none there, or no search.

    Labels by k-means have no tolerance, and costs in the embedding are not comparable with a cut.
    """
    if model.fair_assignment_ is None or frontier.normalized_cut is None:
        return None
    tolerances = list(frontier.tolerances)
    at = tolerances.index(model.fairness_tol) if model.fairness_tol in tolerances else None
    return at if at is not None and frontier.searched[at] else None


def drawn(frontier: FairnessFrontier) -> bool:
    """Whether there is a line to draw, or Ctrl-C left one point of it."""
    return len(frontier.tolerances) == 1 or bool(frontier.searched.sum() > 1)


def has_run(frontier: FairnessFrontier, model: Any) -> bool:
    """Whether the run is the frontier's point at its tolerance, or as good."""
    at = own_place(frontier, model)
    if at is None:
        return False
    there, own = frontier.assignments[at].cost, model.fair_assignment_.cost
    return not is_lower(there, own) and not is_lower(own, there)


def better_cut(frontier: FairnessFrontier, model: Any) -> float | None:
    """The cut on the frontier at the run's tolerance where it is lower than the run's."""
    at = own_place(frontier, model)
    if at is None:
        return None
    cut = frontier.assignments[at].cost
    return cut if is_lower(cut, model.fair_assignment_.cost) else None
