"""``--dask``: the labels of one process, from Parquet that workers read and from other files."""

import numpy as np
import pandas as pd
import pytest

distributed = pytest.importorskip(
    "distributed", reason="needs Dask: pip install 'fairspectral[distributed]'"
)


@pytest.fixture(scope="module")
def address():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(0)
    centres = 2.0 * rng.normal(size=(3, 3))
    X = centres[rng.integers(0, 3, 300)] + rng.normal(size=(300, 3))
    frame = pd.DataFrame(100.0 * X + 7.0, columns=["age", "height", "weight"])
    frame["sex"] = rng.choice(["f", "m"], 300)
    (tmp_path / "folder").mkdir()
    frame[:120].to_parquet(tmp_path / "folder" / "0.parquet")
    frame[120:].to_parquet(tmp_path / "folder" / "1.parquet")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


def labels(call, path, out, *words):
    options = ["-s", "sex", "-k", "3", "--effort", "fast", "--affinity", "nearest_neighbors"]
    done = call("cluster", path, *options, "-o", out, *words)
    assert done.status == 0, done.err
    return pd.read_csv(out)


def test_a_folder_and_a_table_give_the_labels_of_one_process(call, rows, address):
    expected = labels(call, rows / "rows.csv", rows / "here.csv")["cluster"]
    found = labels(call, rows / "folder", rows / "there.csv", "--dask", address)
    assert found["cluster"].tolist() == expected.tolist()
    assert found.columns.tolist() == ["sex", "cluster"]
    sent = labels(call, rows / "rows.csv", rows / "sent.csv", "--dask", address)
    assert sent["cluster"].tolist() == expected.tolist()
    distributed.Client.current().close()


def test_a_certificate_says_what_the_workers_computed(call, rows, address):
    frame = pd.read_csv(rows / "rows.csv")
    frame.assign(town=["Rome", "Oslo", "Bern"] * 100).to_csv(rows / "towns.csv", index=False)
    frame.to_parquet(rows / "rows.parquet")
    for name in ("rows.parquet", "towns.csv"):
        options = ["-s", "sex", "-k", "3", "--effort", "fast", "--dask", address]
        files = ["-o", rows / "out.csv", "--certificate", rows / "c.json"]
        done = call("cluster", rows / name, *options, *files)
        assert done.status == 0, done.err
        assert "affinity='auto' took the graph of 10 nearest neighbours" in done.out
        done = call("verify", rows / "out.csv", rows / name, "--certificate", rows / "c.json")
        assert done.status == 0, done.out + done.err
    distributed.Client.current().close()


def test_a_certificate_of_a_folder_is_refused_before_anything_else(call, rows):
    options = ["-s", "sex", "-k", "3", "--dask", "tcp://127.0.0.1:9", "--certificate"]
    done = call("cluster", rows / "folder", *options, rows / "c.json")
    assert done.status == 2
    assert "--certificate needs one file" in done.err
    assert "folder is a folder; write its rows into one Parquet file" in done.err


def test_what_is_wrong_is_said(call, rows, address, monkeypatch):
    from fairspectral.cli import on_dask

    monkeypatch.setattr(on_dask, "_TIMEOUT", 1)
    options = ["-s", "sex", "-k", "3", "--dask"]
    done = call("cluster", rows / "folder", *options, "tcp://127.0.0.1:9")
    assert done.status == 2
    assert "there is no Dask scheduler; check the address" in done.err
    frame = pd.read_csv(rows / "rows.csv").assign(city="Rome")
    frame.to_parquet(rows / "words.parquet")
    done = call("cluster", rows / "words.parquet", *options, address)
    assert done.status == 2
    assert "the column 'city'" in done.err
    assert "--drop city" in done.err
    (rows / "empty").mkdir()
    done = call("cluster", rows / "empty", *options, address)
    assert done.status == 2
    assert "empty has no Parquet file; its files must end with .parquet or" in done.err
    (rows / "bad.parquet").write_text("a,b\n1,2\n")
    done = call("cluster", rows / "bad.parquet", *options, address)
    assert done.status == 2
    assert "bad.parquet cannot be read as Parquet: " in done.err
    assert "registered to the pandas backend" not in done.err
    distributed.Client.current().close()
