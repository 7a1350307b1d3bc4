"""Two small data sets in the plane, where the eye can check a fair clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fairspectral.datasets.base import Dataset, check_at_least

_SUBSTITUTE_FOR = "stands in for the unpublished data of Feng et al. 2024, doi:10.3390/sym17010012"


def make_elliptical(n_samples: int = 400, *, random_state: Any = None) -> Dataset:
    """Draw two long ellipses (clusters) whose halves are the two groups.

    The data set of this name in Feng et al. (2024, doi 10.3390/sym17010012) is not public;
    this is a model of our own with its sizes (k=2, h=2) and its point. With cluster
    ``c`` and group ``g`` in {0, 1}, equally many of each combination (the first ones get the
    remainder), a point is

        x = 2.5 (2 g - 1) + 0.8 e1,    y = 1.25 (2 c - 1) + 0.25 e2,    e ~ N(0, I).

    Each cluster is long in x and narrow in y. The gap between the groups (left, right) is
    wider than the gap between the clusters (below, above), so that a plain cut takes the
    groups; the fair cut is the horizontal line. ``affinity="rbf"`` with ``gamma=1`` shows it.

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
    cells = np.full(4, n_samples // 4)
    cells[: n_samples % 4] += 1
    return _draw_grid(
        "Elliptical",
        cells.reshape(2, 2),
        spacing=(5.0, 2.5),
        spread=(0.8, 0.25),
        random_state=random_state,
    )


def make_ds577(*, random_state: Any = None) -> Dataset:
    """Draw 577 points in three bands (clusters) that three unequal groups share.

    The data set of this name in Feng et al. (2024, doi 10.3390/sym17010012) is not public;
    this is a model of our own with its sizes (n=577, k=3, h=3). The clusters have 193, 192 and
    192 points, of which the groups have 1/2, 1/3 and 1/6 (96, 64 and 32; the one over is in
    the largest group). With cluster ``c`` and group ``g`` in {0, 1, 2}, a point is

        x = 5 (g - 1) + 0.7 e1,    y = 2.5 (c - 1) + 0.3 e2,    e ~ N(0, I).

    As in `make_elliptical`, a plain cut takes the groups (columns), and the fair one the
    bands. ``affinity="rbf"`` with ``gamma=1`` shows it.

    Parameters
    ----------
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    Dataset
        With `X` of shape (577, 2), `clusters` and `sensitive_features`.
    """
    cells = np.tile([96, 64, 32], (3, 1))
    cells[0, 0] += 1
    return _draw_grid(
        "DS-577", cells, spacing=(5.0, 2.5), spread=(0.7, 0.3), random_state=random_state
    )


def _draw_grid(
    name: str,
    cells: np.ndarray,
    *,
    spacing: tuple[float, float],
    spread: tuple[float, float],
    random_state: Any,
) -> Dataset:
    """Normal points around a grid of centres: a row per cluster, a column per group.

    `cells` of shape (k, h) holds the number of points of each cluster and group.
    """
    rng = check_random_state(random_state)
    k, h = cells.shape
    cluster, group = (np.repeat(index.ravel(), cells.ravel()) for index in np.indices((k, h)))
    centre = np.stack([group - (h - 1) / 2, cluster - (k - 1) / 2], axis=1) * spacing
    return Dataset(
        name=name,
        sensitive_features=group,
        X=centre + rng.standard_normal(centre.shape) * spread,
        clusters=cluster,
        feature_names=("x", "y"),
        source=_SUBSTITUTE_FOR,
    )
