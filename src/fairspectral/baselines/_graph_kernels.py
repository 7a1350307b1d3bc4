"""The compiled part of graph learning: what one pass over all pairs of samples computes.

Importing this module imports numba; `fairspectral.baselines._graph` does so when it needs it.

The weight of a pair at the dual variables ``lambda`` is ``max(0, t_ij) / (4 beta)`` with
``t_ij = lambda_i + lambda_j - |p_i - p_j|^2 = a_i + a_j + 2 p_i.p_j`` and
``a_i = lambda_i - |p_i|^2``, so that the Gram matrix of the points is all that is stored.
"""

from __future__ import annotations

from numba import njit


# Sums may be reordered, or the compiler could not use the processor's vectors.
@njit(cache=True, nogil=True, fastmath={"reassoc"})
def sum_rows(gram, a, sums):  # pragma: no cover - compiled
    """``sums_i = sum_{j != i} max(0, t_ij)``, from the upper triangle alone."""
    n = len(a)
    sums[:] = 0.0
    for i in range(n):
        total = 0.0
        for j in range(i + 1, n):
            t = max(0.0, a[i] + a[j] + 2 * gram[i, j])
            total += t
            sums[j] += t
        sums[i] += total


@njit(cache=True, nogil=True)
def to_weights(gram, a, scale):  # pragma: no cover - compiled
    """Turn the Gram matrix into ``scale max(0, t_ij)`` in place, with a zero diagonal."""
    n = len(a)
    for i in range(n):
        for j in range(n):
            gram[i, j] = scale * max(0.0, a[i] + a[j] + 2 * gram[i, j])
        gram[i, i] = 0.0
