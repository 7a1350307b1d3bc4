"""Descent over matrices with orthonormal columns, along curves in the Stiefel manifold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairspectral.linalg.orthonormal import polish

# Sufficient decrease, shortening of a refused step, and memory of the averaged objective, with
# which the search is allowed to rise for a while: the values of Wen and Yin.
_DECREASE, _SHORTEN, _MEMORY = 1e-4, 0.2, 0.85
_SHORTEST, _LONGEST = 1e-20, 1e20
# A gradient this much smaller than the plain one is floating-point error.
_FLAT = 1e-12
# A larger loss of orthogonality is corrected.
_DRIFT = 1e-12


@dataclass(frozen=True)
class StiefelResult:
    """Where the search ended.

    Attributes
    ----------
    vectors : ndarray of shape (n, k)
        Orthonormal columns, orthogonal to the fixed ones.
    value : float
        The objective.
    gradient : float
        Norm of the gradient along the manifold, over that of the plain gradient.
    n_iter : int
        Steps taken.
    """

    vectors: np.ndarray
    value: float
    gradient: float
    n_iter: int


def curvilinear_search(
    apply: Callable[[np.ndarray], np.ndarray],
    linear: np.ndarray,
    start: np.ndarray,
    fixed: np.ndarray,
    *,
    tol: float = 1e-4,
    max_iter: int = 30,
) -> StiefelResult:
    """Minimise ``tr(U^T A U) - 2 tr(U^T C)`` over ``U^T U = I``, ``V^T U = 0``.

    The curvilinear search of Wen and Yin (2013, doi 10.1007/s10107-012-0584-1): steps along
    the Cayley transform of the gradient, of the lengths of Barzilai and Borwein, under the
    averaged Armijo rule of Zhang and Hager. It never ends above its start. Instead of
    coordinates in a basis of the null space of ``V^T``, gradients are projected onto it, and
    the curves stay in it.

    Parameters
    ----------
    apply : callable
        ``A`` times a block, for a symmetric ``A``.
    linear : ndarray of shape (n, k)
        ``C``.
    start : ndarray of shape (n, k)
        Feasible.
    fixed : ndarray of shape (n, r)
        ``V``, with orthonormal columns.
    tol : float
        Stop when the gradient along the manifold is this small relative to the plain one.
    max_iter : int
        Largest number of steps.
    """

    def evaluate(U: np.ndarray) -> tuple[float, np.ndarray]:
        product = apply(U)
        gradient = 2 * (product - linear)
        return float(np.sum(U * (product - 2 * linear))), gradient - fixed @ (fixed.T @ gradient)

    U = start
    value, G = evaluate(U)
    average, mass = value, 1.0
    slope = G - U @ (G.T @ U)
    step = float(1 / np.maximum(np.linalg.norm(G), _SHORTEST))
    n_iter = 0
    while n_iter < max_iter and _relative(slope, G) > max(tol, _FLAT):
        n_iter += 1
        # Along the curve the objective begins to fall at half the squared norm of G U^T - U G^T.
        fall = np.sum(G * slope)
        while True:
            trial = _cayley(U, G, step)
            trial_value, trial_G = evaluate(trial)
            if trial_value <= average - _DECREASE * step * fall or step < _SHORTEST:
                break
            step *= _SHORTEN
        if not trial_value <= average:
            break  # only floating-point error is left
        trial_slope = trial_G - trial @ (trial_G.T @ trial)
        step = _barzilai_borwein(trial - U, trial_slope - slope, even=n_iter % 2 == 0)
        U, value, G, slope = trial, trial_value, trial_G, trial_slope
        average = (_MEMORY * mass * average + value) / (_MEMORY * mass + 1)
        mass = _MEMORY * mass + 1
        if np.linalg.norm(U.T @ U - np.eye(U.shape[1])) > _DRIFT:
            U = polish(U, fixed)
    if n_iter:
        U = polish(U, fixed)
    return StiefelResult(U, value, _relative(slope, G), n_iter)


def _cayley(U: np.ndarray, G: np.ndarray, step: float) -> np.ndarray:
    """``(I + s/2 A)^-1 (I - s/2 A) U`` for ``A = G U^T - U G^T``, by a 2k×2k solve."""
    k = U.shape[1]
    UG = U.T @ G
    small = np.block([[UG, np.eye(k)], [-G.T @ G, -UG.T]])
    right = np.vstack([np.eye(k), -UG.T])
    coefficients = np.linalg.solve(np.eye(2 * k) + (step / 2) * small, right)
    return U - step * (G @ coefficients[:k] + U @ coefficients[k:])


def _relative(slope: np.ndarray, G: np.ndarray) -> float:
    return float(np.linalg.norm(slope) / max(np.linalg.norm(G), np.finfo(float).tiny))


def _barzilai_borwein(moved: np.ndarray, turned: np.ndarray, *, even: bool) -> float:
    across = abs(np.sum(moved * turned))
    with np.errstate(divide="ignore", invalid="ignore"):
        step = across / np.sum(turned**2) if even else np.sum(moved**2) / across
    return float(np.clip(np.nan_to_num(step, nan=1.0), _SHORTEST, _LONGEST))
