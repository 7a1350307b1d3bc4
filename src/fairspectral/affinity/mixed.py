"""Tables of numbers, categories and missing values, read for Gower's distance.

As in `fairspectral.validation`, an error is one sentence that says what is wrong and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.feature_tables import (
    check_column_names,
    check_table,
    column_names,
    column_values,
    refuse_dates,
    refuse_masked,
    typed_objects,
)
from fairspectral.validation import encode_values, find_missing


@dataclass(frozen=True)
class MixedTable:
    """The columns of a table that differ between rows.

    Attributes
    ----------
    values : ndarray of shape (n, d), float64
        A number divided by the range of its column, or the code of a category; NaN where a value
        is missing.
    categorical : bool ndarray of shape (d,)
        Which columns hold codes of categories.
    """

    values: np.ndarray
    categorical: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, d = self.values.shape
        return n, d

    @property
    def words(self) -> str:
        """How its rows are compared, in a sentence."""
        q = int(self.categorical.sum())
        missing = float(np.isnan(self.values).mean())
        holes = f"; {missing:.1%} of the values are missing, and two rows are compared in the "
        return (
            f"Compared are {self.shape[1] - q} numeric and {q} categorical column(s)"
            f"{holes + 'columns that both have' if missing else ''}."
        )


def is_mixed(X: Any) -> bool:
    """Whether a table has categories or missing values; what is no table is refused elsewhere."""
    if sp.issparse(X) or np.ma.isMaskedArray(X):
        return False
    X = _without_text_types(X)
    if getattr(X, "ndim", 2) != 2 or not hasattr(X, "shape"):
        return False
    for given in column_values(X):
        values = np.asarray(given)
        missing = find_missing(values)
        if missing.any() or _is_named(given):
            return True
        if values.dtype.kind == "O":
            values = typed_objects(values, missing)
        if values.dtype.kind in "OUSV" and not all(_reads_as_number(v) for v in values):
            return True
    return False


def read_mixed(X: Any) -> MixedTable:
    """Read a table of any type; columns that are the same for everyone are left out.

    Numbers are numbers, and so are the ranks of an ordered categorical of pandas; text, booleans
    and categoricals are categories; None, NaN and ``pandas.NA`` are missing.
    """
    if sp.issparse(X):
        raise TypeError(
            "X is a sparse matrix, which affinity='gower' does not compare; pass X.toarray(), or "
            "use affinity='rbf'."
        )
    X = _without_text_types(X)
    check_table(X)
    refuse_masked(X, "X")
    check_column_names(X)
    refuse_dates(X)
    for count, least, what, more in (
        (X.shape[0], 2, "sample", "rows"),
        (X.shape[1], 1, "feature", "columns"),
    ):
        if count < least:
            raise ValueError(
                f"X has {count} {what}(s) (shape={X.shape}) while a minimum of {least} is "
                f"required; pass more {more}."
            )
    names = column_names(X)
    columns, categorical = [], []
    for j, given in enumerate(column_values(X)):
        values, named = _read_column(f"column {j if names is None else repr(names[j])}", given)
        known = values[~np.isnan(values)]
        if len(known) and known.min() < known.max():
            columns.append(values if named else values / (known.max() - known.min()))
            categorical.append(named)
    if not columns:
        raise ValueError(
            "X has no column with two different values, so its rows cannot be compared; add one "
            "that differs between them."
        )
    table = MixedTable(np.stack(columns, axis=1), np.array(categorical))
    empty = np.isnan(table.values).all(axis=1)
    if empty.any():
        raise ValueError(
            f"X has no value in row {int(np.argmax(empty))} in any column that differs between "
            f"rows ({int(empty.sum())} such row(s)); drop it, or fill in a value."
        )
    return table


def _read_column(where: str, given: Any) -> tuple[np.ndarray, bool]:
    """Numbers or codes, shape (n,), NaN where missing, and whether they are codes."""
    if getattr(getattr(given, "dtype", None), "ordered", False):  # of pandas: compare the ranks
        ranks = np.asarray(given.cat.codes, dtype=np.float64)
        return np.where(ranks < 0, np.nan, ranks), False
    values = np.asarray(given)
    missing = find_missing(values)
    if values.dtype.kind == "O" and not _is_named(given):
        values = typed_objects(values, missing)
    if values.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported; X has complex numbers in {where}: pass their real and "
            "imaginary parts as two columns."
        )
    if values.dtype.kind in "mM":
        raise ValueError(
            f"X has dates or durations in {where}; turn them into numbers first, such as days."
        )
    if values.dtype.kind in "iuf" and not _is_named(given):
        return _scaled(values.astype(np.float64), where), False
    if values.dtype.kind == "O":
        _refuse_containers(values, where)
    codes = np.full(len(values), np.nan)
    if not missing.all():
        codes[~missing] = encode_values(values[~missing], f"X {where}")[0]
    return codes, True


def _refuse_containers(values: np.ndarray, where: str) -> None:
    for row, value in enumerate(values):
        if isinstance(value, list | tuple | dict | set | np.ndarray):
            # scikit-learn's checks look for these words of its message.
            raise TypeError(
                f"X contains a {type(value).__name__} at row {row}, {where}, but the argument must "
                "be a string or a number; convert that column or drop it."
            )


def _scaled(numbers: np.ndarray, where: str) -> np.ndarray:
    """Divided by the largest, so that a range cannot overflow; infinity is refused."""
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(
            f"X contains infinity at row {int(np.argmax(infinite))}, {where}; correct it, or pass "
            "a missing value."
        )
    exponent = int(np.frexp(np.nanmax(np.abs(numbers), initial=0.0))[1])
    return np.ldexp(numbers, -exponent)


def _without_text_types(X: Any) -> Any:
    """A list of rows as objects, since numpy would turn numbers beside text into text."""
    if isinstance(X, list | tuple):
        try:
            return np.asarray(X, dtype=object)
        except ValueError:
            return X  # rows of different lengths, refused by `check_table`
    return np.asarray(X) if isinstance(X, np.matrix) else X


def _is_named(given: Any) -> bool:
    """Whether a column is a categorical of pandas or polars; its values may be numbers."""
    return str(getattr(given, "dtype", "")).lower().startswith(("category", "categorical", "enum"))


def _reads_as_number(value: Any) -> bool:
    """Whether text reads as a number, as the kernels take it, or a value is a boolean."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
