"""A Chebyshev polynomial of a matrix, that lifts the top of its spectrum out of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fairspectral.linalg.blocks import strips


class ChebyshevFilter:
    """``T_d((P A P - c) / e)`` with ``c ± e`` the ends of an interval to be damped.

    On the interval the polynomial stays between -1 and 1, above it grows as fast as any of its
    degree. The top eigenvectors stay what they are, and a Krylov space of the filtered matrix
    reaches them in fewer, longer steps: that pays where a product is cheap beside the
    orthogonalisation of its result.

    Parameters
    ----------
    multiply : callable
        ``A @ block``.
    deflated : array of shape (n, r)
        Orthonormal columns; ``P`` projects them away after each product.
    low, high : float
        The interval.
    degree : int
        The degree d: products of one application.
    """

    def __init__(
        self, multiply: Callable[[Any], Any], deflated: Any, low: float, high: float, degree: int
    ) -> None:
        self._multiply = multiply
        self._deflated = deflated
        self._centre, self._radius = (high + low) / 2, (high - low) / 2
        self.degree = degree

    def __call__(self, block: Any) -> Any:
        """Apply the polynomial to a block of shape (n, b), orthogonal to the deflated columns."""
        before, now = None, block
        for j in range(self.degree):
            # T_{j+1}(x) = 2 x T_j(x) - T_{j-1}(x)
            before, now = now, self._step(now, before, 2.0 if j else 1.0)
        return now

    def _step(self, block: Any, before: Any, factor: float) -> Any:
        image = self._multiply(block)
        inside = self._deflated.T @ image
        for rows in strips(image, image.shape[1]):  # one visit to the cache for all of it
            strip = image[rows, :]
            strip -= self._deflated[rows, :] @ inside
            strip *= factor / self._radius
            strip -= (factor * self._centre / self._radius) * block[rows, :]
            if before is not None:
                strip -= before[rows, :]
        return image

    def evaluate(self, values: np.ndarray, degree: int) -> np.ndarray:
        """The Chebyshev polynomial of another degree at eigenvalues of ``A``, scaled to 1."""
        x = (values - self._centre) / self._radius
        result = np.polynomial.chebyshev.chebval(x, np.eye(degree + 1)[degree])
        return result / np.abs(result).max()

    def invert(self, values: np.ndarray) -> np.ndarray:
        """Eigenvalues of ``A`` from those of the polynomial; NaN for damped ones."""
        lifted = np.where(values > 1.0, values, np.nan)
        return self._centre + self._radius * np.cosh(np.arccosh(lifted) / self.degree)
