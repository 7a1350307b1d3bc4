"""Two small data sets in the plane, where a fair clustering can be checked by eye."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fairspectral.datasets.base import Dataset, check_at_least

_SOURCE = "a model in place of the unpublished data of Feng et al., doi:10.3390/sym17010012"


def make_elliptical(n_samples: int = 400, *, random_state: Any = None) -> Dataset:
    """Draw two long ellipses (clusters) whose halves are the two groups.

    The data set of this name in Feng et al. (2024, doi 10.3390/sym17010012) is not public;
    this is our own model with its sizes (k=2, h=2) and its purpose. With cluster
    ``c`` and group ``g`` in {0, 1}, equally many of each combination (the first ones get the
    remainder), a point is

        x = 5 g - 2.5 + 0.8 e1,    y = 3 c - 1.5 + 0.25 e2,    e ~ N(0, I).

    Each cluster is long in x and narrow in y. The groups (left, right) are farther apart than
    the clusters (below, above), so that a plain cut takes the groups; the fair cut is the
    horizontal line. ``affinity="rbf"`` with ``gamma=0.5`` shows it.

    Parameters
    ----------
    n_samples : int
        The number n of points.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    Dataset
        With `X` of shape (n, 2), `clusters` and `sensitive_features`.
    """
    check_at_least(n_samples, 4, "n_samples", "one point for every cluster and group")
    sizes = np.full(4, n_samples // 4)
    sizes[: n_samples % 4] += 1
    centres = [[(-2.5, -1.5), (2.5, -1.5)], [(-2.5, 1.5), (2.5, 1.5)]]
    return _draw_cells("Elliptical", sizes.reshape(2, 2), centres, (0.8, 0.25), random_state)


def make_ds577(*, random_state: Any = None) -> Dataset:
    """Draw 577 points in three clusters, one of which is split by the groups.

    The data set of this name in Feng et al. (2024, doi 10.3390/sym17010012) is not public;
    this is our own model with its sizes (n=577, k=3, h=3). The clusters have 193, 192 and
    192 points, of which the groups have 1/2, 1/3 and 1/6 (96, 64 and 32; the remaining one is in
    the largest group). A point is ``centre + 0.3 e``, ``e ~ N(0, I)``, with the centre

        (-1.25, 0) in cluster 0,    (1.25, 0) in cluster 1,
        (-3, 5) for group 0 and (3, 5) for groups 1 and 2 in cluster 2.

    A plain cut into three merges the two near clusters into one and splits the third into its
    two halves, each of which lacks a group. The fair one finds the clusters.
    ``affinity="rbf"`` with ``gamma=0.5`` shows it.

    Parameters
    ----------
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    Dataset
        With `X` of shape (577, 2), `clusters` and `sensitive_features`.
    """
    sizes = np.tile([96, 64, 32], (3, 1))
    sizes[0, 0] += 1
    centres = [[(-1.25, 0)] * 3, [(1.25, 0)] * 3, [(-3, 5), (3, 5), (3, 5)]]
    return _draw_cells("DS-577", sizes, centres, (0.3, 0.3), random_state)


def _draw_cells(
    name: str, sizes: np.ndarray, centres: Any, spread: tuple[float, float], random_state: Any
) -> Dataset:
    """Draw normal points for each cluster (row) and group (column).

    `sizes` of shape (k, h) holds their numbers and `centres` of shape (k, h, 2) their means;
    `spread` is the standard deviation in x and y.
    """
    rng = check_random_state(random_state)
    cluster, group = (np.repeat(index.ravel(), sizes.ravel()) for index in np.indices(sizes.shape))
    noise = rng.standard_normal((len(cluster), 2))
    return Dataset(
        name=name,
        sensitive_features=group,
        X=np.asarray(centres, dtype=np.float64)[cluster, group] + noise * spread,
        clusters=cluster,
        feature_names=("x", "y"),
        source=_SOURCE,
    )
