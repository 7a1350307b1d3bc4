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

from fairspectral.rounding.flow import load_kernels

# A level that has hardly fewer nodes than the one below costs time and changes nothing.
_STALLED = 0.95


@dataclass(frozen=True)
class Level:
    """A graph, and how it came from a finer one.

    Attributes
    ----------
    graph : Graph
        The nodes with all their links.
    into : ndarray of shape (finer nodes,) or None
        The node in which each node of the finer level went; None at the finest.
    """

    graph: Any
    into: np.ndarray | None = None

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.graph.degrees)


def coarsen(
    finest: Level,
    same: np.ndarray,
    wanted: int,
    most: int,
    rng: np.random.Generator,
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
    """
    gather = load_kernels("partition.coarsen_kernels").gather
    levels = [finest]
    while levels[-1].size > wanted:
        graph = levels[-1].graph
        ties = (graph.indptr, graph.indices, graph.weights)
        order = rng.permutation(levels[-1].size)
        into, count = gather(ties, graph.persons, graph.degrees, same, order, most)
        if count > _STALLED * len(order):
            break
        same = project_up(same, into, count)
        levels.append(Level(contract(graph, into, count), into))
    return levels


def project_up(values: np.ndarray, into: np.ndarray, count: int) -> np.ndarray:
    """Values that agree within each coarse node, for the coarse nodes."""
    coarse = np.empty(count, dtype=values.dtype)
    coarse[into] = values
    return coarse


def project_to_coarsest(values: np.ndarray, levels: list[Level]) -> np.ndarray:
    """Values of the finest level that agree within each node of the coarsest, for that level."""
    for level in levels[1:]:
        assert level.into is not None
        values = project_up(values, level.into, level.size)
    return values


def contract(graph: Any, into: np.ndarray, count: int) -> Any:
    """The graph whose nodes are heaps of nodes of another one; rivals are in different heaps."""
    m = len(into)
    heaps = sp.csr_array((np.ones(m), (into, np.arange(m))), shape=(count, m))
    if len(graph.weights) == m * m:
        dense = load_kernels("partition.coarsen_kernels").contract_complete
        coarse = dense(graph.weights, into, count)
        ties = complete_ties(coarse)
    else:
        fine = sp.csr_array((graph.weights, graph.indices, graph.indptr), shape=(m, m))
        coarse = sp.csr_array(heaps @ fine @ heaps.T.tocsr())
        coarse.sort_indices()
        pointers, indices = coarse.indptr.astype(np.int32), coarse.indices.astype(np.int32)
        ties = pointers, indices, coarse.data.astype(np.float64)
    return type(graph)(
        *ties,
        coarse.diagonal().copy(),
        _sums(graph.degrees, into, count),
        _sums(graph.persons, into, count),
        np.ascontiguousarray((heaps @ graph.groups).astype(np.int32)),
        *_contract_rivals(graph, into, count),
    )


def complete_ties(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """CSR arrays of a matrix in which all are linked with all."""
    n = len(weights)
    first = np.arange(n + 1, dtype=np.int32) * np.int32(n)
    flat = weights.astype(np.float64, order="C").reshape(-1)
    return first, np.tile(np.arange(n, dtype=np.int32), n), flat


def _contract_rivals(graph: Any, into: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    if not len(graph.rivals):
        return np.zeros(count + 1, dtype=np.int32), graph.rivals
    rows = np.repeat(into, np.diff(graph.rivals_from))
    return rivals_of(np.stack([rows, into[graph.rivals]], axis=1), count)


def rivals_of(pairs: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """CSR arrays of ordered pairs of nodes, each of them once, shape (p, 2)."""
    pairs = np.unique(pairs, axis=0)
    first = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=count))])
    return first.astype(np.int32), np.ascontiguousarray(pairs[:, 1].astype(np.int32))


def _sums(values: np.ndarray, into: np.ndarray, count: int) -> np.ndarray:
    return np.bincount(into, weights=values, minlength=count).astype(values.dtype)
