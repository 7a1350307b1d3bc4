"""How well a clustering of some people agrees with another one, cluster by cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import adjusted_rand_score

from fairspectral.cells import count_cells


@dataclass(frozen=True)
class Agreement:
    """One clustering against the reference.

    Attributes
    ----------
    overlap : ndarray of shape (k,)
        For each cluster of the reference, that with the most similar cluster; see `best_overlap`.
    chance : ndarray of shape (k,)
        The same with shuffled labels.
    ari : float
        The adjusted Rand index of both.
    """

    overlap: np.ndarray
    chance: np.ndarray
    ari: float


def best_overlap(reference: np.ndarray, found: np.ndarray, n_clusters: int) -> np.ndarray:
    """For each cluster of the reference its largest Jaccard index with a found cluster.

    That is the number of people in both over the number of people in either (Hennig 2007,
    "Cluster-wise assessment of cluster stability"); NaN for a cluster without any of these people.

    Parameters
    ----------
    reference, found : integer ndarray of shape (m,)
        Both clusterings of the same people, numbered from 0.
    n_clusters : int
        Clusters of the reference.
    """
    common = count_cells(reference, found, n_clusters, int(found.max()) + 1)
    here, there = common.sum(axis=1, keepdims=True), common.sum(axis=0, keepdims=True)
    either = here + there - common
    best = (common / np.maximum(either, 1)).max(axis=1)
    return np.where(here[:, 0] > 0, best, np.nan)


def agree(
    reference: np.ndarray, found: np.ndarray, n_clusters: int, rng: np.random.RandomState
) -> Agreement:
    """Compare two clusterings, and what is left of their agreement if one of them is shuffled."""
    return Agreement(
        best_overlap(reference, found, n_clusters),
        best_overlap(reference, rng.permutation(found), n_clusters),
        float(adjusted_rand_score(reference, found)),
    )
