"""The optimum of small problems, by branch and bound.

Persons are assigned one after the other, those with much weight to earlier ones first. A branch
is left if its cells cannot end within their bounds, or if a lower bound on its cut is not below
the best cut so far. Of two bounds the larger counts:

1. **Cut weights.** Every person not assigned yet will cut its links to all clusters but one. The
   weights ``c_l`` that are cut in any case give the bound ``min sum_l c_l / v_l`` over all volumes
   that add up to the total. It suits sparse graphs.
2. **k-means cost** (Brusco 2006, doi 10.1007/s11336-004-1218-1). The normalised cut is a weighted
   kernel k-means cost, up to a constant, if the affinities are positive semidefinite, and then the
   cost of all persons is at least that of the assigned ones plus the optimum of the others alone,
   which is computed first. It suits kernels, and is left out for other affinities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from fairspectral_benchmarks.cut import exact_kernels
from fairspectral_benchmarks.cut.instances import Task

# Branches of about half a minute.
LIMIT = 100_000_000
# Eigenvalues of kernels are above this, up to floating-point errors.
_DEFINITE = -1e-9


@dataclass(frozen=True)
class Optimum:
    """The answer.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        A clustering with the lowest cut.
    cut : float
        Its cut.
    proven : bool
        Whether the search ended before the limit, so that this is the optimum.
    branches : int
        How many were followed.
    """

    labels: np.ndarray
    cut: float
    proven: bool
    branches: int


def optimum(task: Task, start: np.ndarray, *, limit: int = LIMIT) -> Optimum:
    """The lowest cut of all allowed clusterings.

    Parameters
    ----------
    task : Task
        A small problem.
    start : ndarray of shape (n,)
        Allowed labels. The lower their cut, the shorter the search.
    limit : int
        Branches after which it gives up.
    """
    W = np.asarray(task.W.toarray() if sp.issparse(task.W) else task.W, dtype=np.float64)
    order = _by_adjacency(W)
    W, groups = np.ascontiguousarray(W[np.ix_(order, order)]), task.groups[order]
    low, high = task.bounds(np.arange(task.n + 1))
    kernel = _smallest_eigenvalue(W) > _DEFINITE
    rest = _costs_of_rests(W, task.k, limit) if kernel else None
    best = task.cut(start)
    found, cut, branches = exact_kernels.branch_and_bound(
        W,
        W.sum(axis=1),
        groups,
        task.k,
        low,
        high,
        task.floor,
        True,
        rest is not None,
        np.zeros(task.n + 1) if rest is None else rest,
        best,
        limit,
    )
    labels = np.array(start, dtype=np.int64)
    if cut < best:
        labels[order] = found
    return Optimum(labels, task.cut(labels), branches > 0, abs(branches))


def _by_adjacency(W: np.ndarray) -> np.ndarray:
    """Persons in an order in which each has as much weight to earlier ones as possible."""
    off = W - np.diag(W.diagonal())
    order, weight = [int(np.argmax(off.sum(axis=1)))], np.zeros(len(W))
    for _ in range(len(W) - 1):
        weight += off[order[-1]]
        weight[order] = -1.0
        order.append(int(np.argmax(weight)))
    return np.array(order)


def _smallest_eigenvalue(W: np.ndarray) -> float:
    root = np.sqrt(W.sum(axis=1))
    return float(np.linalg.eigvalsh(W / np.outer(root, root))[0])


def _costs_of_rests(W: np.ndarray, k: int, limit: int) -> np.ndarray | None:
    """The least k-means cost of the persons from each place on in at most k clusters, alone.

    Each begins with the optimum of the one before; None if one of them takes too long.
    """
    n, degrees = len(W), W.sum(axis=1)
    loops, rest = np.diag(W) / degrees, np.zeros(n + 1)
    labels = np.zeros(0, dtype=np.int64)
    for first in range(n - 1, 0, -1):
        part = np.ascontiguousarray(W[first:, first:])
        m = len(part)
        trials = [np.r_[cluster, labels] for cluster in range(k)]
        cuts = [_apart(part, degrees[first:], k, trial) for trial in trials]
        labels = trials[int(np.argmin(cuts))]
        found, cut, branches = exact_kernels.branch_and_bound(
            part,
            degrees[first:],
            np.zeros(m, dtype=np.int64),
            k,
            np.zeros((1, m + 1), dtype=np.int64),
            np.full((1, m + 1), m),
            0,
            False,
            True,
            rest[first:],
            min(cuts),
            limit,
        )
        if branches < 0:
            return None
        labels = labels if found[0] < 0 else found
        rest[first] = cut + loops[first:].sum() - k
    return rest


def _apart(W: np.ndarray, degrees: np.ndarray, k: int, labels: np.ndarray) -> float:
    """``k - sum_l within_l / volume_l``, in which an empty cluster counts 1."""
    Y = np.eye(k)[labels]
    volumes = degrees @ Y
    return float(np.sum(1 - np.sum(Y * (W @ Y), axis=0) / np.where(volumes > 0, volumes, 1.0)))
