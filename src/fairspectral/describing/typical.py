"""Who is typical of a cluster: one rule for `describe`, models, reports and the command."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from fairspectral.describing.columns import Column

# How many are named for each cluster.
_MOST = 3


def typical_members(
    labels: np.ndarray,
    k: int,
    *,
    columns: Sequence[Column] = (),
    embedding: np.ndarray | None = None,
    connections: Sequence[Column] = (),
    untypical: np.ndarray | None = None,
) -> list[np.ndarray]:
    """For each cluster a few rows, the most typical first.

    They are the most usual in the columns of the table, whose words describe the clusters too;
    without a table those nearest to the centre in the embedding; without either those with the
    most usual number of connections.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        The cluster of each row, from 0 to k - 1.
    columns, connections : sequence of Column
        The table, and the numbers of connections in a graph.
    embedding : ndarray of shape (n, d) or None
        The rows that were clustered.
    untypical : boolean ndarray of shape (n,) or None
        Rows that are never named.
    """
    if columns or (embedding is None and connections):
        distances = _distances_in_columns(columns or connections, labels, k)
    elif embedding is not None:
        distances = _distances_in_embedding(embedding, labels, k)
    else:
        return [np.zeros(0, dtype=np.intp)] * k
    if untypical is not None:
        distances[untypical] = np.inf
    return _nearest(distances, labels, k)


def _distances_in_embedding(embedding: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """The squared distance of each row from the centre of its cluster, shape (n,)."""
    sizes = np.maximum(np.bincount(labels, minlength=k), 1)
    centres = np.zeros((k, embedding.shape[1]))
    np.add.at(centres, labels, embedding)
    return np.square(embedding - (centres / sizes[:, None])[labels]).sum(axis=1)


def _distances_in_columns(columns: Sequence[Column], labels: np.ndarray, k: int) -> np.ndarray:
    """How unusual each row is in its own cluster, summed over the columns, shape (n,).

    Of a number it is the distance in ranks from the cluster's median, as a part of all ranks; of
    a category the share of the cluster that has another one. A missing value counts a half.
    """
    total = np.zeros(len(labels))
    for column in columns:
        known = ~column.missing
        own = labels[known]
        distance = np.full(len(labels), 0.5)
        if column.numbers is not None:
            ranks = rankdata(column.numbers[known]) / max(1, len(own))
            medians = np.zeros(k)
            for cluster in np.unique(own):
                medians[cluster] = np.median(ranks[own == cluster])
            distance[known] = np.abs(ranks - medians[own])
        else:
            assert column.codes is not None
            h = max(1, len(column.categories))
            cells = own * h + column.codes[known]
            counts = np.bincount(cells, minlength=k * h)
            sizes = np.bincount(own, minlength=k)
            distance[known] = 1 - counts[cells] / sizes[own]
        total += distance
    return np.round(total, 9)  # equal distances stay equal, whatever the order of the sums


def _nearest(distances: np.ndarray, labels: np.ndarray, k: int) -> list[np.ndarray]:
    """For each cluster the rows with the smallest finite distances, nearest first."""
    found = []
    for cluster in range(k):
        rows = np.flatnonzero((labels == cluster) & np.isfinite(distances))
        found.append(rows[np.argsort(distances[rows], kind="stable")[:_MOST]])
    return found
