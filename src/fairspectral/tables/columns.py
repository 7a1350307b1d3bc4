"""Columns: find them by name, read numbers from text, know what is missing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.parameters import check_choice
from fairspectral.tables.read import import_pandas

if TYPE_CHECKING:
    import pandas

MISSING_GROUP = "(missing)"
# What stands for a missing value in text.
_MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A")
# In a column of numbers these can mean nothing else; elsewhere "None" may be a group.
_MISSING_NUMBERS = (*_MISSING, "?", "-", ".", "None", "none")


def check_columns(
    frame: pandas.DataFrame, names: Iterable[str], path: Path, option: str
) -> list[str]:
    """The names as the table spells them; a wrong one is refused with the nearest.

    Parameters
    ----------
    frame : DataFrame
        The table.
    names : iterable of str
        Asked for by the user.
    path : Path
        For the message.
    option : str
        Where the user wrote the names, for the message.
    """
    known = [str(name) for name in frame.columns]
    checked = []
    for name in names:
        if name not in known:
            raise ValueError(
                f"{path} has no column {name!r} (asked for by {option}); {_nearest(name, known)}"
            )
        if name not in checked:
            checked.append(name)
    return checked


def _nearest(name: str, known: Sequence[str]) -> str:
    folded = {column.casefold(): column for column in reversed(known)}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"its columns are {listed(known)}."


def listed(names: Sequence[str], most: int = 8) -> str:
    """The first names between commas, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def is_text(column: pandas.Series) -> bool:
    """Whether a column holds text, categories or mixed values, and not numbers."""
    types = import_pandas().api.types
    return not (types.is_numeric_dtype(column.dtype) or types.is_datetime64_any_dtype(column.dtype))


def missing_values(column: pandas.Series) -> np.ndarray:
    """Where a column has no value, shape (n,)."""
    missing = column.isna().to_numpy(dtype=bool)
    if is_text(column):
        missing = missing | stripped(column).isin(_MISSING).to_numpy(dtype=bool)
    return missing


def stripped(column: pandas.Series) -> pandas.Series:
    """A column as text without blanks around it."""
    return column.astype(str).str.strip()


def numbers(column: pandas.Series, decimal: str = ".") -> np.ndarray | None:
    """A column as floats with NaN for missing values, or None where it is not numeric.

    Infinity counts as missing.
    """
    pandas = import_pandas()
    types = pandas.api.types
    if types.is_datetime64_any_dtype(column.dtype):
        days = (column - column.min()) / pandas.Timedelta(days=1)
        return np.asarray(days, dtype=np.float64)
    if types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        text = stripped(column)
        known = ~(text.isin(_MISSING_NUMBERS) | column.isna())
        if decimal != ".":
            text = text.str.replace(decimal, ".", regex=False)
        parsed = pandas.to_numeric(text.where(known), errors="coerce")
        if parsed.isna()[known].any():
            return None
        values = parsed.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan)


def sensitive_columns(
    frame: pandas.DataFrame, names: Sequence[str], path: Path, *, missing: str = "error"
) -> pandas.DataFrame:
    """The sensitive columns, one group per row.

    Parameters
    ----------
    frame : DataFrame
        The table.
    names : sequence of str
        Columns that `check_columns` has seen.
    path : Path
        For the message.
    missing : {"error", "category"}
        Refuse missing values, or make them a group of their own.
    """
    check_choice(missing, ("error", "category"), "--missing-sensitive")
    pandas = import_pandas()
    groups: dict[str, Any] = {}
    for name in names:
        column = frame[name]
        gone = missing_values(column)
        if gone.any() and missing == "error":
            raise ValueError(
                f"{path} has {int(gone.sum())} missing value(s) in the sensitive column {name!r}, "
                f"the first in data row {int(np.argmax(gone)) + 1}; pass --missing-sensitive "
                "category to make them a group of their own, or remove those rows."
            )
        values = stripped(column) if is_text(column) or gone.any() else column
        groups[name] = np.where(gone, MISSING_GROUP, values) if gone.any() else values.to_numpy()
    return pandas.DataFrame(groups)
