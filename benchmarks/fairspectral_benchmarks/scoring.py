"""The score of an embedding, computed in float64 independently of the solvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.problem import FairCutProblem

# Rows of W that are copied to float64 at a time.
_STRIP = 1024


def made_feasible(problem: FairCutProblem, H: np.ndarray) -> np.ndarray:
    """``H`` projected and orthonormalised, so that violating a constraint gains nothing."""
    for _ in range(2):  # the error of the first pass grows with the condition of H
        H = np.linalg.qr(problem.project(H))[0]
    return H


class Scorer:
    """Scores vectors in float64, for any precision in which they were computed.

    The objective is that of the vectors made exactly feasible; the violations are reported
    beside it.

    Parameters
    ----------
    weights : ndarray or CSR array of shape (n, n)
        The affinities, usually in float32.
    problem : FairCutProblem
        The problem of these affinities, in any precision.
    """

    def __init__(self, weights: Any, problem: FairCutProblem) -> None:
        self._weights = weights
        self._problem = problem

    def __call__(self, vectors: np.ndarray) -> dict[str, float]:
        """``objective``, ``fairness`` and ``orthogonality`` of vectors of shape (n, k)."""
        H = np.asarray(vectors, dtype=np.float64)
        feasible = made_feasible(self._problem, H)
        return {
            "objective": float(np.sum(feasible * self._apply(feasible))),
            "fairness": self._problem.fairness_residual(H),
            "orthogonality": self._problem.orthogonality_residual(H),
        }

    def _apply(self, block: np.ndarray) -> np.ndarray:
        """``M @ block`` in float64, by strips of ``W``."""
        scale = 1.0 / np.sqrt(self._problem.operator.degrees)[:, None]
        scaled = block * scale
        product = np.empty_like(scaled)
        for start in range(0, len(block), _STRIP):
            rows = slice(start, start + _STRIP)
            product[rows] = self._weights[rows].astype(np.float64) @ scaled
        return product * scale
