"""Small dense eigenproblems of Rayleigh-Ritz, on the host in float64.

One thread: a second one gains nothing at a few hundred rows, and where other programs run it
waits for its partner a hundred times longer than the work takes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """Context in which BLAS and LAPACK use one thread."""
    return _libraries().limit(limits=1, user_api="blas")


def allowed_threads() -> int:
    """Threads that BLAS may use here and now."""
    libraries = _libraries().lib_controllers
    return max((lib.num_threads for lib in libraries if lib.user_api == "blas"), default=1)


def eigh_decreasing(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, decreasing, and eigenvectors of a symmetric matrix."""
    with one_thread():
        values, vectors = np.linalg.eigh(matrix)
    return values[::-1], vectors[:, ::-1]


def eigvalsh_decreasing(matrix: np.ndarray) -> np.ndarray:
    """Eigenvalues of a symmetric matrix, decreasing."""
    with one_thread():
        return np.linalg.eigvalsh(matrix)[::-1]
