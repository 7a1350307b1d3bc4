from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairspectral.cli.tables import MISSING_GROUP, read_labels, sensitive_columns

PATH = Path("people.csv")


def test_sensitive_values():
    frame = pd.DataFrame({"sex": [" f", "m"], "age": [1, 2]})
    groups = sensitive_columns(frame, ["sex", "age"], PATH)
    assert groups["sex"].tolist() == ["f", "m"]
    assert groups["age"].tolist() == [1, 2]


def test_missing_sensitive_values_are_refused_or_made_a_group():
    frame = pd.DataFrame({"sex": ["f", "", "m"], "age": [1.0, 2.0, np.nan]})
    with pytest.raises(ValueError, match=r"1 missing value.*data row 2.*--missing-sensitive categ"):
        sensitive_columns(frame, ["sex"], PATH)
    groups = sensitive_columns(frame, ["sex", "age"], PATH, missing="category")
    assert groups["sex"].tolist() == ["f", MISSING_GROUP, "m"]
    assert groups["age"].tolist() == ["1", "2", MISSING_GROUP]
    with pytest.raises(ValueError, match="did you mean 'category'"):
        sensitive_columns(frame, ["sex"], PATH, missing="categor")


TWO_NAMES = [("01", "1"), ("1e2", "100"), ("9007199254740992", "9007199254740993"), ("1", "1.0"),
             ("-", "None"), ("inf", "-inf"), ("TRUE", "True"), ("+5", "5")]  # fmt: skip


@pytest.mark.parametrize("pair", TWO_NAMES)
def test_text_that_is_the_same_number_is_two_names(pair):
    column = pd.Series([*pair, *pair], name="cluster")
    codes, clusters = read_labels(column, PATH)
    assert sorted(map(str, clusters)) == sorted(pair)
    assert len(set(codes[:2])) == 2
    assert codes[:2].tolist() == codes[2:].tolist()
    groups = sensitive_columns(pd.DataFrame({"g": column}), ["g"], PATH)
    assert groups["g"].tolist() == [*pair, *pair]


def test_whole_numbers_are_in_their_order():
    assert read_labels(pd.Series(["10", "9", "-1"]), PATH)[1] == (-1, 9, 10)
    assert read_labels(pd.Series(["10", "9", "x"]), PATH)[1] == ("10", "9", "x")


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64"])
def test_integers_are_exact(dtype):
    column = pd.Series([2**53, 2**53 + 1] * 2, dtype=dtype)
    assert read_labels(column, PATH)[1] == (2**53, 2**53 + 1)
    assert sensitive_columns(pd.DataFrame({"g": column}), ["g"], PATH)["g"].nunique() == 2


def test_other_types_as_labels():
    assert read_labels(pd.Series([1.0, 2.5, 1.0]), PATH)[1] == (1, 2.5)
    assert read_labels(pd.Series([True, False]), PATH)[1] == (False, True)
    days = pd.Series(pd.to_datetime(["2020-01-02", "2020-01-01"]))
    assert read_labels(days, PATH)[1] == ("2020-01-01", "2020-01-02")


@pytest.mark.parametrize(("dtype", "large"), [("float64", 2.0**53), ("float32", 2.0**24)])
def test_floats_too_large_to_be_exact_are_refused(dtype, large):
    column = pd.Series([1, large], dtype=dtype, name="id")
    with pytest.raises(ValueError, match=f"in column 'id', which is so large that a {dtype}"):
        read_labels(column, PATH)
    with pytest.raises(ValueError, match="save names as text or integers"):
        sensitive_columns(pd.DataFrame({"id": column}), ["id"], PATH)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["a", "NA"], r"without a label in column 'c', the first in data row 2 \(NA\)"),
        (["a", " "], r"in data row 2 \(nothing\)"),
        (["a", "a "], "the labels 'a' and 'a ' in column 'c', which differ in blanks only"),
        ([1j, 2j], "complex numbers in column 'c'"),
        ([[1, 2], [1, 3]], "has a list in data row 1 of column 'c'"),
    ],
)
def test_labels_that_are_refused(values, words):
    with pytest.raises(ValueError, match=words):
        read_labels(pd.Series(values, name="c"), PATH)


def test_numbers_as_groups():
    frame = pd.DataFrame({"age": ["18", "25", "40", "70"], "sex": ["f", "m", "f", "m"]})
    groups = sensitive_columns(frame, ["age", "sex"], PATH, bins={"age": 2})
    assert groups["age"].tolist() == ["18 to 25", "18 to 25", "40 to 70", "40 to 70"]
    assert groups["sex"].tolist() == ["f", "m", "f", "m"]
    gaps = pd.DataFrame({"age": ["1", "?", "3"]})
    with pytest.raises(ValueError, match=r"1 missing value.*data row 2"):
        sensitive_columns(gaps, ["age"], PATH, bins={"age": 2})
    groups = sensitive_columns(gaps, ["age"], PATH, bins={"age": 2}, missing="category")
    assert groups["age"].tolist() == ["1", MISSING_GROUP, "3"]
    with pytest.raises(ValueError, match="has '3O' in data row 2 of column 'age', which is not"):
        sensitive_columns(pd.DataFrame({"age": ["1", "3O"]}), ["age"], PATH, bins={"age": 2})
    with pytest.raises(ValueError, match="no number in column 'age'"):
        sensitive_columns(
            pd.DataFrame({"age": ["", "?"]}), ["age"], PATH, bins={"age": 2}, missing="category"
        )
    with pytest.raises(ValueError, match="dates in column 'd', which are not binned"):
        sensitive_columns(
            pd.DataFrame({"d": pd.to_datetime(["2020-01-01"])}), ["d"], PATH, bins={"d": 2}
        )


def test_a_group_called_like_the_missing_ones_is_not_mixed_with_them():
    frame = pd.DataFrame({"g": [MISSING_GROUP, "", "a"]})
    with pytest.raises(ValueError, match="give that group another name"):
        sensitive_columns(frame, ["g"], PATH, missing="category")
