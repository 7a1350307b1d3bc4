import os

import numpy as np
import pandas as pd
import pytest

from fairspectral.cli.tables import check_output, read_table, write_table

LABELS = np.array([1, 0], dtype=np.int32)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes('id;name;x\n007;"O\'Neil; José";1,50\n008;Zoë;\n'.encode("latin-1"))
    return read_table(path, encoding="latin-1")


def test_text_comes_back_as_it_was(table, tmp_path):
    out = tmp_path / "out.csv"
    write_table(table, out, "cluster", LABELS)
    assert out.read_bytes().decode("latin-1").splitlines() == [
        "id;name;x;cluster",
        '007;"O\'Neil; José";1,50;1',
        "008;Zoë;;0",
    ]
    assert "cluster" not in table.frame


def test_other_formats(table, tmp_path):
    write_table(table, tmp_path / "out.tsv", "k", LABELS)
    assert (tmp_path / "out.tsv").read_text("latin-1").startswith("id\tname\tx\tk\n")
    write_table(table, tmp_path / "out.npy", "k", LABELS)
    assert np.load(tmp_path / "out.npy").tolist() == [1, 0]
    write_table(table, tmp_path / "out.csv.gz", "k", LABELS)
    assert read_table(tmp_path / "out.csv.gz", encoding="latin-1").frame["k"].tolist() == ["1", "0"]


def test_parquet(table, tmp_path):
    pytest.importorskip(
        "pyarrow", reason="pyarrow is not installed: pip install 'fairspectral[parquet]'"
    )
    write_table(table, tmp_path / "out.parquet", "k", LABELS)
    assert pd.read_parquet(tmp_path / "out.parquet")["k"].tolist() == [1, 0]


def test_the_index_of_a_parquet_file_is_kept(tmp_path):
    pytest.importorskip(
        "pyarrow", reason="pyarrow is not installed: pip install 'fairspectral[parquet]'"
    )
    frame = pd.DataFrame({"x": [1.5, 2.5]}, index=pd.Index([70, 7], name="person"))
    frame.to_parquet(tmp_path / "in.parquet")
    table = read_table(tmp_path / "in.parquet")
    for name, read in {"out.parquet": pd.read_parquet, "out.csv": pd.read_csv}.items():
        write_table(table, tmp_path / name, "cluster", np.array([1, 0]))
        written = read(tmp_path / name).reset_index()
        assert written["person"].tolist() == [70, 7]
        assert written["cluster"].tolist() == [1, 0]


def test_parquet_without_pyarrow(table, tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise ImportError("pyarrow")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", refuse)
    with pytest.raises(ImportError, match="need pyarrow"):
        write_table(table, tmp_path / "out.parquet", "k", LABELS)


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (
            b"id,name,x\r\n007, Zo ,1\r\n008,  'a',2\r\n",
            b"id,name,x,k\r\n007, Zo ,1,1\r\n008,  'a',2,0\r\n",
        ),
        (
            b'id, "na,me",x\n"007", "two\nlines" ,1\n\n008,b,2',
            b'id, "na,me",x,k\n"007", "two\nlines" ,1,1\n\n008,b,2,0',
        ),
        (b"id,name\r007,a\r008,b\r", b"id,name,k\r007,a,1\r008,b,0\r"),
        (
            b'\xef\xbb\xbfid,name\n007,"a""b"\n008,b\n',
            b'\xef\xbb\xbfid,name,k\n007,"a""b",1\n008,b,0\n',
        ),
        (
            "id\tname\n007\t Zoë\n008\tb\n".encode("utf-16"),
            "id\tname\tk\n007\t Zoë\t1\n008\tb\t0\n".encode("utf-16"),
        ),
    ],
    ids=["CRLF and blanks", "quotes and a blank line", "old Mac", "BOM", "UTF-16"],
)
def test_rows_are_repeated_as_they_stand(tmp_path, given, written):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_bytes(given)
    write_table(read_table(path), out, "k", LABELS)
    assert out.read_bytes() == written


def test_the_new_name_is_quoted_where_it_must_be(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    write_table(read_table(path), out, 'k,"1"', LABELS)
    assert out.read_text() == 'a,b,"k,""1"""\n1,2,1\n3,4,0\n'


def test_rows_without_a_header_get_one(tmp_path):
    given, out = tmp_path / "in.csv", tmp_path / "out.csv"
    given.write_bytes(b"007, a\r\n008,b\r\n")
    write_table(read_table(given, header=False), out, "k", LABELS)
    assert out.read_bytes() == b"column 1,column 2,k\r\n007, a,1\r\n008,b,0\r\n"


def test_another_delimiter_keeps_the_ends_of_lines(tmp_path):
    given, out = tmp_path / "in.csv", tmp_path / "out.tsv"
    given.write_bytes(b"a,b\r\n1, x\r\n2,y\r\n")
    write_table(read_table(given), out, "k", LABELS)
    assert out.read_bytes() == b"a\tb\tk\r\n1\t x\t1\r\n2\ty\t0\r\n"


def test_a_name_that_the_encoding_has_not(table, tmp_path):
    with pytest.raises(ValueError, match=r"cannot be written in latin-1.*--label-column"):
        write_table(table, tmp_path / "out.csv", "群", LABELS)
    assert os.listdir(tmp_path) == ["in.csv"]


def test_unwritable_outputs_are_refused_early(tmp_path, monkeypatch):
    given = tmp_path / "in.csv"
    given.write_text("x")
    check_output(tmp_path / "out.csv", [given])
    with pytest.raises(ValueError, match="is the input"):
        check_output(tmp_path / "." / "in.csv", [given])
    with pytest.raises(IsADirectoryError, match="is a folder"):
        check_output(tmp_path)
    with pytest.raises(FileNotFoundError, match="does not exist; make it first"):
        check_output(tmp_path / "none" / "out.csv")
    monkeypatch.setattr(os, "access", lambda *args: False)
    with pytest.raises(PermissionError, match="may not be written"):
        check_output(tmp_path / "out.csv")


def test_devices_and_protected_files_are_refused_as_outputs(tmp_path, monkeypatch):
    link = tmp_path / "null.csv"
    link.symlink_to(os.devnull)
    with pytest.raises(ValueError, match="is a device or a pipe"):
        check_output(link)
    protected = tmp_path / "protected.csv"
    protected.write_text("x")
    monkeypatch.setattr(os, "access", lambda path, mode: path != protected)
    with pytest.raises(PermissionError, match=r"protected.csv may not be written to"):
        check_output(protected)
