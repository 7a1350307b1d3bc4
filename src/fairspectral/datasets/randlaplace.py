"""A random weighted graph without structure: the hard case for an eigensolver."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fairspectral.datasets.base import Dataset, check_at_least

# Rows and columns of a tile that is transposed at once; two tiles fit in the cache.
_TILE = 256


def make_randlaplace(
    n_samples: int = 1000,
    n_groups: int = 2,
    *,
    dtype: Any = np.float64,
    random_state: Any = None,
) -> Dataset:
    """Draw a complete graph with random weights and random groups (RandLaplace).

    ``W_ij = W_ji ~ U[0, 1)`` independently for ``i < j``, and ``W_ii = 0``. Two groups are
    drawn with ``P(group = 1) = 0.3``, more than two with equal probability; one random node
    of every group is set beforehand, so that none is empty. Apart from the first eigenvalue
    1, the spectrum of ``M`` is close to a semicircle of radius ``2 / sqrt(3 n)``: it has no gap.

    Parameters
    ----------
    n_samples, n_groups : int
        The sizes n and h.
    dtype : dtype
        Type of the weights (drawn in float64, then rounded). Only one n×n array is in memory.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    Dataset
        With a dense `graph` of shape (n, n) and `sensitive_features`.
    """
    check_at_least(n_groups, 1, "n_groups", "every node has a group")
    check_at_least(n_samples, max(n_groups, 2), "n_samples", "one node for every group")
    rng = check_random_state(random_state)

    if n_groups == 2:
        groups = (rng.random_sample(n_samples) < 0.3).astype(np.int64)
    else:
        groups = rng.randint(0, n_groups, size=n_samples)
    groups[rng.permutation(n_samples)[:n_groups]] = np.arange(n_groups)

    graph = np.zeros((n_samples, n_samples), dtype=dtype)
    for i in range(n_samples - 1):
        graph[i, i + 1 :] = rng.random_sample(n_samples - i - 1)
    _mirror_upper_triangle(graph)
    return Dataset(name="RandLaplace", sensitive_features=groups, graph=graph)


def _mirror_upper_triangle(matrix: np.ndarray) -> None:
    """Copy the upper triangle to the lower one, in place.

    By tiles, because a whole column is one cache miss per entry; ``W + W.T`` would take two
    more n×n arrays.
    """
    n = len(matrix)
    for i in range(0, n, _TILE):
        tile = matrix[i : i + _TILE, i : i + _TILE]
        tile += np.triu(tile, 1).T
        for j in range(i + _TILE, n, _TILE):
            matrix[j : j + _TILE, i : i + _TILE] = matrix[i : i + _TILE, j : j + _TILE].T
