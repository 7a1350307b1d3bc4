"""Short words for data and parameters that are equal where, and only where, these are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp

# Bytes of an array that are copied at a time.
_PIECE = 2**24


def fingerprint(value: Any) -> str:
    """A hash in 40 hexadecimal digits, the same in every process.

    Parameters
    ----------
    value : object
        Arrays, sparse matrices, dataclasses, numbers, words, functions, and lists and dicts of
        these. Of other objects only the type counts.
    """
    found = hashlib.sha256()
    _add(found, value)
    return found.hexdigest()[:40]


def in_words(value: Any) -> str:
    """A parameter as it is written, or its fingerprint where that is not known or long."""
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    return fingerprint(value)


def _add(found: Any, value: Any) -> None:
    if isinstance(value, np.random.RandomState):
        value = value.get_state()
    if isinstance(value, np.ndarray):
        found.update(f"array {value.shape} {value.dtype}".encode())
        if value.dtype.hasobject:
            _add(found, value.tolist())
        else:
            _add_bytes(found, value)
    elif sp.issparse(value):
        csr = sp.csr_array(value)
        _add(found, ["csr", list(csr.shape), csr.indptr, csr.indices, csr.data])
    elif is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        _add(found, [type(value).__name__, named])
    elif isinstance(value, Mapping):
        _add(found, [[key, item] for key, item in value.items()])
    elif isinstance(value, list | tuple):
        found.update(f"list {len(value)}".encode())
        for item in value:
            _add(found, item)
    elif isinstance(value, str | bytes | bool | Number | np.generic | type(None)):
        found.update(f"{type(value).__name__} {value!r};".encode())
    else:
        # Addresses, which other reprs may have, are not the same in another process.
        kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
        found.update(f"{kind.__module__}.{kind.__qualname__};".encode())


def _add_bytes(found: Any, array: np.ndarray) -> None:
    """The entries in the order of rows, some at a time: no copy of a large array is made."""
    array = np.atleast_1d(array)
    rows = max(1, _PIECE // max(1, array[:1].nbytes))
    for start in range(0, len(array), rows):
        found.update(array[start : start + rows].tobytes())
