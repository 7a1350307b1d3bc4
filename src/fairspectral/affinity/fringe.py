"""The fringe of a graph: components too small to be a cluster, and trees that dangle from it.

A few people who hang on the rest by one edge, or by none, give the largest eigenvalues of the
normalised affinity, so the leading eigenvectors describe them and not the clusters.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.torch_sparse import graph_like

# From this density on there are no dangling trees worth looking for.
_DENSE = 0.5


@dataclass(frozen=True)
class Fringe:
    """The pieces of a graph that are set aside.

    Attributes
    ----------
    piece : int64 ndarray of shape (n,)
        The piece that each node belongs to, numbered from 0; -1 for those that are kept.
    anchors : int64 ndarray of shape (number of pieces,)
        The kept node that a tree dangles from; -1 for a component.
    """

    piece: np.ndarray
    anchors: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """Indices of the nodes that are not set aside, ascending."""
        return np.flatnonzero(self.piece < 0)

    @property
    def sizes(self) -> np.ndarray:
        """Nodes in each piece."""
        return np.bincount(self.piece[self.piece >= 0], minlength=len(self.anchors))

    def __bool__(self) -> bool:
        return len(self.anchors) > 0

    @property
    def trees(self) -> tuple[int, int]:
        """How many nodes are in trees, and how many trees there are."""
        of_trees = self.anchors >= 0
        return int(self.sizes[of_trees].sum()), int(of_trees.sum())

    @classmethod
    def none(cls, n: int) -> Fringe:
        """Nothing is set aside of n nodes."""
        return cls(np.full(n, -1, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def members(self) -> list[np.ndarray]:
        """The nodes of each piece."""
        aside = np.flatnonzero(self.piece >= 0)
        order = aside[np.argsort(self.piece[aside], kind="stable")]
        return np.split(order, np.cumsum(self.sizes)[:-1]) if self else []


def find_fringe(operator: AffinityOperator, smallest: int, *, trees: bool = False) -> Fringe:
    """Components, and on request dangling trees, of fewer than `smallest` nodes.

    Trees are looked for in sparse graphs in memory only; a component that is a tree itself is
    kept if it is large enough. Nothing is found where the components are not known.
    """
    components = operator.component_labels()
    if components is None:
        return Fringe.none(operator.shape[0])
    small = np.bincount(components) < smallest
    piece = np.where(small, np.cumsum(small) - 1, -1)[components]
    anchors = np.full(int(small.sum()), -1, dtype=np.int64)
    if trees and sp.issparse(operator.stored_weights) and operator.density < _DENSE:
        parent = _find_leaves(operator.stored_weights, components, smallest)
        parent[piece >= 0] = -1  # those go with their component
        tree, hung_on = _small_trees(parent, smallest)
        piece = np.where(tree >= 0, tree + len(anchors), piece)
        anchors = np.concatenate([anchors, hung_on])
    return Fringe(piece, anchors)


def without_fringe(operator: AffinityOperator, fringe: Fringe) -> AffinityOperator:
    """The operator of the nodes that are kept, as if there were no others."""
    W, kept = operator.stored_weights, fringe.kept
    if sp.issparse(W):
        return graph_like(operator, W[kept][:, kept], name="the affinity without its fringe")
    return PrincipalOperator(operator, kept)


class PrincipalOperator(AffinityOperator):
    """``M`` of some whole components, through products with that of all; nothing is copied.

    Parameters
    ----------
    operator : AffinityOperator
        Applies ``M``.
    kept : integer ndarray of shape (m,)
        The nodes of these components.
    """

    def __init__(self, operator: AffinityOperator, kept: np.ndarray) -> None:
        self._operator, self._kept = operator, kept
        self.shape, self.dtype = (len(kept), len(kept)), operator.dtype
        self.degrees = operator.degrees[kept]
        self.xp, self.device = operator.xp, operator.device
        self.density, self.nbytes = operator.density, operator.nbytes
        self.own_threads = operator.own_threads

    @cached_property
    def _component_labels(self) -> np.ndarray | None:
        """The components of all, numbered without those that are left out."""
        labels = self._operator.component_labels()
        return None if labels is None else np.unique(labels[self._kept], return_inverse=True)[1]

    def computing(self) -> AbstractContextManager[None]:
        """That of the operator of all."""
        return self._operator.computing()

    def matmat(self, block: Any) -> Any:
        """Apply ``M`` to a block of shape (m, b)."""
        block = self.asarray(block)
        shape = (self._operator.shape[0], block.shape[1])
        whole = self.xp.zeros(shape, dtype=block.dtype, device=self.device)
        whole[self._kept, :] = block
        return self._operator.matmat(whole)[self._kept, :]


def _find_leaves(graph: sp.csr_array, components: np.ndarray, longest: int) -> np.ndarray:
    """Remove leaves again and again: the node that each removed one hung on, -1 for the others.

    A component that is itself a tree would vanish, and loses nothing. Stops after `longest`
    rounds, since a deeper tree is not small.
    """
    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    edges = (graph.data > 0) & (graph.indices != rows)
    rows, ends = rows[edges], graph.indices[edges].astype(np.int64)
    degree = np.bincount(rows, minlength=n)
    # The sum of a node's remaining neighbours: that of a leaf is its only neighbour.
    neighbours = np.zeros(n, dtype=np.int64)
    np.add.at(neighbours, rows, ends)
    nodes, twice_edges = np.bincount(components), np.bincount(components[rows])
    is_tree = np.zeros(len(nodes), dtype=bool)
    is_tree[: len(twice_edges)] = twice_edges == 2 * (nodes[: len(twice_edges)] - 1)
    parent = np.full(n, -1, dtype=np.int64)
    leaves = np.flatnonzero((degree == 1) & ~is_tree[components])
    for _ in range(longest):
        if not len(leaves):
            break
        above = parent[leaves] = neighbours[leaves]
        np.subtract.at(degree, above, 1)
        np.subtract.at(neighbours, above, leaves)
        leaves = np.unique(above)
        leaves = leaves[degree[leaves] == 1]
    return parent


def _small_trees(parent: np.ndarray, smallest: int) -> tuple[np.ndarray, np.ndarray]:
    """Number the dangling trees of fewer than `smallest` nodes, and name the nodes they hang on.

    Returns
    -------
    tree : ndarray of shape (n,)
        -1 for nodes that are in none.
    anchors : ndarray of shape (number of trees,)
    """
    removed = np.flatnonzero(parent >= 0)
    top = np.arange(len(parent))
    inner = removed[parent[parent[removed]] >= 0]
    top[inner] = parent[inner]
    while not np.array_equal(top, top[top]):  # doubles the way up, to the last removed node
        top = top[top]
    roots, tree, sizes = np.unique(top[removed], return_inverse=True, return_counts=True)
    small = sizes < smallest
    numbered = np.full(len(parent), -1, dtype=np.int64)
    numbered[removed] = np.where(small, np.cumsum(small) - 1, -1)[tree]
    return numbered, parent[roots[small]]
