"""A graph in the form that is clustered: symmetric weights, names of nodes, their attributes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.parameters import did_you_mean
from fairspectral.row_order import row_labels
from fairspectral.validation import FairSpectralWarning, find_missing

_MOST_NAMED = 5
_COUNT_AS_ONE = "count every edge as 1 with weight=None in a function of fairspectral.graphs"


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph; iterating over it gives its nodes in the order of ``labels_``.

    Attributes
    ----------
    weights : csr_array of shape (n, n)
        Symmetric; a self-loop is one entry on the diagonal.
    nodes : sequence of length n
        The names of the nodes, or their numbers.
    attributes : mapping of str to sequence of length n
        The attributes of the nodes, by name.
    """

    weights: Any
    nodes: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        loops = int(np.count_nonzero(self.weights.diagonal()))
        edges = (self.weights.nnz - loops) // 2 + loops
        named = ", ".join(map(repr, self.attributes)) or "none"
        return f"<Graph of {len(self):,} nodes and {edges:,} edges; node attributes: {named}>"

    def groups(self, sensitive_features: Any) -> Any:
        """The values of sensitive features in the order of the nodes.

        Parameters
        ----------
        sensitive_features : str, list of str, mapping or anything else
            The name of a node attribute, or several; a mapping from every node to its group;
            anything else has one value per node already, and is returned as it is.
        """
        given = sensitive_features
        if isinstance(given, str):
            return self._named([given])
        if isinstance(given, list | tuple) and len(given) not in (0, len(self)):
            if all(isinstance(name, str) for name in given):
                return self._named(given)
        elif isinstance(given, Mapping):
            return self._by_node(given)
        self._check_order(given)
        return as_numpy(given) if hasattr(given, "detach") else given

    def _named(self, names: Iterable[str]) -> dict[str, Any]:
        columns = {}
        for name in names:
            if name not in self.attributes:
                known = ", ".join(map(repr, self.attributes))
                has = f"its node attributes are {known}" if known else "its nodes have none"
                raise ValueError(
                    f"the graph has no node attribute {name!r}"
                    f"{did_you_mean(name, self.attributes)}; {has}, and sensitive_features may "
                    f"also be one value for each of its {len(self)} nodes."
                )
            values = as_numpy(self.attributes[name])
            if isinstance(values, np.ndarray) and values.ndim > 1:
                if values[0].size != 1:
                    raise ValueError(
                        f"the node attribute {name!r} has {values[0].size} values for each node; "
                        "pass one column of it as sensitive_features."
                    )
                values = values.reshape(-1)
            self._refuse_missing(name, values)
            columns[name] = values
        return columns

    def _refuse_missing(self, name: str, values: Any) -> None:
        gone = np.flatnonzero(missing_in(values)).tolist()
        if gone:
            raise ValueError(
                f"the node attribute {name!r} is missing on {len(gone)} node(s) "
                f"({self._listed(gone)}); set it on every node, to a group of its own where it is "
                "not known."
            )

    def _by_node(self, given: Mapping[Any, Any]) -> Any:
        """A mapping from nodes to groups as values in the order of the nodes."""
        if not any(node in given for node in self.nodes):
            return given  # columns by name
        gone = [i for i, node in enumerate(self.nodes) if node not in given]
        if gone:
            raise ValueError(
                f"sensitive_features has no group for {len(gone)} node(s) of the graph "
                f"({self._listed(gone)}); add them."
            )
        return [given[node] for node in self.nodes]

    def _check_order(self, given: Any) -> None:
        """Refuse row labels (pandas) that are the nodes in another order.

        Values are used by position. The default labels 0, 1, ... say nothing about nodes, unless
        the nodes are these numbers in another order: then it is not clear what is meant.
        """
        labels = row_labels(given)
        if labels is None or len(labels) != len(self):
            return
        found, nodes = list(labels), list(self.nodes)
        if found == nodes:
            return
        known = set(nodes)
        shared = sum(label in known for label in found)
        counts_rows = found == list(range(len(found)))
        if shared == len(known) or (shared and not counts_rows):
            raise ValueError(
                "sensitive_features has nodes of the graph as row labels, but not in the graph's "
                "order; pass sensitive_features.loc[list_of_nodes], or "
                "sensitive_features.to_numpy() if the rows do correspond by position."
            )

    def _listed(self, positions: Sequence[int]) -> str:
        return listed(self.nodes[i] for i in positions)


def in_words(name: Any) -> str:
    """A node's name as it is written in Python, a number of numpy as any other number."""
    return repr(name.item() if isinstance(name, np.generic) else name)


def missing_in(values: Any) -> np.ndarray:
    """Where a value is missing, shape (n,); a value may be a tuple, which numpy would unpack."""
    if isinstance(values, np.ndarray):
        return find_missing(values)
    return find_missing(np.fromiter(values, dtype=object, count=len(values)))


def listed(names: Iterable[Any]) -> str:
    """The first few names between commas."""
    shown = [in_words(name) for _, name in zip(range(_MOST_NAMED + 1), names, strict=False)]
    return ", ".join(shown[:_MOST_NAMED]) + (", ..." if len(shown) > _MOST_NAMED else "")


def make_graph(
    nodes: Sequence[Any],
    rows: np.ndarray,
    columns: np.ndarray,
    weights: Any,
    attributes: Mapping[str, Any],
    *,
    directed: bool,
) -> Graph:
    """Build a graph from its edges; parallel edges add up, of two directions the larger counts.

    Parameters
    ----------
    nodes : sequence of length n
        Their names.
    rows, columns : ndarray of shape (m,)
        The positions of the two ends of each edge.
    weights : sequence of length m
        The weight of each edge.
    attributes : mapping
        Of the nodes, by name.
    directed : bool
        Whether an edge from a to b and one from b to a are two directions of one edge.
    """
    n = len(nodes)
    if not n:
        raise ValueError("the graph has no nodes; pass one with nodes and edges.")

    def edge(at: int) -> str:
        return f"({in_words(nodes[int(rows[at])])}, {in_words(nodes[int(columns[at])])})"

    values = _check_weights(weights, edge)
    if not directed:  # parallel edges may be stored with their ends swapped
        rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
    one_way = sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(n, n)))
    one_way.eliminate_zeros()
    other_way = sp.csr_array(one_way.T)
    both = one_way.astype(bool).multiply(other_way.astype(bool))
    if directed and (one_way - other_way).multiply(both).nnz:
        warnings.warn(
            "the graph has edges whose two directions differ in weight; they were given the "
            "larger one.",
            FairSpectralWarning,
            stacklevel=2,
        )
    symmetric = sp.csr_array(one_way.maximum(other_way))
    alone = np.flatnonzero(np.diff(symmetric.indptr) == 0).tolist()
    if len(alone):
        raise ValueError(
            f"the graph has {len(alone)} node(s) without any edge "
            f"({listed(nodes[i] for i in alone)}); connect them, or remove them."
        )
    return Graph(symmetric, nodes, attributes)


def _check_weights(weights: Any, edge: Callable[[int], str]) -> np.ndarray:
    """The weights as numbers; `edge` names the edge at a position."""
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        at = next(i for i, weight in enumerate(weights) if not _is_number(weight))
        raise ValueError(
            f"the edge {edge(at)} has the weight {weights[at]!r}, which is not a number; correct "
            f"it, or {_COUNT_AS_ONE}."
        ) from None
    bad = ~((values >= 0) & (values < np.inf))
    if bad.any():
        at = int(np.argmax(bad))
        what = "no weight" if np.isnan(values[at]) else f"the weight {values[at]:g}"
        raise ValueError(
            f"the edge {edge(at)} has {what}; weights are similarities, finite and at least zero, "
            f"so correct it, or {_COUNT_AS_ONE}."
        )
    return values


def _is_number(weight: Any) -> bool:
    try:
        float(weight)
    except (TypeError, ValueError):
        return weight is None
    return True


def as_numpy(values: Any) -> Any:
    """A tensor as an array of numpy, from whatever device; anything else as it is."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    return values.numpy() if callable(getattr(values, "numpy", None)) else values
