"""Names of groups and clusters in a table, read unchanged and never as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.binning import bin_numeric
from fairspectral.cli.tables.almost_numeric import unread_number
from fairspectral.cli.tables.columns import is_text, missing_values, numbers, stripped
from fairspectral.cli.tables.read import import_pandas
from fairspectral.parameters import check_choice

if TYPE_CHECKING:
    import pandas

MISSING_GROUP = "(missing)"
# Whole numbers in their usual notation, short enough to be exact in floating point.
_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")


def read_names(column: pandas.Series, path: Path) -> np.ndarray:
    """The name in each row, shape (n,), object: text without blanks around it, or exact numbers.

    In text ``01`` and ``1`` are two names. Rows without a value get a name too; see
    `missing_values`.

    Parameters
    ----------
    column : Series
        Any column of a table.
    path : Path
        For the messages.
    """
    types = import_pandas().api.types
    if types.is_complex_dtype(column.dtype):
        raise ValueError(f"{path} has complex numbers in column {column.name!r}; save names.")
    if types.is_float_dtype(column.dtype):
        return _exact_floats(column, path)
    if is_text(column) or not types.is_numeric_dtype(column.dtype):
        _check_plain(column, path)
        return stripped(column).to_numpy(dtype=object)
    return np.array(column.tolist(), dtype=object)


def sensitive_columns(
    frame: pandas.DataFrame,
    names: Sequence[str],
    path: Path,
    *,
    missing: str = "error",
    bins: Mapping[str, int] | None = None,
    decimal: str = ".",
) -> pandas.DataFrame:
    """The sensitive columns, one group per row.

    Parameters
    ----------
    frame : DataFrame
        The table.
    names : sequence of str
        Columns, checked by `check_columns`.
    path : Path
        For the message.
    missing : {"error", "category"}
        Refuse missing values, or make them a group of their own.
    bins : mapping of str to int or None
        Numeric columns, and into how many groups of about equal size to put each.
    decimal : str
        The decimal sign of these numbers.
    """
    check_choice(missing, ("error", "category"), "--missing-sensitive")
    groups: dict[str, Any] = {}
    for name in names:
        column = frame[name]
        n_bins = (bins or {}).get(name)
        values = None if n_bins is None else _binnable(column, path, decimal)
        gone = missing_values(column) if values is None else np.isnan(values)
        if gone.any() and missing == "error":
            raise ValueError(
                f"{path} has {int(gone.sum())} missing value(s) in the sensitive column {name!r}, "
                f"the first in data row {int(np.argmax(gone)) + 1}; pass --missing-sensitive "
                "category to make them a group of their own, or remove those rows."
            )
        if values is None or n_bins is None:
            group = read_names(column, path)
        else:
            group = np.full(len(column), MISSING_GROUP, dtype=object)
            group[~gone] = bin_numeric(values[~gone], n_bins)
        if gone.any() and MISSING_GROUP in group[~gone]:
            raise ValueError(
                f"{path} has a group called {MISSING_GROUP!r} in the sensitive column {name!r}, "
                "and missing values too; give that group another name."
            )
        if gone.any():  # text and numbers cannot be sorted together
            group = np.where(gone, MISSING_GROUP, group.astype(str)).astype(object)
        groups[name] = group
    return import_pandas().DataFrame(groups)


def _binnable(column: pandas.Series, path: Path, decimal: str) -> np.ndarray:
    """A column as numbers, NaN where missing; one that has none, or other text, is refused."""
    if import_pandas().api.types.is_datetime64_any_dtype(column.dtype):
        raise ValueError(
            f"{path} has dates in column {column.name!r}, which are not binned; save years or "
            "ages as numbers."
        )
    values = numbers(column, decimal)
    if values is None:
        row, text = unread_number(column, decimal)
        raise ValueError(
            f"{path} has {text!r} in data row {row + 1} of column {column.name!r}, which is not a "
            "number, so the column cannot be binned; correct it, or leave out --bin."
        )
    if np.isnan(values).all():
        raise ValueError(f"{path} has no number in column {column.name!r}; leave out --bin.")
    return values


def read_labels(column: pandas.Series, path: Path) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Labels as codes, shape (n,), and their names in order.

    Sorted as numbers if all names are whole numbers in their usual notation, else
    alphabetically.
    """
    missing = missing_values(column)
    if missing.any():
        first = int(np.argmax(missing))
        found = str(column.iloc[first]).strip() or "nothing"
        raise ValueError(
            f"{path} has {int(missing.sum())} row(s) without a label in column {column.name!r}, "
            f"the first in data row {first + 1} ({found}); label or remove them."
        )
    names = read_names(column, path)
    _check_blanks(column, names, path)
    if all(isinstance(name, str) for name in names):
        if all(_WHOLE.fullmatch(name) for name in names):
            names = np.array([int(name) for name in names], dtype=object)
    elif any(isinstance(name, str) for name in names):
        names = names.astype(str).astype(object)
    clusters, codes = np.unique(names, return_inverse=True)
    return codes.reshape(-1), tuple(clusters.tolist())


def _exact_floats(column: pandas.Series, path: Path) -> np.ndarray:
    """Floats, whole ones as integers; refused where they are too large to be exact."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    bits = {"float16": 11, "Float16": 11, "float32": 24, "Float32": 24}.get(str(column.dtype), 53)
    large = np.isfinite(values) & (np.abs(values) >= 2.0**bits)
    if large.any():
        raise ValueError(
            f"{path} has the number {values[int(np.argmax(large))]:.17g} in column "
            f"{column.name!r}, which is so large that a {column.dtype} cannot tell it from its "
            "neighbours; save names as text or integers."
        )
    return np.array([int(v) if v.is_integer() else v for v in values.tolist()], dtype=object)


def _check_plain(column: pandas.Series, path: Path) -> None:
    """Refuse lists and arrays, whose text is abbreviated."""
    if column.dtype != object:
        return
    for row, value in enumerate(column):
        if isinstance(value, list | tuple | dict | set | np.ndarray):
            raise ValueError(
                f"{path} has a {type(value).__name__} in data row {row + 1} of column "
                f"{column.name!r}; a name must be one text or number."
            )


def _check_blanks(column: pandas.Series, names: np.ndarray, path: Path) -> None:
    """Refuse labels that differ only in the blanks around them."""
    if not is_text(column):
        return
    written: dict[str, str] = {}
    for name, text in zip(names, column.astype(str), strict=True):
        other = written.setdefault(name, text)
        if other != text:
            raise ValueError(
                f"{path} has the labels {other!r} and {text!r} in column {column.name!r}, which "
                "differ in blanks only; write them alike if they are one cluster, or give one of "
                "them another name."
            )
