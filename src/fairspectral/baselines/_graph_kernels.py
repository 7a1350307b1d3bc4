"""The compiled part of graph learning: passes over all pairs of samples.

Importing this module imports numba; `fairspectral.baselines._graph` does so when it needs it.

The weight of a pair at the dual variables ``lambda`` is ``scale max(0, t_ij)`` with
``t_ij = lambda_i + lambda_j - |p_i - p_j|^2 = a_i + a_j + 2 p_i.p_j`` and
``a_i = lambda_i - |p_i|^2``, so that only the Gram matrix of the points is stored. Its diagonal
must be minus infinity: no node is linked to itself.
"""

from __future__ import annotations

import numpy as np

from fairspectral.linalg.compiled import njit

# Largest number of passes over one row. A pass is cheap, since the row is in the cache, but more
# accuracy is not needed before the next sweep.
_PASSES = 4


# Sums may be reordered, and there are no branches: the processor's vectors can be used, which
# makes a pass ten times as fast.
@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _links(row, a, own):  # pragma: no cover - compiled
    """How many ``t_ij = own + a_j + 2 row_j`` are positive, and their sum."""
    count, total = 0.0, 0.0
    for j in range(len(a)):
        t = own + a[j] + 2 * row[j]
        count += 1.0 if t > 0.0 else 0.0
        total += max(t, 0.0)
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
            count, total = _links(row, a, dual - squares[i])
            middle = count * dual - total
            if count == 0.0:  # no neighbour: start with the nearest
                count, middle = 1.0, squares[i] + np.min(-a - 2 * row)
            root = (middle + np.sqrt(middle**2 + 4 * count * alpha_over_scale)) / (2 * count)
            settled = abs(root - dual) <= 1e-12 * root
            dual = root
            if settled:
                break
        a[i] = dual - squares[i]


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
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
