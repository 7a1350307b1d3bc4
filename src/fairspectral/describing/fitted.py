"""Describe a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.describing.describe import LEAST_EFFECT, describe_codes
from fairspectral.describing.description import Description
from fairspectral.feature_tables import column_names
from fairspectral.graphs.door import as_graph
from fairspectral.validation import Attribute


def describe_model(
    model: Any,
    X: Any = None,
    *,
    attributes: tuple[Attribute, ...] | None = None,
    feature_names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    row_names: Sequence[Any] | None = None,
    most: int = 4,
    least_effect: float = LEAST_EFFECT,
) -> Description:
    """Describe the clusters of a fitted model; parameters as in its method ``describe``.

    Parameters
    ----------
    attributes : tuple of Attribute or None
        The groups; None takes those that the model kept.
    """
    n = len(model.labels_)
    operator = getattr(model, "affinity_operator_", None)  # not of a model from a file
    weights = getattr(operator, "stored_weights", None)
    sparse_graph = _is_graph(model) and sp.issparse(weights)
    if X is not None:
        _refuse_affinities(model, X, n)
        if feature_names is None and column_names(X) is None:
            feature_names = _fitted_names(model, X)
    if attributes is None:
        attributes = tuple(getattr(model, "_attributes", ()))
    aside = np.zeros(n, dtype=bool)
    # Their rows of the embedding are those of the centre, where they were put.
    aside[model.set_aside_.indices] = True
    if row_names is None:
        row_names = getattr(model, "_nodes", None)
    return describe_codes(
        X,
        np.asarray(model.labels_),
        model.audit_,
        attributes,
        feature_names=feature_names,
        columns=columns,
        affinity=operator if sparse_graph else None,
        embedding=model.embedding_,
        row_names=row_names,
        most=most,
        least_effect=least_effect,
        untypical=aside,
    )


def _is_graph(model: Any) -> bool:
    affinity = model._affinity
    return isinstance(affinity, str) and affinity == "precomputed"


def _refuse_affinities(model: Any, X: Any, n: int) -> None:
    if as_graph(X) is not None or (_is_graph(model) and getattr(X, "shape", None) == (n, n)):
        raise ValueError(
            "X looks like the affinities that the model was fitted on, which have no columns to "
            "describe by; call describe() without X, or pass a table about the nodes."
        )


def _fitted_names(model: Any, X: Any) -> Sequence[str] | None:
    """The names of the columns in ``fit``, for an array with as many columns."""
    names = getattr(model, "feature_names_in_", None)
    shape = getattr(X, "shape", (0, 0))
    return None if names is None or len(names) != shape[-1] else list(map(str, names))
