"""Tables with categories and missing values: what Gower's distance accepts, and the messages."""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_input_case import WORKS, Fit, N, frame, pandas, plain, polars, two_groups

SIDE = np.arange(N) // 2 % 2


def with_value(value: Any, dtype: Any = object) -> np.ndarray:
    """The plain data with one other value."""
    X = plain().astype(dtype)
    X[4, 1] = value
    return X


def mixed() -> Any:
    """Numbers and categories that tell the two bunches apart, each with a gap."""
    names = np.where(SIDE, "left", "right").astype(object)
    table = frame().assign(place=names)
    table.loc[3, "a"], table.loc[5, "place"] = np.nan, None
    return table


def empty_row() -> Any:
    table = mixed().astype(object)
    table.loc[[7, 9]] = None
    return table


def both(
    name: str, make: Callable[[], Any], outcome: str = WORKS, *, warns: str = "", **options: Any
) -> list[Fit]:
    """A case for ``"gower"``, and for ``"auto"``, which takes Gower's distance for such tables.

    `warns` is part of the warning of ``"auto"``.
    """
    return [
        Fit(f"{affinity}: {name}", make, two_groups, outcome, same=False,
            params={"affinity": affinity}, warns=said, **options)
        for affinity, said in (("gower", ""), ("auto", warns))
    ]  # fmt: skip


def gower(name: str, make: Callable[[], Any], outcome: str = WORKS, **options: Any) -> Fit:
    return Fit(name, make, two_groups, outcome, same=False, params={"affinity": "gower"}, **options)


MIXED = [
    *both("numbers", plain),
    *both("a list of lists", lambda: plain().tolist()),
    *both("text beside numbers in a list", lambda: [[*row, "u"] for row in plain().tolist()]),
    *both("a missing number", lambda: with_value(np.nan, float),
          warns="X has missing values (the first in row 4; 1.1% of all), so affinity='auto'"),
    *both("None", lambda: with_value(None), warns="X has missing values (the first in row 4;"),
    *both("text", lambda: np.column_stack([plain().astype(object), np.where(SIDE, "u", "v")])),
    *both("only text", lambda: np.column_stack([np.where(SIDE, "u", "v"), list("abc") * 10])),
    *both("pandas", mixed, needs="pandas"),
    *both("pandas categorical", lambda: mixed().astype({"place": "category"}), needs="pandas"),
    *both("pandas nullable", lambda: frame(a="Int64", b="Float32").assign(
        a=lambda t: t["a"].mask(t.index.to_series() == 3)), needs="pandas",
        warns="X has missing values (the first in row 3;"),
    *both("pandas bool", lambda: frame().assign(c=SIDE == 1), needs="pandas"),
    *both("pandas ordered", lambda: frame().assign(
        c=pandas().Categorical(np.where(SIDE, "low", "high"), ["low", "high"], ordered=True)),
        needs="pandas"),
    *both("a constant column", lambda: mixed().assign(c=1.0), needs="pandas"),
    *both("a column without values", lambda: mixed().assign(c=np.nan), needs="pandas"),
    *both("pyarrow", lambda: importlib.import_module("pyarrow").Table.from_pandas(mixed()),
          needs="pyarrow"),
    *both("polars", lambda: polars().DataFrame(
        {name: [None if v != v else v for v in column] for name, column in mixed().items()}),
        needs="polars"),
    *both("rows without a value", empty_row,
          "X has no value in row 7 in any column that differs between rows (2 such "
          "row(s)); drop it, or fill in a value.", needs="pandas"),
    *both("pandas dates", lambda: mixed().assign(c=pandas().Timestamp("2020-01-01")),
          "X has dates or durations in column 'c'; turn them into numbers first, for example "
          "(dates - dates.min()) / numpy.timedelta64(1, 'D') for days.", needs="pandas"),
    *both("Python dates", lambda: mixed().assign(c=datetime.date(2020, 1, 1)),
          "X has dates or durations in column 'c'; turn them into numbers first, such as days.",
          needs="pandas"),
    *both("infinity beside text", lambda: mixed().assign(c=[np.inf, *range(N - 1)]),
          "X contains infinity at row 0, column 'c'; correct it, or pass a missing value.",
          needs="pandas"),
    *both("complex beside text", lambda: mixed().assign(c=1j),
          "Complex data not supported; X has complex numbers in column 'c': pass their real and "
          "imaginary parts as two columns.", needs="pandas"),
    *both("a list inside", lambda: mixed().assign(place=[[1]] * N),
          "X contains a list at row 0, column 'place', but the argument must be a string or a "
          "number; convert that column or drop it.", needs="pandas"),
    gower("no column", lambda: plain()[:, :0],
          "X has 0 feature(s) (shape=(30, 0)) while a minimum of 1 is required; pass more "
          "columns."),
    *both("text and numbers in one column", lambda: mixed().assign(c=["u", *range(N - 1)]),
          "X column 'c' mixes values that cannot be compared (int, str); convert it to one type, "
          "for example with .astype(str).", needs="pandas"),
    *both("two columns of one name", lambda: mixed().set_axis(["a", "a", "b", "c"], axis=1),
          "X has 2 columns called 'a'; give every column a name of its own, or pass "
          "X.to_numpy().", needs="pandas"),
    *both("a masked array", lambda: np.ma.masked_less(plain(), 1.0),
          "X is a masked array with 5 masked value(s), the first at (1, 2); fill them with "
          "X.filled(...) or drop those rows."),
    gower("nothing differs", lambda: np.ones((N, 3)),
          "X has no column with two different values, so its rows cannot be compared; add one "
          "that differs between them."),
    gower("one row", lambda: plain()[:1],
          "X has 1 sample(s) (shape=(1, 3)) while a minimum of 2 is required; pass more rows."),
    gower("one dimension", lambda: plain()[:, 0],
          "X must be a table with one row per sample and one column per feature, but it is "
          "1-dimensional; for a single feature use X.reshape(-1, 1)."),
    gower("rows of different lengths", lambda: [[1.0, 2.0], [3.0]],
          "X must be a table with one row per sample and one column per feature, but it is "
          "1-dimensional; for a single feature use X.reshape(-1, 1)."),
    gower("sparse", lambda: sp.csr_array(plain()),
          "X is a sparse matrix, which affinity='gower' does not compare; pass X.toarray(), or "
          "use affinity='rbf'."),
    gower("huge numbers", lambda: plain() * 1e306),
    gower("tiny numbers", lambda: plain() * 1e-310),
    Fit("an unknown kernel parameter", plain, two_groups,
        "kernel_params has 'degree', which affinity='gower' does not take; it takes gamma.",
        params={"affinity": "gower", "kernel_params": {"degree": 2}}),
    Fit("a width as text", plain, two_groups,
        "gamma='wide' is not valid; pass a positive number, 'scale' or 'auto'.",
        params={"affinity": "gower", "kernel_params": {"gamma": "wide"}}),
    Fit("auto: a sparse matrix with a gap", lambda: sp.csr_array(with_value(np.nan, float)),
        two_groups,
        "X contains NaN at row 4, column 1; fill or drop missing values (for example with "
        "sklearn.impute.SimpleImputer) before fitting.", params={"affinity": "auto"}),
    Fit("auto: infinity", lambda: with_value(np.inf, float), two_groups,
        "X contains infinity at row 4, column 1; fill or drop missing values (for example with "
        "sklearn.impute.SimpleImputer) before fitting.", params={"affinity": "auto"}),
    Fit("auto: huge numbers", lambda: plain() * 1e306, two_groups, same=False,
        params={"affinity": "auto"}),
    Fit("auto: columns in very different units", lambda: plain() * [1e-300, 1.0, 1e300],
        two_groups, same=False, params={"affinity": "auto"}),
    Fit("auto: nothing differs", lambda: np.ones((N, 3)), two_groups, same=False,
        params={"affinity": "auto"}),
    Fit("rbf: a gap", lambda: mixed()[["a", "b"]], two_groups,
        "X contains NaN at row 3, column 'a'; fill or drop missing values (for example with "
        "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'.",
        needs="pandas"),
]  # fmt: skip
