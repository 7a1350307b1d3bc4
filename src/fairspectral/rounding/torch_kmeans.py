"""k-means of many rows on a device: the start from a sample on the host, the steps with everybody.

A start by sampling from everybody would need sums in an order that GPUs do not keep; a sample of
thousands of rows finds clusters as well, and the same ones each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from fairspectral.affinity.torch_precision import full_precision
from fairspectral.affinity.torch_strips import Strips
from fairspectral.tensors import on_host

# Rows of the sample: some hundreds for each of a few dozen clusters, and some for each of many.
_SAMPLE, _OF_EACH = 16_384, 4
# As in scikit-learn: steps at most, and the squared shift of the centres, beside the variance of
# the rows, at which they end.
_STEPS, _SHIFT = 300, 1e-4


def kmeans_on_device(
    rows: np.ndarray,
    n_clusters: int,
    device: Any,
    n_init: int = 10,
    random_state: Any = None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Cluster the rows of an embedding; a cluster may be empty.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The embedding, in host memory.
    n_clusters : int
        Number of clusters.
    device : device of torch
        Where the steps are computed, in float32.
    n_init, random_state, sample_weight :
        As in `fairspectral.rounding.kmeans.kmeans_labels`.

    Returns
    -------
    ndarray of shape (n,)
        Labels 0 .. n_clusters - 1.
    """
    import torch

    n = len(rows)
    rng = check_random_state(random_state)
    weights = np.ones(n) if sample_weight is None else sample_weight
    # Centred and of unit size, so that float32 loses nothing that matters.
    mean, size = np.average(rows, axis=0, weights=weights), float(rows.std()) or 1.0
    chosen = np.sort(rng.permutation(n)[: max(_SAMPLE, _OF_EACH * n_clusters)])
    start = KMeans(n_clusters, n_init=n_init, random_state=rng)
    start.fit((rows[chosen] - mean) / size, sample_weight=weights[chosen])
    points = torch.from_numpy(((rows - mean) / size).astype(np.float32)).to(device)
    counted = torch.from_numpy(np.asarray(weights, dtype=np.float32)).to(device)
    centres = torch.from_numpy(start.cluster_centers_).to(device)
    smallest_shift = _SHIFT * float(points.var(dim=0).mean())
    strips = Strips.of_bytes(n, 4 * (3 * n_clusters + points.shape[1]))
    with full_precision():
        for _ in range(_STEPS):
            labels, moved = _step(points, counted, centres, strips)
            shift = float((moved - centres).square().sum())
            centres = moved
            if shift <= smallest_shift:
                break
    return on_host(labels)


def _step(points: Any, weights: Any, centres: Any, strips: Strips) -> tuple[Any, Any]:
    """The nearest centre of each point, and the centres of those who are nearest to each."""
    import torch

    k = len(centres)
    near = centres.to(points.dtype)
    squares = near.square().sum(dim=1)
    labels = torch.empty(len(points), dtype=torch.int64, device=points.device)
    sums, totals = torch.zeros_like(centres), centres.new_zeros(k)
    for strip in strips:
        with strip as (first, last):
            some = points[first:last]
            nearest = torch.addmm(squares, some, near.T, alpha=-2.0).argmin(dim=1)
            # Sums by a product: adding to each centre one by one would have no fixed order.
            members = torch.zeros((last - first, k), dtype=points.dtype, device=points.device)
            members.scatter_(1, nearest[:, None], weights[first:last, None])
            part = (members.T @ some).to(sums.dtype)
            counts = members.sum(dim=0, dtype=totals.dtype)
            # Added when nothing can fail any more: a strip without memory is computed again.
            labels[first:last] = nearest
            sums += part
            totals += counts
    # A centre without members stays where it is.
    there = (totals > 0)[:, None]
    return labels, torch.where(there, sums / totals.clamp_min(1e-300)[:, None], centres)
