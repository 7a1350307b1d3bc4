"""Whether two tables with row labels (pandas) list the same rows in the same order.

Values are used by position. Where both sides have labels, a different order would silently give
people the groups of others, so it is refused. Nor are rows aligned by label: after
``X.sample(frac=1)`` and a fresh ``Series`` the positions are right and the labels are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np


def row_labels(table: Any) -> Any:
    """The index of a pandas object; None for arrays, lists, polars and others without one."""
    index = getattr(table, "index", None)
    return index if hasattr(index, "equals") else None


def check_same_rows(rows: Any, values: Any, rows_name: str, name: str) -> None:
    """Refuse values whose row labels are not those of `rows`, in the same order.

    Parameters
    ----------
    rows, values : any
        Two tables or columns, or for `values` a mapping to columns. Nothing is checked unless
        both have row labels.
    rows_name, name : str
        Their names in the message.
    """
    expected = row_labels(rows)
    if expected is None:
        return
    parts = values if isinstance(values, Mapping) else {None: values}
    for key, part in parts.items():
        found = row_labels(part)
        # A different length has its own error message.
        if found is None or len(found) != len(expected) or expected.equals(found):
            continue
        at = next(
            (i for i, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1]), 0
        )
        column = name if key is None else f"{name}[{key!r}]"
        same = Counter(expected) == Counter(found)
        what = "in another order than" if same else "different from those of"
        align = f"align it with {column}.loc[{rows_name}.index], or " if same else ""
        raise ValueError(
            f"{column} has row labels {what} {rows_name} (at row {at}: {_shown(found[at])} instead "
            f"of {_shown(expected[at])}); {align}pass {column}.to_numpy() if the rows do "
            "correspond by position."
        )


def _shown(label: Any) -> str:
    if isinstance(label, tuple):  # of a MultiIndex
        return f"({', '.join(map(_shown, label))})"
    return repr(label.item() if isinstance(label, np.generic) else label)


def check_same_sides(affinities: Any, name: str) -> None:
    """Refuse an n×n table whose columns are its rows in another order."""
    rows, columns = row_labels(affinities), getattr(affinities, "columns", None)
    if rows is None or columns is None or len(rows) != len(columns) or rows.equals(columns):
        return
    if rows.is_unique and columns.is_unique and rows.isin(columns).all():
        raise ValueError(
            f"{name} has the same labels on rows and columns, but in another order; "
            f"pass {name}[{name}.index], or {name}.to_numpy() if the order does correspond."
        )
