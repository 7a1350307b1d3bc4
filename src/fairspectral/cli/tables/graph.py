"""Read a graph: an edge list, a Matrix Market file or a sparse ``.npz``."""

from __future__ import annotations

import io
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.cli.tables.matrix import read_matrix, symmetric_weights
from fairspectral.cli.tables.read import check_fields, import_pandas
from fairspectral.cli.tables.standard import input_name
from fairspectral.cli.tables.text import check_readable, kind_of, read_text

_COMMENTS = ("#", "%")
_SEPARATORS = ",\t;"
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
        Assumptions made in reading, as sentences for the user.
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
        Encoding of an edge list; None is UTF-8.
    """
    check_readable(path)
    kind = kind_of(path)
    if kind in ("mtx", "mm", "npz"):
        weights, notes = symmetric_weights(path, read_matrix(path, kind))
        graph = Graph(weights, None, notes)
    else:
        graph = _read_edges(path, nodes, encoding)
    path = input_name(path)
    weights = graph.weights
    alone = np.flatnonzero(np.diff(weights.indptr) == 0)
    if len(alone):
        named = [graph.nodes[i] if graph.nodes else str(i + 1) for i in alone[:3]]
        raise ValueError(
            f"{path} has no edge for {len(alone)} node(s) ({', '.join(named)}"
            f"{', ...' if len(alone) > 3 else ''}); connect them, or leave them out of the groups."
        )
    return graph


def _read_edges(path: Path, nodes: Sequence[str] | None, encoding: str | None) -> Graph:
    text, _ = read_text(path, encoding)
    path = input_name(path)
    lines, notes = edge_lines(text, None if nodes is None else set(nodes))
    if not lines:
        raise ValueError(f"{path} has no edges; write two nodes per line.")
    table = _edge_table(path, lines)
    if _is_header(table, nodes):
        first = [field.strip() for field in table.iloc[0]]
        if nodes is None and not set(map(str.lower, first[:2])) <= _HEADERS and len(first) == 2:
            notes.append(
                f"The first line ({', '.join(map(repr, first))}) was read as a header and not as "
                "an edge."
            )
        table = table.iloc[1:]
        if table.empty:
            raise ValueError(f"{path} has no edges; write two nodes per line.")
    graph = _from_edges(path, table, nodes)
    return replace(graph, notes=(*notes, *graph.notes))


def edge_lines(text: str, nodes: Container[str] | None) -> tuple[list[str], list[str]]:
    """The lines that are edges, and a note about comments that might be edges.

    A line that begins with ``#`` or ``%`` is a comment, unless the first of its fields is one
    of the `nodes`.
    """
    lines, doubtful = [], []
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        line = line.strip()
        if not line:
            continue
        if line.startswith(_COMMENTS):
            fields = [field.strip() for field in re.split(rf"[{_SEPARATORS}]|\s+", line)]
            by_marks = [field.strip() for field in re.split(f"[{_SEPARATORS}]", line)]
            known = nodes is not None and (fields[0] in nodes or by_marks[0] in nodes)
            if not known:
                if fields[0] not in _COMMENTS and 2 <= len(fields) <= 3:
                    doubtful.append((number, line))
                continue
        lines.append(line)
    if not doubtful:
        return lines, []
    number, line = doubtful[0]
    return lines, [
        f"Took {len(doubtful)} line(s) for comments, the first in line {number} ({line!r}); put "
        "quotes around a node that begins with # or %."
    ]


def _edge_table(path: Path, lines: list[str]) -> Any:
    """Two or three columns of text, one row for each line."""
    pandas = import_pandas()
    delimiter = next((d for d in _SEPARATORS if d in lines[0]), r"\s+")
    try:
        table = pandas.read_csv(
            io.StringIO("\n".join(lines)), sep=delimiter, header=None, dtype=str,
            keep_default_na=False, skipinitialspace=True, index_col=False,
        )  # fmt: skip
    except pandas.errors.ParserError:
        table = None
    if (
        table is None
        or table.shape[1] not in (2, 3)
        or table.isna().any(axis=None)
        or (table.iloc[:, :2] == "").any(axis=None)
        or len(table) != len(lines)  # a quote that goes on over several lines
    ):
        raise ValueError(
            f"{path} is not an edge list; write two nodes and perhaps a weight per line, and the "
            "same number of fields in every line."
        )
    check_fields(path, table)
    return table


def _is_header(table: Any, nodes: Sequence[str] | None) -> bool:
    """Whether the first line has names above numbers, or usual headings; never two nodes."""
    pandas = import_pandas()
    first = table.iloc[0].str.strip()
    if nodes is not None and first[:2].isin(list(nodes)).any():
        return False
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
    # Not taken for one by itself: an edge of two nodes whom the groups lack would be lost.
    header = ""
    if rows[0] < 0 and columns[0] < 0:
        known = ", ".join(sorted(_HEADERS))
        header = f"; if the first line is a header, give it a name that is known as one ({known})"
    for at, end in ((rows, ends[0]), (columns, ends[1])):
        if (at < 0).any():
            name = end.iloc[int(np.argmax(at < 0))]
            raise ValueError(
                f"{path} has an edge of node {name!r}, which is not in the groups; add it there, "
                f"or remove its edges{header}."
            )
    values = np.ones(len(table))
    if table.shape[1] == 3:
        weights = pandas.to_numeric(table[2], errors="coerce")
        if weights.isna().any():
            wrong = table[2].iloc[int(np.argmax(weights.isna()))]
            raise ValueError(f"{path} has the weight {wrong!r}, which is not a number; correct it.")
        values = weights.to_numpy(dtype=np.float64)
    matrix = sp.coo_array((values, (rows, columns)), shape=(len(nodes), len(nodes)))
    weights, notes = symmetric_weights(path, matrix)
    return Graph(weights, tuple(nodes), notes)


def _sorted_nodes(names: np.ndarray) -> list[str]:
    """Sorted by number if all are whole numbers, else alphabetically."""
    try:
        return sorted(names.tolist(), key=int)
    except ValueError:
        return sorted(names.tolist())
