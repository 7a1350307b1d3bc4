"""Edge lists: a DataFrame with a row for each edge, an array, or a list of pairs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from fairspectral.feature_tables import column_names
from fairspectral.graphs.graph import Graph, as_numpy, in_words, listed, make_graph, missing_in
from fairspectral.parameters import did_you_mean

_WEIGHT = "weight"


def from_edges(
    edges: Any,
    *,
    source: str = "source",
    target: str = "target",
    weight: str | None = _WEIGHT,
    nodes: Any = None,
) -> Graph:
    """A graph from its edges; an edge that is listed twice adds up.

    Parameters
    ----------
    edges : DataFrame, array of shape (m, 2) or (m, 3), or list of pairs
        One row for each edge. In an array or a list the columns are the two ends and perhaps
        the weight. Of the two directions of an edge the larger weight counts.
    source, target : str
        The columns of a DataFrame with the two ends.
    weight : str or None
        Its column with the weights, which are similarities (larger is closer). Without a column
        of this name, or with None, every edge counts as 1.
    nodes : DataFrame, list or None
        The nodes in the order wanted for the labels. The first column of a DataFrame has their
        names, the others are attributes, to be used as sensitive features. None: the nodes that
        occur, sorted.

    Returns
    -------
    Graph
        Give it to `fit` in place of X; its ``nodes`` are in the order of the labels.

    Examples
    --------
    >>> from fairspectral.graphs import from_edges
    >>> from_edges([("ann", "bob"), ("bob", "cat"), ("cat", "ann")]).nodes
    ['ann', 'bob', 'cat']
    """
    ends, weights = _edge_columns(edges, source, target, weight)
    names, attributes = (_occurring(ends), {}) if nodes is None else _read_nodes(nodes)
    position = {name: i for i, name in enumerate(names)}
    for end in ends:
        unknown = [name for name in end if name not in position]
        if unknown:
            raise ValueError(
                f"edges has an edge of node {in_words(unknown[0])}, which is not among nodes; "
                "add it there, or remove its edges."
            )
    rows, columns = (np.array([position[name] for name in end], dtype=np.intp) for end in ends)
    return make_graph(names, rows, columns, weights, attributes, directed=True)


def _edge_columns(
    edges: Any, source: str, target: str, weight: str | None
) -> tuple[list[list[Any]], Any]:
    """The two ends of every edge, and the weights."""
    weights: Any = None
    known = column_names(edges)
    if known is None:
        columns = _array_columns(edges)
        ends = columns[:2]
        weights = columns[2] if len(columns) == 3 and weight else None
    else:
        known = [str(name) for name in known]
        wanted = [("source", source), ("target", target)]
        wanted += [] if weight in (None, _WEIGHT) else [("weight", weight)]
        for option, name in wanted:
            if name not in known:
                raise ValueError(
                    f"edges has no column {name!r}{did_you_mean(name, known)}; name the column "
                    f"with {option}=, one of {listed(known)}."
                )
        ends = [_values(edges, name) for name in (source, target)]
        weights = np.asarray(edges[weight]) if weight in known else None
    if not ends[0]:
        raise ValueError("edges has no rows; pass one row for each edge.")
    for end, name in zip(ends, (source, target), strict=True):
        gone = missing_in(end)
        if gone.any():
            raise ValueError(
                f"edges has no node in row {int(np.argmax(gone))} of {name!r}; fill it, or drop "
                "that row."
            )
    return ends, np.ones(len(ends[0])) if weights is None else weights


def _values(frame: Any, name: Any) -> list[Any]:
    return np.asarray(frame[name]).tolist()


def _array_columns(edges: Any) -> list[list[Any]]:
    """The columns of an array, or of a list of pairs that numpy might turn into text."""
    edges = as_numpy(edges)
    rows = edges.tolist() if isinstance(edges, np.ndarray) else [*edges]
    lengths = {len(row) if isinstance(row, list | tuple) else 1 for row in rows}
    if not rows or (len(lengths) == 1 and lengths <= {2, 3}):
        return [list(column) for column in zip(*rows, strict=True)] or [[], []]
    transposed = len(rows) == 2 and len(lengths) == 1
    what = (
        "an edge index of two rows" if transposed else f"rows of {listed(sorted(lengths))} values"
    )
    raise ValueError(
        f"edges has {what}; pass one row for each edge, with its two ends and perhaps a weight"
        f"{' (edges.T)' if transposed else ''}."
    )


def _occurring(ends: list[list[Any]]) -> list[Any]:
    """The nodes that occur, sorted."""
    found = set().union(*ends)
    try:
        return sorted(found)
    except TypeError:
        kinds = sorted({type(name).__name__ for name in found})
        raise TypeError(
            f"edges names some nodes by {' and others by '.join(kinds)}; name all of them alike, "
            "or pass the nodes in the order wanted."
        ) from None


def _read_nodes(nodes: Any) -> tuple[list[Any], dict[str, Any]]:
    """The names of the nodes, and their attributes where they are in a table."""
    known = column_names(nodes)
    if known is None:
        names, attributes, where = list(nodes), {}, "nodes"
        names = [name.item() if isinstance(name, np.generic) else name for name in names]
    else:
        first, *others = list(known)
        names, where = _values(nodes, first), f"the first column of nodes, {str(first)!r},"
        attributes = {str(name): np.asarray(nodes[name]) for name in others}
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(
            f"{where} has {in_words(twice)} {names.count(twice)} times; name every node once"
            f"{' (nodes.reset_index() if the names are the index)' if known is not None else ''}."
        )
    return names, attributes
