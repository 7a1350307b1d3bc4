"""Graphs given to the command: what is accepted, and the error messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_input_case import WORKS, kernel
from command_case import GRAPH, Command


def g(name: str, content: Any, outcome: str = WORKS, *words: str, **options: Any) -> Command:
    """A case about a graph of nodes n0, n1, ..."""
    options = {"same": False, "file": "edges.csv", **options}
    return Command(f"graph: {name}", content, (*GRAPH, *words), outcome, **options)


def edges(*more: str, weight: str = "", header: str = "source,target") -> bytes:
    """Two rings of fifteen nodes, of which each has both groups, joined by one edge."""
    ring = range(15)
    lines = [f"n{r + 2 * i},n{r + 2 * ((i + 1) % 15)}{weight}" for r in (0, 1) for i in ring]
    heading = header + (",weight" if weight else "")
    return "\n".join([heading, *lines, f"n0,n1{weight}", *more]).encode()


def matrix(words: str, head: str = "coordinate real symmetric") -> bytes:
    return f"%%MatrixMarket matrix {head}\n{words}\n".encode()


def sparse_npz(spoil: Any = None) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        W = sp.csr_matrix(kernel())
        np.fill_diagonal(D := W.toarray(), 0.0)
        W = sp.csr_matrix(D)
        if spoil is not None:
            spoil(W)
        sp.save_npz(path, W)

    return write


GRAPHS = [
    g("plain", edges()),
    g("BOM", b"\xef\xbb\xbf" + edges()),
    g("UTF-16", edges().decode().encode("utf-16")),
    g("CRLF", edges().replace(b"\n", b"\r\n")),
    g("blanks between", edges().replace(b",", b" "), file="edges.txt"),
    g("weights", edges(weight=",2.5")),
    g("comments", b"# made by hand\n" + edges()),
    g("self-loops", edges("n3,n3"), note="Dropped 1 self-loop(s)"),
    g("an edge twice", edges("n0,n2")),
    g("weights that differ by direction", edges("n2,n0,9", weight=",2.5"),
      note="given the larger weight"),
    g("an unknown node", edges("n0,n77"),
      "{in} has an edge of node 'n77', which is not in the groups; add it there, or remove its "
      "edges."),
    g("a node without an edge", edges().replace(b"n28", b"n26"),
      "{in} has no edge for 1 node(s) (n28); connect them, or leave them out of the groups."),
    g("empty", b"", "{in} is empty; pass a file with a header line and rows."),
    g("a header only", b"source,target\n", "{in} has no edges; write two nodes per line."),
    g("one field", b"n0\nn1\n",
      "{in} is not an edge list; write two nodes and perhaps a weight per line, and the same "
      "number of fields in every line."),
    g("four fields", b"n0,n1,1,2\n",
      "{in} is not an edge list; write two nodes and perhaps a weight per line, and the same "
      "number of fields in every line."),
    g("ragged", edges("n0"),
      "{in} is not an edge list; write two nodes and perhaps a weight per line, and the same "
      "number of fields in every line."),
    g("a weight of text", edges("n2,n4,heavy", weight=",1"),
      "{in} has the weight 'heavy', which is not a number; correct it."),
    g("a negative weight", edges("n2,n6,-1", weight=",1"),
      "{in} has a weight that is negative or not a number; affinities must be at least zero."),
    g("an infinite weight", edges("n2,n6,inf", weight=",1"),
      "{in} has a weight that is negative or not a number; affinities must be at least zero."),
    g("a missing weight", edges("n2,n6,", weight=",1"),
      "{in} has the weight '', which is not a number; correct it."),
    g("weights of zero", edges(weight=",0"),
      "{in} has no edge for 30 node(s) (n0, n1, n2, ...); connect them, or leave them out of the "
      "groups."),
    g("Latin-1", edges("n0,n\xe9").decode().encode("latin-1"),
      "{in} is not UTF-8 text (byte 0xe9 in line 33); save it as UTF-8, or pass its encoding, "
      "for example --encoding latin-1."),
    g("an open quote", edges('"n0,n1'),
      "{in} is not an edge list; write two nodes and perhaps a weight per line, and the same "
      "number of fields in every line."),
    g("not Matrix Market", edges(),
      re.compile(r"{in} is not a Matrix Market file \(.*\); check the file\."), file="edges.mtx"),
    g("Matrix Market of two nodes", matrix("2 2 1\n2 1 1.0"),
      "{groups} has 30 rows but {in} has 2 nodes; it needs one row for each, in the "
      "same order.", file="edges.mtx"),
    g("Matrix Market out of range", matrix("30 30 1\n31 1 1.0"),
      re.compile(r"{in} is not a Matrix Market file \(.*\); check the file\."), file="edges.mtx"),
    g("Matrix Market that claims 2e9 nodes", matrix("2000000000 2000000000 1\n2 1 1.0"),
      "{in} claims 2,000,000,000 nodes but has 2 entries, so most nodes have no edge; correct "
      "the size, or leave those nodes out.",
      file="edges.mtx"),
    g("Matrix Market, complex",
      matrix("30 30 1\n2 1 1.0 2.0", "coordinate complex symmetric"),
      "{in} has complex weights; affinities must be real numbers of at least zero.",
      file="edges.mtx"),
    g("Matrix Market, not square", matrix("30 29 1\n2 1 1.0", "coordinate real general"),
      "{in} is a matrix of shape (30, 29); a graph needs as many rows as columns.",
      file="edges.mtx"),
    g("Matrix Market, an entry too few", matrix("30 30 2\n2 1 1.0"),
      re.compile(r"{in} is not a Matrix Market file \(.*\); check the file\."), file="edges.mtx"),
    g("npz", sparse_npz(), file="graph.npz"),
    g("npz with an index out of range", sparse_npz(lambda W: W.indices.__setitem__(5, 10**6)),
      "{in} is not a sparse matrix of scipy (it has the index 1000000 but only 30 columns); "
      "check the file.",
      file="graph.npz"),
    g("npz with a negative index", sparse_npz(lambda W: W.indices.__setitem__(5, -1)),
      "{in} is not a sparse matrix of scipy (it has the index -1 but only 30 columns); check the "
      "file.",
      file="graph.npz"),
    g("npz with pointers that fall", sparse_npz(lambda W: W.indptr.__setitem__(3, 999)),
      "{in} is not a sparse matrix of scipy (its row pointers are not in order); check the file.",
      file="graph.npz"),
    g("npz with a negative weight", sparse_npz(lambda W: W.data.__setitem__(5, -1.0)),
      "{in} has a weight that is negative or not a number; affinities must be at least zero.",
      file="graph.npz"),
    g("npz with NaN", sparse_npz(lambda W: W.data.__setitem__(5, np.nan)),
      "{in} has a weight that is negative or not a number; affinities must be at least zero.",
      file="graph.npz"),
    g("npz of a dense array", lambda path: np.savez(path, W=kernel()),
      re.compile(r"{in} is not a sparse matrix of scipy \(.*\); check the file\."),
      file="graph.npz"),
    g("columns to drop", edges(), "--drop is for tables; a graph has no columns to compare.",
      "--drop", "side"),
]  # fmt: skip
