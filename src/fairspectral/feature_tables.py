"""Checks of feature tables that come before those of scikit-learn and numpy.

As in `fairspectral.validation`, a message is one sentence that says what is wrong and what to do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.parameters import is_boolean


def check_table(X: Any) -> None:
    """Refuse what is not a two-dimensional table."""
    try:
        ndim = X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim
    except ValueError:
        raise ValueError("X has rows of different lengths; pass a rectangular table.") from None
    if ndim != 2:
        single = "to_frame()" if hasattr(X, "to_frame") else "reshape(-1, 1)"
        what = f"{ndim}-dimensional" if ndim else f"a single {type(X).__name__}"
        raise ValueError(
            f"X must be a table with one row per sample and one column per feature, but it is "
            f"{what}; for a single feature use X.{single}."
        )


def column_names(X: Any) -> Any:
    """The names of a table's columns (pandas, polars, pyarrow); None of an array's."""
    return getattr(X, "column_names", getattr(X, "columns", None))


def column_values(X: Any) -> Iterator[Any]:
    """The columns of a table one by one, as they are held."""
    if sp.issparse(X):
        by_column = X.tocsc()
        yield from (by_column[:, [j]].toarray().ravel() for j in range(X.shape[1]))
        return
    names = column_names(X)
    if names is None:
        X = np.asarray(X)
        yield from (X[:, j] for j in range(X.shape[1]))
        return
    yield from (X[name] for name in names)


def typed_objects(values: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """A column of objects as numbers or dates, where all of those not missing are."""
    known = values[~missing]
    if len(known) and all(isinstance(v, Real | Decimal) and not is_boolean(v) for v in known):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = [float(v) for v in known]
        return numbers
    if len(known) and all(hasattr(v, "isoformat") and hasattr(v, "year") for v in known):
        dates = np.full(len(values), "NaT", dtype="M8[s]")
        dates[~missing] = [np.datetime64(v.isoformat()[:19], "s") for v in known]
        return dates
    return values


def check_column_names(X: Any) -> None:
    """Refuse names that two columns share, and names of which some are text and some are not."""
    names = column_names(X)
    if names is None:
        return
    name, count = Counter(map(str, names)).most_common(1)[0] if len(names) else ("", 0)
    if count > 1:
        raise ValueError(
            f"X has {count} columns called {name!r}; give every column a name of its own, or pass "
            "X.to_numpy()."
        )
    kinds = sorted({type(name).__name__ for name in names})
    if "str" in kinds and len(kinds) > 1:
        raise TypeError(
            f"X has column names of several types ({', '.join(kinds)}); make text of them with "
            "X.columns = X.columns.astype(str)."
        )


def refuse_dates(X: Any) -> None:
    """Refuse dates and durations: their size depends on an arbitrary unit."""
    for column, kind in enumerate(_column_types(X)):
        is_temporal = getattr(kind, "is_temporal", None)  # of polars
        if getattr(kind, "kind", "") in ("m", "M") or (is_temporal and is_temporal()):
            raise ValueError(
                f"X has dates or durations in {_column_name(X, column)}; turn them into numbers "
                "first, for example (dates - dates.min()) / numpy.timedelta64(1, 'D') for days."
            )


def refuse_filled_sparse(X: Any) -> None:
    """Refuse sparse columns of pandas whose fill value is not zero."""
    for column, kind in enumerate(_column_types(X)):
        if getattr(kind, "fill_value", 0) != 0:
            raise ValueError(
                f"X has a sparse {_column_name(X, column)} whose fill value is {kind.fill_value} "
                "and not 0; pass X.sparse.to_dense()."
            )


def refuse_masked(values: Any, name: str) -> None:
    """Refuse a masked array with masked entries, which numpy would silently use."""
    if not np.ma.isMaskedArray(values):
        return
    mask = np.ma.getmaskarray(values)
    if mask.any():
        first = ", ".join(str(int(i)) for i in np.argwhere(mask)[0])
        raise ValueError(
            f"{name} is a masked array with {int(mask.sum())} masked value(s), the first at "
            f"({first}); fill them with {name}.filled(...) or drop those rows."
        )


def non_numeric_features(X: Any, otherwise: str = "") -> Exception | None:
    """The error for the first value of a table that is not a number; None if there is none."""
    if sp.issparse(X):
        return None
    table = np.asarray(X, dtype=object)
    for row, column in np.ndindex(table.shape):
        value = table[row, column]
        where = f"row {row}, {_column_name(X, column)}"
        try:
            complex(value)  # complex numbers have a message of their own
        except OverflowError:
            return ValueError(
                f"X contains a number at {where} that is too large for floating point; divide "
                "that column by a large number or take logarithms."
            )
        except (TypeError, ValueError):
            if isinstance(value, str | bytes):
                return ValueError(
                    f"X contains text at {where} ({value!r}); encode categories as "
                    "numbers first (for example with sklearn.preprocessing.OneHotEncoder)"
                    f"{otherwise}."
                )
            if type(value).__name__ != "NAType":
                # scikit-learn's checks look for these words of its message.
                return TypeError(
                    f"X contains a {type(value).__name__} at {where}, but the argument must be a "
                    "number or a string that reads as a number; convert that column or drop it."
                )
    return None


def reworded(error: Exception) -> str:
    """scikit-learn's message about a table that it refuses, as one sentence."""
    text = str(error).splitlines()[0]
    if text.startswith("Complex data not supported"):
        return f"{text}; pass real numbers, such as the real and imaginary parts as two columns."
    few = re.search(r"(\d+) (sample|feature)\(s\) \(shape=.*?\)\) while a minimum of \d+", text)
    if few:
        more = "rows" if few[2] == "sample" else "columns"
        return f"X has {few[0]} is required; pass more {more}."
    return text


def _column_types(X: Any) -> list[Any]:
    if hasattr(X, "schema") and hasattr(X.schema, "types"):  # of pyarrow
        return [kind.to_pandas_dtype() for kind in X.schema.types]
    kinds = getattr(X, "dtypes", None)
    return [getattr(X, "dtype", None)] if kinds is None else list(kinds)


def _column_name(X: Any, column: int) -> str:
    names = column_names(X)
    return f"column {column}" if names is None else f"column {names[column]!r}"
