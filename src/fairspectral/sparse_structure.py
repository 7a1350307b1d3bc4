"""Whether the arrays inside a scipy sparse matrix fit together.

scipy's compiled routines do not check them: an index out of range reads or writes other memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def check_sparse_structure(matrix: Any, name: str = "X") -> None:
    """Refuse a sparse matrix whose index arrays do not describe its shape.

    Parameters
    ----------
    matrix : scipy sparse matrix or array
        In any format; its values are not checked.
    name : str
        Its name in the message.
    """
    trouble = _CHECKS.get(matrix.format, _unchecked)(matrix)
    if trouble:
        raise ValueError(
            f"{name} is a broken {matrix.format.upper()} matrix: {trouble}; build it anew, for "
            "example with scipy.sparse.coo_array((values, (rows, columns)), shape=...)."
        )


def _unchecked(matrix: Any) -> str:
    return ""


def _compressed(matrix: Any) -> str:
    rows, columns = matrix.shape
    if matrix.format == "csc":
        rows, columns = columns, rows
    data, indices, indptr = matrix.data, matrix.indices, matrix.indptr
    if matrix.format == "bsr":
        height, width = data.shape[1:] if data.ndim == 3 else (0, 0)
        if not (height and width) or rows % height or columns % width:
            return f"blocks of shape {data.shape[1:]} do not tile {matrix.shape}"
        rows, columns = rows // height, columns // width
    elif data.ndim != 1:
        return f"data has shape {data.shape}"
    if indptr.dtype.kind != "i" or indptr.shape != (rows + 1,):
        return f"indptr has {len(indptr)} {indptr.dtype} values where {rows + 1} integers belong"
    if int(indptr[0]) != 0 or (np.diff(indptr) < 0).any():
        return "indptr does not rise from 0"
    stored = min(len(indices), len(data))
    if int(indptr[-1]) > stored:
        return f"indptr ends at {int(indptr[-1])}, but only {stored} values are stored"
    return _range(indices[: int(indptr[-1])], columns, "indices")


def _coordinates(matrix: Any) -> str:
    lengths = {len(matrix.row), len(matrix.col), len(matrix.data)}
    if len(lengths) > 1:
        return f"row, col and data have the lengths {', '.join(map(str, sorted(lengths)))}"
    return _range(matrix.row, matrix.shape[0], "row") or _range(matrix.col, matrix.shape[1], "col")


def _lists(matrix: Any) -> str:
    if len(matrix.rows) != matrix.shape[0] or len(matrix.data) != matrix.shape[0]:
        return f"it has {len(matrix.rows)} lists for {matrix.shape[0]} rows"
    if any(len(at) != len(values) for at, values in zip(matrix.rows, matrix.data, strict=True)):
        return "a row has more columns than values, or fewer"
    columns = np.array([at for row in matrix.rows for at in row], dtype=np.int64)
    return _range(columns, matrix.shape[1], "rows")


def _keys(matrix: Any) -> str:
    at = np.array(list(matrix.keys()), dtype=np.int64).reshape(-1, 2)
    return _range(at[:, 0], matrix.shape[0], "row") or _range(at[:, 1], matrix.shape[1], "col")


def _diagonals(matrix: Any) -> str:
    if matrix.data.ndim != 2 or len(matrix.data) != len(matrix.offsets):
        return f"{len(matrix.offsets)} offsets do not fit data of shape {matrix.data.shape}"
    return ""


def _range(indices: np.ndarray, size: int, name: str) -> str:
    """The error in indices that should lie in 0 .. size - 1; empty if there is none."""
    if indices.dtype.kind not in "iu":
        return f"{name} holds {indices.dtype} values instead of integers"
    if not len(indices):
        return ""
    for extreme in (int(indices.min()), int(indices.max())):
        if not 0 <= extreme < size:
            return f"{name} holds the index {extreme}, outside 0 .. {size - 1}"
    return ""


_CHECKS = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _compressed,
    "coo": _coordinates,
    "lil": _lists,
    "dok": _keys,
    "dia": _diagonals,
}
