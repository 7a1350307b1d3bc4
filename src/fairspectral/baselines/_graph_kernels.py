"""The compiled part of graph learning: passes over all pairs of samples.

Importing this module imports numba; `fairspectral.baselines._graph` does so when it needs it.

The weight of a pair at the dual variables ``lambda`` is ``scale max(0, t_ij)`` with
``t_ij = lambda_i + lambda_j - |p_i - p_j|^2 = a_i + a_j + 2 p_i.p_j`` and
``a_i = lambda_i - |p_i|^2``, so that the Gram matrix of the points is all that is stored. Its
diagonal must be minus infinity: nobody is linked to himself.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# A pass over one row more costs little, for the row is in the cache; the last ones change
# nothing that the next sweep would not change again.
_PASSES = 4


# Sums may be reordered, or the compiler could not use the processor's vectors.
@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _active(row, a, level):  # pragma: no cover - compiled
    """How many j have ``level > -a_j - 2 row_j``, and the sum of these thresholds."""
    count, total = 0.0, 0.0
    for j in range(len(a)):
        threshold = -a[j] - 2 * row[j]
        if level > threshold:
            count += 1.0
            total += threshold
    return count, total


@njit(cache=True, nogil=True)
def coordinate_sweep(gram, squares, a, alpha_over_scale):  # pragma: no cover - compiled
    """Make each dual variable optimal in turn: ``lambda_i d_i = alpha``; updates `a` in place.

    With the linked nodes known the equation is quadratic. Its root for any subset of them
    lies above the true root, so that from the second pass on the roots fall towards it.
    """
    for i in range(len(a)):
        row = gram[i]
        dual = a[i] + squares[i]
        for _ in range(_PASSES):
            # Thresholds are less |p_i|^2 until here, which keeps it out of the inner loop.
            count, total = _active(row, a, dual - squares[i])
            if count == 0.0:
                count, total = 1.0, np.min(-a - 2 * row)
            total += count * squares[i]
            root = (total + np.sqrt(total**2 + 4 * count * alpha_over_scale)) / (2 * count)
            settled = abs(root - dual) <= 1e-12 * root
            dual = root
            if settled:
                break
        a[i] = dual - squares[i]


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def sum_rows(gram, a, sums):  # pragma: no cover - compiled
    """``sums_i = sum_j max(0, t_ij)``, from the upper triangle alone."""
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
    """Turn the Gram matrix into ``scale max(0, t_ij)``, in place."""
    n = len(a)
    for i in range(n):
        for j in range(n):
            gram[i, j] = scale * max(0.0, a[i] + a[j] + 2 * gram[i, j])
