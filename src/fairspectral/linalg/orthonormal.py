"""Orthonormal columns at the price of matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from fairspectral.linalg.blocks import epsilon, like, rotate, subtract_projection, to_host
from fairspectral.linalg.small import eigh_decreasing

_ROUNDS = 8


def normalise(
    block: Any, noise: float = 0.0, gram: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make the columns of a block orthonormal, in place: it was ``block @ R``.

    Cholesky of the Gram matrix with columns scaled to unit length, which costs two products
    and leaves ``||block^T block - I||`` of the order of ``eps cond^2``: the caller repeats it.
    A block too ill-conditioned for that is whitened by its principal directions.

    Parameters
    ----------
    block : array of shape (n, b)
        Overwritten.
    noise : float
        A direction in which the block is no longer than this is noise.
    gram : ndarray of shape (b, b), optional
        ``block^T block``, where it is known.

    Returns
    -------
    R : ndarray of shape (b, b), float64
        Upper triangular in the well-conditioned case; the rows of lost columns are zero.
    lost : ndarray of int
        Columns that are noise; what the result holds there means nothing.
    """
    if gram is None:
        gram = to_host(block.T @ block)
    R = triangular_factor(gram, noise, epsilon(block))
    if R is None:
        return _whiten(block, noise)
    rotate(block, dtrtri(R)[0])
    return R, np.empty(0, dtype=int)


def triangular_factor(gram: np.ndarray, noise: float, eps: float) -> np.ndarray | None:
    """R of a block with this Gram matrix, None where it is too ill-conditioned for that."""
    lengths = np.sqrt(np.maximum(np.diag(gram), 0.0))
    if lengths.size and lengths.min() > max(noise, 0.0):
        unit, failed = dpotrf(gram / np.outer(lengths, lengths))
        if not failed and unit.diagonal().min() ** 2 > 100 * eps:
            return unit * lengths
    return None


def _whiten(block: Any, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Scale the principal directions to unit length, in place and in rounds.

    A Gram matrix shows lengths down to the square root of roundoff, beside the largest; what
    is shorter grows by that factor in each round until it shows, or is found to be noise.
    """
    R = np.eye(block.shape[1])
    for _ in range(_ROUNDS):
        squares, U = eigh_decreasing(to_host(block.T @ block))
        hidden = squares <= 100 * epsilon(block) * squares[0]
        lengths = np.sqrt(np.where(hidden, 100 * epsilon(block) * squares[0], squares))
        lengths[lengths == 0.0] = 1.0
        rotate(block, U / lengths)
        R = lengths[:, None] * (U.T @ R)
        lost = hidden & (np.linalg.norm(R, axis=1) <= noise)
        if not (hidden & ~lost).any():
            break
    R[hidden] = 0.0
    return R, np.flatnonzero(hidden)


def polish(vectors: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """Vectors that are nearly orthonormal made so to machine precision in float64, in place.

    Parameters
    ----------
    vectors : ndarray of shape (n, k), float64
        Overwritten; the columns hardly turn.
    fixed : ndarray of shape (n, r), float64
        Orthonormal columns that the result is orthogonal to.
    """
    gram = np.empty((vectors.shape[1], vectors.shape[1]))
    # From single precision the first round reaches about 1e-12, the second machine precision.
    for _ in range(2):
        subtract_projection(vectors, fixed, gram)
        normalise(vectors, gram=gram)
    return vectors


def random_block(n: int, width: int, rng: np.random.Generator, reference: Any) -> Any:
    """Standard normal numbers in the namespace, dtype and device of a reference block."""
    return like(rng.standard_normal((n, width), dtype=np.float32), reference)
