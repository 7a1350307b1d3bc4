"""Whether the data given to a fit are a graph, or the edges of one passed as a table."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.feature_tables import column_names
from fairspectral.graphs.convert import from_igraph, from_networkx, from_pyg
from fairspectral.graphs.graph import Graph, as_numpy
from fairspectral.row_order import row_labels
from fairspectral.tensors import check_tensor, is_tensor, on_host
from fairspectral.validation import FairSpectralWarning

_HEADINGS = (
    {"source", "target"},
    {"from", "to"},
    {"src", "dst"},
    {"node1", "node2"},
    {"node_1", "node_2"},
)
_PYG = ("edge_index", "num_nodes", "to_dict")
# With fewer nodes, two columns of whole numbers look like edges by chance.
_FEWEST_NODES = 5


def as_graph(X: Any) -> Graph | None:
    """The graph that an object of another package is; None where it is something else.

    The packages are recognised by their names, so that none of them is imported.
    """
    if isinstance(X, Graph):
        return X
    check_tensor(X, "X")  # some have no shape to look at
    packages = {kind.__module__.partition(".")[0] for kind in type(X).__mro__}
    if "networkx" in packages:
        if not hasattr(X, "is_multigraph"):
            raise TypeError(
                f"X is a part of a networkx graph ({type(X).__name__}); pass the graph itself."
            )
        return from_networkx(X)
    if "igraph" in packages and hasattr(X, "vcount"):
        return from_igraph(X)
    # PyTorch Geometric's `Data`, and what has its interface; a table has a shape.
    if not hasattr(X, "shape") and all(hasattr(X, name) for name in _PYG):
        return from_pyg(X)
    if "torch_geometric" in packages:
        raise TypeError(
            f"X is a {type(X).__name__} of PyTorch Geometric, which is not one graph; pass a "
            "torch_geometric.data.Data, such as dataset[0] or data.to_homogeneous()."
        )
    return None


def names_of(X: Any) -> Sequence[Any] | None:
    """The names of the nodes of a graph, or of the rows of a pandas table; None without names."""
    graph = as_graph(X)
    if graph is not None:
        return graph.nodes
    index = row_labels(X)
    return None if index is None else index.tolist()


def unpack_graph(X: Any, sensitive_features: Any, affinity: Any) -> tuple[Any, Any, Any]:
    """Data, groups and affinity as for a matrix, where the data are a graph.

    Parameters
    ----------
    X, sensitive_features, affinity :
        As the user gave them.

    Returns
    -------
    X, sensitive_features, affinity :
        For a graph its weights, the values of the attributes that were named, and
        ``"precomputed"``; else unchanged, unless the data are the edges of a graph, which is an
        error.
    """
    graph = as_graph(X)
    if graph is None:
        _refuse_edges(X, sensitive_features, affinity)
        return X, sensitive_features, affinity
    if hasattr(affinity, "matmat"):
        raise ValueError(
            "X is a graph and affinity an operator, but only one of them can have the affinities; "
            "pass X=None or leave out affinity."
        )
    groups = None if sensitive_features is None else graph.groups(sensitive_features)
    return graph.weights, groups, "precomputed"


def groups_of(affinity: Any, sensitive_features: Any) -> tuple[Any, Any]:
    """An affinity that may be a graph, and groups that may be named attributes of it."""
    graph = as_graph(affinity)
    if graph is None:
        return affinity, sensitive_features
    groups = None if sensitive_features is None else graph.groups(sensitive_features)
    return graph.weights, groups


# --- edges passed as a table --------------------------------------------------------------


def _refuse_edges(X: Any, sensitive_features: Any, affinity: Any) -> None:
    names = column_names(X)
    if names is not None and len(names) in (2, 3):
        found = [str(name) for name in names]
        if any(pair <= {name.strip().lower() for name in found} for pair in _HEADINGS):
            ends = ", ".join(map(repr, found[:2]))
            raise ValueError(
                f"X has the columns {ends} of an edge list; make a graph of it with "
                "fairspectral.graphs.from_edges(X, source=..., target=...) and pass that."
            )
    pairs = _whole_pairs(X)
    if pairs is None:
        return
    shape = tuple(np.shape(X))
    transposed = shape[0] == 2
    nodes = np.unique(pairs)
    numbered = nodes[0] in (0, 1) and nodes[-1] - nodes[0] + 1 == len(nodes)
    if isinstance(affinity, str) and affinity == "precomputed":
        if transposed or numbered:  # other tables are refused because they are not square
            raise _edges_error(shape, transposed)
    elif transposed:
        if numbered and len(nodes) < 2 * len(pairs):
            raise _edges_error(shape, transposed)
    elif sensitive_features is not None:
        if _count(sensitive_features) in {len(nodes), int(nodes[-1]) + 1} - {len(pairs)}:
            raise _edges_error(shape, transposed)
    elif numbered and len(nodes) >= _FEWEST_NODES and _are_edges(pairs):
        warnings.warn(
            f"X has two columns of whole numbers that look like the edges of {len(nodes)} nodes, "
            "and its rows are clustered as points; if they are edges, pass "
            "fairspectral.graphs.from_edges(X).",
            FairSpectralWarning,
            stacklevel=2,
        )


def _whole_pairs(X: Any) -> np.ndarray | None:
    """Whole numbers of at least 0 in two columns or two rows, as (m, 2); None of other data."""
    if X is None or sp.issparse(X) or (is_tensor(X) and X.is_floating_point()):
        return None
    if isinstance(X, list | tuple):
        shape = (len(X), len(X[0]) if len(X) and isinstance(X[0], list | tuple) else 0)
    else:
        shape = tuple(getattr(X, "shape", ()))
    if len(shape) != 2 or 2 not in shape or max(shape) < 3:
        return None
    try:
        array = np.asarray(as_numpy(on_host(X)))
    except (TypeError, ValueError):  # rows of different lengths: refused later
        return None
    if array.shape != shape or array.dtype.kind not in "iu" or array.min() < 0:
        return None
    return array.T if array.shape[0] == 2 else array


def _are_edges(pairs: np.ndarray) -> bool:
    """Whether no pair occurs twice or joins a node to itself, as in most edge lists."""
    return bool((pairs[:, 0] != pairs[:, 1]).all()) and len(np.unique(pairs, axis=0)) == len(pairs)


def _count(sensitive_features: Any) -> int:
    values = sensitive_features
    if isinstance(values, Mapping):
        values = next(iter(values.values()), ())
    return len(values) if hasattr(values, "__len__") and not isinstance(values, str) else -1


def _edges_error(shape: tuple[int, ...], transposed: bool) -> ValueError:
    return ValueError(
        f"X has shape {shape} and whole numbers like an edge index, and neither one row per "
        "sample nor affinities; make a graph of it with "
        f"fairspectral.graphs.from_edges({'X.T' if transposed else 'X'}) and pass that."
    )
