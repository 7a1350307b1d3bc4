"""Read a sparse matrix, check it before compiled code uses it, and make a graph of it."""

from __future__ import annotations

import zipfile
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.cli.tables.limits import check_matrix_market, check_node_count, check_npz
from fairspectral.cli.tables.text import first_sentence


def read_matrix(path: Path, kind: str) -> Any:
    """A matrix of scipy from a ``.npz`` (``kind="npz"``) or a Matrix Market file.

    Its claims are checked against the size of the file, and its indices against its shape.
    """
    try:
        if kind == "npz":
            if zipfile.is_zipfile(path):
                check_npz(path)
                _check_structure(path)
            matrix = sp.load_npz(path)
            check_node_count(path, max(matrix.shape), int(np.size(matrix.data)))
            return matrix
        from scipy.io import mmread

        check_matrix_market(path)
        # scipy before 1.15 does not have this option, and from 1.18 on warns without it.
        options = {"spmatrix": False} if "spmatrix" in signature(mmread).parameters else {}
        return sp.coo_array(mmread(path, **options))
    except MemoryError:
        raise
    except Exception as error:  # scipy's parsers raise many types
        if str(error).startswith(str(path)):
            raise
        reason = first_sentence(error)
        what = "a sparse matrix of scipy" if kind == "npz" else "a Matrix Market file"
        raise ValueError(f"{path} is not {what} ({reason}); check the file.") from None


def _check_structure(path: Path) -> None:
    """Refuse row pointers that decrease and indices outside the shape.

    scipy does not check them when it loads a matrix, nor does its compiled code.
    """
    with np.load(path, allow_pickle=False) as arrays:
        if "indptr" not in arrays:
            return
        pointers, indices, shape = (arrays[name] for name in ("indptr", "indices", "shape"))
        by_columns = arrays["format"].item() in (b"csc", "csc")
        blocks = arrays["data"].shape[1:] or (1, 1)
    if pointers.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise ValueError("its indices are not integers")
    goes_back = bool(np.any(pointers[1:] < pointers[:-1]))
    if pointers[0] != 0 or goes_back or pointers[-1] > len(indices):
        raise ValueError("its row pointers are not in order")
    length = int(shape[0]) if by_columns else int(shape[1]) // blocks[1]
    if len(indices) and (indices.min() < 0 or indices.max() >= length):
        wrong = indices.min() if indices.min() < 0 else indices.max()
        raise ValueError(
            f"it has the index {wrong} but only {length} {'rows' if by_columns else 'columns'}"
        )


def symmetric_weights(path: Path, matrix: Any) -> tuple[Any, tuple[str, ...]]:
    """Each pair with the larger of its two directions' weights, and no self-loops."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{path} is a matrix of shape {matrix.shape}; a graph needs as many rows as columns."
        )
    if np.iscomplexobj(matrix):
        if np.any(matrix.data.imag):
            raise ValueError(
                f"{path} has complex weights; affinities must be real numbers of at least zero."
            )
        matrix = matrix.real
    square = sp.csr_array(matrix, dtype=np.float64)  # an edge listed twice adds up
    if square.nnz and (not np.isfinite(square.data).all() or square.data.min() < 0):
        raise ValueError(
            f"{path} has a weight that is negative or not a number; affinities must be at least "
            "zero."
        )
    notes = []
    if square.diagonal().any():
        notes.append(f"Dropped {int(np.count_nonzero(square.diagonal()))} self-loop(s).")
        square = sp.csr_array(square - sp.diags_array(square.diagonal()))
    square.eliminate_zeros()
    both = (square != 0).multiply(square.T != 0)
    if (square - square.T).multiply(both).nnz:
        notes.append("Edges whose two directions differ were given the larger weight.")
    return sp.csr_array(square.maximum(square.T)), tuple(notes)
