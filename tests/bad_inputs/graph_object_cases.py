"""Graphs in Python: what is accepted, and the error messages."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from bad_input_case import WORKS, Call, Fit, N, graph, pandas, two_groups

from fairspectral.graphs import from_edges, from_networkx


def networkx() -> Any:
    return importlib.import_module("networkx")


def network(kind: str = "Graph", spoil: Callable[[Any], Any] = lambda g: None) -> Any:
    """The plain graph as an object of networkx, with the groups as an attribute."""
    made = networkx().from_numpy_array(graph(), create_using=getattr(networkx(), kind))
    for node, sex in enumerate(two_groups().tolist()):
        made.nodes[node]["sex"] = sex
    spoil(made)
    return made


def o(name: str, spoil: Any, outcome: Any = WORKS, groups: Any = "sex", **options: Any) -> Fit:
    """A case about a graph of networkx."""
    kind = options.pop("kind", "Graph")
    make = lambda: network(kind, spoil)  # noqa: E731
    return Fit(name, make, lambda: groups, outcome, same=False, needs="networkx", **options)


def unchanged(made: Any) -> None:
    pass


def lacking(made: Any) -> None:
    for node in (3, 7):
        del made.nodes[node]["sex"]


def weighing(value: Any) -> Callable[[Any], None]:
    return lambda made: made.edges[0, 1].update(weight=value)


COUNT = "count every edge as 1 with weight=None in a function of fairspectral.graphs."

GRAPH_OBJECTS = [
    *(o(kind, unchanged, kind=kind) for kind in ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")),
    o("a list of one name", unchanged, groups=["sex"]),
    o("a dict by node", unchanged, groups=dict(enumerate(two_groups().tolist()))),
    o("no such attribute", unchanged,
      "the graph has no node attribute 'sexx' (did you mean 'sex'?); its node attributes are "
      "'sex', and sensitive_features may also be one value for each of its 30 nodes.",
      groups="sexx"),
    o("an attribute that some nodes lack", lacking,
      "the node attribute 'sex' is missing on 2 node(s) (3, 7); set it on every node, to a group "
      "of its own where it is not known."),
    o("a dict without some nodes", unchanged,
      "sensitive_features has no group for 28 node(s) of the graph (2, 3, 4, 5, 6, ...); add "
      "them.", groups={0: "f", 1: "m"}),
    o("a node without an edge", lambda made: made.add_node("x", sex="f"),
      "the graph has 1 node(s) without any edge ('x'); connect them, or remove them."),
    o("no nodes", lambda made: made.clear(),
      "the graph has no nodes; pass one with nodes and edges."),
    o("a negative weight", weighing(-1),
      "the edge (0, 1) has the weight -1; weights are similarities, finite and at least zero, so "
      f"correct it, or {COUNT}"),
    o("an infinite weight", weighing(np.inf),
      "the edge (0, 1) has the weight inf; weights are similarities, finite and at least zero, so "
      f"correct it, or {COUNT}"),
    o("a missing weight", weighing(None),
      "the edge (0, 1) has no weight; weights are similarities, finite and at least zero, so "
      f"correct it, or {COUNT}"),
    o("a weight of text", weighing("heavy"),
      "the edge (0, 1) has the weight 'heavy', which is not a number; correct it, or "
      f"{COUNT}"),
    o("directions that differ", lambda made: made.edges[0, 1].update(weight=3.0),
      kind="DiGraph", warns="they were given the larger one"),
    Fit("the edges of a graph", lambda: network().edges, two_groups,
        "X is a part of a networkx graph (EdgeView); pass the graph itself.", needs="networkx"),
    Fit("an edge index", lambda: np.argwhere(graph()).T, two_groups,
        "X has shape (2, 424) and whole numbers like an edge index, and neither one row per "
        "sample nor affinities; make a graph of it with fairspectral.graphs.from_edges(X.T) and "
        "pass that."),
    Fit("an edge index as affinities", lambda: np.argwhere(graph()).T, two_groups,
        "X has shape (2, 424) and whole numbers like an edge index, and neither one row per "
        "sample nor affinities; make a graph of it with fairspectral.graphs.from_edges(X.T) and "
        "pass that.", params={"affinity": "precomputed"}),
    Fit("a row for each edge", lambda: np.argwhere(graph()), two_groups,
        "X has shape (424, 2) and whole numbers like an edge index, and neither one row per "
        "sample nor affinities; make a graph of it with fairspectral.graphs.from_edges(X) and "
        "pass that."),
    Fit("a list of pairs", lambda: np.argwhere(graph()).tolist(), two_groups,
        "X has shape (424, 2) and whole numbers like an edge index, and neither one row per "
        "sample nor affinities; make a graph of it with fairspectral.graphs.from_edges(X) and "
        "pass that.", params={"affinity": "precomputed"}),
    Fit("a DataFrame of edges", lambda: edge_frame(), two_groups,
        "X has the columns 'source', 'target' of an edge list; make a graph of it with "
        "fairspectral.graphs.from_edges(X, source=..., target=...) and pass that.",
        needs="pandas"),
]  # fmt: skip


def edge_frame(**options: Any) -> Any:
    return pandas().DataFrame(np.argwhere(graph()), columns=["source", "target"], **options)


def node_frame(names: Any) -> Any:
    return pandas().DataFrame({"name": names, "sex": two_groups()})


def e(name: str, make: Callable[[], Any], outcome: Any = WORKS, needs: str = "") -> Call:
    """A case about a function that makes a graph; one that works makes all the nodes."""
    return Call(f"graph: {name}", lambda: len(make()) == N, outcome, needs)


GRAPH_FUNCTIONS = [
    e("from_edges: frames", lambda: from_edges(edge_frame(), nodes=node_frame(range(N))),
      needs="pandas"),
    e("from_edges: pairs", lambda: from_edges([*map(tuple, np.argwhere(graph()).tolist())])),
    e("from_edges: no such column", lambda: from_edges(edge_frame(), target="targte"),
      "edges has no column 'targte' (did you mean 'target'?); name the column with target=, one "
      "of 'source', 'target'.", needs="pandas"),
    e("from_edges: no column of weights", lambda: from_edges(edge_frame(), weight="calls"),
      "edges has no column 'calls'; name the column with weight=, one of 'source', 'target'.",
      needs="pandas"),
    e("from_edges: an unknown node", lambda: from_edges([(0, 1), (1, 7)], nodes=[0, 1]),
      "edges has an edge of node 7, which is not among nodes; add it there, or remove its edges."),
    e("from_edges: a node twice", lambda: from_edges(edge_frame(), nodes=node_frame([0] * N)),
      "the first column of nodes, 'name', has 0 30 times; name every node once "
      "(nodes.reset_index() if the names are the index).", needs="pandas"),
    e("from_edges: a node of the list twice", lambda: from_edges([(0, 1)], nodes=[0, 1, 0]),
      "nodes has 0 2 times; name every node once."),
    e("from_edges: no rows", lambda: from_edges([]),
      "edges has no rows; pass one row for each edge."),
    e("from_edges: one end", lambda: from_edges([1, 2, 3]),
      "edges has rows of 1 values; pass one row for each edge, with its two ends and perhaps a "
      "weight."),
    e("from_edges: an edge index", lambda: from_edges(np.argwhere(graph()).T),
      "edges has an edge index of two rows; pass one row for each edge, with its two ends and "
      "perhaps a weight (edges.T)."),
    e("from_edges: a missing end", lambda: from_edges([(0, 1), (1, None)]),
      "edges has no node in row 1 of 'target'; fill it, or drop that row."),
    e("from_edges: names of two types", lambda: from_edges([(0, "a"), (1, "a")]),
      "edges names some nodes by int and others by str; name all of them alike, or pass the "
      "nodes in the order wanted."),
    e("from_edges: a weight of text", lambda: from_edges([("a", "b", "heavy")]),
      "the edge ('a', 'b') has the weight 'heavy', which is not a number; correct it, or "
      f"{COUNT}"),
    e("from_networkx: no such weight", lambda: from_networkx(network(), weight="wieght"),
      "no edge of the graph has the attribute 'wieght' (did you mean 'weight'?); they have "
      "'weight', and weight=None counts every edge as 1.", needs="networkx"),
]  # fmt: skip
