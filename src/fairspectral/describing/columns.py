"""The columns of any table as numbers or categories, with notes on those that are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairspectral.feature_tables import (
    check_column_names,
    check_table,
    column_names,
    column_values,
    refuse_masked,
    typed_objects,
)
from fairspectral.parameters import did_you_mean
from fairspectral.validation import Attribute, find_missing
from fairspectral.weighting import Weights

# A text column with more values than this share of its rows holds names, not categories.
_DISTINCT = 0.5
_LONGEST = 40


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
    missing : bool ndarray of shape (n,)
        Rows without a value.
    numbers : float ndarray of shape (n,) or None
        The values of a numeric column.
    codes : ndarray of shape (n,) or None
        The categories of any other column, as indices of `categories`; 0 where missing.
    categories : tuple of str
        Empty for numbers.
    spoken : int or None
        The one of two categories to speak of: True of a yes-or-no column, 1 of zeros and ones.
    sensitive : bool
        Whether it is a sensitive attribute.
    date_unit : str
        The unit of numpy that `numbers` count in a column of dates; empty otherwise.
    weights : Weights or None
        What the shares of categories count; None counts heads.
    """

    name: str
    missing: np.ndarray
    numbers: np.ndarray | None = None
    codes: np.ndarray | None = None
    categories: tuple[str, ...] = ()
    spoken: int | None = None
    sensitive: bool = False
    date_unit: str = ""
    weights: Weights | None = None

    @property
    def yes_or_no(self) -> bool:
        """Whether its name alone says what is true of a row, such as ``retired``."""
        return self.categories == ("False", "True")


def sensitive_column(attribute: Attribute) -> Column:
    """A sensitive attribute as a column."""
    column = _categories(attribute.name, attribute.codes, attribute.categories)
    return replace(column, sensitive=True, weights=attribute.weights)


def read_columns(
    X: Any, feature_names: Sequence[str] | None, wanted: Sequence[str] | None, sensitive: set[str]
) -> tuple[list[Column], list[str]]:
    """The columns of a table that can be described, and notes on the others.

    Parameters
    ----------
    X : array, sparse matrix or table of pandas, polars or pyarrow
    feature_names : sequence of str or None
        Names of the columns of an array.
    wanted : sequence of str or None
        The columns to use, also if they look like row numbers or names; None means all.
    sensitive : set of str
        Names that are left out, since they are described as sensitive attributes.
    """
    if isinstance(X, list | tuple):  # numpy would turn numbers beside text into text
        X = np.asarray(X, dtype=object)
    check_table(X)
    refuse_masked(X, "X")
    check_column_names(X)
    names = _names(X, feature_names)
    for name in wanted or ():
        if name not in names:
            raise ValueError(
                f"X has no column {name!r}{did_you_mean(str(name), names)}; its columns are "
                f"{', '.join(names[:8])}{' and more' if len(names) > 8 else ''}."
            )
    columns, notes = [], []
    for name, values in zip(names, column_values(X), strict=True):
        if name in sensitive or (wanted is not None and name not in wanted):
            continue
        column = _read(name, values)
        why = _useless(column) or ("" if wanted else _identifying(column))
        if why:
            notes.append(f"Left out {name!r}: it has {why}.")
        else:
            columns.append(column)
    return columns, notes


def _names(X: Any, feature_names: Sequence[str] | None) -> list[str]:
    width = X.shape[1]
    if feature_names is None:
        known = column_names(X)
        return [f"column {j}" for j in range(width)] if known is None else list(map(str, known))
    names = [str(name) for name in feature_names]
    if len(names) != width or len(set(names)) < width:
        raise ValueError(
            f"feature_names has {len(set(names))} different name(s) but X has {width} column(s); "
            "pass one name for each."
        )
    return names


def _read(name: str, given: Any) -> Column:
    """One column of any type."""
    named = str(getattr(given, "dtype", "")) == "category"  # of pandas; its values may be numbers
    values = np.asarray(given)
    if values.dtype.kind == "c":
        raise ValueError(
            f"X has complex numbers in column {name!r}; pass their real and imaginary parts as two "
            "columns."
        )
    missing = find_missing(values)
    if values.dtype.kind == "O" and not named:
        values = typed_objects(values, missing)
    if values.dtype.kind in "mM":
        unit = np.datetime_data(values.dtype)[0]
        numbers = np.where(missing, np.nan, values.astype(np.int64).astype(np.float64))
        return Column(name, missing, numbers, date_unit=f"{values.dtype.kind}8[{unit}]")
    if values.dtype.kind in "iuf" and not named:
        numbers = values.astype(np.float64)
        if np.isinf(numbers).any():
            raise ValueError(
                f"X contains infinity at row {int(np.argmax(np.isinf(numbers)))}, column {name!r}; "
                "correct it, or pass a missing value."
            )
        # Two values, such as 0 and 1, are better told by their shares than by a median.
        if len(np.unique(numbers[~missing])) > 2:
            return Column(name, missing, numbers)
    return _encoded(name, values, missing)


def _encoded(name: str, values: np.ndarray, missing: np.ndarray) -> Column:
    codes = np.zeros(len(values), dtype=np.intp)
    texts = [_text(value) for value in values[~missing].tolist()]
    if not texts:
        return Column(name, missing, codes=codes)
    categories, known = np.unique(texts, return_inverse=True)
    codes[~missing] = known.reshape(-1)
    return replace(_categories(name, codes, tuple(categories.tolist())), missing=missing)


def _categories(name: str, codes: np.ndarray, categories: tuple[Any, ...]) -> Column:
    texts = tuple(_short(_text(category)) for category in categories)
    spoken = 1 if texts in (("0", "1"), ("False", "True")) else None
    return Column(name, np.zeros(len(codes), bool), None, codes, texts, spoken)


def _text(value: Any) -> str:
    """A value as text in one line."""
    return f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _useless(column: Column) -> str:
    """Why a column says nothing about anyone; empty if it may."""
    if column.missing.all():
        return "no value at all"
    if not column.missing.any() and len(column.categories) == 1:
        return "the same value in every row"
    return ""


def _identifying(column: Column) -> str:
    """Why a column names the rows instead of describing them; empty if it does not."""
    if column.numbers is not None:
        counts = len(column.numbers) > 2 and np.all(np.diff(column.numbers) == 1)
        return "the numbers of the rows" if counts and not column.date_unit else ""
    n = int(np.sum(~column.missing))
    many = len(column.categories) > max(2, _DISTINCT * n)
    return "mostly different texts, such as names or dates" if many else ""
