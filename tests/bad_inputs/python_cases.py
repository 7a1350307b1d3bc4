"""Data in Python: what X, affinities and sensitive features may be, and what is said if not."""

from __future__ import annotations

import datetime
import decimal
import fractions
import importlib
import tempfile
from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_input_case import WORKS, N, Fit, graph, kernel, plain, two_groups


def pandas() -> Any:
    return importlib.import_module("pandas")


def polars() -> Any:
    return importlib.import_module("polars")


def with_value(value: Any, dtype: Any = np.float64, at: tuple[int, int] = (4, 1)) -> np.ndarray:
    """The plain data with one other value."""
    X = plain().astype(dtype)
    X[at] = value
    return X


def on_disk() -> np.ndarray:
    """The plain data, mapped from a file that nobody may write to."""
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, plain())
        file.flush()
        return np.load(file.name, mmap_mode="r")


def frame(**kinds: Any) -> Any:
    return pandas().DataFrame(plain(), columns=["a", "b", "c"]).astype(kinds or float)


def x(name: str, make: Any, outcome: Any = WORKS, **options: Any) -> Fit:
    """A case about X."""
    return Fit(name, make, two_groups, outcome, **options)


def w(name: str, make: Any, outcome: Any = WORKS, **options: Any) -> Fit:
    """A case about affinities."""
    params = {"affinity": "precomputed", **options.pop("params", {})}
    return Fit(name, make, two_groups, outcome, params=params, **options)


def s(name: str, make: Any, outcome: Any = WORKS, **options: Any) -> Fit:
    """A case about sensitive features."""
    return Fit(name, plain, make, outcome, **options)


# --- X ----------------------------------------------------------------------------------------

FEATURES = [
    *(x(f"of type {t}", lambda t=t: plain().astype(t)) for t in (
        "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
        "float16", "float32", "longdouble", "object", ">f8", ">i4",
    )),
    x("bool", lambda: plain() > 20, same=False),
    x("complex", lambda: plain().astype(complex), "?"),
    x("complex with imaginary parts", lambda: plain() + 1j, "?"),
    x("numbers as text", lambda: plain().astype(str)),
    x("numbers as objects of text", lambda: plain().astype(str).astype(object)),
    x("text", lambda: with_value("tall", object), "?"),
    x("bytes", lambda: with_value(b"tall", object), "?"),
    x("None", lambda: with_value(None, object), "?"),
    x("a dict inside", lambda: with_value({}, object), "?"),
    x("a list inside", lambda: with_value([1], object), "?"),
    x("Decimal", lambda: np.vectorize(decimal.Decimal, otypes=[object])(plain())),
    x("Fraction", lambda: np.vectorize(fractions.Fraction, otypes=[object])(plain())),
    x("a list of lists", lambda: plain().tolist()),
    x("a tuple of tuples", lambda: tuple(map(tuple, plain().tolist()))),
    x("ragged lists", lambda: [*plain().tolist()[:-1], [1.0]], "?"),
    x("structured", lambda: np.zeros(N, dtype=[("a", float), ("b", float)]), "?"),
    x("dates", lambda: plain().astype("datetime64[D]"), "?"),
    x("durations", lambda: plain().astype("timedelta64[s]"), "?"),
    x("np.matrix", lambda: np.matrix(plain())),
    x("masked, nothing hidden", lambda: np.ma.masked_array(plain(), np.zeros((N, 3), bool))),
    x("masked", lambda: np.ma.masked_equal(plain(), plain()[2, 1]), "?"),
    x("memory-mapped, read-only", on_disk),
    x("Fortran order", lambda: np.asfortranarray(plain())),
    x("negative strides", lambda: np.ascontiguousarray(plain()[::-1])[::-1]),
    x("every other column", lambda: np.repeat(plain(), 2, axis=1)[:, ::2]),
    x("read-only", lambda: (X := plain(), X.setflags(write=False))[0]),
    x("not aligned", lambda: np.frombuffer(b"0" + plain().tobytes(), np.uint8)[1:].view(float)
      .reshape(N, 3)),
    x("a generator", lambda: iter(plain()), "?"),
    x("a dict of columns", lambda: dict(enumerate(plain().T)), "?"),
    x("a text", lambda: "people.csv", "?"),
    x("None itself", lambda: None, "?"),
    x("a number", lambda: 3.0, "?"),
    x("one dimension", lambda: plain()[:, 0], "?"),
    x("three dimensions", lambda: plain()[:, :, None], "?"),
    x("one column", lambda: plain()[:, :1], same=False),
    x("no column", lambda: plain()[:, :0], "?"),
    x("no row", lambda: plain()[:0], "?"),
    x("one row", lambda: plain()[:1], "?"),
    x("more columns than rows", lambda: np.tile(plain(), (1, 20))),
    x("constant", lambda: np.ones((N, 3)), same=False),
    x("a constant column", lambda: np.column_stack([plain(), np.full(N, 7.0)]), same=False),
    x("duplicate rows", lambda: plain()[np.arange(N) // 4 * 4], same=False),
    x("NaN", lambda: with_value(np.nan), "?"),
    x("infinity", lambda: with_value(-np.inf), "?"),
    x("float16 infinity", lambda: with_value(1e6, np.float16), "?"),
    x("beyond float64", lambda: with_value(np.longdouble("1e4000"), np.longdouble), "?"),
    x("huge integers", lambda: with_value(10**400, object), "?"),
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
    x("sparse complex", lambda: sp.csr_array(plain().astype(complex)), "?"),
    x("sparse with NaN", lambda: sp.csr_array(with_value(np.nan)), "?"),
    x("sparse with duplicates", lambda: twice(plain())),
    x("sparse with an index out of range", lambda: broken(sp.csr_array(plain())), "?"),
    x("sparse with pointers that fall", lambda: falling(sp.csr_array(plain())), "?"),
    # tables
    x("pandas", frame, needs="pandas"),
    x("pandas nullable", lambda: frame(a="Int64", b="Float32", c="UInt8"), needs="pandas"),
    x("pandas nullable with NA",
      lambda: frame(a="Int64").mask(lambda t: t.index.to_series() == 3), "?", needs="pandas"),
    x("pandas bool", lambda: frame().gt(20), same=False, needs="pandas"),
    x("pandas category of numbers", lambda: frame(a="category"), needs="pandas"),
    x("pandas category of text", lambda: frame().assign(c=pandas().Categorical(["u"] * N)), "?",
      needs="pandas"),
    x("pandas text", lambda: frame().assign(c="u"), "?", needs="pandas"),
    x("pandas numbers as text", lambda: frame(a=str), needs="pandas"),
    x("pandas date", lambda: frame().assign(c=pandas().Timestamp("2020-01-01")), "?",
      needs="pandas"),
    x("pandas duration", lambda: frame().assign(c=pandas().Timedelta("1 day")), "?",
      needs="pandas"),
    x("pandas Python dates", lambda: frame().assign(c=datetime.date(2020, 1, 1)), "?",
      needs="pandas"),
    x("pandas complex", lambda: frame(a=complex), "?", needs="pandas"),
    x("pandas duplicate names", lambda: frame().set_axis(["a", "a", "b"], axis=1), "?", needs="pandas"),
    x("pandas names of mixed types", lambda: frame().set_axis(["a", 1, "b"], axis=1), "?",
      needs="pandas"),
    x("pandas empty name", lambda: frame().set_axis(["", " ", "b"], axis=1), needs="pandas"),
    x("pandas several levels of names",
      lambda: frame().set_axis(pandas().MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
                               axis=1), needs="pandas"),
    x("pandas NaN", lambda: frame().replace(plain()[4, 1], np.nan), "?", needs="pandas"),
    x("pandas sparse", lambda: frame().astype(pandas().SparseDtype(float, 0)), needs="pandas"),
    x("pandas sparse without zeros", lambda: frame().astype("Sparse[float64]"), "?",
      needs="pandas"),
    x("pandas series", lambda: frame()["a"], "?", needs="pandas"),
    x("pandas pyarrow numbers", lambda: frame(a="int64[pyarrow]"), needs="pyarrow"),
    x("pandas pyarrow text", lambda: frame().assign(c="u").astype({"c": "string[pyarrow]"}), "?",
      needs="pyarrow"),
    x("pyarrow table", lambda: importlib.import_module("pyarrow").Table.from_pandas(frame()),
      needs="pyarrow"),
    x("polars", lambda: polars().DataFrame(plain()), needs="polars"),
    x("polars text", lambda: polars().DataFrame({"a": list("xy") * (N // 2)}), "?", needs="polars"),
    x("polars null", lambda: polars().DataFrame({"a": [None, *range(N - 1)]}), "?",
      needs="polars"),
    x("polars date", lambda: polars().DataFrame({"a": [datetime.date(2020, 1, 1)] * N}), "?",
      needs="polars"),
]  # fmt: skip


def wide(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def twice(X: np.ndarray) -> Any:
    """Each value as two halves that add up."""
    rows, columns = np.indices(X.shape).reshape(2, -1)
    half = X.reshape(-1) / 2
    at = (np.r_[rows, rows], np.r_[columns, columns])
    return sp.coo_array((np.r_[half, half], at), shape=X.shape)


def broken(matrix: Any) -> Any:
    matrix.indices[5] = 10**6
    return matrix


def falling(matrix: Any) -> Any:
    matrix.indptr[3] = matrix.indptr[5]
    matrix.indptr[4] = 0
    return matrix


# --- affinities -------------------------------------------------------------------------------


def changed(value: float, *at: tuple[int, int]) -> np.ndarray:
    W = kernel()
    for place in at:
        W[place] = value
    return W


class Operator:
    """M = D^-1/2 W D^-1/2 of the kernel, or something else."""

    dtype = np.dtype(np.float64)
    shape = (N, N)

    def __init__(self, spoil: Any = None, degrees: Any = None) -> None:
        W = kernel()
        self.degrees = W.sum(axis=1) if degrees is None else degrees
        root = np.sqrt(W.sum(axis=1))
        self.M, self.spoil = W / np.outer(root, root), spoil

    def matmat(self, block: np.ndarray) -> Any:
        image = self.M @ block
        return image if self.spoil is None else self.spoil(image)


AFFINITIES = [
    w("dense", kernel),
    *(w(f"dense {t}", lambda t=t: kernel().astype(t)) for t in ("float32", "longdouble", "object")),
    w("dense float16", lambda: kernel().astype(np.float16), same=False),
    *(w(f"graph {t}", lambda t=t: graph().astype(t), same=False) for t in (
        "bool", "int8", "uint64", "int64", "float16")),
    w("complex", lambda: kernel().astype(complex), "?"),
    w("a list of lists", lambda: kernel().tolist()),
    w("Fortran order", lambda: np.asfortranarray(kernel())),
    w("negative strides", lambda: np.ascontiguousarray(kernel()[::-1, ::-1])[::-1, ::-1]),
    w("numbers as text", lambda: kernel().astype(object).astype(str)),
    w("text", lambda: np.full((N, N), "near"), "?"),
    w("not square", lambda: kernel()[:, :-1], "?"),
    w("features", plain, "?"),
    w("not symmetric", lambda: changed(0.5, (2, 5)), "?"),
    w("negative", lambda: changed(-0.5, (2, 5), (5, 2)), "?"),
    w("NaN", lambda: changed(np.nan, (2, 5), (5, 2)), "?"),
    w("infinity", lambda: changed(np.inf, (2, 5), (5, 2)), "?"),
    w("masked", lambda: np.ma.masked_less(kernel(), 0.1), "?"),
    w("identity", lambda: np.eye(N), "?"),
    w("nearly the identity", lambda: np.eye(N) + 1e-18, "?"),
    w("zeros", lambda: np.zeros((N, N)), "?"),
    w("ones", lambda: np.ones((N, N)), same=False),
    w("one isolated node", lambda: changed(0.0, *((3, j) for j in range(N)),
                                           *((j, 3) for j in range(N))), "?"),
    w("one edge of 1e18", lambda: changed(1e18, (2, 5), (5, 2)), "?"),
    w("scale 1e-200", lambda: kernel() * 1e-200, "?"),
    w("scale 1e200", lambda: kernel() * 1e200, "?"),
    w("scale 1e100", lambda: kernel() * 1e100),
    w("two components", lambda: np.kron(np.eye(2), np.ones((N // 2, N // 2))), same=False,
      warns="2 connected components"),
    *(w(f"sparse {t}", lambda t=t: sp.csr_array(kernel()).asformat(t))
      for t in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")),
    w("sparse with int64 indices", lambda: wide(sp.csr_array(kernel()))),
    w("sparse with duplicates", lambda: twice(kernel())),
    w("sparse with stored zeros", lambda: stored_zeros(), same=False,
      warns="2 connected components"),
    w("sparse bool", lambda: sp.csr_array(graph() > 0), same=False),
    w("sparse complex", lambda: sp.csr_array(kernel().astype(complex)), "?"),
    w("sparse with a negative", lambda: sp.csr_array(changed(-0.5, (2, 5), (5, 2))), "?"),
    w("sparse with NaN", lambda: sp.csr_array(changed(np.nan, (2, 5), (5, 2))), "?"),
    w("sparse not symmetric", lambda: sp.csr_array(changed(0.5, (2, 5))), "?"),
    w("sparse with an index out of range", lambda: broken(sp.csr_array(kernel())), "?"),
    w("sparse with a negative index", lambda: negative(sp.csr_array(kernel())), "?"),
    w("sparse coo out of range", lambda: outside(sp.coo_array(kernel())), "?"),
    w("sparse pointers that fall", lambda: falling(sp.csr_array(kernel())), "?"),
    w("sparse without an edge", lambda: sp.csr_array((N, N)), "?"),
    w("pandas", lambda: pandas().DataFrame(kernel()), needs="pandas"),
    w("pandas with columns in another order",
      lambda: pandas().DataFrame(kernel())[[*range(1, N), 0]], "?", needs="pandas"),
    w("polars", lambda: polars().DataFrame(kernel()), needs="polars"),
    w("operator", Operator),
    w("operator that returns NaN", lambda: Operator(lambda image: image * np.nan), "?"),
    w("operator that returns another shape", lambda: Operator(lambda image: image[:-1]), "?"),
    w("operator that returns text", lambda: Operator(lambda image: image.astype(str)), "?"),
    w("operator that returns None", lambda: Operator(lambda image: None), "?"),
    w("operator that applies W", lambda: Operator(lambda image: 3 * image), "?"),
    w("operator with a degree too few", lambda: Operator(degrees=np.ones(N - 1)), "?"),
    w("operator with negative degrees", lambda: Operator(degrees=-np.ones(N)), "?"),
    w("operator with degrees of text", lambda: Operator(degrees=["one"] * N), "?"),
]  # fmt: skip


def negative(matrix: Any) -> Any:
    matrix.indices[5] = -1
    return matrix


def outside(matrix: Any) -> Any:
    matrix.coords[0][7] = N
    return matrix


def stored_zeros() -> Any:
    W = sp.csr_array(kernel())
    W.data[W.data < 0.1] = 0.0
    return W


# --- sensitive features -----------------------------------------------------------------------


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
    s("blanks and letters of other cases", lambda: [("m", "M", " m", "m ")[i % 4] for i in range(N)],
      same=False),
    s("formulas", lambda: [("=1+1", "@SUM(A1)")[i % 2] for i in range(N)]),
    s("escape codes", lambda: [("\x1b[31mred", "blue\n")[i % 2] for i in range(N)]),
    s("text of other scripts", lambda: [("женщина", "👩🏽‍🚀")[i % 2] for i in range(N)]),
    s("lone surrogates", lambda: [("\ud800", "m")[i % 2] for i in range(N)]),
    s("an empty text", lambda: [("", "m")[i % 2] for i in range(N)]),
    s("one column", lambda: two_groups()[:, None]),
    s("None inside", lambda: mixed(None), "?"),
    s("NaN inside", lambda: mixed(float("nan")), "?"),
    s("NaN among floats", lambda: np.where(np.arange(N) == 3, np.nan, np.arange(N) % 2), "?"),
    s("NaN made text by numpy", lambda: np.array(mixed(np.nan), dtype=str), "?"),
    s("NaT inside", lambda: np.array(["NaT", *["2020-01-01"] * (N - 1)], "datetime64[D]"), "?"),
    s("masked", lambda: np.ma.masked_equal(np.arange(N) % 3, 2), "?"),
    s("masked, nothing hidden", lambda: np.ma.masked_array(np.arange(N) % 2, np.zeros(N, bool))),
    s("mixed types", lambda: mixed(3), "?"),
    s("sets inside", lambda: [{i % 2} for i in range(N)], "?"),
    s("ragged", lambda: [[1], *[[1, 2]] * (N - 1)], "?"),
    s("lists inside", lambda: [[i % 2] for i in range(N)]),
    s("dicts inside", lambda: [{"a": 1}] * N, "?"),
    s("one group", lambda: ["f"] * N, "?"),
    s("every value another", lambda: [f"p{i}" for i in range(N)], "?"),
    s("every number another", lambda: np.arange(N), "?"),
    s("many numbers", lambda: np.arange(N) // 1.3, "?"),
    s("a group of one", lambda: ["x"] + ["y"] * (N - 1), same=False,
      warns="has 1 person(s) for 2 clusters"),
    s("too few", lambda: two_groups()[:-1], "?"),
    s("too many", lambda: [*two_groups(), "f"], "?"),
    s("empty", lambda: [], "?"),
    s("a name", lambda: "sex", "?"),
    s("a number", lambda: 3, "?"),
    s("three dimensions", lambda: two_groups()[:, None, None], "?"),
    s("no columns", lambda: np.empty((N, 0)), "?"),
    s("transposed", lambda: np.vstack([two_groups()] * 3), "?"),
    s("a generator", lambda: iter(two_groups()), "?"),
    s("a set", lambda: {"f", "m"}, "?"),
    s("a dict", lambda: {"sex": two_groups()}),
    s("a dict without columns", dict, "?"),
    s("a dict with a column too short", lambda: {"sex": two_groups()[:-1]}, "?"),
    s("sparse", lambda: sp.csr_array((np.arange(N) % 2)[:, None]), "?"),
    s("structured", lambda: np.zeros(N, dtype=[("a", int), ("b", int)]), "?"),
    s("two attributes", lambda: np.column_stack([two_groups(), np.arange(N) // 15]), same=False),
    s("Series", lambda: series(two_groups(), name="sex"), needs="pandas"),
    s("Series of category with unused levels",
      lambda: series(two_groups()).astype("category").cat.add_categories(["x", "y"]),
      needs="pandas"),
    s("Categorical with unused levels",
      lambda: pandas().Categorical(two_groups(), categories=["f", "m", "x"]), needs="pandas"),
    s("Categorical with a code of -1",
      lambda: pandas().Categorical.from_codes([-1, *[0, 1] * 14, 1], ["f", "m"]), "?", needs="pandas"),
    s("nullable integers", lambda: series(np.arange(N) % 2, dtype="Int8"), needs="pandas"),
    s("nullable booleans", lambda: series(np.arange(N) % 2 == 0, dtype="boolean"), needs="pandas"),
    s("nullable with NA", lambda: series([None, *[0, 1] * 14, 1], dtype="Int64"), "?",
      needs="pandas"),
    s("pyarrow strings", lambda: series(two_groups(), dtype="string[pyarrow]"), needs="pyarrow"),
    s("pyarrow strings with null", lambda: series(mixed(None), dtype="string[pyarrow]"), "?",
      needs="pyarrow"),
    s("pyarrow array", lambda: importlib.import_module("pyarrow").array(two_groups().tolist()),
      needs="pyarrow"),
    s("polars Series", lambda: polars().Series(two_groups().tolist()), needs="polars"),
    s("polars Categorical",
      lambda: polars().Series(two_groups().tolist(), dtype=polars().Categorical), needs="polars"),
    s("polars null", lambda: polars().Series(mixed(None)), "?", needs="polars"),
    s("polars DataFrame", lambda: polars().DataFrame({"sex": two_groups().tolist()}),
      needs="polars"),
    s("Series of strings with None", lambda: series(mixed(None)), "?", needs="pandas"),
    s("DataFrame", lambda: pandas().DataFrame({"sex": two_groups()}), needs="pandas"),
    s("DataFrame without columns", lambda: pandas().DataFrame(index=range(N)), "?",
      needs="pandas"),
    s("DataFrame with duplicate names",
      lambda: pandas().DataFrame(np.column_stack([two_groups()] * 2), columns=["a", "a"]), "?",
      needs="pandas"),
    s("Interval of pandas.cut", lambda: pandas().cut(series(np.arange(N) % 2), 2),
      needs="pandas"),
    Fit("Series in the order of X", frame, lambda: series(two_groups()), needs="pandas"),
    Fit("Series in another order", frame, lambda: series(two_groups())[::-1], "?",
        needs="pandas"),
    Fit("Series with other row labels", frame,
        lambda: series(two_groups(), index=range(1, N + 1)), "?", needs="pandas"),
    Fit("Series with duplicate row labels", frame, lambda: series(two_groups(), index=[0] * N),
        "?", needs="pandas"),
    Fit("dict of Series in another order", frame,
        lambda: {"sex": series(two_groups())[::-1]}, "?", needs="pandas"),
]  # fmt: skip

DATA = [*FEATURES, *AFFINITIES, *SENSITIVE]
