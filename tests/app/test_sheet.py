"""Tables on the page: what is read, what is refused, and that no file is left."""

import os
import tempfile
from pathlib import Path

import pytest

from fairspectral.app.limits import Limits
from fairspectral.app.sheet import open_demo, open_path, open_upload

LIMITS = Limits(megabytes=1, rows=100, columns=8)
GOOD = b"x,sex\n1,f\n2,m\n3,f\n"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_columns_are_looked_at(people):
    sheet = open_upload("people.csv", people, LIMITS)
    columns = {column.name: column for column in sheet.columns}
    assert sheet.n == 80
    assert columns["id"].unused == "it counts the rows"
    assert columns["x"].unused == ""
    assert columns["x"].numeric
    assert not columns["sex"].numeric
    assert columns["-city"].about.startswith("text, 3 distinct: ")
    assert not sheet.is_demo


def test_a_column_with_a_mistake_says_so():
    rows = "\n".join(f"{i}.5,{'f' if i % 2 else 'm'}" for i in range(40))
    sheet = open_upload("t.csv", f"x,sex\n{rows}\n4.O,f\n".encode(), LIMITS)
    assert "not a plain number" in sheet.columns[0].unused


def test_missing_values_are_counted_and_no_examples():
    content = b"x,city,void\n,Rome,\n1.5,,NA\n?,Oslo,\n2,Rome,\n"
    about = [column.about for column in open_upload("t.csv", content, LIMITS).columns]
    assert about == [
        "numbers, 2 distinct: 1.5, 2; 2 missing",
        "text, 2 distinct: Rome, Oslo; 1 missing",
        "empty",
    ]


def test_a_western_european_file_is_read_with_a_note_and_a_marked_one_without():
    text = "name,sex\nJos\u00e9,f\nZo\u00eb,m\n\u20ac,f\n"
    sheet = open_upload("people.csv", text.encode("cp1252"), LIMITS)
    assert sheet.columns[0].about.startswith("text, 3 distinct: Jos\u00e9, Zo\u00eb, \u20ac")
    assert sheet.table.notes == (
        "people.csv is not UTF-8 text, so it was read as Western European (cp1252); if names look "
        "wrong, save it as UTF-8.",
    )
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        marked = open_upload("people.csv", text.encode(encoding), LIMITS)
        assert marked.table.notes == ()
        assert marked.columns == sheet.columns


def test_no_file_is_left(temporary):
    assert open_upload("people.csv", GOOD, LIMITS).n == 3
    assert os.listdir(temporary) == []


@pytest.mark.parametrize("content", [b"", b"x,sex\n1,f\n2\n", b'x,"sex\n1,f\n'])
def test_errors_name_the_file_of_the_user_and_leave_none(temporary, content):
    with pytest.raises(ValueError, match=r"^people\.csv ") as caught:
        open_upload("people.csv", content, LIMITS)
    assert str(temporary) not in str(caught.value)
    assert os.listdir(temporary) == []


def test_a_name_is_never_a_path(temporary):
    for name in ("../../etc/people.csv", "C:\\data\\people.csv", "/people.csv"):
        assert open_upload(name, GOOD, LIMITS).table.path == Path("people.csv")
    assert open_upload("/", GOOD, LIMITS).name == "table.csv"


REFUSED = {
    "too many rows": (b"x,sex\n" + b"1,f\n2,m\n" * 60, "has 120 rows; this page takes 100"),
    "too many columns": (
        b"a,b,c,d,e,f,g,h,i\n" + b"1,2,3,4,5,6,7,8,9\n" * 3,
        "more than 8 columns",
    ),
    "a very long header": (b"a," * 500_000, "more than 8 columns"),
    "too large": (b"x,sex\n" + b"1,f\n" * 300_000, "has more than 1 MB"),
    "two names alike": (b"x,x\n1,2\n3,4\n", "2 columns called 'x'"),
    "not text": (b"x,sex\n\x81,f\n2,m\n", r"in line 2\); save it as UTF-8\.$"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    content, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        open_upload("people.csv", content, LIMITS)


@pytest.mark.parametrize("name", ["people.parquet", "people.csv.gz", "people.xlsx", "people.npz"])
def test_other_formats_are_refused_by_name(name, tmp_path):
    with pytest.raises(ValueError, match="reads CSV and TSV"):
        open_upload(name, GOOD, LIMITS)
    (tmp_path / name).write_bytes(GOOD)
    with pytest.raises(ValueError, match="reads CSV and TSV"):
        open_path(tmp_path / name, LIMITS)


def test_a_file_of_this_machine(tmp_path):
    path = tmp_path / "people.tsv"
    path.write_bytes(GOOD.replace(b",", b"\t"))
    sheet = open_path(path, LIMITS)
    assert sheet.table.path == path
    assert [column.name for column in sheet.columns] == ["x", "sex"]
    with pytest.raises(FileNotFoundError, match="does not exist"):
        open_path(tmp_path / "nowhere.csv", LIMITS)
    path.write_bytes(b"x" * 1_000_001)
    with pytest.raises(ValueError, match="has more than 1 MB"):
        open_path(path, LIMITS)


def test_the_demo():
    sheet = open_demo(Limits())
    assert sheet.n == 442
    assert sheet.suggested == ("sex",)
    assert sheet.is_demo
    assert all(column.unused == "" for column in sheet.columns)
