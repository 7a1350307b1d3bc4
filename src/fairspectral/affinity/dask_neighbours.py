"""The graph of nearest neighbours, searched for and made symmetric on the workers of a cluster.

The search is exact: each part of the rows asks a tree of every group of parts, and keeps the
nearest of all. Only the graph comes to the client, and only if it fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import getitem

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.dask_sparse import DaskGraphOperator, DaskRowsOperator
from fairspectral.affinity.dask_table import WorkerTable, scaled_and_centred_part
from fairspectral.affinity.dask_workers import WorkerRows

# Bytes of rows in one tree.
_TREE = 2**28

_NAME = "the graph of nearest neighbours"


def make_neighbours(
    table: WorkerTable, n_neighbors: int, dtype: np.dtype, budget: int, remedy: str
) -> AffinityOperator:
    """The operator of the graph ``(A + A.T) / 2``, in which each row is its own first neighbour.

    Parameters
    ----------
    table : WorkerTable
        The rows.
    n_neighbors : int
        Of each row, itself included.
    dtype : numpy dtype
        Type of the products.
    budget : int
        Bytes up to which the client takes the graph, for the search on the cut.
    remedy : str
        Advice where a node has no affinity to others.
    """
    rows = _symmetric(_search(table, n_neighbors), dtype)
    if sum(rows.ask(_size)) > budget / 3:  # the search works with copies
        return DaskRowsOperator(rows, name=_NAME, remedy=remedy)
    parts = rows.ask(_itself)
    return DaskGraphOperator(sp.vstack(parts, format="csr"), rows, name=_NAME, remedy=remedy)


def _search(table: WorkerTable, n_neighbors: int) -> WorkerRows:
    """Rows of the directed graph ``A``."""
    units, means = table.units()
    rows = table.rows.map(scaled_and_centred_part, units, means)
    submit, parts, bounds = rows.workers.submit, rows.parts, rows.bounds
    groups = rows.grouped(_TREE, 8 * table.shape[1])
    trees = [submit(_tree, parts[first:last]) for first, last in groups]
    found = []
    for part in parts:
        nearest = None
        for tree, (first, _) in zip(trees, groups, strict=True):
            nearest = submit(_nearer, nearest, part, tree, int(bounds[first]), n_neighbors)
        found.append(submit(_as_graph, nearest, rows.n))
    return WorkerRows(rows.workers, found, np.diff(bounds))


def _symmetric(rows: WorkerRows, dtype: np.dtype) -> WorkerRows:
    """``(A + A.T) / 2``: every part sends every other the columns that are its rows."""
    submit, count = rows.workers.submit, len(rows.parts)
    pieces = [submit(_by_columns, part, rows.bounds) for part in rows.parts]
    found = []
    for at, part in enumerate(rows.parts):
        across = [submit(getitem, pieces[other], at) for other in range(count)]
        found.append(submit(_average, part, across, dtype))
    return WorkerRows(rows.workers, found, np.diff(rows.bounds))


# --- on the workers -----------------------------------------------------------------------


def _tree(parts: Sequence[np.ndarray]) -> NearestNeighbors:
    return NearestNeighbors().fit(np.concatenate(parts))


def _nearer(
    nearest: tuple[np.ndarray, np.ndarray] | None,
    part: np.ndarray,
    tree: NearestNeighbors,
    first: int,
    n_neighbors: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and indices of the nearest of those before and those in a tree."""
    distances, indices = tree.kneighbors(part, min(n_neighbors, tree.n_samples_fit_))
    indices = indices + first
    if nearest is not None:
        distances = np.hstack([nearest[0], distances])
        indices = np.hstack([nearest[1], indices])
        order = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
        distances = np.take_along_axis(distances, order, axis=1)
        indices = np.take_along_axis(indices, order, axis=1)
    return distances, indices


def _as_graph(nearest: tuple[np.ndarray, np.ndarray], n: int) -> sp.csr_array:
    indices = nearest[1]
    m, k = indices.shape
    pointers = np.arange(0, m * k + 1, k)
    return sp.csr_array((np.ones(m * k), indices.ravel(), pointers), shape=(m, n))


def _by_columns(part: sp.csr_array, bounds: np.ndarray) -> list[sp.csr_array]:
    """The transposes of the columns that belong to each part."""
    columns = part.tocsc()
    return [columns[:, first:last].T.tocsr() for first, last in pairwise(bounds)]


def _average(part: sp.csr_array, across: list[sp.csr_array], dtype: np.dtype) -> sp.csr_array:
    graph = (part + sp.hstack(across, format="csr")) / 2
    graph.sort_indices()
    return graph.astype(dtype)


def _size(part: sp.csr_array) -> int:
    return part.data.nbytes + part.indices.nbytes + part.indptr.nbytes


def _itself(part: sp.csr_array) -> sp.csr_array:
    return part
