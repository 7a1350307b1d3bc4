"""Graphs of other packages; none of these packages is imported here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fairspectral.graphs.graph import Graph, as_numpy, listed, make_graph
from fairspectral.parameters import did_you_mean

_WEIGHT = "weight"


def from_networkx(graph: Any, *, weight: str | None = _WEIGHT) -> Graph:
    """A graph of networkx: ``Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph``.

    Parameters
    ----------
    graph : networkx graph
        Nodes keep their order, that of ``list(graph)``. Parallel edges add up, and of the two
        directions of an edge the larger weight counts.
    weight : str or None
        The edge attribute with the weights, which are similarities (larger is closer); an edge
        without it counts as 1, as everywhere in networkx. None counts every edge as 1.

    Returns
    -------
    Graph
    """
    nodes = list(graph)
    position = {node: i for i, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    rows = np.fromiter((position[one] for one, _, _ in edges), dtype=np.intp, count=len(edges))
    columns = np.fromiter((position[two] for _, two, _ in edges), dtype=np.intp, count=len(edges))
    if weight not in (None, _WEIGHT) and not any(weight in data for _, _, data in edges):
        raise _no_weight(weight, {name for _, _, data in edges for name in data})
    weights = [1.0 if weight is None else data.get(weight, 1.0) for _, _, data in edges]
    attributes: dict[str, list[Any]] = {}
    for i, (_, data) in enumerate(graph.nodes(data=True)):
        for name, value in data.items():
            attributes.setdefault(name, [None] * len(nodes))[i] = value
    return make_graph(nodes, rows, columns, weights, attributes, directed=graph.is_directed())


def from_igraph(graph: Any, *, weight: str | None = _WEIGHT) -> Graph:
    """A graph of igraph.

    Parameters
    ----------
    graph : igraph.Graph
        Nodes keep their order, that of ``graph.vs``. Parallel edges add up, and of the two
        directions of an edge the larger weight counts.
    weight : str or None
        The edge attribute with the weights, which are similarities (larger is closer); without
        it, or with None, every edge counts as 1.

    Returns
    -------
    Graph
    """
    n = graph.vcount()
    attributes = {name: graph.vs[name] for name in graph.vs.attributes()}
    ends = np.array(graph.get_edgelist(), dtype=np.intp).reshape(-1, 2)
    weights: Any = np.ones(len(ends))
    if weight is not None and weight in graph.es.attributes():
        weights = graph.es[weight]
    elif weight not in (None, _WEIGHT):
        raise _no_weight(weight, graph.es.attributes())
    nodes = attributes.get("name", range(n))
    rows, columns = ends.T
    return make_graph(nodes, rows, columns, weights, attributes, directed=graph.is_directed())


def from_pyg(data: Any, *, weight: str | None = "edge_weight") -> Graph:
    """A graph of PyTorch Geometric.

    Parameters
    ----------
    data : torch_geometric.data.Data
        Nodes are numbered as in ``data.edge_index``. Parallel edges add up, and of the two
        directions of an edge the larger weight counts.
    weight : str or None
        The attribute with the weights of the edges, which are similarities (larger is closer);
        without it, or with None, every edge counts as 1. ``edge_attr`` is used only if it is
        named here, since it often holds something else.

    Returns
    -------
    Graph
    """
    stored = dict(data.to_dict())
    index = stored.pop("edge_index", None)
    if index is None:
        raise ValueError(
            "the PyTorch Geometric graph has no edge_index; set it, or pass data.adj_t as a "
            "scipy matrix with affinity='precomputed'."
        )
    n = int(data.num_nodes)
    rows, columns = ends = np.asarray(as_numpy(index), dtype=np.intp).reshape(2, -1)
    outside = ends[(ends < 0) | (ends >= n)]
    if len(outside):
        raise ValueError(
            f"the PyTorch Geometric graph has {n} nodes, but its edge_index names node "
            f"{outside[0]}; correct data.num_nodes or the index."
        )
    weights = np.ones(len(rows))
    if weight is not None and stored.get(weight) is not None:
        weights = np.asarray(as_numpy(stored[weight]))
        if weights.size != len(rows):
            raise ValueError(
                f"{weight} has shape {weights.shape}, but the graph has {len(rows)} edges; pass "
                "one weight for each edge, or weight=None."
            )
        weights = weights.reshape(-1)
    elif weight not in (None, "edge_weight"):
        raise _no_weight(weight, stored)
    attributes = {
        name: value
        for name, value in stored.items()
        if not name.startswith("edge_") and _length(value) == n
    }
    return make_graph(range(n), rows, columns, weights, attributes, directed=True)


def _length(value: Any) -> int:
    """Its number of values, -1 for a single one."""
    try:
        return -1 if isinstance(value, str) else len(value)
    except TypeError:
        return -1


def _no_weight(weight: Any, known: Iterable[str]) -> ValueError:
    names = sorted(map(str, known))
    has = f"they have {listed(names)}" if names else "they have none"
    return ValueError(
        f"no edge of the graph has the attribute {weight!r}{did_you_mean(weight, names)}; {has}, "
        "and weight=None counts every edge as 1."
    )
