"""Learning a graph from points: a fast dual proximal gradient with a log barrier on degrees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LearnedGraph:
    """The graph and how well it solves its problem.

    Attributes
    ----------
    weights : ndarray of shape (n, n)
        ``W``: symmetric, non-negative, zero diagonal.
    degrees : ndarray of shape (n,)
        Its row sums, all positive.
    duals : ndarray of shape (n,)
        The dual variables; pass them to the next, similar problem.
    gap : float
        The objective lies at most this far above its minimum.
    converged : bool
        Whether the gap is as small as was asked for.
    n_iter : int
        Passes over the pairs.
    """

    weights: np.ndarray
    degrees: np.ndarray
    duals: np.ndarray
    gap: float
    converged: bool
    n_iter: int


def learn_graph(
    points: np.ndarray,
    *,
    degree_weight: float,
    ridge_weight: float,
    duals: np.ndarray | None = None,
    out: np.ndarray | None = None,
    tol: float = 1e-9,
    max_iter: int = 2000,
) -> LearnedGraph:
    """Minimise ``sum_{i<j} w_ij |p_i - p_j|^2 - alpha sum_i log d_i + beta ||W||_F^2``.

    Over symmetric ``W >= 0`` with zero diagonal and degrees ``d = W 1``. The dual has one
    variable for each node and a smooth part whose gradient is ``d``; FISTA with restarts
    (Beck and Teboulle 2009, doi 10.1137/080716542; O'Donoghue and Candès 2015,
    doi 10.1007/s10208-013-9150-3) takes as step the inverse of its Lipschitz constant
    ``(n - 1) / (2 beta)``. On the nearly complete graphs of small costs it needs a few passes.

    Parameters
    ----------
    points : ndarray of shape (n, p), n at least 2
        Their squared distances are the costs of the edges.
    degree_weight, ridge_weight : float
        ``alpha`` and ``beta``, positive.
    duals : ndarray of shape (n,) or None
        Where to start.
    out : ndarray of shape (n, n), float64, or None
        Becomes ``W``; the only memory of that size.
    tol : float
        Stop when the duality gap is at most ``tol alpha n``.
    max_iter : int
        Passes at most.
    """
    from fairspectral.baselines import _graph_kernels as kernels

    n = len(points)
    points = points - points.mean(axis=0)  # or the products below would cancel
    gram = np.matmul(points, points.T, out=out)
    squares = np.sum(points**2, axis=1)
    if duals is None:
        duals = np.full(n, _uniform_dual(2 * squares.sum() / (n - 1), n, degree_weight, ridge_weight))
    lipschitz = (n - 1) / (2 * ridge_weight)
    scale = 1 / (4 * ridge_weight)
    ahead, momentum = duals, 1.0
    degrees = np.empty(n)
    for n_iter in range(1, max_iter + 1):  # noqa: B007 - the count is part of the result
        kernels.sum_rows(gram, ahead - squares, degrees)
        degrees *= scale
        gap = _duality_gap(ahead, degrees, degree_weight)
        if gap <= tol * degree_weight * n:
            break
        # The proximal step of the barrier's conjugate: the positive root of a quadratic.
        plain = ahead - degrees / lipschitz
        stepped = (plain + np.sqrt(plain**2 + 4 * degree_weight / lipschitz)) / 2
        if np.dot(ahead - stepped, stepped - duals) > 0:
            momentum = 1.0  # the momentum points uphill
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = stepped + (momentum - 1) / following * (stepped - duals)
        duals, momentum = stepped, following
    kernels.to_weights(gram, ahead - squares, scale)
    return LearnedGraph(
        gram, degrees, ahead, gap, gap <= tol * degree_weight * n, n_iter
    )


def _uniform_dual(mean_cost: float, n: int, degree_weight: float, ridge_weight: float) -> float:
    """The dual variable that solves the problem when all costs are the same."""
    inside = mean_cost**2 + 32 * degree_weight * ridge_weight / (n - 1)
    return (mean_cost + np.sqrt(inside)) / 4


def _duality_gap(duals: np.ndarray, degrees: np.ndarray, degree_weight: float) -> float:
    """Primal minus dual objective, which is ``alpha sum (s - 1 - log s)``, ``s = lambda d / alpha``.

    By Fenchel's equality the smooth parts cancel, as the weights are optimal for the duals.
    """
    s = duals * degrees / degree_weight
    if not s.min() > 0:
        return np.inf
    return float(degree_weight * np.sum(s - 1 - np.log(s)))
