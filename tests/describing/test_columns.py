"""Columns of every kind of table are read as what they are."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fairspectral.describing.columns import read_columns


def read(X, names=None, wanted=None, sensitive=()):
    columns, notes = read_columns(X, names, wanted, set(sensitive))
    return {column.name: column for column in columns}, notes


def frame(n=12):
    return pd.DataFrame(
        {
            "age": np.arange(n) % 5 + 0.5,
            "city": np.array(["Rome", "Oslo", "Bonn"])[np.arange(n) % 3],
            "retired": np.arange(n) % 4 == 0,
        }
    )


def test_numbers_categories_and_booleans():
    found, notes = read(frame())
    assert notes == []
    assert found["age"].numbers.tolist() == (np.arange(12) % 5 + 0.5).tolist()
    assert found["city"].categories == ("Bonn", "Oslo", "Rome")
    assert found["retired"].yes_or_no
    assert found["retired"].spoken == 1


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_tables_are_read_as_those_of_pandas(kind):
    package = pytest.importorskip(kind, reason=f"{kind} is not installed: pip install {kind}")
    table = frame()
    table.loc[2, "age"] = np.nan
    table["city"] = table["city"].where(table.index != 3, None)
    columns = {name: [None if pd.isna(v) else v for v in table[name]] for name in table}
    other = package.DataFrame(columns) if kind == "polars" else package.table(columns)
    expected, actual = read(table)[0], read(other)[0]
    for name, column in expected.items():
        assert actual[name].missing.tolist() == column.missing.tolist()
        assert actual[name].categories == column.categories
        for one, two in (
            (column.numbers, actual[name].numbers),
            (column.codes, actual[name].codes),
        ):
            assert (one is None) == (two is None)
            if one is not None:
                np.testing.assert_array_equal(one, two)


def test_objects_are_numbers_or_dates_if_all_of_them_are():
    X = pd.DataFrame(
        {
            "nullable": pd.array([1, None, 3, 4], dtype="Int64"),
            "exact": [Decimal("1.5"), Decimal("2"), None, Decimal("3")],
            "day": [datetime.date(2020, 1, d) for d in (1, 2, 4)] + [None],
            "mixed": ["a", 1, "a", 1],
        }
    )
    found, _ = read(X)
    assert found["nullable"].numbers[[0, 2]].tolist() == [1, 3]
    assert found["nullable"].missing.tolist() == [False, True, False, False]
    assert found["exact"].numbers[[0, 1, 3]].tolist() == [1.5, 2, 3]
    assert found["day"].date_unit == "M8[s]"
    assert found["mixed"].categories == ("1", "a")


def test_codes_of_categories_are_not_numbers():
    X = pd.DataFrame({"region": pd.Categorical([10, 20, 30] * 4)})
    assert read(X)[0]["region"].categories == ("10", "20", "30")


def test_two_numbers_are_told_by_their_shares():
    found, _ = read(np.array([[0, 7.5], [1, 2], [0, 2], [1, 7.5]]))
    assert found["column 0"].spoken == 1
    assert found["column 1"].categories == ("2", "7.5")
    assert found["column 1"].spoken is None


def test_sparse_features_are_those_of_the_dense_ones(rng):
    X = np.round(rng.random((20, 3)) * (rng.random((20, 3)) < 0.5), 2)
    for name, column in read(sp.csr_array(X))[0].items():
        np.testing.assert_array_equal(column.numbers, X[:, int(name[-1])])


def test_columns_that_say_nothing_are_left_out_with_a_note():
    n = 9
    X = pd.DataFrame(
        {
            "id": np.arange(n) + 5,
            "name": [f"person {i}" for i in range(n)],
            "planet": "Earth",
            "empty": np.nan,
            "age": np.arange(n) ** 2,
        }
    )
    found, notes = read(X)
    assert list(found) == ["age"]
    assert notes == [
        "Left out 'id': it has the numbers of the rows.",
        "Left out 'name': it has mostly different texts, such as names or dates.",
        "Left out 'planet': it has the same value in every row.",
        "Left out 'empty': it has no value at all.",
    ]
    assert list(read(X, wanted=["name", "id"])[0]) == ["id", "name"]
    assert list(read(X, wanted=["planet"])[0]) == []


def test_sensitive_columns_are_left_out_and_long_texts_shortened():
    X = frame()
    X["essay"] = np.array(["one " * 30, "one " * 29 + "two", "none\nat all"])[np.arange(12) % 3]
    found, _ = read(X, sensitive={"city"})
    assert "city" not in found
    assert len(found["essay"].categories) == 3
    assert max(map(len, found["essay"].categories)) == 40
    assert "none at all" in found["essay"].categories


def test_names_of_an_array():
    found, _ = read([[1, "a"], [2, "b"], [4, "a"]], names=["size", "kind"])
    assert found["size"].numbers.tolist() == [1, 2, 4]
    assert found["kind"].categories == ("a", "b")


@pytest.mark.parametrize(
    ("X", "options", "said"),
    [
        (np.ones(3), {}, "X must be a table"),
        (np.ones((3, 2)), {"names": ["a"]}, r"feature_names has 1 different name\(s\) but X has 2"),
        (np.ones((3, 2)), {"names": ["a", "a"]}, "feature_names has 1 different"),
        (frame(), {"wanted": ["aeg"]}, "X has no column 'aeg'.*age"),
        (np.array([[1], [np.inf]]), {}, "infinity at row 1, column 'column 0'; correct it"),
        (np.array([[1j], [2]]), {}, "complex numbers in column 'column 0'; pass their real"),
        (np.ma.masked_less([[1.0], [2.0]], 2), {}, "masked array"),
    ],
)
def test_what_cannot_be_read_is_refused(X, options, said):
    with pytest.raises(ValueError, match=said):
        read(X, **options)
