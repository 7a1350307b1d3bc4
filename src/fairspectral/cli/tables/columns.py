"""Columns: find them by name, read numbers from text, find missing values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fairspectral.cli.tables.read import import_pandas

if TYPE_CHECKING:
    import pandas

# Texts that mean a missing value.
_MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A")
# Texts that mean a missing value in a column of numbers; elsewhere "None" may be a group.
_MISSING_NUMBERS = (*_MISSING, "?", "-", ".", "None", "none")


def check_columns(
    frame: pandas.DataFrame, names: Iterable[str], path: Path, option: str
) -> list[str]:
    """The names as the table spells them; a wrong one is refused, with a suggestion.

    Parameters
    ----------
    frame : DataFrame
        The table.
    names : iterable of str
        Names from the user.
    path : Path
        For the message.
    option : str
        The option with these names, for the message.
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
    """A column as floats with NaN for missing values, or None where it is not numeric."""
    types = import_pandas().api.types
    if types.is_complex_dtype(column.dtype):
        raise ValueError(
            f"column {column.name!r} has complex numbers, which cannot be compared; save their "
            "real and imaginary parts as two columns."
        )
    if types.is_datetime64_any_dtype(column.dtype):
        days = (column - column.min()) / import_pandas().Timedelta(days=1)
        return np.asarray(days, dtype=np.float64)
    if types.is_timedelta64_dtype(column.dtype):
        return np.asarray(column / import_pandas().Timedelta(days=1), dtype=np.float64)
    if types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if np.isinf(values).any():
            raise ValueError(
                f"column {column.name!r} has an infinite value in data row "
                f"{int(np.argmax(np.isinf(values))) + 1}; correct it, or leave it empty."
            )
    else:
        values, unread = parse_numbers(column, decimal)
        if unread.any():
            return None
    return values


def parse_numbers(column: pandas.Series, decimal: str = ".") -> tuple[np.ndarray, np.ndarray]:
    """Numbers from text, NaN where there is none, and where a text is not a number, both (n,).

    In a column with decimal commas in one row and decimal points in another, one of them may
    separate thousands, so numbers with points are not read; nor those too large for a float.
    """
    pandas = import_pandas()
    text = stripped(column)
    known = ~(text.isin(_MISSING_NUMBERS) | column.isna()).to_numpy(dtype=bool)
    points = np.zeros(len(text), dtype=bool)
    if decimal != ".":
        if text.str.contains(decimal, regex=False).any():
            points = text.str.contains(".", regex=False).to_numpy(dtype=bool) & known
        text = text.str.replace(decimal, ".", regex=False)
    parsed = pandas.to_numeric(text.where(known & ~points), errors="coerce")
    values = parsed.to_numpy(dtype=np.float64, na_value=np.nan)
    return values, known & ~np.isfinite(values)
