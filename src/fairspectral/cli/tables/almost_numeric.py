"""Columns of numbers except for a few cells: a typo must not turn them into categories."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.cli.tables.columns import is_text, parse_numbers, stripped

if TYPE_CHECKING:
    import pandas

# Up to this share of other text in a column of numbers counts as mistakes.
_FEW = 0.1
# Digits in groups of three, or not grouped, and at most one decimal sign: neither 01.07.1993 nor
# 192.168.1.103 nor 1.0.1 is a number.
_DIGITS = r"(?:\d{1,3}(?P<mark>[.,'’_\s])\d{3}(?:(?P=mark)\d{3})*|\d+)(?:[.,]\d+)?"
# Numbers as people write them: $3.50, 1,234, 12 %, (5), 1'000.
_DRESSED = re.compile(
    rf"\(?[-+−]?\s?[$€£¥]?\s?[-+−]?{_DIGITS}(?:e[-+]?\d+)?\s?[$€£¥%]?\)?", re.IGNORECASE
)
_WITH_UNIT = re.compile(rf"[-+−]?{_DIGITS}\s?(?P<unit>[^\W\d_][^\d\s]{{0,5}})")


def _note_of_unit(name: Any, cells: pandas.Series) -> str | None:
    """A note where all cells are numbers with the same unit, such as 66 kg; else None."""
    matches = [_WITH_UNIT.fullmatch(cell) for cell in cells]
    units = {match["unit"] if match else None for match in matches}
    if None in units or len(units) != 1 or cells.nunique() < 3:
        return None
    return (
        f"Read {name!r} as text although its values are numbers with the unit {units.pop()!r}; "
        "take the unit out of the cells to have them compared as numbers."
    )


def unread_number(column: pandas.Series, decimal: str = ".") -> tuple[int, str]:
    """The first row, from 0, whose text is not a number, and that text."""
    _, unread = parse_numbers(column, decimal)
    row = int(np.argmax(unread))
    return row, str(stripped(column).iloc[row])


def check_almost_numeric(column: pandas.Series, path: Path, decimal: str = ".") -> str | None:
    """Refuse a column that is numeric except for a few cells; return a note for a mixed one.

    Parameters
    ----------
    column : Series
        Not numeric as a whole.
    path : Path
        For the message.
    decimal : str
        The decimal sign.
    """
    if not is_text(column):
        return None
    values, unread = parse_numbers(column, decimal)
    read = int(np.count_nonzero(np.isfinite(values)))
    text = stripped(column)
    dressed = unread.copy()
    dressed[unread] = [_DRESSED.fullmatch(cell) is not None for cell in text[unread]]
    alike = read + int(dressed.sum())
    other = int(unread.sum()) - int(dressed.sum())
    known = alike + other
    if 2 * alike <= known:
        return _note_of_unit(column.name, text[unread])
    row = int(np.argmax(unread))
    found = f"{text.iloc[row]!r} in data row {row + 1}"
    rest = int(unread.sum()) - 1
    more = f" (and {rest} more like it)" if rest else ""
    name = column.name
    if other > max(1, _FEW * known):
        return (
            f"Read {name!r} as categories although {alike} of its {known} values look like "
            f"numbers; the first that cannot be read as one is {found}."
        )
    raise ValueError(
        f"{path} has {found} of column {name!r}{more}, which is not a plain number although the "
        f"column looks numeric; write it like 1234.5 or leave it empty, or pass --categorical "
        f"{name} if these are names, or --drop {name}."
    )
