"""What can be asked of the rounding beside the tolerance, and where it cannot be kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fairspectral.parameters import did_you_mean
from fairspectral.validation import Attribute
from fairspectral.weighting import Weights

# Parameters of an estimator without which its labels cannot be judged.
OF_THE_LABELS = ("n_clusters", "n_components", "fairness_tol", "assign_labels", "rounding_params")
# Parameters of `fair_assignment` about the shares of groups.
SHARE_PARAMS = ("bounds", "shares", "target_proportions", "lower", "upper")
# Those that the estimator does not set itself.
ROUNDING_PARAMS = (
    "bounds",
    "shares",
    "min_cluster_size",
    "max_cluster_size",
    "target_proportions",
    "lower",
    "upper",
    "refine_rounds",
    "row_scaling",
)
# Requests that mean something without groups.
WITHOUT_GROUPS = ("min_cluster_size", "max_cluster_size", "cannot_link")
# Parameters of the search; without a search they have nothing to change, and promise nothing.
_HARMLESS = ("refine_rounds", "row_scaling")


def check_rounding_params(params: Iterable[str]) -> None:
    """Refuse names that the rounding does not know."""
    for name in params:
        if name not in ROUNDING_PARAMS:
            raise ValueError(
                f"rounding_params has no parameter {name!r}"
                f"{did_you_mean(name, ROUNDING_PARAMS)}; it knows {', '.join(ROUNDING_PARAMS)}."
            )


def one_group(n: int, weights: Weights | None = None) -> Attribute:
    """All n people as one group, for sizes and links without shares."""
    return Attribute("people", np.zeros(n, dtype=np.intp), ("all",), weights)


def refuse_for_kmeans(asked: Sequence[str], fairness_tol: Any) -> None:
    """Refuse what k-means does not keep: shares, sizes and people who must be apart."""
    kept = [name for name in asked if name not in _HARMLESS]
    if isinstance(fairness_tol, Mapping):
        kept.append("fairness_tol by attribute")
    if kept:
        raise ValueError(
            f'{kept[0]} needs the fair rounding, but assign_labels="kmeans" keeps no bounds; use '
            'assign_labels="fair", or leave it out.'
        )


def refuse_without_groups(asked: Sequence[str], fairness_tol: Any) -> None:
    """Refuse bounds on the shares of groups where there are no groups."""
    shares = [name for name in asked if name in SHARE_PARAMS]
    if isinstance(fairness_tol, Mapping):
        shares.append("fairness_tol by attribute")
    if shares:
        raise ValueError(
            f"{shares[0]} is about the shares of groups, but there are no groups; pass "
            "sensitive_features, or leave it out."
        )
