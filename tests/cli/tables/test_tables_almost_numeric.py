from pathlib import Path

import pandas as pd
import pytest

from fairspectral.cli.tables import Table, encode_features
from fairspectral.cli.tables.almost_numeric import check_almost_numeric, unread_number

PATH = Path("people.csv")


def column(*values):
    return pd.Series(values, name="x")


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([*map(str, range(30)), "3O"], "'3O' in data row 31"),
        (["7", "l0", "12", "5"], "'l0' in data row 2"),
        (["$3.50", "$4", "$5.25"], "'$3.50' in data row 1"),
        (["1,234", "17", "2,500"], "'1,234' in data row 1"),
        (["10%", "20 %", ""], "'10%' in data row 1"),
        (["5", "(3)", "-2", "€7"], "'(3)' in data row 2"),
    ],
)
def test_a_few_cells_that_are_not_numbers_are_refused(values, found):
    with pytest.raises(ValueError) as refused:
        check_almost_numeric(column(*values), PATH)
    said = str(refused.value)
    assert said.startswith(f"people.csv has {found} of column 'x'")
    assert "--categorical x" in said
    assert "--drop x" in said


def test_the_number_of_others_is_reported():
    with pytest.raises(ValueError, match=r"\(and 2 more like it\)"):
        check_almost_numeric(column("$1", "$2", "3", "$4"), PATH)


def test_many_cells_that_are_not_numbers_give_a_note():
    note = check_almost_numeric(column(*["0", "1", "2", "3+"] * 5), PATH)
    assert "categories although 15 of its 20 values look like numbers" in note
    assert "'3+' in data row 4" in note


@pytest.mark.parametrize("values", [["a", "b", "1"], ["Rome", "Oslo"], ["1", "x"]])
def test_names_are_left_alone(values):
    assert check_almost_numeric(column(*values), PATH) is None


@pytest.mark.parametrize(
    "values",
    [
        ["01.07.1993", "15.11.2001", "30.01.1987"],
        ["192.168.1.103", "10.0.0.7", "172.16.254.1"],
        ["+39 06 221229", "+49 30 901820", "+1 212 555 0100"],
        ["1.0.1", "2.13.0", "0.9.12"],
        ["1st", "2nd", "3rd", "4th"],
    ],
    ids=["dates", "addresses", "phones", "versions", "ranks"],
)
def test_text_with_digits_is_not_a_number(values):
    assert check_almost_numeric(column(*values), PATH) is None


@pytest.mark.parametrize("values", [["66 kg", "70.5 kg", "81 kg"], ["1,66m", "1,80m", "1,75m"]])
def test_numbers_with_a_unit_give_a_note(values):
    note = check_almost_numeric(column(*values), PATH)
    assert note.startswith("Read 'x' as text although its values are numbers with the unit")


def test_decimal_commas():
    # With points in other rows one of the two may mean thousands.
    with pytest.raises(ValueError, match=r"'1\.234' in data row 1"):
        check_almost_numeric(column("1.234", "2,5", "3"), PATH, ",")
    assert unread_number(column("1,5", "x"), ",") == (1, "x")


def test_features_are_not_made_of_a_typo_in_silence():
    frame = pd.DataFrame({"x": [*map(str, range(0, 60, 2)), "3O"], "y": ["a", "b"] * 15 + ["a"]})
    table = Table(PATH, frame)
    with pytest.raises(ValueError, match="'3O' in data row 31 of column 'x'"):
        encode_features(table)
    features = encode_features(table, categorical=["x"])
    assert "x=3O" in features.names
    assert features.numeric == ()
