"""Coarser and coarser graphs, whose nodes stand for persons that belong together.

Each coarse node carries its persons, how many of them are in each group, its degree and the
weight inside it, so that a clustering of the coarse nodes has exactly the cut and the cells of
the clustering of persons that it stands for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.linalg.threads import allowed_threads, in_threads
from fairspectral.rounding.flow import load_kernels

# A level that has hardly fewer nodes than the one below costs time and changes nothing.
_STALLED = 0.95
# Neighbours of each person by which dense affinities are coarsened: more do not change the heaps.
_NEIGHBOURS = 12


@dataclass(frozen=True)
class Level:
    """A graph, and what its coarsening needs.

    Attributes
    ----------
    graph : Graph
        The nodes with all their links.
    ties : tuple of three ndarrays
        The links by which nodes are put together, as CSR: all of them, or for dense graphs the
        strongest.
    into : ndarray of shape (finer nodes,) or None
        The node in which each node of the finer level went; None at the finest.
    """

    graph: Any
    ties: tuple[np.ndarray, np.ndarray, np.ndarray]
    into: np.ndarray | None = None

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.graph.degrees)


def finest_level(graph: Any) -> Level:
    """The level on which each node is a person."""
    if not graph.dense.shape[0]:
        return Level(graph, (graph.indptr, graph.indices, graph.weights))
    n = len(graph.degrees)
    kernels, count = load_kernels("partition.coarsen_kernels"), min(_NEIGHBOURS, n - 1)
    parts = in_threads(
        lambda first, last: kernels.strongest(graph.dense, graph.degrees, first, last, count),
        np.linspace(0, n, allowed_threads() + 1).astype(int),
    )
    who = np.concatenate([part[0] for part in parts]).ravel()
    weights = np.concatenate([part[1] for part in parts]).ravel()
    ties = sp.csr_array((weights, who, np.arange(0, n * count + 1, count)), shape=(n, n))
    return Level(graph, _csr(ties.maximum(ties.T)))


def coarsen(
    finest: Level,
    same: np.ndarray,
    wanted: int,
    most: int,
    rng: np.random.Generator,
    *,
    at_once: bool = False,
) -> list[Level]:
    """Levels from the finest to one of about `wanted` nodes.

    Parameters
    ----------
    finest : Level
        Where to begin.
    same : integer ndarray of shape (n,)
        Only persons with the same number may become one node.
    wanted : int
        Stop at a level with as few nodes.
    most : int
        Persons that one node may stand for.
    rng : numpy Generator
        For the order in which nodes are put together.
    at_once : bool
        Whether to make the coarsest level only, where each costs a pass over all affinities.
    """
    gather = load_kernels("partition.coarsen_kernels").gather
    levels, below, ties = [finest], np.arange(finest.size), finest.ties
    persons, degrees = finest.graph.persons, finest.graph.degrees
    while len(degrees) > wanted:
        into, count = gather(ties, persons, degrees, same, rng.permutation(len(degrees)), most)
        if count > _STALLED * len(degrees):
            break
        same = project_up(same, into, count)
        persons, degrees = _sums(persons, into, count), _sums(degrees, into, count)
        ties, below = _merge_ties(ties, into, count), into[below]
        if not at_once:
            levels.append(Level(contract(levels[-1].graph, into, count, ties), ties, into))
    if at_once and len(degrees) < finest.size:
        levels.append(Level(contract(finest.graph, below, len(degrees), ties), ties, below))
    return levels


def project_up(values: np.ndarray, into: np.ndarray, count: int) -> np.ndarray:
    """Values that agree within each coarse node, for the coarse nodes."""
    coarse = np.empty(count, dtype=values.dtype)
    coarse[into] = values
    return coarse


def contract(graph: Any, into: np.ndarray, count: int, ties: tuple[np.ndarray, ...]) -> Any:
    """The graph whose nodes are heaps of nodes of another one; `ties` are its links if sparse."""
    nothing, none = np.zeros(0, dtype=np.int32), np.zeros((0, 0), dtype=graph.dense.dtype)
    if graph.dense.shape[0]:
        coarse = _add_up(graph.dense, into, count)
        rows: tuple[np.ndarray, ...] = (coarse, nothing, nothing, np.zeros(0))
        loops = coarse.diagonal().astype(np.float64)
    else:
        rows = (none, *ties)
        loops = sp.csr_array((ties[2], ties[1], ties[0]), shape=(count, count)).diagonal()
    gathered = sp.csr_array(
        (np.ones(len(into), dtype=np.int64), (into, np.arange(len(into)))),
        shape=(count, len(into)),
    )
    return type(graph)(
        *rows,
        loops,
        _sums(graph.degrees, into, count),
        _sums(graph.persons, into, count),
        np.ascontiguousarray((gathered @ graph.groups).astype(np.int32)),
    )


def _add_up(dense: np.ndarray, into: np.ndarray, count: int) -> np.ndarray:
    """Dense weights between heaps; each row of the result is summed by one thread."""
    members = np.argsort(into, kind="stable")
    coarse = np.zeros((count, count))
    starts = np.searchsorted(into[members], np.linspace(0, count, allowed_threads() + 1))
    add_rows = load_kernels("partition.coarsen_kernels").add_rows
    in_threads(lambda first, last: add_rows(dense, into, members, first, last, coarse), starts)
    return coarse


def _merge_ties(
    ties: tuple[np.ndarray, ...], into: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    m = len(into)
    gathered = sp.csr_array((np.ones(m), (np.arange(m), into)), shape=(m, count))
    fine = sp.csr_array((ties[2], ties[1], ties[0]), shape=(m, m))
    return _csr(gathered.T.tocsr() @ fine @ gathered)


def _csr(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    return (
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
    )


def _sums(values: np.ndarray, into: np.ndarray, count: int) -> np.ndarray:
    return np.bincount(into, weights=values, minlength=count).astype(values.dtype)
