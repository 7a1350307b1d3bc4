"""Operators that change another one by a term of low rank, at no further pass over ``W``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator


class WrappedOperator(AffinityOperator):
    """Products on the device and in the dtype of another operator.

    ``stored_weights`` stays None: the affinities in memory are not those of the products.
    """

    def __init__(self, operator: AffinityOperator) -> None:
        self._operator = operator
        self.shape, self.dtype, self.degrees = operator.shape, operator.dtype, operator.degrees
        self.xp, self.device = operator.xp, operator.device
        self.density, self.nbytes = operator.density, operator.nbytes
        self.own_threads = operator.own_threads

    def computing(self) -> AbstractContextManager[None]:
        """That of the other operator."""
        return self._operator.computing()


class PenalisedOperator(WrappedOperator):
    """``M - mu Q Q^T``: between the plain embedding (``mu = 0``) and the fair one.

    The fair embedding forbids the directions of ``Q``, this one makes them expensive; the larger
    ``mu``, the closer its leading eigenvectors are to the fair ones. ``sqrt(d)`` is orthogonal to
    ``Q`` and keeps its eigenvalue 1.

    Parameters
    ----------
    operator : AffinityOperator
        Applies ``M``.
    basis : ndarray of shape (n, r)
        ``Q``, orthonormal: the basis of `FairnessConstraints`.
    strength : float
        ``mu``, at least 0.
    """

    def __init__(self, operator: AffinityOperator, basis: np.ndarray, strength: float) -> None:
        super().__init__(operator)
        self._basis, self._strength = operator.asarray(basis), strength

    def matmat(self, block: Any) -> Any:
        """Apply ``M - mu Q Q^T`` to a block of shape (n, b)."""
        product = self._operator.matmat(block)
        product -= self._basis @ (self._strength * (self._basis.T @ self.asarray(block)))
        return product


class RegularisedOperator(WrappedOperator):
    """The normalised affinity of ``W + (tau/n) 1 1^T``.

    A weak affinity between all people keeps the leading eigenvectors of a sparse graph from
    singling out a few people with few edges to the rest (Zhang and Rohe 2018, "Understanding
    regularized spectral clustering via graph conductance").

    Parameters
    ----------
    operator : AffinityOperator
        Applies the normalised ``W``.
    tau : float
        Added to every degree, at least 0.
    """

    def __init__(self, operator: AffinityOperator, tau: float) -> None:
        super().__init__(operator)
        n = operator.shape[0]
        self.degrees = operator.degrees + tau
        # From M to D_tau^-1/2 W D_tau^-1/2, and the constant term as an outer product.
        self._scale = operator.asarray(np.sqrt(operator.degrees / self.degrees)[:, None])
        self._constant = operator.asarray(np.sqrt(tau / n / self.degrees)[:, None])

    def matmat(self, block: Any) -> Any:
        """Apply the regularised operator to a block of shape (n, b)."""
        block = self.asarray(block)
        product = self._operator.matmat(block * self._scale)
        product *= self._scale
        product += self._constant @ (self._constant.T @ block)
        return product
