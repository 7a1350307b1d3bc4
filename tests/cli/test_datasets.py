import pandas as pd
import pytest
from helpers import needs_real_data

from fairspectral.cli.datasets import ENTRIES


def test_the_list(call, tmp_path):
    env = {"FAIRSPECTRAL_DATA": "", "XDG_CACHE_HOME": str(tmp_path), "COLUMNS": "120"}
    done = call("datasets", env=env)
    assert done.status == 0, done.err
    for name, entry in ENTRIES.items():
        assert f"{name}: {entry.source.url}; licence: {entry.source.licence}" in done.out
    listed = call("datasets", "--json", env=env).json
    assert listed["diabetes"]["available"] is True  # comes with scikit-learn
    assert listed["census"]["available"] is False
    assert listed["census"]["licence"] == "CC BY 4.0"


def test_a_folder_with_the_files_is_seen(call, tmp_path):
    (tmp_path / "adult.data").write_text("")
    listed = call("datasets", "--json", env={"FAIRSPECTRAL_DATA": str(tmp_path)}).json
    assert listed["census"]["available"] is True


def test_a_table_as_csv(call, tmp_path):
    out = tmp_path / "patients.csv"
    done = call("datasets", "fetch", "diabetes", "-o", out)
    assert done.status == 0, done.err
    assert done.err == f"Wrote {out}.\n"
    frame = pd.read_csv(out)
    assert frame.shape == (442, 10)
    assert sorted(frame["sex"].unique()) == ["sex 1", "sex 2"]


@needs_real_data
def test_a_graph_as_two_files_that_the_command_reads(call, tmp_path):
    out = tmp_path / "school.csv"
    assert call("datasets", "fetch", "facebook", "-o", out).status == 0
    groups = tmp_path / "school-groups.csv"
    assert pd.read_csv(groups).columns.tolist() == ["node", "gender"]
    done = call("cluster", out, "--graph", "--groups", groups, "-k", "2", "--json")
    assert done.json["rows"] == 155
    assert done.json["attributes"][0]["name"] == "gender"


@needs_real_data
def test_census_as_published(call, tmp_path):
    out = tmp_path / "census.csv"
    assert call("datasets", "fetch", "census", "-o", out).status == 0
    frame = pd.read_csv(out)
    assert len(frame) == 32561
    assert frame["marital-status"].nunique() == 7
    assert "income" not in frame
    assert frame["workclass"][0] == "State-gov"


@needs_real_data
@pytest.mark.parametrize("name", ENTRIES)
def test_the_list_is_correct(name):
    entry, data = ENTRIES[name], ENTRIES[name].load()
    assert (entry.n, entry.h) == (data.n, data.h)
    assert entry.kind == ("table" if data.graph is None else "graph")
    assert entry.here


@pytest.mark.parametrize("name", [name for name in ENTRIES if name != "diabetes"])
def test_without_data_and_network_it_says_which_file_to_put_where(
    call, tmp_path, monkeypatch, name
):
    def no_network(url, target):
        raise ConnectionError

    monkeypatch.setattr("fairspectral.datasets._fetch._retrieve", no_network)
    env = {"FAIRSPECTRAL_DATA": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = call("datasets", "fetch", name, "-o", tmp_path / "x.csv", env=env)
    assert done.status == 2
    (line,) = done.err.splitlines()
    files = " and ".join(file.name for file in ENTRIES[name].source.files)
    assert line.endswith(f"put {files} into {tmp_path}.")


def test_an_unknown_name(call, tmp_path):
    done = call("datasets", "fetch", "censuss", "-o", tmp_path / "x.csv")
    assert done.status == 2
    assert "did you mean 'census'?" in done.err


def test_a_folder_that_is_not_there(call, tmp_path):
    done = call("datasets", "fetch", "diabetes", "-o", tmp_path / "no" / "x.csv")
    assert done.status == 2
    assert "does not exist" in done.err
