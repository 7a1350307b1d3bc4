import os

import numpy as np
import pandas as pd
import pytest
from helpers import press_in_search

from fairspectral.cli.frontier import read_tolerances


def test_the_price_falls_as_the_tolerance_grows(call, people):
    words = ("frontier", people, "-s", "sex", "-k", "2")
    result = call(*words, "--json", "--tolerances", "none,0, 0.3").json
    assert [row["fairness_tol"] for row in result["frontier"]] == [0.0, 0.3, None]
    cuts = [row["normalized_cut"] for row in result["frontier"]]
    assert (np.diff(cuts) <= 1e-9).all()
    assert result["frontier"][-1]["price"] == 1
    assert result["solver"]["converged"] is True
    done = call(*words, "--threads", "1", "--tolerances", "0,0.3,none")
    assert done.status == 0, done.err
    assert "none" in done.out
    assert "Price: how much larger" in done.out


def test_ctrl_c_ends_all_searches_and_no_price_is_claimed(call, people, tmp_path, monkeypatch):
    output = tmp_path / "labels.csv"
    words = ("frontier", people, "-s", "sex", "-k", "2", "--tolerances", "0,0.2,0.3,none")
    words = (*words, "--time-budget", "1000", "--at", "0.3", "-o", output)
    press_in_search(monkeypatch, 1)
    done = call(*words)
    assert done.status == 0, done.err
    said = " ".join(done.out.split())
    assert said.count("not searched") == 5  # three points, the sentence, and the file
    assert "Tolerances 20%, 30% and none were not searched, so there is no price" in said
    assert "Price:" not in said
    assert f"Labels: {output} (Tolerance 30% was not searched: these are the best labels" in said
    assert "+0.0%" not in said
    assert len(pd.read_csv(output)) == 80
    press_in_search(monkeypatch, 1)
    result = call(*words, "--json").json
    assert [row["price"] for row in result["frontier"]] == [None] * 4
    assert "no price of fairness" in result["caution"]
    assert "the best labels within it that other searches found" in result["caution"]
    assert result["output_searched"] is False
    press_in_search(monkeypatch, 1)
    piped = call(*words[:-1], "-")
    assert "Tolerance 30% was not searched: these are the best labels" in piped.err
    assert "searched" not in piped.out


def test_the_plot(call, people, tmp_path):
    pytest.importorskip(
        "matplotlib", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    picture = tmp_path / "price.png"
    done = call(
        "frontier", people, "-s", "sex", "-k", "2", "--tolerances", "0,1", "--plot", picture
    )
    assert done.status == 0, done.err
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"Plot: {picture}" in done.out
    assert sorted(os.listdir(tmp_path)) == ["people.csv", "price.png"]


def test_the_clusters_at_one_tolerance(call, people, tmp_path):
    words = ("frontier", people, "-s", "sex", "-k", "2", "--tolerances", "0,0.3,none")
    output = tmp_path / "labels.csv"
    done = call(*words, "--at", "0.3", "-o", output, "--label-column", "c")
    assert done.status == 0, done.err
    assert f"Labels: {output}" in done.out
    table = pd.read_csv(output)
    assert list(table.columns)[-1] == "c"
    again = call(*words, "--at", "0.3", "-o", "-", "--label-column", "c")
    assert again.out == output.read_text()
    loosest = call(*words, "--at", "none", "--json", "-o", tmp_path / "none.csv")
    assert loosest.json["output_searched"] is True
    assert loosest.json["output"] == str(tmp_path / "none.csv")
    assert len(pd.read_csv(tmp_path / "none.csv")) == 80


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--at", "0.2"], "--at and --output go together"),
        (["-o", "labels.csv"], "--at and --output go together"),
        (["--at", "0.15", "-o", "labels.csv"], "--at 0.15 is not among the tolerances"),
        (["--at", "0,0.2", "-o", "labels.csv"], "--at 0,0.2 is not among the tolerances"),
        (["--at", "x", "-o", "labels.csv"], "--at has 'x', which is not a number"),
        (["--at", "0.2", "-o", "labels.xyz"], "choose a name that ends in"),
        (["--at", "0.2", "-o", "l.csv", "--label-column", "sex"], "has a column 'sex' already"),
    ],
)
def test_clusters_that_cannot_be_written(call, people, more, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("frontier", people, "-s", "sex", "-k", "2", *more)
    assert done.status == 2
    assert sentence in done.err
    assert os.listdir(tmp_path) == ["people.csv"]


def test_a_plot_without_matplotlib_is_refused_before_the_work(call, people, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = call("frontier", people, "-s", "sex", "-k", "2", "--plot", tmp_path / "p.png")
    assert done.status == 2
    assert "--plot needs matplotlib" in done.err


def test_tolerances_in_words():
    assert read_tolerances("0, 0.1,None") == [0.0, 0.1, None]
    with pytest.raises(ValueError, match="'x', which is not a number"):
        read_tolerances("0,x")
    with pytest.raises(ValueError, match="--tolerances has -1; a tolerance is a finite number"):
        read_tolerances("0,-1")


def test_more_clusters_than_people(call, people):
    done = call("frontier", people, "-s", "sex", "-k", "100")
    assert done.status == 2
    assert "choose --clusters of at most 80" in done.err
    done = call("frontier", people, "-s", "sex", "-k", "80")
    assert "choose --clusters of at most 79" in done.err


def test_each_point_is_as_good_as_the_command_cluster(call, people):
    words = (people, "-s", "sex", "-k", "3", "--json")
    rows = call("frontier", *words, "--tolerances", "0,0.1,0.4").json["frontier"]
    for row in rows:
        alone = call("cluster", *words, "--tolerance", str(row["fairness_tol"])).json
        assert row["normalized_cut"] <= alone["normalized_cut"] + 1e-9


def test_small_components_are_set_aside_and_said(call, graph_with_pairs):
    edges, groups = graph_with_pairs
    words = ("frontier", edges, "--graph", "--groups", groups, "-k", "3", "--tolerances", "0.2")
    done = call(*words)
    assert "4 people in 2 component(s) of fewer than 5 people" in done.out
    result = call(*words, "--json").json
    assert result["set_aside"]["persons"] == 4
    assert result["frontier"][0]["certified"] is True
