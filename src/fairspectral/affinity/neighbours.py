"""A connected graph of nearest neighbours, in which everyone has a width of their own.

The weight of a neighbour at distance ``d`` is ``exp(-(d / s)^2)``, where ``s`` is the distance of
the last neighbour; so it lies between ``1/e`` and 1 in dense and in sparse regions alike, and an
outlier is tied to the others as firmly as anyone. (With the product of the two widths, as Zelnik-
Manor and Perona 2004 have it, outliers beside a dense region are cut off.) Pieces without an edge
between them are joined by their nearest people, so that the distance decides which of them share a
cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import pairwise_distances

from fairspectral.affinity.nearest import find_neighbours
from fairspectral.affinity.units import scaled_and_centred
from fairspectral.tensors import on_host

# With 10 the clusters are less stable on most real tables, with 30 the two rings of the circles are
# joined (``benchmarks/affinities.py``).
NEIGHBOURS = 20
# People of all pieces together whose distances to everyone are computed to join the pieces.
_ASKED = 16_384
# Numbers in a block of distances, 64 MB.
_NUMBERS = 2**23
# A link between pieces weighs at most as much as the edge to a last neighbour, and at least this
# part of it, so that it is not lost in rounding beside the others.
_LEAST = 1e-3


def self_tuned_graph(
    X: Any, n_jobs: int | None = None, n_neighbors: int = NEIGHBOURS
) -> tuple[Any, int, str]:
    """The graph, how many pieces had to be joined to one, and how exact the neighbours are.

    Parameters
    ----------
    X : array, tensor or CSR of shape (n, d)
        The features.
    n_jobs : int or None
        Threads for the neighbour search.
    n_neighbors : int
        Neighbours of each row, without itself; all others if there are fewer.

    Returns
    -------
    graph : csr_array of shape (n, n), float64
        Symmetric, connected, with an empty diagonal.
    pieces : int
        Connected components before the links; 1 if there are no links.
    words : str
        A sentence on how exact the search for neighbours was; empty where it was exact.
    """
    X = scaled_and_centred(X)
    n = X.shape[0]
    found = find_neighbours(X, min(n_neighbors, n - 1), n_jobs)
    distances, widths = found.distances, found.distances[:, -1]
    # Copies of one row are at distance zero, with a width of zero if there are many.
    ratios = distances / np.where(widths > 0, widths, 1.0)[:, None]
    graph = symmetric_graph(found.indices, np.exp(-np.square(ratios)))
    return *_join_pieces(graph, X, widths), found.words


def symmetric_graph(neighbours: np.ndarray, weights: np.ndarray) -> Any:
    """``(A + A.T) / 2``, where ``A`` leads from each row to its neighbours; both are (n, m)."""
    n, count = neighbours.shape
    order = np.argsort(neighbours, axis=1)
    indices = np.take_along_axis(neighbours, order, axis=1)
    data = np.take_along_axis(weights, order, axis=1)
    whole = np.int32 if neighbours.size < 2**30 else np.int64
    pointers = np.arange(0, neighbours.size + 1, count, dtype=whole)
    graph = sp.csr_array((data.ravel(), indices.ravel().astype(whole), pointers), shape=(n, n))
    graph = sp.csr_array(graph + graph.T)
    graph.data *= 0.5  # a quotient would not be of the same type
    return graph


def _join_pieces(graph: Any, X: Any, widths: np.ndarray) -> tuple[Any, int]:
    """Link every piece to the person outside who is nearest, until there is one piece."""
    pieces, piece = connected_components(graph, directed=False)
    first = pieces
    X = X if pieces == 1 else on_host(X)
    while pieces > 1:
        largest = int(np.argmax(np.bincount(piece)))
        here, there, distances = _nearest_outside(X, piece, pieces, largest)
        squares = np.square(distances)
        near = np.divide(
            widths[here] * widths[there], squares, out=np.ones_like(squares), where=squares > 0
        )
        weights = np.exp(-1.0) / 2 * np.clip(near, _LEAST, 1.0)
        links = sp.csr_array((weights, (here, there)), shape=graph.shape)
        graph = graph + links.maximum(links.T)
        pieces, piece = connected_components(graph, directed=False)
    return graph, first


def _nearest_outside(
    X: Any, piece: np.ndarray, pieces: int, largest: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of every piece but the largest: a person, the nearest of other pieces, their distance."""
    each = max(1, _ASKED // pieces)
    members = np.split(np.argsort(piece, kind="stable"), np.cumsum(np.bincount(piece))[:-1])
    # Of a large piece only some are asked, at even steps.
    asked = np.concatenate(
        [m[:: -(-len(m) // each)] for p, m in enumerate(members) if p != largest]
    )
    nearest, distances = np.empty(len(asked), dtype=np.intp), np.empty(len(asked))
    block = max(1, _NUMBERS // X.shape[0])
    for start in range(0, len(asked), block):
        some = asked[start : start + block]
        found = pairwise_distances(X[some], X)
        found[piece[some][:, None] == piece] = np.inf
        nearest[start : start + block] = found.argmin(axis=1)
        distances[start : start + block] = found.min(axis=1)
    order = np.lexsort((distances, piece[asked]))
    best = order[np.unique(piece[asked][order], return_index=True)[1]]
    return asked[best], nearest[best], distances[best]
