"""The fair stochastic block model, in which groups are stronger than the fair clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from fairspectral.datasets.base import Dataset, check_at_least

# CSR takes 12 bytes for each stored float64 entry, dense 8 for every entry: below this
# density CSR is at least six times smaller, and its products are no slower.
SPARSE_BELOW_DENSITY = 0.1

# Candidate edges drawn at once, which bounds the memory besides the edges.
_CHUNK = 2**22


def make_msbm(
    n_samples: int = 1000,
    n_clusters: int = 5,
    n_groups: int = 2,
    *,
    probabilities: Sequence[float] = (0.9, 0.3, 0.25, 0.02),
    scale: float | None = None,
    dtype: Any = np.float64,
    random_state: Any = None,
) -> Dataset:
    """Draw a graph from the stochastic block model with groups.

    Every node has a cluster and a group. Edges are independent, with probability
    ``scale`` times

    - ``a``: same cluster, same group,
    - ``b``: different cluster, same group,
    - ``c``: same cluster, different group,
    - ``d``: different cluster, different group.

    With ``a > b > c > d`` a common group links more than a common cluster, and plain spectral
    clustering tends to find the groups. The planted clusters have the same share of every group
    (Kleindessner et al. 2019, Section 4), and fair spectral clustering finds them if the noise
    is small enough: in the expectation of ``M``, clusters and groups have the eigenvalues

        lambda_c = ((a - b) + (h - 1)(c - d)) / s,    lambda_g = ((a - c) + (k - 1)(b - d)) / s,
        s = a + (k - 1) b + (h - 1) c + (h - 1)(k - 1) d,

    and the noise is of size ``1 / sqrt(degree)`` with ``degree = scale n s / (k h)``. Exact
    recovery was seen where ``degree lambda_c^2`` is above about 8. The default probabilities
    reach that at n=1000 with k=5, h=2; ``(0.4, 0.3, 0.2, 0.1)`` only from n=10000 on. Groups
    come before clusters, and plain clustering mixes them up, where ``lambda_g > lambda_c``.

    Parameters
    ----------
    n_samples, n_clusters, n_groups : int
        The n nodes are spread evenly over the cells (cluster, group), in this order: nodes of
        one cluster, and in it of one group, are consecutive. Of the remainder
        ``r = n mod (k h)`` each of the first r cells gets one node more, so that all clusters
        but at most one hold equally many of every group. A cell needs two nodes.
    probabilities : sequence of 4 floats
        ``(a, b, c, d)``.
    scale : float, optional
        Factor on all of them; by default ``(log n / n)^(1/10)``.
    dtype : dtype
        Type of the weights, which are 0 and 1. By default float64, so that exact solvers are
        limited only by their floating-point error; float32 halves the memory.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    Dataset
        With `graph` of shape (n, n), `clusters` and `sensitive_features`. The graph is a
        ``csr_array`` if the expected density is below 10%, otherwise an ndarray. An
        isolated node is connected to a random other node of its cluster.

    References
    ----------
    M. Kleindessner, S. Samadi, P. Awasthi and J. Morgenstern, "Guarantees for spectral
    clustering with fairness constraints", ICML 2019.
    """
    check_at_least(n_clusters, 1, "n_clusters", "a graph has a cluster")
    check_at_least(n_groups, 1, "n_groups", "every node has a group")
    n_cells = n_clusters * n_groups
    check_at_least(n_samples, 2 * n_cells, "n_samples", "two nodes for every cluster and group")
    if scale is None:
        scale = (np.log(n_samples) / n_samples) ** 0.1
    edge_probabilities = _check_probabilities(probabilities, scale)
    rng = check_random_state(random_state)

    cell_sizes = np.full(n_cells, n_samples // n_cells)
    cell_sizes[: n_samples % n_cells] += 1
    cell_cluster, cell_group = np.divmod(np.arange(n_cells), n_groups)
    clusters = np.repeat(cell_cluster, cell_sizes)

    rows, columns, density = _draw_edges(
        cell_sizes, cell_cluster, cell_group, edge_probabilities, rng
    )
    rows, columns = _connect_isolated(rows, columns, clusters, rng)
    return Dataset(
        name="m-SBM",
        sensitive_features=np.repeat(cell_group, cell_sizes),
        graph=_adjacency(rows, columns, n_samples, dtype, density < SPARSE_BELOW_DENSITY),
        clusters=clusters,
        citation="Kleindessner et al., ICML 2019",
    )


def _check_probabilities(probabilities: Sequence[float], scale: float) -> np.ndarray:
    scaled = np.asarray(probabilities, dtype=np.float64) * scale
    if scaled.shape != (4,) or not np.all((scaled >= 0) & (scaled <= 1)):
        raise ValueError(
            f"probabilities={tuple(probabilities)} times scale={scale:g} are not four numbers "
            "from 0 to 1; pass (a, b, c, d) as described, or a smaller scale."
        )
    return scaled


def _draw_edges(
    sizes: np.ndarray,
    cluster: np.ndarray,
    group: np.ndarray,
    probabilities: np.ndarray,
    rng: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Edges (rows, columns), each once, and the expected density.

    The node pairs of one probability, over all the blocks (cell, cell) that have it, are
    numbered consecutively; the edges are drawn from these numbers, at a cost proportional to
    the number of edges. The index type is the smallest that fits, as CSR will hold it.
    """
    starts = np.concatenate([[0], np.cumsum(sizes)])
    index_type = np.int32 if starts[-1] < 2**31 else np.int64
    first, second = np.triu_indices(len(sizes))
    kind = 2 * (group[first] != group[second]) + (cluster[first] != cluster[second])
    rows, columns, expected = [], [], 0.0
    for which, probability in enumerate(probabilities):
        p, q = first[kind == which], second[kind == which]
        same_cell = which == 0  # only then are cluster and group the same
        n_pairs = sizes[p] * (sizes[p] - 1) // 2 if same_cell else sizes[p] * sizes[q]
        ends = np.cumsum(n_pairs)
        total = int(ends[-1]) if len(ends) else 0
        expected += probability * total
        for position in _successes(total, probability, rng):
            block = np.searchsorted(ends, position, side="right")
            local = position - (ends - n_pairs)[block]
            i, j = _triangle(local) if same_cell else np.divmod(local, sizes[q][block])
            rows.append((starts[p][block] + i).astype(index_type))
            columns.append((starts[q][block] + j).astype(index_type))
    n = float(starts[-1])
    return np.concatenate(rows), np.concatenate(columns), 2 * expected / n**2


def _successes(
    n_trials: int, probability: float, rng: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Indices of the successes of independent trials, ascending, in chunks.

    The distance from one success to the next is geometric, so the failures are never drawn
    (Batagelj and Brandes, "Efficient generation of large random networks", 2005).
    """
    last = -1
    while probability > 0 and last < n_trials - 1:
        mean = (n_trials - 1 - last) * probability
        size = min(int(mean + 4 * np.sqrt(mean)) + 8, _CHUNK)
        # A distance past the end may be huge; clip it so that the sum cannot overflow.
        gaps = np.minimum(rng.geometric(probability, size), n_trials + 1)
        positions = last + np.cumsum(gaps)
        last = int(positions[-1])
        yield positions[: np.searchsorted(positions, n_trials)]
    yield np.zeros(0, dtype=np.int64)


def _triangle(number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair (i, j), i > j, with the given number in the order (1,0), (2,0), (2,1), ..."""
    i = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    i -= i * (i - 1) // 2 > number  # the root may have been rounded up
    return i, number - i * (i - 1) // 2


def _connect_isolated(
    rows: np.ndarray, columns: np.ndarray, clusters: np.ndarray, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Give each node without an edge one to a random other node of its cluster."""
    n = len(clusters)
    degrees = np.bincount(rows, minlength=n) + np.bincount(columns, minlength=n)
    isolated = np.flatnonzero(degrees == 0)
    if not len(isolated):
        return rows, columns
    sizes = np.bincount(clusters)
    start = (np.cumsum(sizes) - sizes)[clusters[isolated]]
    offset = rng.randint(0, sizes[clusters[isolated]] - 1)
    partner = start + offset + (start + offset >= isolated)
    # Two isolated nodes may have chosen each other: one edge, not two.
    edges = np.unique(np.sort(np.stack([isolated, partner], axis=1), axis=1), axis=0)
    edges = edges.astype(rows.dtype)
    return np.concatenate([rows, edges[:, 0]]), np.concatenate([columns, edges[:, 1]])


def _adjacency(rows: np.ndarray, columns: np.ndarray, n: int, dtype: Any, sparse: bool) -> Any:
    if not sparse:
        dense = np.zeros((n, n), dtype=dtype)
        dense[rows, columns] = dense[columns, rows] = 1
        return dense
    each_once = sp.csr_array((np.ones(len(rows), dtype=dtype), (rows, columns)), shape=(n, n))
    return sp.csr_array(each_once + each_once.T)
