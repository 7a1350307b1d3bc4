"""Sensitive features in Python: what is accepted, and the error messages."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_input_case import WORKS, Fit, N, frame, pandas, plain, polars, two_groups


def s(name: str, make: Any, outcome: Any = WORKS, **options: Any) -> Fit:
    """A case about sensitive features."""
    return Fit(name, plain, make, outcome, **options)


def series(values: Any, **options: Any) -> Any:
    return pandas().Series(list(values), **options)


def mixed(value: Any) -> list[Any]:
    """The groups with one other value."""
    return [value, *two_groups().tolist()[1:]]


SENSITIVE = [
    s("a list", lambda: two_groups().tolist()),
    s("a tuple", lambda: tuple(two_groups().tolist())),
    s("a range of codes", lambda: [i % 2 for i in range(N)]),
    *(s(f"of type {t}", lambda t=t: (np.arange(N) % 2).astype(t)) for t in (
        "bool", "int8", "uint64", "float16", "float64", "longdouble", "complex", "object", "S1")),
    s("whole numbers of 2**53 and more", lambda: 2**53 + np.arange(N) % 2),
    s("dates", lambda: (np.arange(N) % 2).astype("datetime64[D]")),
    s("durations", lambda: (np.arange(N) % 2).astype("timedelta64[D]")),
    s("blanks and letters of other cases", lambda: [("m", "M", " m",
      "m ")[i % 4] for i in range(N)],
      same=False),
    s("formulas", lambda: [("=1+1", "@SUM(A1)")[i % 2] for i in range(N)]),
    s("escape codes", lambda: [("\x1b[31mred", "blue\n")[i % 2] for i in range(N)]),
    s("text of other scripts", lambda: [("женщина", "👩🏽‍🚀")[i % 2] for i in range(N)]),
    s("lone surrogates", lambda: [("\ud800", "m")[i % 2] for i in range(N)]),
    s("an empty text", lambda: [("", "m")[i % 2] for i in range(N)]),
    s("one column", lambda: two_groups()[:, None]),
    s("None inside", lambda: mixed(None),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows."),
    s("NaN inside", lambda: mixed(float("nan")),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows."),
    s("NaN among floats", lambda: np.where(np.arange(N) == 3, np.nan, np.arange(N) % 2),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 3; fill them "
      "with a category of their own or drop those rows."),
    s("NaN made text by numpy", lambda: np.array(mixed(np.nan), dtype=str),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows."),
    s("NaT inside", lambda: np.array(["NaT", *["2020-01-01"] * (N - 1)], "datetime64[D]"),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows."),
    s("masked", lambda: np.ma.masked_equal(np.arange(N) % 3, 2),
      "sensitive_features column 'group' has 10 missing value(s), the first at row 2; fill them "
      "with a category of their own or drop those rows."),
    s("masked, nothing hidden", lambda: np.ma.masked_array(np.arange(N) % 2, np.zeros(N, bool))),
    s("mixed types", lambda: mixed(3),
      "sensitive_features column 'group' mixes values that cannot be compared (int, str); "
      "convert it to one type, for example with .astype(str)."),
    s("sets inside", lambda: [{i % 2} for i in range(N)],
      "sensitive_features column 'group' has a set at row 0; pass one text or number for each "
      "sample."),
    s("ragged", lambda: [[1], *[[1, 2]] * (N - 1)],
      "sensitive_features column 'group' has a list at row 0; pass one text or number for each "
      "sample."),
    s("lists inside", lambda: [[i % 2] for i in range(N)]),
    s("dicts inside", lambda: [{"a": 1}] * N,
      "sensitive_features column 'group' has a dict at row 0; pass one text or number for each "
      "sample."),
    s("one group", lambda: ["f"] * N,
      "sensitive_features column 'group' has the single group 'f'; fairness needs at least two "
      "groups, so pass another attribute, or sensitive_features=None for plain spectral "
      "clustering."),
    s("every value another", lambda: [f"p{i}" for i in range(N)],
      "sensitive_features column 'group' has a different value for every one of the 30 samples; "
      "put its values together into a few groups first."),
    s("every number another", lambda: np.arange(N),
      "sensitive_features column 'group' has a different value for every one of the 30 samples; "
      "bin it into a few groups with fairspectral.bin_numeric(values, n_bins=5) (on the command "
      "line --bin group=5)."),
    s("many numbers", lambda: np.arange(N) // 1.3,
      "sensitive_features column 'group' has 23 different values for 30 samples, fewer than two "
      "samples for each; bin it into a few groups with fairspectral.bin_numeric(values, "
      "n_bins=5) (on the command line --bin group=5)."),
    s("a group of one", lambda: ["x"] + ["y"] * (N - 1), same=False,
      warns="has 1 person(s) for 2 clusters"),
    s("too few", lambda: two_groups()[:-1],
      "sensitive_features has 29 values but the data has 30 samples; pass exactly one value per "
      "sample, in the same order."),
    s("too many", lambda: [*two_groups(), "f"],
      "sensitive_features has 31 values but the data has 30 samples; pass exactly one value per "
      "sample, in the same order."),
    s("empty", list,
      "sensitive_features has 0 values but the data has 30 samples; pass exactly one value per "
      "sample, in the same order."),
    s("a name", lambda: "sex",
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it is a single str."),
    s("a number", lambda: 3,
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it is a single int."),
    s("three dimensions", lambda: two_groups()[:, None, None],
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it has shape (30, 1, 1)."),
    s("no columns", lambda: np.empty((N, 0)),
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it has shape (30, 0)."),
    s("transposed", lambda: np.vstack([two_groups()] * 3),
      "sensitive_features has 3 values but the data has 30 samples; pass exactly one value per "
      "sample, in the same order."),
    s("a generator", lambda: iter(two_groups()),
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it is a single iterator."),
    s("a set", lambda: {"f", "m"},
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it is a single set."),
    s("a dict", lambda: {"sex": two_groups()}),
    s("a dict without columns", dict,
      "sensitive_features is empty; pass at least one attribute."),
    s("a dict with a column too short", lambda: {"sex": two_groups()[:-1]},
      "sensitive_features has 29 values but the data has 30 samples; pass exactly one value per "
      "sample, in the same order."),
    s("sparse", lambda: sp.csr_array((np.arange(N) % 2)[:, None]),
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it is a single csr_array."),
    s("structured", lambda: np.zeros(N, dtype=[("a", int), ("b", int)]),
      "sensitive_features column 'group' has a void at row 0; pass one text or number for each "
      "sample."),
    s("two attributes", lambda: np.column_stack([two_groups(), np.arange(N) // 15]), same=False),
    s("Series", lambda: series(two_groups(), name="sex"), needs="pandas"),
    s("Series of category with unused levels",
      lambda: series(two_groups()).astype("category").cat.add_categories(["x", "y"]),
      needs="pandas"),
    s("Categorical with unused levels",
      lambda: pandas().Categorical(two_groups(), categories=["f", "m", "x"]), needs="pandas"),
    s("Categorical with a code of -1",
      lambda: pandas().Categorical.from_codes([-1, *[0, 1] * 14, 1], ["f", "m"]),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows.", needs="pandas"),
    s("nullable integers", lambda: series(np.arange(N) % 2, dtype="Int8"), needs="pandas"),
    s("nullable booleans", lambda: series(np.arange(N) % 2 == 0, dtype="boolean"), needs="pandas"),
    s("nullable with NA", lambda: series([None, *[0, 1] * 14, 1], dtype="Int64"),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows.",
      needs="pandas"),
    s("pyarrow strings", lambda: series(two_groups(), dtype="string[pyarrow]"), needs="pyarrow"),
    s("pyarrow strings with null", lambda: series(mixed(None), dtype="string[pyarrow]"),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows.",
      needs="pyarrow"),
    s("pyarrow array", lambda: importlib.import_module("pyarrow").array(two_groups().tolist()),
      needs="pyarrow"),
    s("pyarrow table", lambda: importlib.import_module("pyarrow").table({"sex": two_groups()}),
      needs="pyarrow"),
    s("polars Series", lambda: polars().Series(two_groups().tolist()), needs="polars"),
    s("polars Categorical",
      lambda: polars().Series(two_groups().tolist(), dtype=polars().Categorical), needs="polars"),
    s("polars null", lambda: polars().Series(mixed(None)),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows.", needs="polars"),
    s("polars DataFrame", lambda: polars().DataFrame({"sex": two_groups().tolist()}),
      needs="polars"),
    s("Series of strings with None", lambda: series(mixed(None)),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows.", needs="pandas"),
    s("DataFrame", lambda: pandas().DataFrame({"sex": two_groups()}), needs="pandas"),
    s("DataFrame without columns", lambda: pandas().DataFrame(index=range(N)),
      "sensitive_features has no columns; pass at least one attribute.",
      needs="pandas"),
    s("DataFrame with duplicate names",
      lambda: pandas().DataFrame(np.column_stack([two_groups()] * 2), columns=["a", "a"]),
      "sensitive_features has 2 columns called 'a'; give every column a name of its own.",
      needs="pandas"),
    s("Interval of pandas.cut", lambda: pandas().cut(series(np.arange(N) % 2), 2),
      needs="pandas"),
    Fit("Series in the order of X", frame, lambda: series(two_groups()), needs="pandas"),
    Fit("Series in another order", frame, lambda: series(two_groups())[::-1],
      "sensitive_features has row labels in another order than X (at row 0: 29 instead of 0); "
      "align it with sensitive_features.loc[X.index], or pass sensitive_features.to_numpy() if "
      "the rows do correspond by position.",
        needs="pandas"),
    Fit("Series with other row labels", frame,
        lambda: series(two_groups(), index=range(1, N + 1)),
      "sensitive_features has row labels different from those of X (at row 0: 1 instead of 0); "
      "pass sensitive_features.to_numpy() if the rows do correspond by position.",
      needs="pandas"),
    Fit("Series with duplicate row labels", frame, lambda: series(two_groups(), index=[0] * N),

      "sensitive_features has row labels different from those of X (at row 1: 0 instead of 1); "
      "pass sensitive_features.to_numpy() if the rows do correspond by position.",
      needs="pandas"),
    Fit("dict of Series in another order", frame,
        lambda: {"sex": series(two_groups())[::-1]},
      "sensitive_features['sex'] has row labels in another order than X (at row 0: 29 instead of "
      "0); align it with sensitive_features['sex'].loc[X.index], or pass "
      "sensitive_features['sex'].to_numpy() if the rows do correspond by position.",
      needs="pandas"),
]  # fmt: skip
