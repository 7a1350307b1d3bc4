from pathlib import Path

import pandas as pd
import pytest

from fairspectral.cli.tables import Table, encode_features
from fairspectral.cli.tables.dates import are_dates


@pytest.mark.parametrize(
    "values",
    [
        ["2021-03-01", "1999-12-31", ""],
        ["2021/3/1", "2021/11/30 12:30"],
        ["2021-03-01T08:00:00Z"],
        ["2021-03", "2020-12"],
        ["1.3.2021", "31.12.1999"],
        ["3/1/2021", "12/31/99", "NA"],
        ["1 March 2021", "12-Dec-2020"],
        ["Mar 1, 2021", "December 24 2020"],
    ],
)
def test_dates_as_people_write_them(values):
    assert are_dates(pd.Series(values))


@pytest.mark.parametrize(
    "values",
    [
        ["2021-03-01", "soon"],
        ["2021-13-01"],
        ["1.0.1", "2.1.30"],
        ["192.168.1.103"],
        ["555-12-3456"],
        ["march", "may 5"],
        ["", "NA"],
        [20210301, 20210302],
    ],
)
def test_other_columns_are_no_dates(values):
    assert not are_dates(pd.Series(values))


def notes_of(joined, **options):
    frame = pd.DataFrame({"joined": joined, "x": [str(i % 4) for i in range(len(joined))]})
    return encode_features(Table(Path("people.csv"), frame), **options)


@pytest.mark.parametrize("mixed", [False, True])
def test_dates_are_compared_as_categories_and_a_note_says_so(mixed):
    dates = ["2020-01-01", "2021-01-01", "2022-01-01"] * 5
    features = notes_of(dates, mixed=mixed)
    assert features.categorical == ("joined",)
    assert features.notes == (
        "Column 'joined' looks like dates and is compared as 3 categories, without their order; "
        "turn it into a number such as years to compare by time, or leave it out with --drop "
        "joined.",
    )
    assert notes_of(dates, mixed=mixed, categorical=["joined"]).notes == ()


def test_distinct_dates_are_not_called_names():
    (note,) = notes_of([f"2021-01-{day:02}" for day in range(1, 16)]).notes
    assert note.startswith("Dropped 'joined': it has mostly distinct dates, which are not read")
