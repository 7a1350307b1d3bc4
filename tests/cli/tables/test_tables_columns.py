from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairspectral.cli.tables import check_columns
from fairspectral.cli.tables.columns import missing_values, numbers

PATH = Path("people.csv")


def test_columns_are_found_once():
    frame = pd.DataFrame({"sex": ["f"], "age": ["1"]})
    assert check_columns(frame, ["age", "sex", "age"], PATH, "--drop") == ["age", "sex"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("Sex", "did you mean 'sex'?"),
        ("martial-status", "did you mean 'marital-status'?"),
        ("zzz", "its columns are 'sex', 'marital-status'."),
    ],
)
def test_a_wrong_column_suggests_the_nearest(wrong, words):
    frame = pd.DataFrame({"sex": ["f"], "marital-status": ["single"]})
    with pytest.raises(ValueError) as refused:
        check_columns(frame, [wrong], PATH, "--sensitive")
    assert str(refused.value) == (
        f"people.csv has no column {wrong!r} (asked for by --sensitive); {words}"
    )


def test_many_columns_are_not_all_listed():
    frame = pd.DataFrame({f"c{j}": ["x"] for j in range(20)})
    with pytest.raises(ValueError, match=r"'c7' and 12 more\."):
        check_columns(frame, ["quite other"], PATH, "--drop")


def test_numbers_from_text():
    assert numbers(pd.Series([" 1", "2.5", "1e3"])).tolist() == [1, 2.5, 1000]
    np.testing.assert_array_equal(
        numbers(pd.Series(["1", "?", "NA", "None"])), [1, np.nan, np.nan, np.nan]
    )
    assert numbers(pd.Series(["1", "x"])) is None
    assert numbers(pd.Series(["1", "inf"])) is None
    assert numbers(pd.Series(["1,5", "2"])) is None
    assert numbers(pd.Series(["1,5", "2"]), decimal=",").tolist() == [1.5, 2]


def test_numbers_from_types():
    assert numbers(pd.Series([True, False])).tolist() == [1, 0]
    nullable = numbers(pd.Series([1, None], dtype="Int64"))
    np.testing.assert_array_equal(nullable, [1, np.nan])
    dates = numbers(pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03"])))
    assert dates.tolist() == [0, 2]
    durations = numbers(pd.Series(pd.to_timedelta([36, None], unit="h")))
    np.testing.assert_array_equal(durations, [1.5, np.nan])
    assert numbers(pd.Series(["a", "b"], dtype="category")) is None
    with pytest.raises(ValueError, match="column 'age' has an infinite value in data row 2;"):
        numbers(pd.Series([1.0, -np.inf], name="age"))


def test_missing_values():
    text = pd.Series(["", " NA ", "None", "x", None], dtype=object)
    assert missing_values(text).tolist() == [True, True, False, False, True]
    assert missing_values(pd.Series([1.0, np.nan])).tolist() == [False, True]
