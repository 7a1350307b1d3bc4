"""The dual of the ADMM's H-step: a difference of convex functions of ``V`` (Propositions 3.1, 3.2).

``min_V phi*(V) - ||M V||_*`` with ``phi(X) = 1/2 ||X||^2 - <P, X> - alpha/2 ||X - Y||^2``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
from scipy.optimize import minimize


@dataclass
class DualSubproblem:
    """The dual function for fixed ``Y``, ``P`` and ``alpha < 1``.

    Attributes
    ----------
    apply : callable
        ``block -> M block``, one pass.
    Y, P : ndarray of shape (n, k)
        The ADMM's second variable and its multipliers.
    alpha : float
        Penalty, below 1 so that ``phi`` is convex.
    """

    apply: Callable[[np.ndarray], np.ndarray]
    Y: np.ndarray
    P: np.ndarray
    alpha: float
    _last: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = field(
        default=None, repr=False
    )

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(
                f"alpha={self.alpha:g} must lie strictly between 0 and 1, where the H-step is a "
                "difference of convex functions; choose a smaller penalty."
            )

    def conjugate(self, V: np.ndarray) -> tuple[float, np.ndarray]:
        """``phi*(V)`` and its gradient ``A(V) = (V + P - alpha Y) / (1 - alpha)``."""
        A = (V + self.P - self.alpha * self.Y) / (1 - self.alpha)
        value = (
            0.5 * np.vdot(V, V)
            - 0.5 * np.sum((A - V) ** 2)
            + 0.5 * self.alpha * np.sum((A - self.Y) ** 2)
            + np.vdot(self.P, A)
        )
        return float(value), A

    def value_and_gradient(self, V: np.ndarray) -> tuple[float, np.ndarray]:
        """The dual function and its gradient, in two passes over ``M``.

        ``||M V||_*`` is the sum of the square roots of the eigenvalues of the k×k matrix
        ``V^T M^2 V = (M V)^T (M V)``, and its gradient is ``M`` times the polar factor of
        ``M V``; ``M^2`` is never formed.
        """
        value, A = self.conjugate(V)
        MV = self.apply(V)
        squares, W = scipy.linalg.eigh(MV.T @ MV)
        # A zero singular value has no gradient; any bounded choice is a subgradient.
        singular = np.sqrt(np.maximum(squares, np.finfo(float).eps * max(squares[-1], 1e-300)))
        polar = MV @ ((W / singular) @ W.T)
        image = self.apply(polar)
        self._last = (V.copy(), MV, polar, image)
        return value - float(singular.sum()), A - image

    def minimize(
        self, V: np.ndarray, *, gtol: float, ftol: float, max_iter: int
    ) -> tuple[np.ndarray, int]:
        """Run L-BFGS from ``V``; returns the minimiser and the number of iterations."""
        shape = V.shape

        def flat(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = self.value_and_gradient(x.reshape(shape))
            return value, gradient.reshape(-1)

        result = minimize(
            flat,
            V.reshape(-1),
            jac=True,
            method="L-BFGS-B",
            options={"gtol": gtol, "ftol": ftol, "maxiter": max_iter},
        )
        return result.x.reshape(shape), int(result.nit)

    def primal(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``H``, the polar factor of ``M V``, and ``M H``: the H that solves the H-step."""
        if self._last is not None and np.array_equal(self._last[0], V):
            _, MV, polar, image = self._last
            if np.linalg.norm(polar.T @ polar - np.eye(V.shape[1])) < 1e-12:
                return polar, image
        else:
            MV = self.apply(V)
        left, _, right = scipy.linalg.svd(MV, full_matrices=False)
        H = left @ right
        return H, self.apply(H)
