"""Columns of dates written as text: they are compared as categories, which a note says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fairspectral.cli.tables.columns import is_text, missing_values, stripped

if TYPE_CHECKING:
    import pandas

_TIME = r"(?:[T ]\d{1,2}:\d{2}.*)?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY_OF_MONTH, _MONTH_OF_YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
# 2021-03-01, 2021/3/1, 2021-03; 1.3.2021, 3/1/2021, 3/1/21; 1 March 2021, Mar 1, 2021.
_DATE = re.compile(
    rf"\d{{4}}([-/.]){_MONTH_OF_YEAR}\1{_DAY_OF_MONTH}{_TIME}"
    rf"|\d{{4}}-{_MONTH_OF_YEAR}"
    rf"|{_DAY_OF_MONTH}([-/.]){_DAY_OF_MONTH}\2\d{{4}}{_TIME}"
    rf"|{_DAY_OF_MONTH}/{_DAY_OF_MONTH}/\d{{2}}"
    rf"|{_DAY_OF_MONTH}[ -]{_MONTH},?[ -]\d{{4}}"
    rf"|{_MONTH} {_DAY_OF_MONTH},? \d{{4}}",
    re.IGNORECASE,
)


def are_dates(column: pandas.Series) -> bool:
    """Whether a column is text and each of its values looks like a date.

    Parameters
    ----------
    column : Series
        Not numeric.
    """
    if not is_text(column):
        return False
    values = stripped(column[~missing_values(column)]).unique()
    return len(values) > 0 and all(_DATE.fullmatch(value) for value in values)
