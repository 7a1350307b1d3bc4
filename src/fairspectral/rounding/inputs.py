"""Checks of fair rounding's input: rows, groups, centroids, first labels and weights."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity import AffinityOperator, make_operator
from fairspectral.constraints import encode_groups
from fairspectral.graphs.door import groups_of
from fairspectral.parameters import check_whole_number, is_boolean
from fairspectral.row_order import check_same_rows
from fairspectral.tensors import on_host
from fairspectral.validation import Attribute, refuse_masked

# Sums of squares of larger numbers may overflow.
_LARGEST = 1e150


class Inputs(NamedTuple):
    """The validated data of a rounding: what it rounds, apart from what is asked of it."""

    rows: np.ndarray
    attributes: tuple[Attribute, ...]
    n_clusters: int
    affinity: AffinityOperator | None
    centroids: np.ndarray | None


def check_inputs(
    embedding: Any,
    sensitive_features: Any,
    n_clusters: int | None,
    *,
    attribute_mode: str = "marginal",
    affinity: Any = None,
    sample_weight: Any = None,
    centroids: Any = None,
    initial_labels: Any = None,
    n_init: int = 10,
) -> Inputs:
    """Validate the data of `fair_assignment`, whose arguments these are."""
    rows = check_rows(embedding, "embedding")
    check_whole_number(n_init, "n_init")
    for name, values in (
        ("affinity", affinity),
        ("sample_weight", sample_weight),
        ("initial_labels", initial_labels),
    ):
        check_same_rows(embedding, values, "embedding", name)
    if affinity is not None:
        affinity, sensitive_features = groups_of(affinity, sensitive_features)
        affinity = make_operator(affinity, "precomputed")
    if centroids is not None:
        centroids = check_rows(centroids, "centroids")
    attributes = encode_groups(
        sensitive_features, len(rows), attribute_mode, rows=embedding, rows_name="embedding"
    )
    k = check_k(n_clusters, len(rows), rows, centroids)
    return Inputs(rows, attributes, k, affinity, centroids)


def check_rows(rows: Any, name: str) -> np.ndarray:
    """A table of finite real numbers, as an array."""
    refuse_masked(rows, name)
    if sp.issparse(rows):
        raise TypeError(f"{name} is sparse; pass {name}.toarray().")
    try:
        rows = np.asarray(on_host(rows))
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths; pass a table.") from None
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"{name} has shape {rows.shape}; pass one row per person or cluster.")
    if rows.dtype.kind not in "iufb":
        kind = "text" if rows.dtype.kind in "US" else f"{rows.dtype} values"
        raise ValueError(f"{name} holds {kind}; pass a table of real numbers.")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} contains NaN or infinity; check how it was computed.")
    if (largest := float(np.abs(rows, dtype=np.float64).max())) > _LARGEST:
        raise ValueError(
            f"{name} has numbers as large as {largest:.3g}, whose squares are too large to compute "
            "with; divide all of it by its largest number."
        )
    return rows


def check_k(n_clusters: int | None, n: int, rows: np.ndarray, centroids: Any) -> int:
    """The number of clusters, given or as many as there are columns or centroids."""
    if centroids is not None and centroids.shape[1] != rows.shape[1]:
        raise ValueError(
            f"centroids have {centroids.shape[1]} columns but the embedding has {rows.shape[1]}; "
            "pass centroids of the same rows."
        )
    if centroids is not None and n_clusters not in (None, len(centroids)):
        raise ValueError(
            f"n_clusters={n_clusters} but there are {len(centroids)} centroids; leave one out."
        )
    k = len(centroids if centroids is not None else rows.T) if n_clusters is None else n_clusters
    if is_boolean(k) or not isinstance(k, Integral) or not 1 <= k <= n:
        raise ValueError(
            f"n_clusters={k!r} must be a whole number between 1 and the number of rows, {n}."
        )
    return k


def check_labels(
    given: Any,
    n: int,
    k: int,
    smallest: int,
    name: str = "initial_labels",
    *,
    largest: int | None = None,
) -> np.ndarray:
    """Labels from elsewhere, one of 0 .. k-1 for each row."""
    refuse_masked(given, name)
    labels = np.asarray(given)
    if labels.shape != (n,) or labels.dtype.kind not in "iu" or not np.isin(labels, range(k)).all():
        raise ValueError(f"{name} must be {n} whole numbers from 0 to {k - 1}, one for each row.")
    sizes = np.bincount(labels, minlength=k)
    least, most = int(sizes.min()), int(sizes.max())
    if not least:
        raise ValueError(
            f"{name} has an empty cluster; put at least one person into every cluster."
        )
    if least < smallest:
        raise ValueError(
            f"{name} has a cluster of {least} person(s), below the floor of {smallest}; "
            f"pass min_cluster_size={least} or other labels."
        )
    if largest is not None and most > largest:
        raise ValueError(
            f"{name} has a cluster of {most} persons, above the ceiling of {largest}; "
            f"pass max_cluster_size={most} or other labels."
        )
    return labels.astype(np.int32)


def check_weights(sample_weight: Any, n: int) -> np.ndarray:
    """One weight of at least zero for each row."""
    refuse_masked(sample_weight, "sample_weight")
    try:
        weights = np.asarray(on_host(sample_weight), dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    usable = np.isfinite(weights) & (weights >= 0)
    if weights.shape != (n,) or not usable.all() or not weights.any():
        raise ValueError(
            f"sample_weight must be {n} finite numbers of at least zero, one for each row, and not "
            "all of them zero."
        )
    return weights
