"""SHA-256 of what a fit was given: equal for equal values, on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

_CHUNK = 2**22


def fingerprint_file(path: Path) -> str:
    """Of the bytes of a file, as ``sha256sum`` prints it."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fingerprint_text(value: Any) -> str:
    """Of a value that JSON can hold, with its keys in order."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def fingerprint_values(values: Any) -> str:
    """Of a matrix of numbers, dense or sparse: its shape, then its values in float64.

    Parameters
    ----------
    values : array or sparse matrix
        A sparse matrix counts by its nonzero entries, row by row, in any format.
    """
    digest = hashlib.sha256()
    if sp.issparse(values):
        csr = sp.csr_array(values)
        if not csr.has_canonical_format or not csr.data.all():
            csr = csr.copy()
            csr.sum_duplicates()
            csr.eliminate_zeros()
        _add(digest, "sparse", csr.shape)
        for part, dtype in ((csr.indptr, "<i8"), (csr.indices, "<i8"), (csr.data, "<f8")):
            _add_rows(digest, part, dtype)
        return digest.hexdigest()
    values = np.asarray(values)
    _add(digest, "dense", values.shape)
    _add_rows(digest, values, "<f8")
    return digest.hexdigest()


def fingerprint_codes(names: Sequence[Any], codes: np.ndarray) -> str:
    """Of values in rows: the distinct ones as text, and which of them each row has."""
    digest = hashlib.sha256()
    _add(digest, [str(name) for name in names])
    _add_rows(digest, codes, "<i8")
    return digest.hexdigest()


def _add(digest: Any, *words: Any) -> None:
    digest.update(json.dumps(words, ensure_ascii=False).encode() + b"\n")


def _add_rows(digest: Any, values: np.ndarray, dtype: str) -> None:
    """Add values in C order, a few rows at a time: they may fill most of the memory."""
    width = int(np.prod(values.shape[1:], dtype=np.int64))
    rows = max(1, _CHUNK // (8 * max(1, width)))
    for start in range(0, len(values), rows):
        digest.update(np.ascontiguousarray(values[start : start + rows], dtype=dtype).tobytes())
