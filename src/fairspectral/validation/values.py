"""One value per sample, as codes of the distinct values; none may be missing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from fairspectral.tensors import on_host


def as_array(values: Any) -> np.ndarray:
    """Values of any type, which numpy must not change."""
    values = on_host(values)
    if isinstance(values, np.ndarray):
        return values
    # A list of mixed types must not be turned into strings by numpy.
    return np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)


def encode_values(
    values: Any, name: str, shape: str = "one value per sample"
) -> tuple[np.ndarray, tuple[Any, ...]]:
    """One value per sample as codes, shape (n,), and the distinct values, sorted.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers, text or anything that can be sorted; none may be missing.
    name, shape : str
        Name of the values in messages, and the shape that messages ask for.

    Returns
    -------
    codes : ndarray of shape (n,), intp
        Index of each value among the distinct ones.
    categories : tuple
        The distinct values.
    """
    values = as_array(values)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"{name} must be {shape}, but has shape {values.shape}.")
    missing = find_missing(values)
    if missing.any():
        raise ValueError(
            f"{name} has {int(missing.sum())} missing value(s), the first at row "
            f"{int(np.argmax(missing))}; fill them with a category of their own or drop those rows."
        )
    if values.dtype.kind in "OV":
        _refuse_containers(values, name)
    try:
        categories, codes = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values})
        raise TypeError(
            f"{name} mixes values that cannot be compared ({', '.join(kinds)}); convert it to one "
            "type, for example with .astype(str)."
        ) from None
    return codes.reshape(-1).astype(np.intp), tuple(categories.tolist())


def _refuse_containers(values: np.ndarray, name: str) -> None:
    """Refuse lists and other containers, which do not sort or compare like names."""
    for row, value in enumerate(values):
        if isinstance(value, list | dict | set | np.ndarray | np.void):
            raise TypeError(
                f"{name} has a {type(value).__name__} at row {row}; pass one text or number for "
                "each sample."
            )


def find_missing(values: np.ndarray) -> np.ndarray:
    """Where a value is None, NaN, NaT or pandas.NA, shape (n,)."""
    if np.ma.isMaskedArray(values):
        return np.ma.getmaskarray(values)
    if values.dtype.kind == "U":
        return values == "nan"  # numpy turns a NaN among text into this
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    # Use pandas' test if pandas is loaded; importing it only for this would be slow.
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        return np.asarray(pandas.isna(values))
    return np.fromiter((v is None or v != v for v in values), dtype=bool, count=len(values))
