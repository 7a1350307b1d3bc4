import os

import numpy as np
import pandas as pd
import pytest

from fairspectral.tables import check_output, discard_unfinished, read_table, replacing, write_table

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


def test_parquet_without_pyarrow(table, tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise ImportError("pyarrow")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", refuse)
    with pytest.raises(ImportError, match="need pyarrow"):
        write_table(table, tmp_path / "out.parquet", "k", LABELS)


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_all_or_nothing(tmp_path, failure):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def fail():
        with replacing(path) as attempt:
            attempt.write_text("half")
            assert path.read_text() == "old"
            raise failure

    with pytest.raises(failure):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_an_abrupt_end_can_clean_up(tmp_path):
    with replacing(tmp_path / "out.csv") as attempt:
        attempt.write_text("half")
        discard_unfinished()
        assert os.listdir(tmp_path) == []
        attempt.write_text("whole")
    assert (tmp_path / "out.csv").read_text() == "whole"


def test_what_cannot_be_written_is_refused_early(tmp_path, monkeypatch):
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
