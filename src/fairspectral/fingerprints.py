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

from fairspectral.callables import parts_of
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
        Arrays, sparse matrices, dataclasses, numbers, words, functions, and lists, sets and dicts
        of these. A function counts by its code and all that it computes with; of other objects
        only the type counts.
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


def _add_object(digest: Any, value: Any, within: dict[int, Any] | None = None) -> None:
    """Add any object; `within` a function, the objects so far by their ids, in their order."""
    if isinstance(value, np.random.RandomState):
        value = value.get_state()
    elif isinstance(value, np.random.Generator):
        value = value.bit_generator.state
    if is_tensor(value):
        digest.update(f"tensor {tuple(value.shape)} {value.dtype}".encode())
        _add_rows(digest, value, "<f8")
    elif isinstance(value, np.ndarray):
        digest.update(f"array {value.shape} {value.dtype}".encode())
        if value.dtype.hasobject:
            _add_object(digest, value.tolist(), within)
        else:
            _add_rows(digest, value, value.dtype)
    elif sp.issparse(value):
        csr = sp.csr_array(value)
        _add_object(digest, ["csr", list(csr.shape), csr.indptr, csr.indices, csr.data])
    elif is_dataclass(value) and not isinstance(value, type) and not callable(value):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        _add_object(digest, [type(value).__name__, named], within)
    elif isinstance(value, Mapping):
        _add_object(digest, [[key, item] for key, item in value.items()], within)
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)}".encode())
        for item in value:
            _add_object(digest, item, within)
    elif isinstance(value, set | frozenset):
        # The order of words in a set is another one in every process.
        _add_object(digest, ["set", sorted(fingerprint(item) for item in value)])
    elif isinstance(value, str | bytes | bool | Number | np.generic | type(None)):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    elif callable(value) or within is not None:
        _add_used(digest, value, {} if within is None else within)
    else:
        # Addresses, which other reprs may have, are not the same in another process.
        kind = type(value)
        digest.update(f"{kind.__module__}.{kind.__qualname__};".encode())


def _add_used(digest: Any, value: Any, within: dict[int, Any]) -> None:
    """Add a function, or an object that a function uses: each once, for they may form circles."""
    if id(value) in within:
        digest.update(f"again {list(within).index(id(value))};".encode())
        return
    within[id(value)] = value  # kept, so that no other object gets its id
    if hasattr(value, "__array__") and not callable(value):  # a table of pandas, for example
        _add_object(digest, np.asarray(value), within)
    else:
        _add_object(digest, parts_of(value), within)
