"""Describe any clustering of any table or graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity import make_operator
from fairspectral.auditing import Audit, audit_attributes
from fairspectral.cut import CutState
from fairspectral.describing.columns import Column, read_columns, sensitive_column
from fairspectral.describing.description import ClusterDescription, Description
from fairspectral.describing.differences import choose, is_beyond_chance
from fairspectral.describing.effects import Contrast, compare
from fairspectral.describing.typical import typical_members
from fairspectral.graphs.door import as_graph, groups_of
from fairspectral.metrics import encode_labels
from fairspectral.parameters import check_whole_number
from fairspectral.row_order import check_same_rows, row_labels
from fairspectral.tensors import on_host
from fairspectral.validation import Attribute, check_sensitive_features

# A member is above somebody else in 60 of 100 pairs, or a share differs by 20 points.
LEAST_EFFECT = 0.2


def describe(
    X: Any,
    labels: Any,
    *,
    sensitive_features: Any = None,
    feature_names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    affinity: Any = None,
    embedding: Any = None,
    row_names: Sequence[Any] | None = None,
    most: int = 4,
    least_effect: float = LEAST_EFFECT,
) -> Description:
    """Say in words what distinguishes each cluster, for a clustering from any tool.

    A column is mentioned if its effect is at least `least_effect` and larger than random
    clusters of the same sizes would have: those get any claim at all in at most 5% of the tables.
    That a cluster differs in a column by which it was made does not show that the cluster is real.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or None
        The table, best with its original columns and units: numbers, categories, booleans, dates;
        values may be missing. None describes sizes, groups and graph only.
    labels : array of shape (n,)
        The clustering.
    sensitive_features : array, Series, DataFrame or None
        The groups. They are shown as shares, and mentioned where they differ.
    feature_names : sequence of str or None
        Names of the columns of an array.
    columns : sequence of str or None
        The columns to describe by; None means all but row numbers and names of rows.
    affinity : array, sparse matrix, operator, graph or None
        A graph, to say how many connections stay inside a cluster; a sparse one also to compare
        numbers of connections. A graph as in ``FairSpectralClustering.fit`` brings the names of
        its nodes, and groups by the name of an attribute.
    embedding : array of shape (n, d) or None
        Where to look for typical members if there is no table; with one, they are those that are
        most usual in its columns.
    row_names : sequence or None
        Names of the rows; None takes those of the graph's nodes, the index of `X`, or numbers
        from 0.
    most : int
        Columns to mention for each cluster, at most.
    least_effect : float
        Smaller effects are not mentioned, between 0 and 1.

    Returns
    -------
    Description
        Print it, or see its ``sentences``, ``to_frame()`` and ``plot()``.

    Examples
    --------
    >>> from fairspectral import describe
    >>> ages = [[20], [21], [22], [23], [24], [25], [61], [62], [63], [64], [65], [66]]
    >>> for sentence in describe(ages, [0] * 6 + [1] * 6, feature_names=["age"]).sentences:
    ...     print(sentence)
    Cluster 0 (6 members, 50%): age much lower (median 22.5 against 63.5, effect -1.00).
    Cluster 1 (6 members, 50%): age much higher (median 63.5 against 22.5, effect +1.00).
    """
    codes, clusters = encode_labels(labels)
    graph = as_graph(affinity)
    if graph is not None:
        row_names = graph.nodes if row_names is None else row_names
        affinity, sensitive_features = groups_of(graph, sensitive_features)
    attributes: tuple[Attribute, ...] = ()
    if sensitive_features is not None:
        attributes = check_sensitive_features(
            sensitive_features, len(codes), constrain=False, rows=labels, rows_name="labels"
        )
    if X is not None:
        check_same_rows(X, labels, "X", "labels")
    if affinity is not None:
        check_same_rows(affinity, labels, "affinity", "labels")
    return describe_codes(
        X,
        codes,
        audit_attributes(codes, clusters, attributes, None, ""),
        attributes,
        feature_names=feature_names,
        columns=columns,
        affinity=affinity,
        embedding=None if embedding is None else _check_embedding(embedding, len(codes)),
        row_names=row_names,
        most=most,
        least_effect=least_effect,
    )


def describe_codes(
    X: Any,
    codes: np.ndarray,
    audit: Audit,
    attributes: tuple[Attribute, ...],
    *,
    feature_names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    affinity: Any = None,
    embedding: np.ndarray | None = None,
    row_names: Sequence[Any] | None = None,
    most: int = 4,
    least_effect: float = LEAST_EFFECT,
    untypical: np.ndarray | None = None,
) -> Description:
    """Describe labels and attributes that are already validated; the others as in `describe`.

    `untypical` are rows that are never named as typical members.
    """
    check_whole_number(most, "most")
    X = on_host(X)
    if not 0 < least_effect <= 1:
        raise ValueError(f"least_effect={least_effect!r} must be above 0, and 1 at most.")
    n, k = len(codes), len(audit.clusters)
    names = _row_names(X, row_names, n)
    table, notes = _features(X, n, feature_names, columns, attributes)
    if X is None:
        notes.append(
            "No table was given, so nothing is said about columns; pass the table that was "
            "clustered as X."
        )
    inside: np.ndarray | None = None
    connections: list[Column] = []
    if affinity is not None:
        inside, connections = _read_graph(affinity, codes, k)
    features = [*connections, *table]
    contrasts = [
        contrast
        for column in (*features, *map(sensitive_column, attributes))
        for contrast in compare(column, codes, k)
    ]
    beyond = is_beyond_chance(contrasts, k)
    typical = typical_members(
        codes, k, columns=table, embedding=embedding, connections=connections, untypical=untypical
    )
    compared = contrasts if features else []
    described = []
    for c, label in enumerate(audit.clusters):
        size = int(audit.sizes[c])
        differences = choose(contrasts, beyond, codes, c, least_effect, most)
        described.append(
            ClusterDescription(
                label=label,
                size=size,
                share=size / n,
                differences=differences,
                typical=tuple(names[i] for i in typical[c]),
                inside=None if inside is None else float(inside[c]),
                otherwise="" if differences else _otherwise(compared, c, size, n, least_effect),
            )
        )
    effects = np.stack([c.effect for c in contrasts]) if contrasts else np.zeros((0, k))
    return Description(
        clusters=tuple(described),
        audit=audit,
        names=tuple(contrast.name for contrast in contrasts),
        effects=effects,
        beyond_chance=beyond,
        columns=tuple(column.name for column in features),
        least_effect=least_effect,
        notes=tuple(notes),
    )


def _features(
    X: Any,
    n: int,
    feature_names: Sequence[str] | None,
    columns: Sequence[str] | None,
    attributes: tuple[Attribute, ...],
) -> tuple[list[Column], list[str]]:
    if X is None:
        return [], []
    if sp.issparse(X) and X.shape[0] == X.shape[1] == n and abs(X - X.T).nnz == 0:
        raise ValueError(
            "X is a symmetric sparse matrix with a column for each row, like the weights of a "
            "graph; pass it as affinity, and as X a table about the nodes, or None."
        )
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != n:
        raise ValueError(
            f"X has {rows} rows but there are {n} labels; pass the rows that were clustered, in "
            "the same order."
        )
    sensitive = {attribute.name for attribute in attributes}
    return read_columns(X, feature_names, columns, sensitive)


def _read_graph(affinity: Any, codes: np.ndarray, k: int) -> tuple[np.ndarray, list[Column]]:
    """The share of its connections that stay inside each cluster; numbers of connections."""
    operator = make_operator(affinity, "precomputed")
    if operator.shape[0] != len(codes):
        raise ValueError(
            f"the affinity has {operator.shape[0]} nodes but there are {len(codes)} labels."
        )
    state = CutState.measure(operator, codes, k)
    inside = np.clip(state.within / np.where(state.volumes > 0, state.volumes, np.inf), 0, 1)
    weights: Any = operator.stored_weights
    if not sp.issparse(weights):
        return inside, []
    counts = np.diff(weights.tocsr().indptr) - (weights.diagonal() != 0)
    if counts.min() == counts.max():
        return inside, []
    none = np.zeros(len(codes), dtype=bool)
    return inside, [Column("number of connections", none, counts.astype(np.float64))]


def _check_embedding(embedding: Any, n: int) -> np.ndarray:
    rows = np.asarray(embedding, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != n:
        raise ValueError(
            f"embedding has shape {rows.shape} but there are {n} labels; pass one row for each."
        )
    return rows


def _row_names(X: Any, row_names: Sequence[Any] | None, n: int) -> Any:
    if row_names is None:
        index = row_labels(X)
        return range(n) if index is None else index.tolist()
    if len(row_names) != n:
        raise ValueError(f"row_names has {len(row_names)} names but there are {n} labels.")
    return list(row_names)


def _otherwise(
    contrasts: Sequence[Contrast], cluster: int, size: int, n: int, least_effect: float
) -> str:
    """Why nothing is said about a cluster."""
    if size == n:
        return "everyone is in it, so there is nobody to compare it with"
    if not contrasts:
        return "no columns are known to describe it by"
    largest = max(contrasts, key=lambda contrast: abs(contrast.effect[cluster]))
    effect = float(largest.effect[cluster])
    which = f"the largest effect is {effect:+.2f}, in {largest.name}"
    if abs(effect) < least_effect:
        return f"differs from everyone else in no column by an effect of {least_effect:g}; {which}"
    return f"chance may explain every effect of {least_effect:g} or more in so few members; {which}"
