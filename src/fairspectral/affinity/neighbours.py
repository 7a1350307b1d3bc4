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
from sklearn.neighbors import NearestNeighbors

from fairspectral.affinity.units import scaled_and_centred
from fairspectral.linalg.threads import openmp_after_fork

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
) -> tuple[Any, int]:
    """The graph, and how many pieces had to be joined to one.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
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
    """
    X = scaled_and_centred(X)
    n = X.shape[0]
    with openmp_after_fork():
        search = NearestNeighbors(n_neighbors=min(n_neighbors, n - 1), n_jobs=n_jobs).fit(X)
        distances, neighbours = search.kneighbors()
    widths = distances[:, -1]
    # Copies of one row are at distance zero, with a width of zero if there are many.
    ratios = distances / np.where(widths > 0, widths, 1.0)[:, None]
    rows = np.repeat(np.arange(n), neighbours.shape[1])
    edges = (np.exp(-np.square(ratios)).ravel(), (rows, neighbours.ravel()))
    graph = sp.csr_array(edges, shape=(n, n))
    return _join_pieces((graph + graph.T) / 2, X, widths)


def _join_pieces(graph: Any, X: Any, widths: np.ndarray) -> tuple[Any, int]:
    """Link every piece to the person outside who is nearest, until there is one piece."""
    pieces, piece = connected_components(graph, directed=False)
    first = pieces
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
