"""Read a graph: an edge list, a Matrix Market file or a sparse ``.npz``."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.tables.read import check_fields, import_pandas
from fairspectral.tables.text import check_readable, kind_of, read_text

_COMMENTS = ("#", "%")
# First lines that are headers even where the nodes have names.
_HEADERS = {"source", "target", "from", "to", "src", "dst", "node1", "node2", "node_1", "node_2"}


@dataclass(frozen=True)
class Graph:
    """An undirected graph.

    Attributes
    ----------
    weights : csr_array of shape (n, n)
        Symmetric, without self-loops.
    nodes : tuple of str or None
        Names in the order of the rows; None where the file has numbered rows only.
    notes : tuple of str
        What was assumed in reading, in words for the user.
    """

    weights: Any
    nodes: tuple[str, ...] | None
    notes: tuple[str, ...] = ()


def read_graph(
    path: Path, nodes: Sequence[str] | None = None, *, encoding: str | None = None
) -> Graph:
    """Read a graph.

    Parameters
    ----------
    path : Path
        ``.mtx`` (also ``.mtx.gz``), a ``.npz`` of ``scipy.sparse.save_npz``, or text with two
        nodes and perhaps a weight per line, between commas, tabs, semicolons or blanks.
    nodes : sequence of str or None
        For an edge list: all the nodes in the order wanted; None: those that occur, sorted.
    encoding : str or None
        Of an edge list; None is UTF-8.
    """
    check_readable(path)
    kind = kind_of(path)
    if kind in ("mtx", "mm", "npz"):
        weights, notes = _symmetric(path, _read_matrix(path, kind))
        graph = Graph(weights, None, notes)
    else:
        graph = _read_edges(path, nodes, encoding)
    weights = graph.weights
    alone = np.flatnonzero(np.diff(weights.indptr) == 0)
    if len(alone):
        named = [graph.nodes[i] if graph.nodes else str(i + 1) for i in alone[:3]]
        raise ValueError(
            f"{path} has no edge for {len(alone)} node(s) ({', '.join(named)}"
            f"{', ...' if len(alone) > 3 else ''}); connect them, or leave them out of the groups."
        )
    return graph


def _read_matrix(path: Path, kind: str) -> Any:
    try:
        if kind == "npz":
            return sp.load_npz(path)
        from scipy.io import mmread

        # scipy before 1.15 does not know this option, and from 1.18 on warns where it is left out.
        options = {"spmatrix": False} if "spmatrix" in signature(mmread).parameters else {}
        return sp.coo_array(mmread(path, **options))
    except Exception as error:  # scipy raises what its parsers raise
        reason = str(error).split("\n", 1)[0].rstrip(".")
        what = "a sparse matrix of scipy" if kind == "npz" else "a Matrix Market file"
        raise ValueError(f"{path} is not {what} ({reason}); check the file.") from None


def _read_edges(path: Path, nodes: Sequence[str] | None, encoding: str | None) -> Graph:
    pandas = import_pandas()
    text, _ = read_text(path, encoding)
    lines = [line for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not line.lstrip().startswith(_COMMENTS)]
    if not lines:
        raise ValueError(f"{path} has no edges; write two nodes per line.")
    delimiter = next((d for d in ",\t;" if d in lines[0]), r"\s+")
    try:
        table = pandas.read_csv(
            io.StringIO("\n".join(line.strip() for line in lines)), sep=delimiter, header=None,
            dtype=str, keep_default_na=False, skipinitialspace=True, index_col=False,
        )  # fmt: skip
    except pandas.errors.ParserError:
        table = None
    if table is None or table.shape[1] not in (2, 3) or table.isna().any(axis=None):
        raise ValueError(
            f"{path} is not an edge list; write two nodes and perhaps a weight per line, and the "
            "same number of fields in every line."
        )
    check_fields(path, table)
    if _is_header(table):
        table = table.iloc[1:]
        if table.empty:
            raise ValueError(f"{path} has no edges; write two nodes per line.")
    return _from_edges(path, table, nodes)


def _is_header(table: Any) -> bool:
    """Names where numbers stand below, or the usual words."""
    pandas = import_pandas()
    first = table.iloc[0].str.strip()
    if set(first.str.lower()[:2]) & _HEADERS:
        return True
    numeric = table.apply(lambda column: pandas.to_numeric(column, errors="coerce").notna())
    below = numeric.iloc[1:]
    return len(below) > 0 and bool((~numeric.iloc[0] & below.all()).any())


def _from_edges(path: Path, table: Any, nodes: Sequence[str] | None) -> Graph:
    pandas = import_pandas()
    ends = [table[j].str.strip() for j in (0, 1)]
    if nodes is None:
        nodes = _sorted_nodes(np.unique(np.concatenate([end.to_numpy(object) for end in ends])))
    index = pandas.Index(nodes)
    rows, columns = (index.get_indexer(end) for end in ends)
    for at, end in ((rows, ends[0]), (columns, ends[1])):
        if (at < 0).any():
            name = end.iloc[int(np.argmax(at < 0))]
            raise ValueError(
                f"{path} has an edge of node {name!r}, which is not in the groups; add it there, "
                "or remove its edges."
            )
    values = np.ones(len(table))
    if table.shape[1] == 3:
        weights = pandas.to_numeric(table[2], errors="coerce")
        if weights.isna().any():
            wrong = table[2].iloc[int(np.argmax(weights.isna()))]
            raise ValueError(f"{path} has the weight {wrong!r}, which is no number; mend it.")
        values = weights.to_numpy(dtype=np.float64)
    matrix = sp.coo_array((values, (rows, columns)), shape=(len(nodes), len(nodes)))
    weights, notes = _symmetric(path, matrix)
    return Graph(weights, tuple(nodes), notes)


def _sorted_nodes(names: np.ndarray) -> list[str]:
    """By number where all are whole numbers, else by the alphabet."""
    try:
        return sorted(names.tolist(), key=int)
    except ValueError:
        return sorted(names.tolist())


def _symmetric(path: Path, matrix: Any) -> tuple[Any, tuple[str, ...]]:
    """Each pair with the larger of its two directions' weights, and no self-loops."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{path} is a matrix of shape {matrix.shape}; a graph needs as many rows as columns."
        )
    square = sp.csr_array(matrix, dtype=np.float64)  # an edge listed twice adds up
    if square.nnz and (not np.isfinite(square.data).all() or square.data.min() < 0):
        raise ValueError(
            f"{path} has a weight that is negative or no number; affinities must be at least zero."
        )
    notes = []
    if square.diagonal().any():
        notes.append(f"Dropped {int(np.count_nonzero(square.diagonal()))} self-loop(s).")
        square = sp.csr_array(square - sp.diags_array(square.diagonal()))
    square.eliminate_zeros()
    both = (square != 0).multiply(square.T != 0)
    if (square - square.T).multiply(both).nnz:
        notes.append("Edges whose two directions differ were given the larger weight.")
    return sp.csr_array(square.maximum(square.T)), tuple(notes)
