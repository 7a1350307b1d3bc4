"""Products of tall blocks with small matrices, in place and by strips of rows.

Written against the array namespace of the blocks (numpy, torch, ...); the small matrices are
numpy arrays in float64 on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import array_api_compat
import numpy as np

from fairspectral.linalg.threads import allowed_threads, in_threads

# A strip's temporary fits into the cache, and is small compared with the blocks.
_STRIP_BYTES = 2**20
# On a device every strip is a call, and none should take less time than calling it.
_DEVICE_STRIP_BYTES = 2**28
# Number of multiplications from which threads are faster.
_LARGE = 2**22


def to_host(array: Any) -> np.ndarray:
    """A numpy float64 copy (a view where it is one) of an array of any namespace, device."""
    return np.asarray(array_api_compat.to_device(array, "cpu"), dtype=np.float64)


def like(small: np.ndarray, block: Any) -> Any:
    """A small host matrix in the namespace, dtype and device of a block."""
    xp = array_api_compat.array_namespace(block)
    small = np.ascontiguousarray(small)  # torch has no negative strides
    return xp.asarray(small, dtype=block.dtype, device=array_api_compat.device(block))


def epsilon(block: Any) -> float:
    """Unit roundoff of the block's dtype."""
    return float(array_api_compat.array_namespace(block).finfo(block.dtype).eps)


def strips(block: Any, width: int) -> Iterator[slice]:
    """Slices of the rows such that `width` columns of one strip are a small temporary."""
    numbers = _STRIP_BYTES if isinstance(block, np.ndarray) else _DEVICE_STRIP_BYTES
    rows = max(256, numbers // (8 * max(1, width)))
    for start in range(0, block.shape[0], rows):
        yield slice(start, start + rows)


def row_bounds(block: Any, multiplications: int) -> list[int]:
    """Row bounds that divide a block among threads, for this many multiplications per row."""
    n = block.shape[0]
    large = isinstance(block, np.ndarray) and n * multiplications >= _LARGE
    parts = allowed_threads() if large else 1
    return [n * part // parts for part in range(parts + 1)]


def rotate(block: Any, matrix: np.ndarray) -> None:
    """``block <- block @ matrix`` for a square matrix."""
    small = like(matrix, block)

    def turn(first: int, last: int) -> None:
        part = block[first:last, :]
        for rows in strips(part, block.shape[1]):
            part[rows, :] = part[rows, :] @ small

    in_threads(turn, row_bounds(block, block.shape[1] ** 2))


def place(block: Any, columns: Any) -> np.ndarray:
    """``columns[:, -b:] <- block``; returns ``columns^T block`` with the block included."""
    b = block.shape[1]

    def multiply(first: int, last: int) -> Any:
        columns[first:last, -b:] = block[first:last, :]
        # A fifth faster in this order, with the narrow one first.
        return block[first:last, :].T @ columns[first:last, :]

    return to_host(sum(in_threads(multiply, row_bounds(block, b * columns.shape[1])))).T


def replace_last(columns: Any, matrix: np.ndarray, gram: np.ndarray | None = None) -> None:
    """``columns[:, -b:] <- columns @ matrix`` for a matrix of b columns.

    If `gram` is given, it becomes the Gram matrix of the new columns, which are in the cache.
    """
    b, small = matrix.shape[1], like(matrix, columns)

    def turn(first: int, last: int) -> Any:
        part = columns[first:last, :]
        squares: Any = 0.0
        for rows in strips(part, b):
            turned = part[rows, :] @ small
            part[rows, -b:] = turned
            if gram is not None:
                squares = squares + to_host(turned.T @ turned)
        return squares

    squares = sum(in_threads(turn, row_bounds(columns, b * columns.shape[1])))
    if gram is not None:
        gram[:] = squares


def subtract_projection(block: Any, basis: Any, gram: np.ndarray | None = None) -> None:
    """``block <- block - basis @ basis^T block``; `gram` becomes the Gram matrix of the result."""
    b = block.shape[1]
    bounds = row_bounds(block, b * basis.shape[1])

    def coefficients_of(first: int, last: int) -> Any:
        return basis[first:last, :].T @ block[first:last, :]

    def subtract(first: int, last: int) -> Any:
        part, known = block[first:last, :], basis[first:last, :]
        squares: Any = 0.0
        for rows in strips(part, b):
            part[rows, :] -= known[rows, :] @ coefficients
            if gram is not None:
                squares = squares + to_host(part[rows, :].T @ part[rows, :])
        return squares

    coefficients = sum(in_threads(coefficients_of, bounds))
    squares = sum(in_threads(subtract, bounds))
    if gram is not None:
        gram[:] = squares
