"""The two figures in the plane: clusters as colours, groups as shapes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fairspectral.palette import MARKERS, cluster_colour
from fairspectral_benchmarks.figures import new_figure
from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.methods import METHODS
from fairspectral_benchmarks.paper.results import Results
from fairspectral_benchmarks.paper.spec import Cell, Spec, grid
from fairspectral_benchmarks.problems import Instance

METHOD_NAMES = ("o-fsc", "s-fsc", "admm-paper", "admm", "ours")


def plane_spec(problem: str, k: int) -> Spec:
    """The spec of one data set in the plane."""
    return Spec(
        problem,
        lambda scale: grid([problem], METHOD_NAMES, [k], 1),
        partial(_table, problem, k),
        partial(_figure, problem, k),
    )


def _table(problem: str, k: int, records: Mapping[Cell, Any], scale: str) -> str:
    results = Results(records)
    planted = Instance(problem).data.clusters
    rows = []
    for method in METHOD_NAMES:
        place = (problem, method, k)
        found = results.first(*place)
        rows.append([
            METHODS[method].title, results.text(*place, "seconds"),
            results.text(*place, "balance"), results.text(*place, "relative_balance"),
            results.text(*place, "normalized_cut", 4),
            "–" if found is None else f"{_agreement(found['labels'], planted):.1%}",
        ])  # fmt: skip
    header = ["method", "time (s)", "balance", "relative balance", "normalised cut",
              "as planted"]  # fmt: skip
    return (
        "The data of the paper's figure are not public; these are drawn from a model with the "
        "same sizes, RBF kernel with γ=0.5. The paper gives no numbers for this figure. The last "
        "column is the share of pairs of points that the clustering treats as the planted one "
        "does.\n\n" + markdown_table(header, rows)
    )


def _agreement(labels: Any, planted: Any) -> float:
    from sklearn.metrics import rand_score

    return float(rand_score(planted, labels))


def _figure(problem: str, k: int, records: Mapping[Cell, Any], scale: str) -> Any:
    results, instance = Results(records), Instance(problem)
    X, groups = instance.data.X, instance.groups
    assert X is not None
    drawing, panels = new_figure(1, len(METHOD_NAMES), sharey=True)
    for ax, method in zip(panels.flat, METHOD_NAMES, strict=True):
        ax.set_title(METHODS[method].title)
        ax.set_xticks([])
        ax.set_yticks([])
        found = results.first(problem, method, k)
        if found is None:
            continue
        labels = _by_place(np.array(found["labels"]), X)
        for cluster in range(k):
            for s, group in enumerate(np.unique(groups)):
                members = (labels == cluster) & (groups == group)
                ax.scatter(
                    *X[members].T, s=14, alpha=0.75, linewidths=0, color=cluster_colour(cluster),
                    marker=MARKERS[s].matplotlib, label=f"C-{cluster + 1}, G-{s + 1}",
                )  # fmt: skip
    panels.flat[-1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return drawing


def _by_place(labels: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Clusters numbered from below and the left, so that panels have the same colours."""
    centres = [tuple(np.round(X[labels == c].mean(axis=0)[::-1])) for c in np.unique(labels)]
    rank = np.argsort(sorted(range(len(centres)), key=centres.__getitem__))
    return rank[labels]
