"""k-means rounding: the usual last step of spectral clustering, without empty clusters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances

from fairspectral.linalg.room import check_room_to_work
from fairspectral.linalg.threads import openmp_threads

# Rows beyond which a GPU clusters them, if there is one, and the host in several threads: fewer
# take one thread well below a second for each start.
_MANY = 20_000


def kmeans_labels(
    rows: Any,
    n_clusters: int,
    *,
    n_init: int = 10,
    random_state: Any = None,
    sample_weight: np.ndarray | None = None,
    device: Any = None,
) -> np.ndarray:
    """Cluster the rows of an embedding into exactly `n_clusters` non-empty clusters.

    Parameters
    ----------
    rows : ndarray or sparse matrix of shape (n, d)
        The embedding, or features; n must be at least `n_clusters`.
    n_clusters : int
        Number of clusters.
    n_init : int
        Starts of k-means, of which the best is kept.
    random_state : int, RandomState or None
        Seed.
    sample_weight : ndarray of shape (n,) or None
        Weight of each row.
    device : device or None
        Where the affinities are; many rows are clustered there if it is a GPU.

    Returns
    -------
    ndarray of shape (n,), int32
        Labels 0 .. n_clusters - 1, each used at least once.
    """
    check_room_to_work()
    few = rows.shape[0] <= _MANY
    with openmp_threads(alone=few), warnings.catch_warnings():
        # k-means warns if there are fewer distinct rows than clusters; this is repaired below.
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        labels = None
        if str(device).startswith("cuda") and not few:
            labels = _on_device(rows, n_clusters, device, n_init, random_state, sample_weight)
        if labels is None:
            model = KMeans(n_clusters, n_init=n_init, random_state=random_state)
            labels = model.fit_predict(rows, sample_weight=sample_weight)
    return fill_empty_clusters(rows, labels, n_clusters)


def _on_device(rows: Any, n_clusters: int, device: Any, *options: Any) -> np.ndarray | None:
    """The labels; None where the memory of the device does not suffice."""
    import torch

    from fairspectral.rounding.torch_kmeans import kmeans_on_device

    try:
        return kmeans_on_device(rows, n_clusters, device, *options)
    except (torch.OutOfMemoryError, MemoryError):
        torch.cuda.empty_cache()
        return None


def fill_empty_clusters(rows: Any, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Give every unused label the row farthest from the centre of the largest cluster."""
    labels = labels.astype(np.int32)
    sizes = np.bincount(labels, minlength=n_clusters)
    for empty in np.flatnonzero(sizes == 0):
        largest = int(np.argmax(sizes))
        members = np.flatnonzero(labels == largest)
        labels[members[int(np.argmax(_from_centre(rows[members])))]] = empty
        sizes[largest] -= 1
        sizes[empty] += 1
    return labels


def _from_centre(rows: Any) -> np.ndarray:
    """Squared distance of each row from their mean."""
    if sp.issparse(rows):
        mean = np.asarray(rows.mean(axis=0)).reshape(1, -1)
        return euclidean_distances(rows, mean, squared=True)[:, 0]
    return np.sum((rows - rows.mean(axis=0)) ** 2, axis=1)
