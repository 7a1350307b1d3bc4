"""The price of fairness: how the cut and the embedding cost rise as the tolerance tightens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fairspectral.axes import axes_or_new
from fairspectral.parameters import did_you_mean
from fairspectral.prices import (
    negligible_cut,
    negligible_spread,
    point_in_words,
    relative_price,
    stopped_in_words,
    tolerance_in_words,
)
from fairspectral.rounder import Rounder
from fairspectral.rounding.bounds import check_fairness_tol
from fairspectral.rounding.inputs import check_inputs, check_labels
from fairspectral.rounding.plan import RoundingPlan, plan_rounding
from fairspectral.rounding.result import FairAssignment
from fairspectral.rounding.rows import can_search
from fairspectral.set_aside import SetAside, choose_aside
from fairspectral.text_table import aligned

TOLERANCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, None)


# Arguments of `fair_assignment` about the data, about the request, and of the request those
# that may differ from a fitted model's.
_OF_DATA = ("attribute_mode", "affinity", "sample_weight", "centroids", "n_init", "random_state")
_OF_SEARCH = ("effort", "time_budget")
_OF_REQUEST = ("bounds", "shares", "target_proportions", "lower", "upper", "min_cluster_size",
               "max_cluster_size", "refine_rounds", "row_scaling", *_OF_SEARCH)  # fmt: skip


@dataclass(frozen=True)
class FairnessFrontier:
    """Fair clusterings of the same data from the tightest tolerance to the loosest.

    Attributes
    ----------
    tolerances : tuple of float, mapping or None
        Ascending, by their mean where attributes have their own; None, last, is no constraint.
    assignments : tuple of FairAssignment
        The clustering at each tolerance.
    set_aside : tuple of SetAside
        People in components too small to be a cluster, who had no part in the embedding of the
        clusters, and where the clustering at each tolerance has them.
    effort : str or None
        How long was searched at each tolerance.
    negligible : float
        The cost up to which it is zero but for floating-point error.
    """

    tolerances: tuple[Any, ...]
    assignments: tuple[FairAssignment, ...]
    set_aside: tuple[SetAside, ...] = ()
    effort: str | None = None
    negligible: float = 0.0

    def at(self, tolerance: Any) -> FairAssignment:
        """The clustering at one of the tolerances."""
        if tolerance not in self.tolerances:
            known = ", ".join(f"{t:g}" if isinstance(t, Real) else str(t) for t in self.tolerances)
            raise ValueError(
                f"tolerance {tolerance!r} is not on this frontier, which has {known}; pass it in "
                "tolerances."
            )
        return self.assignments[self.tolerances.index(tolerance)]

    @property
    def searched(self) -> np.ndarray:
        """Whether there was a search at each tolerance, or Ctrl-C came before."""
        return np.array([a.searched for a in self.assignments])

    @property
    def caution(self) -> str:
        """Which searches were stopped early or not made, in words; empty if none."""
        return stopped_in_words(self.tolerance_names, self.assignments)

    @property
    def normalized_cut(self) -> np.ndarray | None:
        """The cut at each tolerance, or None where no affinity is known."""
        if self.assignments[0].normalized_cut is None:
            return None
        return np.array([a.normalized_cut for a in self.assignments])

    @property
    def embedding_cost(self) -> np.ndarray:
        """The k-means cost at each tolerance."""
        return np.array([a.embedding_cost for a in self.assignments])

    @property
    def cost(self) -> np.ndarray:
        """The cost that is plotted: the cut where it is known, else the embedding cost.

        What is zero but for floating-point error, perhaps below it, is zero here.
        """
        cost = np.array([a.cost for a in self.assignments])
        return np.where(cost > self.negligible, cost, 0.0)

    @property
    def cost_name(self) -> str:
        """The name of `cost`."""
        return "embedding cost" if self.normalized_cut is None else "normalised cut"

    @property
    def price(self) -> np.ndarray:
        """Cost at each tolerance relative to the loosest one.

        It is nan where either was not searched, or the loosest cost is zero.
        """
        known = self.searched & self.searched[-1]
        prices = [relative_price(cost, self.cost[-1], self.negligible) for cost in self.cost]
        return np.where(known, prices, np.nan)

    @property
    def loosest_is_zero(self) -> bool:
        """Whether the loosest cost is zero, so that no other can be relative to it."""
        return bool(self.searched[-1] and self.cost[-1] <= self.negligible)

    @property
    def tolerance_names(self) -> list[str]:
        """The tolerances in percent; the last may be "none"."""
        return [tolerance_in_words(t) for t in self.tolerances]

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each tolerance, for a table or a DataFrame."""
        return [
            {
                "fairness_tol": tolerance,
                "normalized_cut": a.normalized_cut,
                "embedding_cost": a.embedding_cost,
                "price": None if np.isnan(price) else float(price),
                "achieved_tol": a.achieved_tol,
                "certified": a.certified,
                "searched": a.searched,
                "stopped": a.stopped,
            }
            for tolerance, a, price in zip(
                self.tolerances, self.assignments, self.price, strict=True
            )
        ]

    def table(self) -> list[list[str]]:
        """The points as a table of text, with a header."""
        table = [["tolerance", self.cost_name, "price", "largest deviation", "certified"]]
        for name, row, cost in zip(self.tolerance_names, self.rows(), self.cost, strict=True):
            table.append([name, *point_in_words(row, f"{cost:.4g}")])
        return table

    def __str__(self) -> str:
        return "\n\n".join(filter(None, [aligned(self.table()), self.caution]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        style = "text-align:right;padding:2px 10px"
        rows = []
        for i, row in enumerate(self.table()):
            tag = "td" if i else "th"
            rows.append("".join(f'<{tag} style="{style}">{cell}</{tag}>' for cell in row))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f'<table style="border-collapse:collapse;margin:6px 0">{body}</table>'
        return f"{table}<small>{escape(self.caution)}</small>" if self.caution else table

    def plot(self, ax: Any = None) -> Any:
        """Draw the cost against the tolerance; returns the matplotlib axes.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        """
        ax = axes_or_new(ax)
        places = np.arange(len(self.tolerances))
        ax.plot(places[self.searched], self.cost[self.searched], marker="o")
        ax.set_xticks(places, self.tolerance_names)
        ax.set_xlabel("tolerance")
        ax.set_ylabel(self.cost_name)
        ax.set_title("the price of fairness")
        ax.grid(axis="y", alpha=0.3)
        return ax


def fairness_frontier(
    embedding: Any,
    sensitive_features: Any = None,
    n_clusters: int | None = None,
    *,
    tolerances: Sequence[Any] = TOLERANCES,
    known: Iterable[Any] = (),
    **params: Any,
) -> FairnessFrontier:
    """Cluster at several tolerances: the best clustering that is known within each.

    At each tolerance there is a search, as good as that of a model with this tolerance. Then the
    clusterings of all of them count wherever they are within the bounds, so the cost never rises
    along the frontier, as long as every clustering is certified. Ctrl-C, pressed once, ends all
    searches: a tolerance that was not searched has the best clustering that is known, but no price,
    and ``caution`` names it. From a model the clusterings
    that it has found before count as well: at its own tolerance the frontier has the model's own
    labels, unless a search at another tolerance has found better ones.

    Parameters
    ----------
    embedding : FairSpectralClustering, or array of shape (n, d)
        A model that was fitted with fair rounding; or the rows to cluster, with
        `sensitive_features` and `n_clusters` as in `fairspectral.fair_assignment`.
    sensitive_features, n_clusters
        As in `fairspectral.fair_assignment`; a model has them already.
    tolerances : sequence of float, mapping or None
        In any order; None means no constraint. A number is the tolerance of every attribute, also
        for a model with one for each: its own is on the frontier only if it is among these.
        A mapping such as ``{"sex": 0.1, "region": 0.3}`` gives each attribute its own; where of two
        of them neither is as tight as the other in every attribute, the cost may be larger at the
        later one.
    known : iterable of arrays of shape (n,)
        Clusterings from elsewhere: no result is worse than one of these within its bounds.
    **params
        With rows, further arguments of `fairspectral.fair_assignment`: the affinity, the seed,
        ... With a model, ``effort`` and ``time_budget`` if they should not be the model's.

    Returns
    -------
    FairnessFrontier
    """
    if "fairness_tol" in params or "initial_labels" in params:
        raise TypeError("fairness_frontier sets fairness_tol and initial_labels; pass tolerances.")
    ordered = _ordered(tolerances)
    if isinstance(embedding, BaseEstimator):
        if sensitive_features is not None or n_clusters is not None:
            raise TypeError(
                "a fitted model has its sensitive_features and n_clusters; leave them out."
            )
        rounder, plans = _from_model(embedding, ordered, params)
    else:
        rounder, plans = _from_rows(embedding, sensitive_features, n_clusters, ordered, params)
    for labels in known:
        checked = check_labels(labels, len(rounder.rows), plans[0].n_clusters, 1, "known labels")
        rounder.know(checked, plans[0])
    return _search_all(rounder, plans, ordered, plans[0].effort)


def frontier_beside_run(model: Any, tolerances: Sequence[Any], **params: Any) -> FairnessFrontier:
    """The frontier of a fitted model for its report: `params` are not for the run's own searches.

    At the model's tolerance, and without bounds, by which what fairness cost is judged, the search
    is the model's own, with its effort and its whole time budget. It is not made again, and what
    is said of it is true of the run.
    """
    ordered = _ordered(tolerances)
    rounder, plans = _from_model(model, ordered, params, as_run=(model.fairness_tol, None))
    return _search_all(rounder, plans, ordered, params.get("effort", model.effort))


def _search_all(
    rounder: Rounder, plans: list[RoundingPlan], ordered: list[Any], effort: str
) -> FairnessFrontier:
    found = rounder.round_all(plans)
    aside = (
        SetAside.of(rounder.fringe, one.labels, one.min_cluster_size, rounder.trees_of(one))
        for one in found
    )
    negligible = negligible_cut(plans[0].n_clusters)
    if rounder.operator is None:
        negligible = negligible_spread(rounder.spread(plans[0]))
    return FairnessFrontier(tuple(ordered), tuple(found), tuple(aside), effort, negligible)


def _ordered(tolerances: Any) -> list[Any]:
    """The tolerances, validated, from tight to loose."""
    if isinstance(tolerances, str) or not isinstance(tolerances, Iterable):
        raise TypeError(f"tolerances={tolerances!r} is not a list; pass several, or [0.2] for one.")
    different: list[Any] = []
    for tolerance in tolerances:
        for one in tolerance.values() if isinstance(tolerance, Mapping) else [tolerance]:
            check_fairness_tol(one)
        if tolerance not in different:
            different.append(tolerance)
    if not different:
        raise ValueError("tolerances is empty; pass at least one, for example (0, 0.2, None).")
    return sorted(different, key=_mean_tolerance)


def _mean_tolerance(tolerance: Any) -> float:
    if isinstance(tolerance, Mapping):
        return float(np.mean([_mean_tolerance(one) for one in tolerance.values()]))
    return np.inf if tolerance is None else float(tolerance)


def _from_model(
    model: Any, tolerances: list[Any], params: dict[str, Any], as_run: Sequence[Any] = ()
) -> tuple[Rounder, list[RoundingPlan]]:
    """The model's own rounder, and what it would be asked at each tolerance.

    Without `params` at the tolerances `as_run`.
    """
    check_is_fitted(model, "labels_")
    _check_names(params, _OF_SEARCH)
    # A model from a file says itself that it has none.
    rounder = model._rounder if hasattr(model, "_training") else None
    if rounder is None or not model._attributes:
        raise ValueError(
            "this model has no fair rounding, and so no price of fairness; fit "
            'FairSpectralClustering with sensitive_features and assign_labels="fair".'
        )
    own = {"effort": model.effort, "time_budget": model.time_budget}
    own |= model.rounding_params or {}
    k = len(model.fair_assignment_.sizes)  # of the fit, whatever the parameter is by now
    plans = [
        plan_rounding(
            rounder.attributes,
            k,
            fairness_tol=tolerance,
            **(own if tolerance in as_run else own | params),
        )
        for tolerance in tolerances
    ]
    return rounder, plans


def _from_rows(
    embedding: Any,
    sensitive_features: Any,
    n_clusters: int | None,
    tolerances: list[Any],
    params: dict[str, Any],
) -> tuple[Rounder, list[RoundingPlan]]:
    """A rounder for rows that were given, and the plan for each tolerance."""
    _check_names(params, (*_OF_DATA, *_OF_REQUEST))
    request = {name: value for name, value in params.items() if name in _OF_REQUEST}
    data = {name: value for name, value in params.items() if name in _OF_DATA}
    random_state = data.pop("random_state", None)
    inputs = check_inputs(embedding, sensitive_features, n_clusters, **data)
    plans = [
        plan_rounding(inputs.attributes, inputs.n_clusters, fairness_tol=tolerance, **request)
        for tolerance in tolerances
    ]
    fringe, affinity, weight = None, inputs.affinity, data.get("sample_weight")
    if affinity is not None and can_search(affinity) and inputs.centroids is None:
        # The floor, which decides who is set aside, is that of every tolerance.
        fringe = choose_aside(affinity, plans[0], inputs.rows.shape[1])
    rounder = Rounder(
        inputs.rows,
        inputs.attributes,
        affinity,
        fringe=fringe,
        sample_weight=weight,
        centroids=inputs.centroids,
        n_init=data.get("n_init", 10),
        random_state=random_state,
    )
    return rounder, plans


def _check_names(params: dict[str, Any], known: Sequence[str]) -> None:
    for name in params:
        if name not in known:
            raise TypeError(
                f"fairness_frontier has no parameter {name!r}{did_you_mean(name, known)}; "
                f"it takes {', '.join(known)}."
            )
