"""From an embedding to a first clustering: k-means with a floor on sizes, then fair Lloyd steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from fairspectral.parameters import check_choice
from fairspectral.rounding.flow import FlowResult, solve_flow
from fairspectral.rounding.kmeans import kmeans_labels


class Assign(Protocol):
    """The fair flow for clusters of certain sizes, which can be chosen again."""

    def resize(self, cost: np.ndarray) -> None:
        """Choose sizes that suit these costs."""

    def __call__(self, cost: np.ndarray, potentials: np.ndarray | None = None) -> FlowResult:
        """Assign all persons at the least cost."""


ROW_SCALINGS = ("auto", "none", "unit", "degree")

# Rounds after which neither alternation has changed a clustering noticeably on any data set.
_FLOOR_ROUNDS = 10
_LLOYD_ROUNDS = 10
# Sizes converge before labels do, and choosing them takes most of the time.
_RESIZE_ROUNDS = 2


@dataclass(frozen=True)
class WeightedRows:
    """The points that are clustered.

    Attributes
    ----------
    rows : ndarray of shape (n, d), float64
    weights : ndarray of shape (n,), float64
        Weight of each row in the k-means cost.
    device : device or None
        Where the affinities are, if there are any.
    """

    rows: np.ndarray
    weights: np.ndarray
    device: Any = None

    @classmethod
    def scaled(
        cls,
        embedding: np.ndarray,
        sample_weight: np.ndarray | None,
        scaling: str,
        affinity: Any,
    ) -> WeightedRows:
        """Scale the rows of ``D^-1/2 H`` for clustering.

        ``"unit"`` gives every row length one, ``"degree"`` weighs it by its degree, ``"none"``
        leaves it alone, and ``"auto"`` picks what gave the lower cut in measurements: unit rows
        for sparse graphs, degrees for kernels, nothing where there is no affinity.
        """
        check_choice(scaling, ROW_SCALINGS, "row_scaling")
        if scaling == "auto":
            sparse = affinity is not None and affinity.density < 0.5
            scaling = "none" if affinity is None else "unit" if sparse else "degree"
        rows = np.asarray(embedding, dtype=np.float64)
        weights = np.ones(len(rows)) if sample_weight is None else sample_weight
        if scaling == "unit":
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            rows = rows / np.where(lengths > 0, lengths, 1.0)
        elif scaling == "degree":
            if affinity is None:
                raise ValueError(
                    "row_scaling='degree' needs the degrees; pass affinity, or pass the weights "
                    "as sample_weight."
                )
            weights = weights * (affinity.degrees / affinity.degrees.mean())
        return cls(rows, weights, None if affinity is None else affinity.device)

    def centroids(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """Weighted mean of every cluster, shape (k, d)."""
        n = len(labels)
        indicator = sp.csr_array(
            (self.weights, (labels, np.arange(n))), shape=(n_clusters, n), dtype=np.float64
        )
        # A cluster in which every weight is zero has no mean; the origin is as good as any.
        totals = np.maximum(indicator.sum(axis=1), np.finfo(float).tiny)
        return (indicator @ self.rows) / totals[:, None]

    def costs(self, centroids: np.ndarray) -> np.ndarray:
        """Weighted squared distance of every row to every centroid, shape (n, k)."""
        costs = self.rows @ (-2.0 * centroids.T)
        costs += np.sum(centroids**2, axis=1)
        costs += np.einsum("ij,ij->i", self.rows, self.rows)[:, None]
        costs *= self.weights[:, None]
        return costs

    def cost(self, labels: np.ndarray, centroids: np.ndarray) -> float:
        """The k-means cost of a clustering."""
        offsets = self.rows - centroids[labels]
        return float(self.weights @ np.einsum("ij,ij->i", offsets, offsets))


def floored_clusters(
    points: WeightedRows,
    n_clusters: int,
    smallest: int,
    n_init: int,
    seed: int,
    *,
    largest: int | None = None,
) -> np.ndarray:
    """k-means with a floor, and perhaps a ceiling, on the sizes; labels of shape (n,)."""
    labels = kmeans_labels(
        points.rows,
        n_clusters,
        n_init=n_init,
        random_state=seed,
        sample_weight=points.weights,
        device=points.device,
    )
    for _ in range(_FLOOR_ROUNDS):
        if _sized(labels, n_clusters, smallest, largest):
            break
        centroids = points.centroids(labels, n_clusters)
        moved = nearest_with_floor(points, centroids, smallest, largest)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def nearest_with_floor(
    points: WeightedRows, centroids: np.ndarray, smallest: int, largest: int | None = None
) -> np.ndarray:
    """The cheapest assignment to centroids with every size between the floor and the ceiling."""
    n, k = len(points.rows), len(centroids)
    costs = points.costs(centroids)
    labels = np.argmin(costs, axis=1).astype(np.int32)
    if _sized(labels, k, smallest, largest):
        return labels
    low, high = np.full(k, smallest), np.full(k, n if largest is None else largest)
    one_group = np.zeros(n, dtype=np.int32)
    return solve_flow(costs, one_group, low[None], high[None], low, high).labels


def _sized(labels: np.ndarray, k: int, smallest: int, largest: int | None) -> bool:
    """Whether every cluster is between the floor and the ceiling."""
    sizes = np.bincount(labels, minlength=k)
    return bool(sizes.min() >= smallest and (largest is None or sizes.max() <= largest))


def fair_lloyd(
    points: WeightedRows, labels: np.ndarray, n_clusters: int, assign: Assign
) -> np.ndarray:
    """Alternate sizes, fair flow and centroids; the cost of fair labels never rises."""
    best, potentials = np.inf, None
    for done in range(_LLOYD_ROUNDS):
        costs = points.costs(points.centroids(labels, n_clusters))
        if done < _RESIZE_ROUNDS:
            assign.resize(costs)
        flow = assign(costs, potentials)
        if flow.cost >= best * (1 - 1e-4):
            break
        best, labels, potentials = flow.cost, flow.labels, flow.potentials
    return labels
