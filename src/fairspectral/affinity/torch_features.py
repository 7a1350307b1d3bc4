"""Rows of features on a device, scaled so that an affinity is a power of two or of a product.

The data are centred and scaled once: then the exponential of a distance is ``2**-e``, which GPUs
have an instruction for. The kinds are those of `fairspectral.affinity.tiles`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairspectral.affinity.kernel import Kernel
from fairspectral.affinity.tiles import (
    DISTANT,
    EXPONENT_ERROR,
    HIGHEST_DEGREE,
    LARGEST,
    LOG2_E,
    SMALLEST,
)
from fairspectral.affinity.torch_scaled import torch_dtype

# By products ``|x|^2 + |y|^2 - 2 x.y``, by differences, by absolute differences, and powers of
# ``x.y + offset``.
SQUARED, DIFFERENCES, ABSOLUTE, POWER = range(4)


@dataclass(frozen=True)
class TorchFeatures:
    """The rows of a kernel, with its parameters in them.

    Attributes
    ----------
    kind : int
        SQUARED, DIFFERENCES, ABSOLUTE or POWER.
    rows : tensor of shape (n, d)
        float32 or float64.
    squares : tensor of shape (n,)
        Their squared lengths.
    offset, degree :
        Of POWER.
    """

    kind: int
    rows: Any
    squares: Any
    offset: float = 0.0
    degree: int = 0

    @property
    def exponential(self) -> bool:
        """Whether affinities are powers of two, between 0 and 1."""
        return self.kind != POWER

    @property
    def is_product(self) -> bool:
        """Whether ``W`` is the rows times their transpose, which nobody has to form."""
        return self.kind == POWER and self.degree == 1 and self.offset == 0

    @property
    def diagonal(self) -> Any:
        """The affinity of each row to itself, shape (n,)."""
        if self.exponential:
            return self.squares.new_ones(len(self.squares))
        return (self.squares + self.offset) ** self.degree

    def tile(self, these: slice | Any, those: slice) -> Any:
        """The affinities between some rows and others."""
        A, B = self.rows[these], self.rows[those]
        if self.kind == SQUARED:
            exponents = A @ B.T
            exponents *= 2.0
            exponents -= self.squares[these][:, None]
            exponents -= self.squares[those]
            return exponents.clamp_(max=0.0).exp2_()
        if self.kind == POWER:
            products = A @ B.T
            products += self.offset
            return products if self.degree == 1 else products.pow_(self.degree)
        distances = A.new_zeros((A.shape[0], B.shape[0]))
        for a, b in zip(A.T, B.T, strict=True):
            difference = a[:, None] - b
            distances += difference.square_() if self.kind == DIFFERENCES else difference.abs_()
        return distances.neg_().exp2_()

    def to(self, dtype: Any) -> TorchFeatures:
        """The same rows in another type."""
        return replace(self, rows=self.rows.to(dtype), squares=self.squares.to(dtype))


def torch_features(X: Any, kernel: Kernel, dtype: np.dtype) -> TorchFeatures | None:
    """The rows of a kernel, in `dtype`; None where torch has no way to compute it.

    That is: for other kernels, and for rows so far apart that float32 could not tell near ones
    from each other.

    Parameters
    ----------
    X : tensor of shape (n, d)
        The features.
    kernel : Kernel
        From `make_kernel`.
    dtype : numpy dtype
        Type of the affinities.
    """
    found = _features(X, kernel, float(np.finfo(dtype).eps) / 2)
    return None if found is None else found.to(torch_dtype(dtype))


def _features(X: Any, kernel: Kernel, roundoff: float) -> TorchFeatures | None:
    metric, params = kernel.metric, kernel.params
    if metric in ("rbf", "laplacian"):
        rows = kernel.prepare(X)
        if metric == "rbf":
            return _squared(rows * math.sqrt(params["gamma"] * LOG2_E), roundoff)
        rows = rows * (params["gamma"] * LOG2_E)
        reach = float(rows.abs().sum(dim=1).max())
        fits = 2 * reach * roundoff <= EXPONENT_ERROR
        return _made(ABSOLUTE, rows) if fits else None
    if metric in ("poly", "polynomial"):
        rows = X.double() * math.sqrt(params["gamma"])
        return _power(rows, params.get("coef0", 1), params.get("degree", 3))
    if metric == "cosine":
        rows = X.double()
        norms = rows.norm(dim=1, keepdim=True)
        return _power(rows / norms.where(norms > 0, norms.new_ones(())), 0, 1)
    return _power(X.double(), 0, 1) if metric == "linear" else None


def _squared(rows: Any, roundoff: float) -> TorchFeatures | None:
    reach = float(rows.square().sum(dim=1).max())
    # By products the error is that of the squared norms; by differences that of a coordinate,
    # times the distance.
    if 4 * reach * roundoff <= EXPONENT_ERROR:
        return _made(SQUARED, rows)
    fits = 2 * math.sqrt(reach * DISTANT) * roundoff <= EXPONENT_ERROR
    return _made(DIFFERENCES, rows) if fits else None


def _power(rows: Any, offset: Any, degree: Any) -> TorchFeatures | None:
    whole = isinstance(degree, int | np.integer) and 1 <= degree <= HIGHEST_DEGREE
    if not whole or not np.isreal(offset) or not abs(offset) < np.inf:
        return None
    largest = float(rows.square().sum(dim=1).max()) + abs(offset)
    fits = 0 < largest < math.inf and SMALLEST < largest ** int(degree) < LARGEST
    return _made(POWER, rows, float(offset), int(degree)) if fits else None


def _made(kind: int, rows: Any, offset: float = 0.0, degree: int = 0) -> TorchFeatures:
    return TorchFeatures(kind, rows, rows.square().sum(dim=1), offset, degree)
