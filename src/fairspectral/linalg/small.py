"""Small dense eigenproblems of Rayleigh-Ritz, on the host in float64.

One thread: a second one gains nothing at a few hundred rows, and on a busy machine waiting for
it takes a hundred times longer than the work.
"""

from __future__ import annotations

import numpy as np

from fairspectral.linalg.threads import one_thread


def eigh_decreasing(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, decreasing, and eigenvectors of a symmetric matrix."""
    with one_thread():
        values, vectors = np.linalg.eigh(matrix)
    return values[::-1], vectors[:, ::-1]


def eigvalsh_decreasing(matrix: np.ndarray) -> np.ndarray:
    """Eigenvalues of a symmetric matrix, decreasing."""
    with one_thread():
        return np.linalg.eigvalsh(matrix)[::-1]
