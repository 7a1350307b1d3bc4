"""An embedding in two dimensions: the directions in which the clusters differ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Plane:
    """A picture of an embedding.

    Attributes
    ----------
    coordinates : ndarray of shape (n, 2)
        Position of every sample.
    words : str
        How the two dimensions were chosen, in one sentence.
    """

    coordinates: np.ndarray
    words: str


def project_on_plane(rows: np.ndarray, labels: np.ndarray) -> Plane:
    """Choose two directions of an embedding and project on them.

    The directions are the principal components of the cluster centres, each centre counted as
    often as the cluster has members; where the centres span less than a plane, the first
    principal component of the residuals of the samples is the second direction.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The embedding.
    labels : ndarray of shape (n,)
        The cluster of each row.
    """
    rows = np.asarray(rows, dtype=np.float64)
    centred = rows - rows.mean(axis=0)
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    centres = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(centres, codes.reshape(-1), centred)
    centres /= sizes[:, None]
    _, spread, directions = np.linalg.svd(np.sqrt(sizes)[:, None] * centres, full_matrices=False)
    # Floating-point error must not be drawn as a direction.
    n_between = min(2, int(np.sum(spread > 1e-7 * np.linalg.norm(centred))))
    axes = directions[:n_between]
    coordinates = np.zeros((len(rows), 2))
    coordinates[:, :n_between] = centred @ axes.T
    n_within = min(2, rows.shape[1]) - n_between
    if n_within > 0:
        rest = centred - coordinates[:, :n_between] @ axes
        _, vectors = np.linalg.eigh(rest.T @ rest)
        coordinates[:, n_between : n_between + n_within] = rest @ vectors[:, ::-1][:, :n_within]
    return Plane(coordinates, _words(n_between, rows.shape[1], spread))


def frame(coordinates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corner and the extent of a frame that a few far outliers do not widen.

    Rows of nodes with tiny degrees lie far out; a frame around them would shrink the rest to a
    dot. It is as wide as twice the range of the middle 98 %, or as the data if that is less.
    """
    low, high = np.quantile(coordinates, [0.01, 0.99], axis=0)
    reach = high - low
    low = np.maximum(coordinates.min(axis=0), low - reach / 2)
    high = np.minimum(coordinates.max(axis=0), high + reach / 2)
    extent = np.where(high > low, high - low, 1.0)
    return low - 0.04 * extent, 1.08 * extent


def _words(n_between: int, n_dimensions: int, spread: np.ndarray) -> str:
    if n_dimensions < 2:
        return "The embedding has one dimension, drawn from left to right."
    if n_between == 2:
        share = float(np.sum(spread[:2] ** 2) / np.sum(spread**2))
        return (
            "The two directions are those in which the cluster centres differ most (principal "
            f"components of the centres, weighted by size); they hold {share:.0%} of the spread "
            "of the centres."
        )
    if n_between == 1:
        return (
            "Left to right is the direction in which the cluster centres differ; up and down is "
            "the main direction of the differences within clusters."
        )
    return "The two directions are those in which the samples differ most (principal components)."
