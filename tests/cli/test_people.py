"""Weights and links in the command."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

FAST = ("--affinity", "rbf", "--effort", "fast")


@pytest.fixture
def survey(people):
    """The people with a weight that follows their sex."""
    table = pd.read_csv(people)
    rng = np.random.default_rng(1)
    table["stands for"] = rng.integers(1, 9, len(table)) * np.where(table["sex"] == "f", 1.0, 2.5)
    table.to_csv(people, index=False)
    return people


def pairs(folder, name, *lines):
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def test_shares_count_weight(call, survey, tmp_path):
    out = tmp_path / "out.csv"
    words = ("cluster", survey, "-s", "sex", "-k", "2", "--weight", "stands for", "-o", out, *FAST)
    done = call(*words, "--json")
    assert done.status == 0, done.err
    table = pd.read_csv(out)
    assert not any("stands for" in names for names in done.json["columns"].values())
    # Each weight is rounded to a unit, about 6e-7 here.
    assert done.json["total_weight"] == pytest.approx(table["stands for"].sum(), abs=1e-4)
    by_hand = table.pivot_table("stands for", "cluster", "sex", "sum")
    (attribute,) = done.json["attributes"]
    assert np.array(attribute["counts"]) == pytest.approx(by_hand.to_numpy(), abs=1e-4)
    assert done.json["links"] is None

    judged = call("audit", out, "-s", "sex", "--weight", "stands for", "--require-tolerance", "0.2")
    assert judged.status == 0, judged.out
    assert "up to the largest weight of a person" in judged.out
    assert judged.out.count("Weighted: 80 persons stand for") == 1
    heads = call("audit", out, "-s", "sex", "--json").json
    assert heads["total_weight"] is None
    assert heads["attributes"][0]["counts"] != attribute["counts"]


def test_plain_clusters_are_audited_by_weight(call, survey):
    words = ("cluster", survey, "-s", "sex", "-k", "2", "--weight", "stands for", "--plain", *FAST)
    assert "Weighted: 80 persons stand for" in call(*words).out


@pytest.mark.parametrize("named", [False, True])
def test_links_of_rows_and_of_names(call, people, tmp_path, named):
    """Row 1 is person 0."""
    if named:
        must = pairs(tmp_path, "must.csv", "one,other", "person 0,person 1", "person 1,person 2")
        cannot = pairs(tmp_path, "cannot.csv", "person 3,person 4")
    else:
        must = pairs(tmp_path, "must.csv", "1,2", "2,3")
        cannot = pairs(tmp_path, "cannot.csv", "4,5")
    words = [
        "cluster",
        people,
        "-s",
        "sex",
        "-k",
        "3",
        "--must-link",
        must,
        "--cannot-link",
        cannot,
    ]
    done = call(*words, *(("--id", "name") if named else ()), *FAST, "--json")
    assert done.status == 0, done.err
    labels = done.json["labels"]
    assert labels[0] == labels[1] == labels[2]
    assert labels[3] != labels[4]
    assert done.json["links"] == {"must_link": 2, "cannot_link": 1, "kept": True, "not_kept": []}
    assert "Links: all 2 must-link(s) are kept" in done.json["certificate"]


def test_links_of_nodes_and_the_report(call, graph, tmp_path):
    pytest.importorskip("jinja2", reason="jinja2 is not installed: fairspectral[report]")
    edges, groups = graph
    must, report = pairs(tmp_path, "must.csv", "v0,v15"), tmp_path / "report.html"
    words = ("cluster", edges, "--graph", "--groups", groups, "-k", "2", "--must-link", must)
    done = call(*words, "--effort", "fast", "--report", report, "--json")
    assert done.status == 0, done.err
    assert done.json["labels"][0] == done.json["labels"][15]
    assert "all 1 must-link(s) are kept" in report.read_text(encoding="utf-8")


def test_the_weights_of_nodes_are_no_groups(call, graph):
    edges, groups = graph
    table = pd.read_csv(groups)
    table["weight"] = np.arange(1, 21)
    table.to_csv(groups, index=False)
    words = ("cluster", edges, "--graph", "--groups", groups, "-k", "2", "--effort", "fast")
    done = call(*words, "--weight", "weight", "--json")
    assert done.status == 0, done.err
    assert done.json["columns"]["sensitive"] == ["side"]
    assert done.json["total_weight"] == 210


def test_other_commands_take_them_or_refuse_them(call, survey, tmp_path):
    must = pairs(tmp_path, "must.csv", "1,2")
    given = ("-s", "sex", "--weight", "stands for", "--must-link", must, *FAST)
    out = tmp_path / "out.npy"
    at = ("--tolerances", "0.2,none", "--at", "0.2", "-o", out)
    done = call("frontier", survey, "-k", "2", *given, *at)
    assert done.status == 0, done.err
    labels = np.load(out)
    assert labels[0] == labels[1]
    (run,) = call("compare", survey, "-k", "2", *given, "--json").json["runs"]
    assert run["labels"][0] == run["labels"][1]
    refused = call("choose-k", survey, *given)
    assert refused.status == 2
    assert re.search(r"there is no option --weight", refused.err)


@pytest.mark.parametrize("option", [("--checkpoint", "c.npz"), ("--stability", "3")])
def test_what_knows_no_weights_is_refused_before_any_work(call, survey, tmp_path, option):
    name, value = option
    value = tmp_path / value if "." in value else value
    words = ("cluster", survey, "-s", "sex", "-k", "2", "--weight", "stands for")
    done = call(*words, name, value)
    assert done.status == 2
    assert f"{name} does not go together with --weight" in done.err
