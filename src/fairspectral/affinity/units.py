"""Features scaled and centred before distances are computed, for floating-point accuracy.

A squared distance is computed as ``|x|^2 + |y|^2 - 2 x·y``, which cancels where the points lie far
from the origin, and squares of very small or large numbers are zero or infinite. Neither matters to
the clusters, so features are divided by a power of two, which is exact, and centred at medians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.tensors import is_tensor


@dataclass(frozen=True)
class Units:
    """The scale of the features and their variance.

    Attributes
    ----------
    exponent : int
        The largest feature is below ``2**exponent``, and at least half of it.
    variance : float
        Variance of all the features together, in units of ``4**exponent``.
    """

    exponent: int
    variance: float

    @classmethod
    def of(cls, X: Any) -> Units:
        """Measure an array, a tensor or a CSR matrix of shape (n, d)."""
        if is_tensor(X):
            exponent = math.frexp(float(X.abs().max()))[1]
            return cls(exponent, float(_times_power(X, -exponent).var(correction=0)))
        values = X.data if sp.issparse(X) else X
        exponent = int(np.frexp(np.abs(values).max(initial=0))[1])
        scaled = np.ldexp(values, -exponent).astype(np.float64, copy=False)
        mean = scaled.sum() / np.prod(X.shape)
        squares = np.square(scaled - mean).sum()
        if sp.issparse(X):
            squares += (np.prod(X.shape) - scaled.size) * mean**2
        return cls(exponent, float(squares / np.prod(X.shape)))

    def apply(self, X: Any) -> Any:
        """The features in these units, each column centred at its median.

        A zero that a sparse matrix does not store stays where it is: only columns without any
        are centred. Tensors come back in float64.
        """
        if is_tensor(X):
            scaled = _times_power(X, -self.exponent)
            # torch's own median has no fixed order on a GPU, and is refused where one is asked for.
            return scaled - scaled.sort(dim=0).values[(len(scaled) - 1) // 2]
        if not sp.issparse(X):
            scaled = np.ldexp(X, -self.exponent)
            return scaled - np.median(scaled, axis=0)
        scaled = X.copy()
        scaled.sum_duplicates()
        scaled.data = np.ldexp(scaled.data, -self.exponent)
        full = np.flatnonzero(np.bincount(scaled.indices, minlength=X.shape[1]) == X.shape[0])
        if len(full):
            centres = np.zeros(X.shape[1], dtype=scaled.dtype)
            centres[full] = np.median(scaled[:, full].toarray(), axis=0)
            scaled.data -= centres[scaled.indices]
        return scaled


def _times_power(X: Any, exponent: int) -> Any:
    """A tensor times a power of two, in float64; in two steps, since 2^1024 would be infinite."""
    half = exponent // 2
    return X.double() * 2.0**half * 2.0 ** (exponent - half)


def scaled_and_centred(X: Any) -> Any:
    """Scaled and centred features, for code that only compares distances."""
    return Units.of(X).apply(X)
