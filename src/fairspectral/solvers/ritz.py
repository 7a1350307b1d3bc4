"""Project, orthonormalise, rotate: from approximate vectors to a feasible orthonormal `H`."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from fairspectral.problem import FairCutProblem


def feasible_basis(problem: FairCutProblem, block: Any, rng: np.random.RandomState) -> np.ndarray:
    """An orthonormal float64 basis of the block's projection onto ``null(F^T)``.

    Directions that the projection annihilates, or that depend on the others, are replaced by
    random feasible ones, so that the basis always has as many columns as the block.
    """
    block = np.asarray(block, dtype=np.float64)
    for _ in range(3):
        block = problem.project(block)
        norms = np.linalg.norm(block, axis=0)
        block = block / np.where(norms > 0, norms, 1.0)
        basis, triangle = np.linalg.qr(block)
        dependent = np.abs(np.diag(triangle)) < 1e-10
        # Twice is enough: after the second projection only floating-point error remains.
        block = problem.project(basis)
        if not dependent.any():
            break
        block[:, dependent] = rng.standard_normal((block.shape[0], int(dependent.sum())))
    return np.linalg.qr(block)[0]


def rayleigh_ritz(
    problem: FairCutProblem, block: Any, rng: np.random.RandomState, n_vectors: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The best feasible vectors in the span of a block; costs one pass.

    Returns
    -------
    vectors : ndarray of shape (n, n_vectors)
        Orthonormal, feasible, ordered by Ritz value.
    values : ndarray of shape (n_vectors,)
        Ritz values, decreasing.
    """
    basis = feasible_basis(problem, block, rng)
    small = basis.T @ problem.apply_on_host(basis)
    values, rotation = scipy.linalg.eigh((small + small.T) / 2)
    keep = slice(None, None, -1) if n_vectors is None else slice(-1, -n_vectors - 1, -1)
    return basis @ rotation[:, keep], values[keep]
