"""Tables of numbers, categories and missing values, read for Gower's distance.

As in `fairspectral.validation`, an error is one sentence that says what is wrong and what to do.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
from fairspectral.validation import FairSpectralWarning, encode_values, find_missing


@dataclass(frozen=True)
class MixedColumn:
    """How a column that is compared was read, so that later rows are read alike.

    Attributes
    ----------
    position : int
        Of the column in the user's table.
    name : str
        The column in messages.
    categories : tuple or None
        The values of a category by their code; for ordered ones by their rank; None of numbers.
    exponent, width : int, float
        A number or rank is divided by ``2**exponent`` and then by `width`.
    ordered : bool
        Whether ranks are compared as numbers.
    """

    position: int
    name: str
    categories: tuple[Any, ...] | None = None
    exponent: int = 0
    width: float = 1.0
    ordered: bool = False


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
    columns : tuple of MixedColumn
        How each of them was read.
    """

    values: np.ndarray
    categorical: np.ndarray
    columns: tuple[MixedColumn, ...] = ()

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
    columns, found = [], []
    for j, (name, given) in enumerate(_named_columns(X)):
        column, values = _read_column(j, name, given)
        known = values[~np.isnan(values)]
        if len(known) and known.min() < known.max():
            if column.categories is None or column.ordered:
                column = replace(column, width=float(known.max() - known.min()))
                values = values / column.width
            columns.append(column)
            found.append(values)
    if not columns:
        raise ValueError(
            "X has no column with two different values, so its rows cannot be compared; add one "
            "that differs between them."
        )
    categorical = [column.categories is not None and not column.ordered for column in columns]
    table = MixedTable(np.stack(found, axis=1), np.array(categorical), tuple(columns))
    _refuse_empty_rows(table.values)
    return table


def read_later(X: Any, columns: Sequence[MixedColumn]) -> np.ndarray:
    """Later rows as numbers and codes of an earlier table, shape (m, d).

    A value that no earlier row has differs from all of them, and is warned of.
    """
    X = _without_text_types(X)
    check_table(X)
    refuse_masked(X, "X")
    refuse_dates(X)
    given = list(_named_columns(X))
    read = [_read_like(column, given[column.position][1]) for column in columns]
    values = np.stack(read, axis=1)
    _refuse_empty_rows(values)
    return values


def _named_columns(X: Any) -> Iterator[tuple[str, Any]]:
    """The columns of a table, each with its name in messages."""
    names = column_names(X)
    for j, given in enumerate(column_values(X)):
        yield f"column {j if names is None else repr(names[j])}", given


def _refuse_empty_rows(values: np.ndarray) -> None:
    empty = np.isnan(values).all(axis=1)
    if empty.any():
        raise ValueError(
            f"X has no value in row {int(np.argmax(empty))} in any column that differs between "
            f"rows ({int(empty.sum())} such row(s)); drop it, or fill in a value."
        )


def _read_column(position: int, where: str, given: Any) -> tuple[MixedColumn, np.ndarray]:
    """How a column is read, and its numbers or codes, shape (n,), NaN where missing."""
    column = MixedColumn(position, where)
    if _is_ordered(given):  # of pandas: compare the ranks
        ranked = tuple(given.cat.categories)
        return replace(column, categories=ranked, ordered=True), _ranks(given)
    values, missing = _typed(where, given)
    if values.dtype.kind in "iuf" and not _is_named(given):
        numbers = _finite(values, where)
        # Divided by the largest, so that a range cannot overflow.
        exponent = int(np.frexp(np.nanmax(np.abs(numbers), initial=0.0))[1])
        return replace(column, exponent=exponent), np.ldexp(numbers, -exponent)
    codes = np.full(len(values), np.nan)
    categories: tuple[Any, ...] = ()
    if not missing.all():
        codes[~missing], categories = encode_values(values[~missing], f"X {where}")
    return replace(column, categories=categories), codes


def _read_like(column: MixedColumn, given: Any) -> np.ndarray:
    """A later column in the numbers or codes of an earlier one."""
    if column.ordered:
        if not _is_ordered(given) or tuple(given.cat.categories) != column.categories:
            raise ValueError(
                f"X has other ordered categories in {column.name} than the fit; give it the same "
                "ones in the same order."
            )
        return _ranks(given) / column.width
    values, missing = _typed(column.name, given)
    if column.categories is None:
        if values.dtype.kind not in "iuf" and not missing.all():
            raise ValueError(
                f"X has other values than numbers in {column.name}, which held numbers in the fit; "
                "convert it, or pass missing values."
            )
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = _finite(values[~missing], column.name)
        return np.ldexp(numbers, -column.exponent) / column.width
    known = {value: code for code, value in enumerate(column.categories)}
    names = values.tolist()
    unknown = [name for name, absent in zip(names, missing, strict=True)
               if not absent and name not in known]  # fmt: skip
    if unknown:
        warnings.warn(
            f"X has {len(unknown)} value(s) in {column.name} that nobody of the fit has, such as "
            f"{unknown[0]!r}; they count as different from everyone's.",
            FairSpectralWarning,
            stacklevel=2,
        )
    codes = [known.get(name, len(known)) if not absent else np.nan
             for name, absent in zip(names, missing, strict=True)]  # fmt: skip
    return np.array(codes, dtype=np.float64)


def _typed(where: str, given: Any) -> tuple[np.ndarray, np.ndarray]:
    """The values of a column in the type that they have, and which are missing; both (n,)."""
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
    if values.dtype.kind == "O":
        _refuse_containers(values, where)
    return values, missing


def _is_ordered(given: Any) -> bool:
    return bool(getattr(getattr(given, "dtype", None), "ordered", False))


def _ranks(given: Any) -> np.ndarray:
    ranks = np.asarray(given.cat.codes, dtype=np.float64)
    return np.where(ranks < 0, np.nan, ranks)


def _refuse_containers(values: np.ndarray, where: str) -> None:
    for row, value in enumerate(values):
        if isinstance(value, list | tuple | dict | set | np.ndarray):
            # scikit-learn's checks look for these words of its message.
            raise TypeError(
                f"X contains a {type(value).__name__} at row {row}, {where}, but the argument must "
                "be a string or a number; convert that column or drop it."
            )


def _finite(values: np.ndarray, where: str) -> np.ndarray:
    """Numbers as float64; infinity is refused."""
    numbers = values.astype(np.float64)
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(
            f"X contains infinity at row {int(np.argmax(infinite))}, {where}; correct it, or pass "
            "a missing value."
        )
    return numbers


def _without_text_types(X: Any) -> Any:
    """A table with a shape; a list of rows as objects, since numpy would make text of numbers."""
    if isinstance(X, list | tuple):
        try:
            return np.asarray(X, dtype=object)
        except ValueError:
            return X  # rows of different lengths, refused by `check_table`
    foreign = hasattr(X, "__array__") and not hasattr(X, "shape")
    return np.asarray(X) if foreign or isinstance(X, np.matrix) else X


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
