"""Plots with matplotlib (extra ``plot``): each draws on given axes, or new ones, and returns them.

Clusters are colours and groups are marker shapes, both safe for the colour-blind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairspectral.auditing import Audit
from fairspectral.axes import axes_or_new, legend_position, plain_text
from fairspectral.frontier import FairnessFrontier
from fairspectral.palette import MARKERS, assign_markers, cluster_colour
from fairspectral.report.collect import read_attributes
from fairspectral.report.plane import frame, project_on_plane


def plot_embedding(model: Any, sensitive_features: Any = None, ax: Any = None) -> Any:
    """Draw the embedding in the two directions in which its clusters differ most.

    Parameters
    ----------
    model : FairSpectralClustering
        Fitted.
    sensitive_features : array, Series, DataFrame or None
        As given to ``fit``; None takes those that the model kept. The first attribute gives
        the shapes.
    ax : matplotlib Axes or None
        None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model, "labels_")
    ax = axes_or_new(ax)
    plane = project_on_plane(model.embedding_, model.labels_)
    attributes = read_attributes(model, sensitive_features)
    n = len(model.labels_)
    groups = attributes[0].codes if attributes else np.zeros(n, dtype=np.intp)
    names = attributes[0].categories if attributes else ("",)
    marker_of = assign_markers(np.bincount(groups, minlength=len(names)))
    corner, extent = frame(plane.coordinates)
    placed = np.clip(plane.coordinates, corner, corner + extent)
    for cluster in range(model.n_clusters):
        for marker in np.unique(marker_of).tolist():
            members = (model.labels_ == cluster) & (marker_of[groups] == marker)
            ax.scatter(
                *placed[members].T,
                color=cluster_colour(cluster),
                marker=MARKERS[marker].matplotlib,
                s=22,
                alpha=0.75,
                linewidths=0.3,
                edgecolors="white",
            )
        ax.annotate(
            str(model.audit_.clusters[cluster]),
            np.median(placed[model.labels_ == cluster], axis=0),
            ha="center",
            va="center",
            weight="bold",
            bbox={"boxstyle": "round", "fc": "white", "ec": "none", "alpha": 0.8},
        )
    for marker in np.unique(marker_of).tolist() if attributes else []:
        sharing = [plain_text(names[s]) for s in np.flatnonzero(marker_of == marker)]
        ax.scatter(
            [],
            [],
            color="grey",
            marker=MARKERS[marker].matplotlib,
            label=sharing[0] if len(sharing) == 1 else f"{len(sharing)} smaller groups",
        )
    if attributes:
        ax.legend(title=plain_text(attributes[0].name), frameon=False, **legend_position())
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel("first direction")
    ax.set_ylabel("second direction")
    return ax


def plot_shares(audit: Audit, ax: Any = None, *, attribute: int = 0) -> Any:
    """Draw the share of each group in each cluster as stacked bars, against everyone's.

    Parameters
    ----------
    audit : Audit
        With at least one sensitive attribute, such as ``model.audit_``.
    ax : matplotlib Axes or None
        None makes a figure.
    attribute : int
        Which attribute, where there are several.

    Returns
    -------
    matplotlib Axes
    """
    return audit.plot(ax, attribute=attribute)


def plot_frontier(frontier: FairnessFrontier, ax: Any = None) -> Any:
    """Draw the price of fairness: the cut against the tolerance.

    Parameters
    ----------
    frontier : FairnessFrontier
        From `fairness_frontier`.
    ax : matplotlib Axes or None
        None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    return frontier.plot(ax)
