"""What fairness cost: this run against clusterings of the same affinities without bounds.

Like is compared with like. Plain spectral clustering, as other software has it, may cut off
single persons, which no floor allows here, and is not refined on the cut. So the price of
fairness is taken against the same search with the same floor, only without bounds on the shares.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from fairspectral.auditing import Audit, audit_attributes
from fairspectral.cells import count_cells
from fairspectral.embedding import embed
from fairspectral.frontier import FairnessFrontier
from fairspectral.metrics import normalized_cut
from fairspectral.prices import clipped_cut
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.result import FairAssignment
from fairspectral.validation import Attribute, FairSpectralWarning

# Arguments of the fair rounding that have nothing to do with shares.
_NOT_SHARES = ("min_cluster_size", "max_cluster_size", "refine_rounds", "row_scaling")


@dataclass(frozen=True)
class Other:
    """Another clustering of the same affinities.

    Attributes
    ----------
    name : str
        In words.
    labels : ndarray of shape (n,)
        Its clusters have the numbers of the fair clusters with most common members.
    audit : Audit
        Of these labels.
    normalized_cut : float
        Of these labels.
    """

    name: str
    labels: np.ndarray
    audit: Audit
    normalized_cut: float


@dataclass(frozen=True)
class Comparison:
    """Clusterings beside the fair one.

    Attributes
    ----------
    plain : Other
        k-means on the embedding without constraints.
    unbounded : Other
        What fairness is compared with: the same floor and the same search, without bounds on
        the shares; `plain` where the run itself was rounded by k-means.
    moved : ndarray of shape (n,)
        Who is in another cluster than in `unbounded`.
    complete : bool
        Whether the search for `unbounded` was not stopped early.
    """

    plain: Other
    unbounded: Other
    moved: np.ndarray
    complete: bool = True


def compare(
    model: Any,
    attributes: tuple[Attribute, ...],
    random_state: Any,
    frontier: FairnessFrontier | None = None,
    plain_labels: np.ndarray | None = None,
) -> Comparison | None:
    """Cluster the model's affinities again, without groups and without bounds.

    None where Ctrl-C came before the search without bounds: then there is nothing to compare with.

    Parameters
    ----------
    model : FairSpectralClustering
        Fitted.
    attributes : tuple of Attribute
        The groups, for the audits.
    random_state : int or None
        Seed.
    frontier : FairnessFrontier or None
        Where it has a clustering without bounds, that one is taken.
    plain_labels : ndarray of shape (n,) or None
        Those of `cluster_plainly`, where they are known already.
    """
    k, operator = model.n_clusters, model.affinity_operator_
    found = None if model.fair_assignment_ is None else without_bounds(model, frontier)
    if found is not None and not found.searched:
        return None
    without = cluster_plainly(model, random_state) if plain_labels is None else plain_labels

    def other(name: str, found: np.ndarray) -> Other:
        here, there = linear_sum_assignment(count_cells(found, model.labels_, k, k), maximize=True)
        labels = there[np.argsort(here)][found]
        audit = audit_attributes(labels, model.audit_.clusters, attributes, None, "")
        return Other(name, labels, audit, normalized_cut(labels, operator))

    with warnings.catch_warnings():
        # Warnings about the affinities and the groups were given when the model was fitted.
        warnings.simplefilter("ignore", FairSpectralWarning)
        plain = unbounded = other("plain k-means", without)
        if found is not None:
            unbounded = other("without bounds on the shares", found.labels)
    complete = found is None or not found.stopped
    return Comparison(plain, unbounded, unbounded.labels != model.labels_, complete)


def cluster_plainly(model: Any, random_state: Any) -> np.ndarray:
    """Labels of the model's affinities without groups, as other software has them."""
    k = model.n_clusters
    n_components = k if model.n_components is None else model.n_components
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairSpectralWarning)
        rows, _ = embed(model.affinity_operator_, (), n_components, random_state=random_state)
        return kmeans_labels(rows, k, n_init=model.n_init, random_state=random_state)


def without_bounds(model: Any, frontier: FairnessFrontier | None) -> FairAssignment:
    """What the model's own search finds, with its floor, where shares have no bounds."""
    given = model.rounding_params or {}
    if (
        frontier is not None
        and frontier.tolerances[-1] is None
        and frontier.normalized_cut is not None
        and set(given) <= set(_NOT_SHARES)
    ):
        return frontier.assignments[-1]
    with warnings.catch_warnings():
        # Warnings about the groups were given when the model was fitted.
        warnings.simplefilter("ignore", FairSpectralWarning)
        plan = plan_rounding(
            model._attributes,
            model.n_clusters,
            fairness_tol=None,
            effort=model.effort,
            time_budget=model.time_budget,
            **{name: given[name] for name in _NOT_SHARES if name in given},
        )
        return model._rounder.round(plan)


def comparison_table(model: Any, found: Comparison) -> tuple[list[str], list[list[str]]]:
    """Header and one row for each clustering: cut, sizes, and shares of every attribute."""
    audits: list[tuple[str, Audit, float]] = [
        (found.plain.name, found.plain.audit, found.plain.normalized_cut),
        (found.unbounded.name, found.unbounded.audit, found.unbounded.normalized_cut),
        ("fair (this run)", model.audit_, model.audit_.normalized_cut),
    ]
    if found.unbounded is found.plain:
        del audits[1]
    several = len(model.audit_.attributes) > 1
    header = ["normalised cut", "smallest cluster", "largest cluster"]
    for attribute in model.audit_.attributes:
        prefix = f"{attribute.name}: " if several else ""
        header += [
            f"{prefix}largest difference from everyone’s shares",
            f"{prefix}average balance (everyone {attribute.population_balance:.3f})",
        ]
    rows = []
    for name, audit, cut in audits:
        shown = f"{clipped_cut(cut, model.n_clusters):.4g}"
        row = [name, shown, f"{audit.sizes.min():,}", f"{audit.sizes.max():,}"]
        for attribute in audit.attributes:
            row += [
                f"{100 * attribute.representation_difference:.1f} points",
                f"{attribute.average_balance:.3f}",
            ]
        rows.append(row)
    return header, rows
