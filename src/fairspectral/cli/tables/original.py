"""Columns in their own units and words, to describe rows by; features are scaled instead."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from fairspectral.cli.tables.almost_numeric import check_almost_numeric
from fairspectral.cli.tables.columns import missing_values, numbers, stripped
from fairspectral.cli.tables.read import Table, import_pandas

if TYPE_CHECKING:
    import pandas


def original_columns(
    table: Table, names: Iterable[str], categorical: Collection[str] = ()
) -> tuple[pandas.DataFrame, list[str]]:
    """Some columns of a table as numbers, dates, booleans or text, and notes on them.

    Parameters
    ----------
    table : Table
        From `read_table`.
    names : iterable of str
        Columns of the table.
    categorical : collection of str
        Read these as names of categories, even if they look like numbers.
    """
    pandas = import_pandas()
    types = pandas.api.types
    columns, notes = {}, []
    for name in names:
        column = table.frame[name]
        kept = types.is_bool_dtype(column.dtype) or types.is_datetime64_any_dtype(column.dtype)
        if kept and name not in categorical:
            columns[name] = column
            continue
        values = None if name in categorical else numbers(column, table.decimal)
        if values is not None:
            columns[name] = pandas.Series(values, index=table.frame.index)
            continue
        if name not in categorical:
            note = check_almost_numeric(column, table.path, table.decimal)
            notes += [note] if note else []
        text = stripped(column).astype(object)
        columns[name] = text.where(~missing_values(column), None)
    return pandas.DataFrame(columns, index=table.frame.index), notes
