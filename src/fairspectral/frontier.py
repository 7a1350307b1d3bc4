"""The price of fairness: how the cut and the embedding cost rise as the tolerance tightens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.axes import axes_or_new
from fairspectral.rounding.bounds import check_fairness_tol
from fairspectral.rounding.fair import FairAssignment, fair_assignment

TOLERANCES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, None)


@dataclass(frozen=True)
class FairnessFrontier:
    """Fair clusterings of the same data from the tightest tolerance to the loosest.

    Attributes
    ----------
    tolerances : tuple of float or None
        Ascending; None, last, is no constraint.
    assignments : tuple of FairAssignment
        The clustering at each tolerance.
    """

    tolerances: tuple[float | None, ...]
    assignments: tuple[FairAssignment, ...]

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
        """The cost that is plotted: the cut where it is known, else the embedding cost."""
        return np.array([_cost(a) for a in self.assignments])

    @property
    def cost_name(self) -> str:
        """The name of `cost`."""
        return "embedding cost" if self.normalized_cut is None else "normalised cut"

    @property
    def price(self) -> np.ndarray:
        """Cost at each tolerance relative to the loosest one."""
        return self.cost / self.cost[-1]

    @property
    def tolerance_names(self) -> list[str]:
        """The tolerances in percent; the last may be "none"."""
        return ["none" if t is None else f"{100 * t:.4g}%" for t in self.tolerances]

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each tolerance, for a table or a DataFrame."""
        return [
            {
                "fairness_tol": tolerance,
                "normalized_cut": a.normalized_cut,
                "embedding_cost": a.embedding_cost,
                "price": float(price),
                "achieved_tol": a.achieved_tol,
                "certified": a.certified,
            }
            for tolerance, a, price in zip(
                self.tolerances, self.assignments, self.price, strict=True
            )
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw the cost against the tolerance; returns the matplotlib axes.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        """
        ax = axes_or_new(ax)
        places = np.arange(len(self.tolerances))
        ax.plot(places, self.cost, marker="o")
        ax.set_xticks(places, self.tolerance_names)
        ax.set_xlabel("tolerance")
        ax.set_ylabel(self.cost_name)
        ax.set_title("the price of fairness")
        ax.grid(axis="y", alpha=0.3)
        return ax


def fairness_frontier(
    embedding: Any,
    sensitive_features: Any,
    n_clusters: int | None = None,
    *,
    tolerances: Sequence[float | None] = TOLERANCES,
    **params: Any,
) -> FairnessFrontier:
    """Cluster at several tolerances, each started both from scratch and from the one before.

    A clustering that is fair at a tolerance is fair at every looser one, and the better of the
    two starts is kept, so the cost never rises along the frontier.

    Parameters
    ----------
    embedding, sensitive_features, n_clusters
        As in `fairspectral.fair_assignment`.
    tolerances : sequence of float or None
        In any order; None means no constraint.
    **params
        Further arguments of `fairspectral.fair_assignment`: the affinity, the seed, ...

    Returns
    -------
    FairnessFrontier
    """
    if "fairness_tol" in params or "initial_labels" in params:
        raise TypeError("fairness_frontier sets fairness_tol and initial_labels; pass tolerances.")
    if isinstance(tolerances, str) or not isinstance(tolerances, Iterable):
        raise TypeError(f"tolerances={tolerances!r} is not a list; pass several, or [0.2] for one.")
    tolerances = list(tolerances)
    for tolerance in tolerances:
        check_fairness_tol(tolerance)
    ordered = sorted(set(tolerances), key=lambda t: np.inf if t is None else t)
    if not ordered:
        raise ValueError("tolerances is empty; pass at least one, for example (0, 0.2, None).")
    assignments: list[FairAssignment] = []
    for tolerance in ordered:
        arguments = {**params, "fairness_tol": tolerance}
        best = fair_assignment(embedding, sensitive_features, n_clusters, **arguments)
        if assignments:
            warm = {**arguments, "initial_labels": assignments[-1].labels, "centroids": None}
            k = len(assignments[-1].sizes)
            continued = fair_assignment(embedding, sensitive_features, k, **warm)
            best = min(best, continued, key=lambda found: (not found.certified, _cost(found)))
        assignments.append(best)
    return FairnessFrontier(tuple(ordered), tuple(assignments))


def _cost(assignment: FairAssignment) -> float:
    cut = assignment.normalized_cut
    return assignment.embedding_cost if cut is None else cut
