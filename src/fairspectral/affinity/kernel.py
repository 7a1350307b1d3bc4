"""Affinities computed from features: every kernel of ``sklearn.metrics.pairwise``, or a callable.

`kernel_matrix` fills one n×n array; `KernelOperator` never forms it and computes the rows
again in every pass, which is slower but fits any n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import KERNEL_PARAMS, PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from fairspectral.affinity.base import AffinityOperator
from fairspectral.parameters import check_choice
from fairspectral.progress import AFFINITY, report
from fairspectral.validation import bad_weight

KERNEL_NAMES = sorted(PAIRWISE_KERNEL_FUNCTIONS)
_TILE = 1024


@dataclass(frozen=True)
class Kernel:
    """A kernel and its parameters, ready to be applied to two sets of rows."""

    metric: str | Callable[..., float]
    params: dict[str, Any] = field(default_factory=dict)

    def __call__(self, A: Any, B: Any) -> np.ndarray:
        """Affinities between the rows of A and the rows of B."""
        values = pairwise_kernels(A, B, metric=self.metric, **self.params)
        return values.toarray() if sp.issparse(values) else values

    @property
    def name(self) -> str:
        """How errors call it."""
        return f"the kernel {self.metric if isinstance(self.metric, str) else 'callable'!r}"


def make_kernel(
    metric: str | Callable[..., float],
    X: Any,
    gamma: float | str | None,
    kernel_params: dict[str, Any] | None,
) -> Kernel:
    """Fill in a kernel's parameters.

    ``gamma="scale"`` is ``1 / (d Var(X))``, which on standardised features is the paper's
    ``1 / d``; ``"auto"`` is ``1 / d`` whatever the scale.
    """
    params = dict(kernel_params or {})
    if callable(metric):
        return Kernel(metric, params)
    check_choice(metric, KERNEL_NAMES, "affinity")
    if "gamma" in KERNEL_PARAMS[metric]:
        params.setdefault("gamma", _resolve_gamma(gamma, X))
    unknown = sorted(set(params) - set(KERNEL_PARAMS[metric]))
    if unknown:
        raise ValueError(
            f"kernel_params has {unknown[0]!r}, which the kernel {metric!r} does not take; "
            f"it takes {', '.join(sorted(KERNEL_PARAMS[metric])) or 'no parameter'}."
        )
    return Kernel(metric, params)


def _resolve_gamma(gamma: float | str | None, X: Any) -> float | None:
    if gamma == "scale":
        with np.errstate(over="ignore", invalid="ignore"):
            if sp.issparse(X):
                variance = X.multiply(X).mean() - X.mean() ** 2
            else:
                variance = X.var(dtype=np.float64)
        if not np.isfinite(variance):
            raise ValueError("X has values so large that their variance overflows; scale it down.")
        # Constant features: any width gives the same affinity, one.
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if isinstance(gamma, str) or (gamma is not None and not 0 < gamma < np.inf):
        raise ValueError(
            f"gamma={gamma!r} is not valid; pass a positive number, 'scale' or 'auto'."
        )
    return gamma


def kernel_matrix(X: Any, kernel: Kernel, dtype: np.dtype) -> np.ndarray:
    """The n×n affinities in `dtype`, computed by tiles in X's own precision.

    Only the upper triangle is computed and mirrored: half the work, and symmetric to the bit.
    """
    n = X.shape[0]
    K = np.empty((n, n), dtype=dtype)
    for i in range(0, n, _TILE):
        for j in range(i, n, _TILE):
            tile = kernel(X[i : i + _TILE], X[j : j + _TILE])
            if i == j:  # a callable or a rounding error may leave the diagonal tile asymmetric
                tile = (tile + tile.T) / 2
            K[i : i + _TILE, j : j + _TILE] = tile
            if j > i:
                K[j : j + _TILE, i : i + _TILE] = tile.T
        left = max(0, n - i - _TILE) / n
        report(AFFINITY, 1.0 - left**2)  # the rows still to come are a triangle
    return K


class KernelOperator(AffinityOperator):
    """A kernel that is recomputed by strips of rows in every pass; never n×n.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
        The features.
    kernel : Kernel
        From `make_kernel`.
    dtype : numpy dtype
        Of the products.
    strip_bytes : int
        Memory for one strip of rows.
    """

    def __init__(self, X: Any, kernel: Kernel, dtype: np.dtype, strip_bytes: int = 2**27) -> None:
        self._X, self._kernel = X, kernel
        n = X.shape[0]
        self.shape = (n, n)
        self.dtype = np.dtype(dtype)
        self._strip = max(1, min(n, strip_bytes // (8 * n)))
        self.nbytes = X.data.nbytes + self._strip * n * 8
        degrees = np.empty(n)
        for rows, values in self._strips():
            bad = ~((values >= 0) & (values < np.inf))
            if bad.any():
                a, b = np.unravel_index(int(np.argmax(bad)), bad.shape)
                value = float(values[a, b])
                raise bad_weight(value, rows.start + int(a), int(b), kernel.name)
            degrees[rows] = values.sum(axis=1, dtype=np.float64)
        self._set_degrees(degrees, kernel.name)

    def _strips(self) -> Iterator[tuple[slice, np.ndarray]]:
        for start in range(0, self.shape[0], self._strip):
            rows = slice(start, start + self._strip)
            yield rows, self._kernel(self._X[rows], self._X)

    def _product(self, block: np.ndarray) -> np.ndarray:
        product = np.empty_like(block)
        for rows, values in self._strips():
            product[rows] = values.astype(self.dtype, copy=False) @ block
            del values  # before the next strip is computed, not after
        return product

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of the kernel, computed for the purpose."""
        return self._kernel(self._X[indices], self._X)
