"""The compiled part of Gower's distance.

Importing this module imports numba; `fairspectral.affinity.gower` does so when it needs it.
"""

from __future__ import annotations

import numpy as np

from fairspectral.linalg.compiled import njit


@njit(cache=True, nogil=True)
def gower_distances(A, B, categorical):
    """Mean difference over the columns that both rows have; 1 where they have none in common.

    Parameters
    ----------
    A, B : ndarray of shape (a, d) and (b, d), float64
        Numbers divided by their range, and codes of categories; NaN where missing.
    categorical : bool ndarray of shape (d,)
        Which columns are codes.

    Returns
    -------
    ndarray of shape (a, b), float64
    """
    distances = np.empty((len(A), len(B)))
    for i in range(len(A)):
        for j in range(len(B)):
            total, known = 0.0, 0
            for c in range(len(categorical)):
                difference = abs(A[i, c] - B[j, c])
                if difference == difference:  # not NaN
                    known += 1
                    if categorical[c]:
                        total += 1.0 if difference > 0.0 else 0.0
                    else:
                        total += difference
            distances[i, j] = total / known if known else 1.0
    return distances
