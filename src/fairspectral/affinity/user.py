"""A user's own operator, checked before it is trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.validation import check_degrees, check_square


class UserOperator(AffinityOperator):
    """Any object with ``shape``, ``dtype``, ``degrees`` and ``matmat``.

    One pass over a thin block shows the two usual mistakes: a ``matmat`` that applies ``W``
    instead of ``M`` (then ``M sqrt(d) = sqrt(d)`` fails), and one that is not symmetric.
    """

    def __init__(self, operator: Any) -> None:
        name = "the affinity operator"
        self._operator = operator
        self.shape = tuple(operator.shape)
        check_square(self.shape, name)
        self.dtype = np.dtype(operator.dtype)
        if self.dtype not in (np.float32, np.float64):
            raise TypeError(f"{name} has dtype {self.dtype}; it must be float32 or float64.")
        self.nbytes = int(getattr(operator, "nbytes", 0))
        self.density = float(getattr(operator, "density", 1.0))
        self.degrees = np.asarray(operator.degrees, dtype=np.float64)
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
        image = np.asarray(self.matmat(probe), dtype=np.float64)
        if image.shape != probe.shape:
            raise ValueError(
                f"{name} turned a block of shape {probe.shape} into {image.shape}; "
                "its matmat must keep the shape."
            )
        tolerance = 1e3 * np.finfo(self.dtype).eps
        if not np.linalg.norm(image[:, 0] - probe[:, 0]) <= tolerance:
            raise ValueError(
                f"{name} does not map sqrt(degrees) to itself; its matmat must apply the "
                "normalised D^-1/2 W D^-1/2, and degrees must be the row sums of W."
            )
        if not abs(probe[:, 1] @ image[:, 2] - probe[:, 2] @ image[:, 1]) <= tolerance:
            raise ValueError(f"{name} is not symmetric; its matmat must apply a symmetric matrix.")

    def _product(self, block: np.ndarray) -> np.ndarray:  # pragma: no cover - matmat replaces it
        raise AssertionError("a user's operator is applied whole")

    def matmat(self, block: Any) -> Any:
        """Apply the user's ``M``."""
        return self._operator.matmat(np.asarray(block, dtype=self.dtype))
