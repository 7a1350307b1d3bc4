import builtins
import gzip

import numpy as np
import pandas as pd
import pytest

from fairspectral.cli.tables import Table, numbers, read_table
from fairspectral.cli.tables.text import kind_of


def write(folder, text, name="people.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return path


# --- what is read -----------------------------------------------------------------------------


def test_text_is_kept_as_it_stands(tmp_path):
    table = read_table(write(tmp_path, "a, b\n007, NA\n1.50,\n"))
    assert isinstance(table, Table)
    assert table.frame.to_dict("list") == {"a": ["007", "1.50"], "b": [" NA", ""]}


@pytest.mark.parametrize(
    ("name", "text", "delimiter"),
    [
        ("t.csv", "a;b;c\n1,5;2;x\n2;3;y\n", ";"),
        ("t.tsv", "a\tb,c\tc\n1\t2\tx\n2\t3\ty\n", "\t"),
        ("t.txt", "a|b|c\n1|2|x\n2|3|y\n", "|"),
        ("t.data", "a,b,c\n1,2,x\n2,3,y\n", ","),
    ],
)
def test_delimiters(tmp_path, name, text, delimiter):
    table = read_table(write(tmp_path, text, name))
    assert table.delimiter == delimiter
    assert table.frame.shape == (2, 3)
    assert table.decimal == ("," if delimiter == ";" else ".")


def test_byte_order_marks_and_gzip(tmp_path):
    text = "name,x\nJosé,1\nZoë,2\n"
    packed = write(tmp_path, gzip.compress(text.encode()), "t.csv.gz")
    for path in (
        write(tmp_path, text, "sig.csv", "utf-8-sig"),
        write(tmp_path, text, "wide.csv", "utf-16"),
        packed,
    ):
        assert read_table(path).frame["name"].tolist() == ["José", "Zoë"]
    latin = write(tmp_path, text, "latin.csv", "latin-1")
    assert read_table(latin, encoding="latin-1").frame["name"].tolist() == ["José", "Zoë"]
    assert kind_of(packed) == "csv"


def test_lines_that_end_as_on_old_macs(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes(b"x,sex\r1,f\r2,m\r")
    assert read_table(path).frame.values.tolist() == [["1", "f"], ["2", "m"]]


def test_without_a_header(tmp_path):
    path = write(tmp_path, "1,2,2\n3,4,4\n5,6,6\n")
    frame = read_table(path, header=False).frame
    assert frame.columns.tolist() == ["column 1", "column 2", "column 3"]
    assert frame["column 2"].tolist() == ["2", "4", "6"]


def test_numbers_as_names_are_doubted(tmp_path):
    table = read_table(write(tmp_path, "39,Male\n50,Male\n38,Female\n"))
    (note,) = table.notes
    assert "--no-header" in note


def test_parquet_keeps_types(tmp_path):
    pytest.importorskip(
        "pyarrow", reason="pyarrow is not installed: pip install 'fairspectral[parquet]'"
    )
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": [1.5, 2.5], "s": ["a", "b"]}).to_parquet(path)
    frame = read_table(path).frame
    assert frame["x"].dtype == np.float64
    assert frame["s"].tolist() == ["a", "b"]


def test_parquet_with_two_columns_of_one_name(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet files need: pip install pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="it comes with pyarrow")
    parquet.write_table(pyarrow.table([[1, 2], [3, 4]], names=["x", "x"]), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet has 2 columns called 'x'; give every column"):
        read_table(tmp_path / "t.parquet")


def test_a_byte_order_mark_is_not_part_of_the_first_name(tmp_path):
    path = write(tmp_path, "a,b\n1,2\n3,4\n", encoding="utf-8-sig")
    assert read_table(path, encoding="utf-8").frame.columns.tolist() == ["a", "b"]


def test_lines_of_blanks_are_not_guessed_at(tmp_path):
    with pytest.raises(ValueError, match=r"people.csv has .*line"):
        read_table(write(tmp_path, "a,b\n1,2\n  \n3,4\n"))


def test_complex_numbers_are_refused(tmp_path):
    np.save(tmp_path / "t.npy", np.ones((3, 2)) * 1j)
    table = read_table(tmp_path / "t.npy")
    with pytest.raises(ValueError, match="column '0' has complex numbers"):
        numbers(table.frame["0"])


def test_arrays(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(6.0).reshape(3, 2))
    assert read_table(tmp_path / "t.npy").frame.columns.tolist() == ["0", "1"]
    np.savez(tmp_path / "t.npz", X=np.zeros((3, 2)), sex=np.array(["f", "m", "f"]))
    assert read_table(tmp_path / "t.npz").frame.columns.tolist() == ["X[0]", "X[1]", "sex"]
    fields = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])
    np.save(tmp_path / "f.npy", fields)
    assert read_table(tmp_path / "f.npy").frame["b"].tolist() == [2.0, 4.0]


# --- what is refused, in words ----------------------------------------------------------------

BAD = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "header only": ("a,b\n", "has no rows of data"),
    "one row": ("a,b\n1,2\n", "has 1 row of data; at least 2"),
    "duplicate header": ("a,b,a\n1,2,3\n4,5,6\n", "2 columns called 'a'.*--no-header"),
    "empty names": ("a,,\n1,2,3\n4,5,6\n", "2 columns called the empty name"),
    "latin-1": ("a,b\n1,caf\xe9\n2,x\n".encode("latin-1"), r"not UTF-8 text \(byte 0xe9 in line 2"),
    "binary": (b"a,b\n1,\x00\n2,3\n", "not a text file .a zero byte in line 2"),
    "too many fields": ("a,b\n1,2\n3,4,5\n6,7\n", "3 fields in line 3 but 2 columns"),
    "too few fields": ("a,b\n1,2\n3\n6,7\n", r"1 field\(s\) in line 3 but 2 columns"),
    "huge field": ("a,b\n1," + "x" * 100_001 + "\n2,y\n", "100,001 characters in data row 1"),
    "huge name": ("a," + "x" * 200_000 + "\n1,2\n3,4\n", "never closed, or a field that is too"),
    "open quote": ('a,b\n1,"x\n2,y\n3,z\n', "quote that is never closed.* line 2"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_text(tmp_path, kind):
    text, words = BAD[kind]
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=words) as refused:
        read_table(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_such_file_a_folder_a_spreadsheet(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(ValueError, match="save it as CSV"):
        read_table(write(tmp_path, "x", "t.xlsx"))


def test_forbidden_file(tmp_path, monkeypatch):
    path = write(tmp_path, "a,b\n1,2\n3,4\n")

    def refuse(self):
        raise PermissionError

    monkeypatch.setattr(type(path), "read_bytes", refuse)
    with pytest.raises(PermissionError, match="may not be read"):
        read_table(path)


def test_broken_gzip_and_unknown_encoding(tmp_path):
    with pytest.raises(ValueError, match="could not be unpacked with gzip"):
        read_table(write(tmp_path, "not packed", "t.csv.gz"))
    with pytest.raises(ValueError, match="encoding 'klingon' is unknown"):
        read_table(write(tmp_path, "a,b\n1,2\n3,4\n"), encoding="klingon")


def test_other_parser_errors_are_one_sentence(tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise pd.errors.ParserError("Error tokenizing data. C error: out of luck")

    monkeypatch.setattr(pd, "read_csv", fail)
    with pytest.raises(ValueError, match=r"not a table that can be read .*out of luck"):
        read_table(write(tmp_path, "a,b\n1,2\n3,4\n"))


def test_bad_binary_files(tmp_path):
    with pytest.raises(ValueError, match=r"not a \.npy file .*numpy cannot read it|objects"):
        read_table(write(tmp_path, "a,b\n1,2\n", "t.npy"))
    with pytest.raises(ValueError, match=r"not a \.npz file"):
        read_table(write(tmp_path, b"PK\x03\x04nothing", "t.npz"))
    np.save(tmp_path / "o.npy", np.array([{}, []], dtype=object))
    with pytest.raises(ValueError, match="holds Python objects"):
        read_table(tmp_path / "o.npy")
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match=r"shape \(2, 2, 2\)"):
        read_table(tmp_path / "cube.npy")
    np.savez(tmp_path / "uneven.npz", a=np.zeros(2), b=np.zeros(3))
    with pytest.raises(ValueError, match="'a' has 2 rows, 'b' has 3"):
        read_table(tmp_path / "uneven.npz")


def test_bad_parquet(tmp_path):
    pytest.importorskip(
        "pyarrow", reason="pyarrow is not installed: pip install 'fairspectral[parquet]'"
    )
    with pytest.raises(ValueError, match="not a Parquet file"):
        read_table(write(tmp_path, "a,b\n1,2\n", "t.parquet"))


@pytest.mark.parametrize(("module", "name"), [("pandas", "t.csv"), ("pyarrow", "t.parquet")])
def test_missing_libraries_are_named(tmp_path, monkeypatch, module, name):
    path = write(tmp_path, "a,b\n1,2\n3,4\n", name)
    real = builtins.__import__

    def without(wanted, *args, **kwargs):
        if wanted.split(".")[0] == module:
            raise ImportError(f"no {wanted}")
        return real(wanted, *args, **kwargs)

    if module == "pyarrow":
        monkeypatch.setattr(pd, "read_parquet", lambda path: without("pyarrow"))
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=f"need {module}; install it with pip"):
        read_table(path)
