"""SHA-256 of what a fit was given: equal for equal values, on every machine.

A certificate compares values, however they are held: `fingerprint_values` and the functions beside
it. A checkpoint compares everything that the labels depend on, types too: `fingerprint`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.tensors import is_tensor, on_host

# Bytes that are read or copied at a time.
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
        _add_words(digest, "sparse", csr.shape)
        for part, dtype in ((csr.indptr, "<i8"), (csr.indices, "<i8"), (csr.data, "<f8")):
            _add_rows(digest, part, dtype)
        return digest.hexdigest()
    values = values if is_tensor(values) else np.asarray(values)
    _add_words(digest, "dense", tuple(values.shape))
    _add_rows(digest, values, "<f8")
    return digest.hexdigest()


def fingerprint_codes(names: Sequence[Any], codes: np.ndarray) -> str:
    """Of values in rows: the distinct ones as text, and which of them each row has."""
    digest = hashlib.sha256()
    _add_words(digest, [str(name) for name in names])
    _add_rows(digest, codes, "<i8")
    return digest.hexdigest()


def fingerprint(value: Any) -> str:
    """Of any object, with the types of its parts.

    Parameters
    ----------
    value : object
        Arrays, sparse matrices, dataclasses, numbers, words, functions, and lists and dicts of
        these. Of other objects only the type counts.
    """
    digest = hashlib.sha256()
    _add_object(digest, value)
    return digest.hexdigest()


def in_words(value: Any) -> str:
    """A parameter as it is written, or its fingerprint where that is not known or long."""
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    return fingerprint(value)


def _add_words(digest: Any, *words: Any) -> None:
    digest.update(json.dumps(words, ensure_ascii=False).encode() + b"\n")


def _add_rows(digest: Any, values: Any, dtype: Any) -> None:
    """Add values in C order, a few rows at a time: they may fill most of the memory, or a GPU's."""
    values = values if is_tensor(values) else np.atleast_1d(values)
    width = int(np.prod(values.shape[1:], dtype=np.int64))
    rows = max(1, _CHUNK // (8 * max(1, width)))
    for start in range(0, len(values), rows):
        strip = on_host(values[start : start + rows])
        digest.update(np.ascontiguousarray(strip, dtype=dtype).tobytes())


def _add_object(digest: Any, value: Any) -> None:
    if isinstance(value, np.random.RandomState):
        value = value.get_state()
    if is_tensor(value):
        digest.update(f"tensor {tuple(value.shape)} {value.dtype}".encode())
        _add_rows(digest, value, "<f8")
    elif isinstance(value, np.ndarray):
        digest.update(f"array {value.shape} {value.dtype}".encode())
        if value.dtype.hasobject:
            _add_object(digest, value.tolist())
        else:
            _add_rows(digest, value, value.dtype)
    elif sp.issparse(value):
        csr = sp.csr_array(value)
        _add_object(digest, ["csr", list(csr.shape), csr.indptr, csr.indices, csr.data])
    elif is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        _add_object(digest, [type(value).__name__, named])
    elif isinstance(value, Mapping):
        _add_object(digest, [[key, item] for key, item in value.items()])
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)}".encode())
        for item in value:
            _add_object(digest, item)
    elif isinstance(value, str | bytes | bool | Number | np.generic | type(None)):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    else:
        # Addresses, which other reprs may have, are not the same in another process.
        kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
        digest.update(f"{kind.__module__}.{kind.__qualname__};".encode())
