"""Features in Python: what is accepted as X, and the error messages."""

from __future__ import annotations

import datetime
import decimal
import fractions
import importlib
import tempfile
from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_input_case import (
    WORKS,
    Fit,
    N,
    broken,
    falling,
    frame,
    pandas,
    plain,
    polars,
    twice,
    two_groups,
    wide,
)


def with_value(value: Any, dtype: Any = np.float64, at: tuple[int, int] = (4, 1)) -> np.ndarray:
    """The plain data with one other value."""
    X = plain().astype(dtype)
    X[at] = value
    return X


def on_disk() -> np.ndarray:
    """The plain data, mapped from a read-only file."""
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, plain())
        file.flush()
        return np.load(file.name, mmap_mode="r")


def arrow(**columns: Any) -> Any:
    return importlib.import_module("pyarrow").table(columns)


def x(name: str, make: Any, outcome: Any = WORKS, **options: Any) -> Fit:
    """A case about X."""
    return Fit(name, make, two_groups, outcome, **options)


FEATURES = [
    *(x(f"of type {t}", lambda t=t: plain().astype(t)) for t in (
        "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
        "float16", "float32", "longdouble", "object", ">f8", ">i4",
    )),
    x("bool", lambda: plain() > 20, same=False),
    x("complex", lambda: plain().astype(complex),
      "Complex data not supported; pass real numbers, such as the real and imaginary parts as "
      "two columns."),
    x("complex with imaginary parts", lambda: plain() + 1j,
      "Complex data not supported; pass real numbers, such as the real and imaginary parts as "
      "two columns."),
    x("numbers as text", lambda: plain().astype(str)),
    x("numbers as objects of text", lambda: plain().astype(str).astype(object)),
    x("text", lambda: with_value("tall", object),
      "X contains text at row 4, column 1 ('tall'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'."),
    x("bytes", lambda: with_value(b"tall", object),
      "X contains text at row 4, column 1 (b'tall'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'."),
    x("None", lambda: with_value(None, object),
      "X contains NaN at row 4, column 1; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'."),
    x("a dict inside", lambda: with_value({}, object),
      "X contains a dict at row 4, column 1, but the argument must be a number or a string that "
      "reads as a number; convert that column or drop it."),
    x("a list inside", lambda: with_value([1], object),
      "X contains a list at row 4, column 1, but the argument must be a number or a string that "
      "reads as a number; convert that column or drop it."),
    x("Decimal", lambda: np.vectorize(decimal.Decimal, otypes=[object])(plain())),
    x("Fraction", lambda: np.vectorize(fractions.Fraction, otypes=[object])(plain())),
    x("a list of lists", lambda: plain().tolist()),
    x("a tuple of tuples", lambda: tuple(map(tuple, plain().tolist()))),
    x("ragged lists", lambda: [*plain().tolist()[:-1], [1.0]],
      "X has rows of different lengths; pass a rectangular table."),
    x("structured", lambda: np.zeros(N, dtype=[("a", float), ("b", float)]),
      "X must be a table with one row per sample and one column per feature, but it is "
      "1-dimensional; for a single feature use X.reshape(-1, 1)."),
    x("dates", lambda: plain().astype("datetime64[D]"),
      "X has dates or durations in column 0; turn them into numbers first, for example (dates - "
      "dates.min()) / numpy.timedelta64(1, 'D') for days."),
    x("durations", lambda: plain().astype("timedelta64[s]"),
      "X has dates or durations in column 0; turn them into numbers first, for example (dates - "
      "dates.min()) / numpy.timedelta64(1, 'D') for days."),
    x("np.matrix", lambda: np.matrix(plain())),
    x("masked, nothing hidden", lambda: np.ma.masked_array(plain(), np.zeros((N, 3), bool))),
    x("masked", lambda: np.ma.masked_equal(plain(), plain()[2, 1]),
      "X is a masked array with 6 masked value(s), the first at (2, 0); fill them with "
      "X.filled(...) or drop those rows."),
    x("memory-mapped, read-only", on_disk),
    x("Fortran order", lambda: np.asfortranarray(plain())),
    x("negative strides", lambda: np.ascontiguousarray(plain()[::-1])[::-1]),
    x("every other column", lambda: np.repeat(plain(), 2, axis=1)[:, ::2]),
    x("read-only", lambda: (X := plain(), X.setflags(write=False))[0]),
    x("not aligned", lambda: np.frombuffer(b"0" + plain().tobytes(), np.uint8)[1:].view(float)
      .reshape(N, 3)),
    x("a generator", lambda: iter(plain()),
      "X must be a table with one row per sample and one column per feature, but it is a single "
      "iterator; for a single feature use X.reshape(-1, 1)."),
    x("a dict of columns", lambda: dict(enumerate(plain().T)),
      "X must be a table with one row per sample and one column per feature, but it is a single "
      "dict; for a single feature use X.reshape(-1, 1)."),
    x("a text", lambda: "people.csv",
      "X must be a table with one row per sample and one column per feature, but it is a single "
      "str; for a single feature use X.reshape(-1, 1)."),
    x("None itself", lambda: None,
      "X must be a table with one row per sample and one column per feature, but it is a single "
      "NoneType; for a single feature use X.reshape(-1, 1)."),
    x("a number", lambda: 3.0,
      "X must be a table with one row per sample and one column per feature, but it is a single "
      "float; for a single feature use X.reshape(-1, 1)."),
    x("one dimension", lambda: plain()[:, 0],
      "X must be a table with one row per sample and one column per feature, but it is "
      "1-dimensional; for a single feature use X.reshape(-1, 1)."),
    x("three dimensions", lambda: plain()[:, :, None],
      "X must be a table with one row per sample and one column per feature, but it is "
      "3-dimensional; for a single feature use X.reshape(-1, 1)."),
    x("one column", lambda: plain()[:, :1], same=False),
    x("no column", lambda: plain()[:, :0],
      "X has 0 feature(s) (shape=(30, 0)) while a minimum of 1 is required; pass more columns."),
    x("no row", lambda: plain()[:0],
      "X has 0 sample(s) (shape=(0, 3)) while a minimum of 2 is required; pass more rows."),
    x("one row", lambda: plain()[:1],
      "X has 1 sample(s) (shape=(1, 3)) while a minimum of 2 is required; pass more rows."),
    x("more columns than rows", lambda: np.tile(plain(), (1, 20))),
    x("constant", lambda: np.ones((N, 3)), same=False),
    x("a constant column", lambda: np.column_stack([plain(), np.full(N, 7.0)]), same=False),
    x("duplicate rows", lambda: plain()[np.arange(N) // 4 * 4], same=False),
    x("NaN", lambda: with_value(np.nan),
      "X contains NaN at row 4, column 1; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'."),
    x("infinity", lambda: with_value(-np.inf),
      "X contains infinity at row 4, column 1; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting."),
    x("float16 infinity", lambda: with_value(1e6, np.float16),
      "X contains infinity at row 4, column 1; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting."),
    x("beyond float64", lambda: with_value(np.longdouble("1e4000"), np.longdouble),
      "X contains infinity at row 4, column 1; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting."),
    x("huge integers", lambda: with_value(10**400, object),
      "X contains a number at row 4, column 1 that is too large for floating point; divide that "
      "column by a large number or take logarithms."),
    x("scale 1e-300", lambda: plain() * 2.0**-1000),
    x("subnormal", lambda: plain() * 2.0**-1070),
    x("scale 1e300", lambda: plain() * 2.0**990),
    x("shift 1e9", lambda: plain() + 1e9),
    x("shift 2**40", lambda: plain() + 2.0**40),
    x("columns of very different scales", lambda: plain() * [1, 1e150, 1e-150], same=False),
    x("one value of 1e300", lambda: with_value(1e300), same=False),
    # sparse
    *(x(f"sparse {t}", lambda t=t: sp.csr_array(plain()).asformat(t))
      for t in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")),
    x("sparse matrix of the old kind", lambda: sp.csr_matrix(plain())),
    x("sparse with int64 indices", lambda: wide(sp.csr_array(plain()))),
    x("sparse int8", lambda: sp.csr_array(plain().astype(np.int8))),
    x("sparse bool", lambda: sp.csr_array(plain() > 20), same=False),
    x("sparse complex", lambda: sp.csr_array(plain().astype(complex)),
      "Complex data not supported; pass real numbers, such as the real and imaginary parts as "
      "two columns."),
    x("sparse with NaN", lambda: sp.csr_array(with_value(np.nan)),
      "X contains NaN at row 4, column 1; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting."),
    x("sparse with duplicates", lambda: twice(plain())),
    x("sparse with an index out of range", lambda: broken(sp.csr_array(plain())),
      "X is a broken CSR matrix: indices holds the index 1000000, outside 0 .. 2; build it anew, "
      "for example with scipy.sparse.coo_array((values, (rows, columns)), shape=...)."),
    x("sparse with pointers that fall", lambda: falling(sp.csr_array(plain())),
      "X is a broken CSR matrix: indptr does not rise from 0; build it anew, for example with "
      "scipy.sparse.coo_array((values, (rows, columns)), shape=...)."),
    # tables
    x("pandas", frame, needs="pandas"),
    x("pandas nullable", lambda: frame(a="Int64", b="Float32", c="UInt8"), needs="pandas"),
    x("pandas nullable with NA",
      lambda: frame(a="Int64").mask(lambda t: t.index.to_series() == 3),
      "X contains NaN at row 3, column 'a'; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'.",
      needs="pandas"),
    x("pandas bool", lambda: frame().gt(20), same=False, needs="pandas"),
    x("pandas category of numbers", lambda: frame(a="category"), needs="pandas"),
    x("pandas category of text", lambda: frame().assign(c=pandas().Categorical(["u"] * N)),
      "X contains text at row 0, column 'c' ('u'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'.",
      needs="pandas"),
    x("pandas text", lambda: frame().assign(c="u"),
      "X contains text at row 0, column 'c' ('u'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'.",
      needs="pandas"),
    x("pandas numbers as text", lambda: frame(a=str), needs="pandas"),
    x("pandas date", lambda: frame().assign(c=pandas().Timestamp("2020-01-01")),
      "X has dates or durations in column 'c'; turn them into numbers first, for example (dates "
      "- dates.min()) / numpy.timedelta64(1, 'D') for days.",
      needs="pandas"),
    x("pandas duration", lambda: frame().assign(c=pandas().Timedelta("1 day")),
      "X has dates or durations in column 'c'; turn them into numbers first, for example (dates "
      "- dates.min()) / numpy.timedelta64(1, 'D') for days.",
      needs="pandas"),
    x("pandas Python dates", lambda: frame().assign(c=datetime.date(2020, 1, 1)),
      "X contains a date at row 0, column 'c', but the argument must be a number or a string "
      "that reads as a number; convert that column or drop it.",
      needs="pandas"),
    x("pandas complex", lambda: frame(a=complex),
      "Complex data not supported; pass real numbers, such as the real and imaginary parts as "
      "two columns.", needs="pandas"),
    x("pandas duplicate names", lambda: frame().set_axis(["a", "a", "b"], axis=1),
      "X has 2 columns called 'a'; give every column a name of its own, or pass X.to_numpy().",
      needs="pandas"),
    x("pandas names of mixed types", lambda: frame().set_axis(["a", 1, "b"], axis=1),
      "X has column names of several types (int, str); make text of them with X.columns = "
      "X.columns.astype(str).",
      needs="pandas"),
    x("pandas empty name", lambda: frame().set_axis(["", " ", "b"], axis=1), needs="pandas"),
    x("pandas several levels of names",
      lambda: frame().set_axis(pandas().MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
                               axis=1), needs="pandas"),
    x("pandas NaN", lambda: frame().replace(plain()[4, 1], np.nan),
      "X contains NaN at row 0, column 'b'; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'.",
      needs="pandas"),
    x("pandas sparse", lambda: frame().astype(pandas().SparseDtype(float, 0)), needs="pandas"),
    x("pandas sparse without zeros", lambda: frame().astype("Sparse[float64]"),
      "X has a sparse column 'a' whose fill value is nan and not 0; pass X.sparse.to_dense().",
      needs="pandas"),
    x("pandas series", lambda: frame()["a"],
      "X must be a table with one row per sample and one column per feature, but it is "
      "1-dimensional; for a single feature use X.to_frame().", needs="pandas"),
    x("pandas pyarrow numbers", lambda: frame(a="int64[pyarrow]"), needs="pyarrow"),
    x("pandas pyarrow text", lambda: frame().assign(c="u").astype({"c": "string[pyarrow]"}),
      "X contains text at row 0, column 'c' ('u'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'.",
      needs="pyarrow"),
    x("pyarrow table", lambda: importlib.import_module("pyarrow").Table.from_pandas(frame()),
      needs="pyarrow"),
    x("pyarrow NaN", lambda: arrow(a=with_value(np.nan)[:, 1]),
      "X contains NaN at row 4, column 'a'; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'.",
      needs="pyarrow"),
    x("pyarrow text", lambda: arrow(a=list("xy") * 15),
      "X contains text at row 0, column 'a' ('x'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'.",
      needs="pyarrow"),
    x("pyarrow date", lambda: arrow(a=[datetime.date(2020, 1, 1)] * N),
      "X has dates or durations in column 'a'; turn them into numbers first, for example (dates "
      "- dates.min()) / numpy.timedelta64(1, 'D') for days.", needs="pyarrow"),
    x("pyarrow time", lambda: arrow(a=[datetime.datetime(2020, 1, 1)] * N),
      "X has dates or durations in column 'a'; turn them into numbers first, for example (dates "
      "- dates.min()) / numpy.timedelta64(1, 'D') for days.", needs="pyarrow"),
    x("polars", lambda: polars().DataFrame(plain()), needs="polars"),
    x("polars text", lambda: polars().DataFrame({"a": list("xy") * (N // 2)}),
      "X contains text at row 0, column 'a' ('x'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'.",
      needs="polars"),
    x("polars null", lambda: polars().DataFrame({"a": [None, *range(N - 1)]}),
      "X contains NaN at row 0, column 'a'; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'.",
      needs="polars"),
    x("polars date", lambda: polars().DataFrame({"a": [datetime.date(2020, 1, 1)] * N}),
      "X has dates or durations in column 'a'; turn them into numbers first, for example (dates "
      "- dates.min()) / numpy.timedelta64(1, 'D') for days.",
      needs="polars"),
]  # fmt: skip
