"""How fair a clustering is, and how good its cut: one function for each measure.

Labels come from any tool; the sensitive attribute from any array. ``n_ls`` is the number of
members of group s in cluster l, ``n_l`` a cluster's size, ``p_s`` a group's share of everyone; with
``sample_weight``, all of them count weight instead of heads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairspectral.affinity import make_operator
from fairspectral.cells import count_cells, population_shares
from fairspectral.cut import CutState
from fairspectral.row_order import check_same_rows
from fairspectral.validation import Attribute, check_sensitive_features, encode_values
from fairspectral.weighting import check_sample_weight

__all__ = [
    "average_balance",
    "balance_per_cluster",
    "group_counts",
    "minimum_balance",
    "normalized_cut",
    "population_balance",
    "proportionality",
    "relative_balance",
    "representation_difference",
    "representation_ratio",
]


def group_counts(labels: Any, sensitive_features: Any, sample_weight: Any = None) -> np.ndarray:
    """``n_ls``: how many members of each group each cluster has.

    Returns
    -------
    ndarray of shape (k, h), int
        Rows in the order of the sorted labels, columns in that of the sorted groups. With weights
        it is the sum of their weights.
    """
    codes, k = check_labels(labels)
    attribute = _one_attribute(sensitive_features, len(codes), labels, sample_weight)
    return count_table(codes, k, attribute)


def balance_per_cluster(
    labels: Any, sensitive_features: Any, sample_weight: Any = None
) -> np.ndarray:
    """The paper's Definition 2.1 for each cluster: smallest group count over the largest.

    Returns
    -------
    ndarray of shape (k,)
        In [0, 1]; 0 where a group is absent.
    """
    return balance_of(group_counts(labels, sensitive_features, sample_weight))


def average_balance(labels: Any, sensitive_features: Any, sample_weight: Any = None) -> float:
    """The paper's balance: the mean over the clusters.

    It is 1 only where groups are equally large in every cluster, so its best value for
    proportional clusters is `population_balance`.
    """
    return float(balance_per_cluster(labels, sensitive_features, sample_weight).mean())


def minimum_balance(labels: Any, sensitive_features: Any, sample_weight: Any = None) -> float:
    """The paper's minimum balance: that of the worst cluster."""
    return float(balance_per_cluster(labels, sensitive_features, sample_weight).min())


def population_balance(sensitive_features: Any, sample_weight: Any = None) -> float:
    """The balance of everyone together: smallest group over the largest."""
    if isinstance(sensitive_features, Mapping):
        sensitive_features = next(iter(sensitive_features.values()), ())
    n_samples = len(sensitive_features) if hasattr(sensitive_features, "__len__") else 0
    attribute = _one_attribute(sensitive_features, n_samples, sample_weight=sample_weight)
    return float(balance_of(attribute.counts[None, :])[0])


def relative_balance(labels: Any, sensitive_features: Any, sample_weight: Any = None) -> float:
    """`average_balance` over `population_balance`: 1.0 when every cluster mirrors everyone."""
    everyone = population_balance(sensitive_features, sample_weight)
    return average_balance(labels, sensitive_features, sample_weight) / everyone


def proportionality(labels: Any, sensitive_features: Any, sample_weight: Any = None) -> float:
    """The balance of Bera et al. (2019): ``min over l, s of min(n_ls/n_l / p_s, its inverse)``.

    1.0 exactly when every cluster mirrors the population, 0 when a group is absent somewhere;
    0.8 is the four-fifths rule.
    """
    ratios = ratios_of(group_counts(labels, sensitive_features, sample_weight))
    inverse = np.divide(1.0, ratios, out=np.zeros_like(ratios), where=ratios > 0)
    return float(np.minimum(ratios, inverse).min())


def representation_difference(
    labels: Any, sensitive_features: Any, sample_weight: Any = None
) -> float:
    """The largest ``|n_ls/n_l - p_s|``: 0 when every cluster mirrors the population."""
    counts = group_counts(labels, sensitive_features, sample_weight)
    return float(np.abs(shares_of(counts) - population_of(counts)).max())


def representation_ratio(labels: Any, sensitive_features: Any, sample_weight: Any = None) -> float:
    """The smallest ``(n_ls/n_l) / p_s``: 1 when every cluster mirrors the population."""
    return float(ratios_of(group_counts(labels, sensitive_features, sample_weight)).min())


def normalized_cut(labels: Any, affinity: Any) -> float:
    """``sum_l cut(C_l) / vol(C_l)``, between 0 and k; lower is better.

    Parameters
    ----------
    labels : array of shape (n,)
        The clustering.
    affinity : array, sparse matrix, operator or graph
        The affinities ``W``, an operator made from them, or a graph.
    """
    codes, k = check_labels(labels)
    check_same_rows(affinity, labels, "affinity", "labels")
    operator = make_operator(affinity, "precomputed")
    n = operator.shape[0]
    if len(codes) != n:
        raise ValueError(f"labels has {len(codes)} values but the affinity has {n} nodes.")
    # A floating-point error must not make it negative where nothing is cut.
    return max(0.0, CutState.measure(operator, codes, k).cut)


# --- from labels and groups to counts -----------------------------------------------------


def encode_labels(labels: Any) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Labels as codes 0 .. k-1, shape (n,), and the k labels in order."""
    return encode_values(labels, "labels", "one label per sample")


def check_labels(labels: Any) -> tuple[np.ndarray, int]:
    """Labels as codes 0 .. k-1, shape (n,), and k."""
    codes, names = encode_labels(labels)
    return codes, len(names)


def count_table(codes: np.ndarray, n_clusters: int, attribute: Attribute) -> np.ndarray:
    """Members of each group in each cluster, or their weight, shape (k, h)."""
    h, weights = len(attribute.categories), attribute.weights
    if weights is None:
        return count_cells(attribute.codes, codes, h, n_clusters).T
    return weights.amount(count_cells(attribute.codes, codes, h, n_clusters, weights.units).T)


def _one_attribute(
    sensitive_features: Any, n_samples: int, labels: Any = None, sample_weight: Any = None
) -> Attribute:
    attributes = check_sensitive_features(
        sensitive_features, n_samples, constrain=False, rows=labels, rows_name="labels"
    )
    if len(attributes) > 1:
        raise ValueError(
            f"sensitive_features has {len(attributes)} attributes; pass one column at a time, "
            "or use fairspectral.audit for all of them."
        )
    if sample_weight is None:
        return attributes[0]
    return attributes[0].weighted(check_sample_weight(sample_weight, n_samples, labels, "labels"))


# --- the formulas, of counts of shape (k, h) ----------------------------------------------


def shares_of(counts: np.ndarray) -> np.ndarray:
    """``n_ls / n_l``, shape (k, h)."""
    return counts / counts.sum(axis=1, keepdims=True)


def population_of(counts: np.ndarray) -> np.ndarray:
    """``p_s``, shape (h,)."""
    return population_shares(counts.sum(axis=0))


def ratios_of(counts: np.ndarray) -> np.ndarray:
    """``(n_ls / n_l) / p_s``, shape (k, h)."""
    return shares_of(counts) / population_of(counts)


def balance_of(counts: np.ndarray) -> np.ndarray:
    """``min_s n_ls / max_s n_ls``, shape (k,)."""
    return counts.min(axis=1) / counts.max(axis=1)
