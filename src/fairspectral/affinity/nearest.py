"""Who is nearest to whom, by the search that suits the table.

Few features: a k-d tree, which is exact. People are asked in the order of its leaves, in which
those who follow each other look at the same part of the tree, and in all threads. Many features:
every pair, which is exact too; and where that would take minutes, and pynndescent is
installed (extra ``knn``), an approximate search, whose recall is measured and said. Tensors: every
pair, on their device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors

from fairspectral.linalg.threads import allowed_threads, openmp_threads
from fairspectral.tensors import is_tensor

# Rows beyond which the order in which they are asked matters: of 100,000 rows with 8 features it
# halves the processor time of scikit-learn's tree (benchmarks/scaling.py --neighbours).
_LARGE = 10_000
# Features up to which a tree leaves most pairs out; scikit-learn has the same number.
_FEW_FEATURES = 15
# Rows from which all pairs of them take longer than the approximate search with its compilation.
_TOO_MANY_PAIRS = 50_000
# The approximate search looks for more neighbours than asked for: with twice as many the recall
# rises from 0.98 to 0.999 in the same time (50,000 rows of 32 features).
_SPARE = 2
# Rows whose neighbours are compared with the exact ones.
_COMPARED = 200


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each row, itself not counted.

    Attributes
    ----------
    indices : integer ndarray of shape (n, count)
        The nearest first.
    distances : ndarray of shape (n, count)
    recall : float or None
        The share of the true neighbours that an approximate search found, for a sample; None where
        the search was exact.
    """

    indices: np.ndarray
    distances: np.ndarray
    recall: float | None = None

    @property
    def words(self) -> str:
        """How exact the search was, as a sentence; empty where it was exact."""
        if self.recall is None:
            return ""
        return (
            f"The neighbours are those of an approximate search, which found {self.recall:.1%} "
            "of the true ones in a sample."
        )


def find_neighbours(X: Any, count: int, n_jobs: int | None = None) -> Neighbours:
    """The `count` nearest other rows of each row.

    Parameters
    ----------
    X : array, tensor or CSR of shape (n, d)
        The features, scaled and centred; those of a tensor are compared on its device.
    count : int
        Between 1 and n - 1.
    n_jobs : int or None
        Threads; None means as many as BLAS may use.
    """
    n, d = X.shape
    if is_tensor(X):
        return _on_device(X, count)
    if not sp.issparse(X):
        if n > _LARGE and d <= _FEW_FEATURES:
            return _by_tree(X, count, n_jobs)
        if n > _TOO_MANY_PAIRS and d > _FEW_FEATURES and _has_pynndescent():
            return _approximately(X, count, n_jobs)
    with openmp_threads():
        search = NearestNeighbors(n_neighbors=count, n_jobs=n_jobs).fit(X)
        distances, indices = search.kneighbors()
    return Neighbours(indices, distances)


def _on_device(X: Any, count: int) -> Neighbours:
    from fairspectral.affinity.torch_neighbours import search_on_device

    return Neighbours(*search_on_device(X, count))


def _by_tree(X: np.ndarray, count: int, n_jobs: int | None) -> Neighbours:
    tree = KDTree(X, balanced_tree=False)  # medians would take longer than they save
    n, order = len(X), tree.indices
    threads = allowed_threads() if n_jobs is None else n_jobs
    distances, indices = tree.query(X[order], count + 1, workers=threads)
    # Of more copies of a row than neighbours, the row itself may not be among the nearest.
    own = indices == order[:, None]
    own[~own.any(axis=1), -1] = True
    found = Neighbours(np.empty((n, count), dtype=np.int64), np.empty((n, count)))
    found.indices[order] = indices[~own].reshape(n, count)
    found.distances[order] = distances[~own].reshape(n, count)
    return found


def _has_pynndescent() -> bool:
    from importlib.util import find_spec

    return find_spec("pynndescent") is not None


def _approximately(X: np.ndarray, count: int, n_jobs: int | None) -> Neighbours:
    from pynndescent import NNDescent

    n = len(X)
    threads = allowed_threads() if n_jobs is None else n_jobs
    wanted = min(_SPARE * (count + 1), n - 1)
    index = NNDescent(X.astype(np.float32), n_neighbors=wanted, random_state=0, n_jobs=threads)
    indices, distances = index.neighbor_graph
    # Each row's own entry, and places that the search left empty, go to the end.
    unwanted = (indices == np.arange(n)[:, None]) | (indices < 0)
    order = np.argsort(np.where(unwanted, np.inf, distances), axis=1, kind="stable")[:, :count]
    missing = np.take_along_axis(unwanted, order, axis=1).any(axis=1)
    indices = np.take_along_axis(indices, order, axis=1).astype(np.int64)
    distances = np.take_along_axis(distances, order, axis=1).astype(np.float64)
    sample = np.random.default_rng(0).choice(n, min(n, _COMPARED), replace=False)
    some = np.union1d(np.flatnonzero(missing), sample)
    true_indices, true_distances = _by_all_pairs(X, some, count)
    at = np.searchsorted(some, sample)
    known = [
        np.isin(indices[row], true).mean()
        for row, true in zip(sample, true_indices[at], strict=True)
    ]
    indices[some], distances[some] = true_indices, true_distances
    return Neighbours(indices, distances, float(np.mean(known)))


def _by_all_pairs(X: np.ndarray, some: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The exact neighbours of some rows."""
    with openmp_threads():
        search = NearestNeighbors(n_neighbors=count + 1, algorithm="brute").fit(X)
        distances, indices = search.kneighbors(X[some])
    own = indices == some[:, None]
    own[~own.any(axis=1), -1] = True
    shape = (len(some), count)
    return indices[~own].reshape(shape), distances[~own].reshape(shape)
