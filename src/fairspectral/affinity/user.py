"""A user's own operator, checked before it is trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.checks import check_degrees, check_square
from fairspectral.validation import all_finite


class UserOperator(AffinityOperator):
    """Any object with ``shape``, ``dtype``, ``degrees`` and ``matmat``.

    One pass over a thin block shows the two usual mistakes: a ``matmat`` that applies ``W``
    instead of ``M`` (then ``M sqrt(d) = sqrt(d)`` fails), and one that is not symmetric.
    """

    _NAME = "the affinity operator"

    def __init__(self, operator: Any) -> None:
        name = self._NAME
        self._operator = operator
        self.shape = tuple(operator.shape)
        check_square(self.shape, name)
        self.dtype = np.dtype(operator.dtype)
        if self.dtype not in (np.float32, np.float64):
            raise TypeError(f"{name} has dtype {self.dtype}; it must be float32 or float64.")
        self.nbytes = int(getattr(operator, "nbytes", 0))
        self.density = float(getattr(operator, "density", 1.0))
        self.degrees = _real(operator.degrees, np.float64, f"{name} has degrees")
        if self.degrees.shape != self.shape[:1]:
            raise ValueError(
                f"{name} has degrees of shape {self.degrees.shape}; "
                f"it must give one degree for each of its {self.shape[0]} nodes."
            )
        check_degrees(self.degrees, name)
        self._check_products(name)

    def _check_products(self, name: str) -> None:
        n = self.shape[0]
        rng = np.random.default_rng(0)
        probe = np.column_stack([np.sqrt(self.degrees), rng.standard_normal((n, 2))])
        probe /= np.linalg.norm(probe, axis=0)
        image = self.matmat(probe).astype(np.float64)
        tolerance = 1e3 * np.finfo(self.dtype).eps
        if not np.linalg.norm(image[:, 0] - probe[:, 0]) <= tolerance:
            raise ValueError(
                f"{name} does not map sqrt(degrees) to itself; its matmat must apply the "
                "normalised D^-1/2 W D^-1/2, and degrees must be the row sums of W."
            )
        if not abs(probe[:, 1] @ image[:, 2] - probe[:, 2] @ image[:, 1]) <= tolerance:
            raise ValueError(f"{name} is not symmetric; its matmat must apply a symmetric matrix.")
        if np.linalg.norm(image - probe) <= tolerance:
            raise ValueError(
                f"{name} leaves every vector as it is, as if nobody resembled anybody else, so "
                "there is nothing to cluster by; check how its affinities are computed."
            )

    def _product(self, block: np.ndarray) -> np.ndarray:  # pragma: no cover - matmat replaces it
        raise AssertionError("a user's operator is applied whole")

    def matmat(self, block: Any) -> Any:
        """Apply the user's ``M``."""
        block = np.asarray(block, dtype=self.dtype)
        image = _real(self._operator.matmat(block), self.dtype, f"{self._NAME} returned products")
        if image.shape != block.shape:
            raise ValueError(
                f"{self._NAME} turned a block of shape {block.shape} into {image.shape}; "
                "its matmat must keep the shape."
            )
        return image


def _real(values: Any, dtype: Any, what: str) -> np.ndarray:
    """An array of finite real numbers in a dtype."""
    try:
        found = np.asarray(values)
    except ValueError:  # rows of different lengths
        found = np.asarray(None)
    if found.dtype.kind not in "iuf":
        raise ValueError(f"{what} that are not real numbers; it must give an array of floats.")
    found = found.astype(dtype, copy=False)
    if not all_finite(found):
        raise ValueError(f"{what} that are NaN or infinite; check how it computes them.")
    return found
