"""From files to tables and graphs, for several loaders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components


def read_numbers(path: Path, n_columns: int, *, header: bool = False) -> np.ndarray:
    """Read a table of numbers, shape (n, n_columns).

    Commas and blanks both separate, also at the end of a line, since copies of one data set
    differ in that.
    """
    expected = f"a table of {n_columns} numbers per line"
    lines = read_text(path, expected).splitlines()[int(header) :]
    rows = [line.replace(",", " ").split() for line in lines]
    try:
        table = np.array([row for row in rows if row], dtype=np.float64)
    except ValueError:
        table = np.zeros(0)
    if table.ndim != 2 or table.shape[1] != n_columns or not np.isfinite(table).all():
        raise unreadable(path, expected)
    return table


def read_text(path: Path, expected: str) -> str:
    """The text of a file; an error names what was `expected` if it is not text."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise unreadable(path, expected) from None
    if "\0" in text:
        raise unreadable(path, expected)
    return text


def unreadable(path: Path, expected: str) -> ValueError:
    """The error for a file with unexpected content."""
    return ValueError(f"{path} is not {expected}; replace it by the publisher's file.")


def largest_component(edges: np.ndarray, nodes: np.ndarray) -> tuple[Any, np.ndarray]:
    """The largest connected part of an undirected graph, given by pairs of node ids.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Pairs of ids. Direction and repetition do not count; pairs with an id that is not
        among `nodes`, or of a node with itself, are dropped.
    nodes : ndarray of shape (p,)
        Ascending ids of the nodes to keep.

    Returns
    -------
    graph : csr_array of shape (n, n)
        Adjacency of zeros and ones, in float64.
    kept : ndarray of shape (n,)
        Positions in `nodes` of the rows of the graph.
    """
    known = np.isin(edges, nodes).all(axis=1) & (edges[:, 0] != edges[:, 1])
    i, j = np.searchsorted(nodes, edges[known]).T
    ones = np.ones(2 * len(i))
    shape = (len(nodes), len(nodes))
    graph = sp.csr_array((ones, (np.concatenate([i, j]), np.concatenate([j, i]))), shape=shape)
    graph.data[:] = 1.0  # an edge that is listed twice is one edge
    _, component = connected_components(graph, directed=False)
    kept = np.flatnonzero(component == np.argmax(np.bincount(component)))
    return sp.csr_array(graph[kept][:, kept]), kept
