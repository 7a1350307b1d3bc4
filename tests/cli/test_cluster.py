import os
import re
import signal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from helpers import press_in_search
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering, audit, checkpoint, fair_assignment
from fairspectral.rounding.follow import measure_labels
from fairspectral.rounding.plan import plan_rounding


def cluster(call, path, *words):
    return call("cluster", path, "--sensitive", "sex", "--clusters", "2", *words)


def test_rows_come_back_with_a_fair_cluster(call, people, tmp_path):
    out = tmp_path / "out.csv"
    done = cluster(call, people, "-o", out, "--tolerance", "0.1")
    assert done.status == 0, done.err
    before = people.read_text().splitlines()
    after = out.read_text().splitlines()
    assert after[0] == f"{before[0]},cluster"
    assert [line.rsplit(",", 1)[0] for line in after[1:]] == before[1:]
    found = pd.read_csv(out)
    assert audit(found["cluster"], found["sex"]).attributes[0].representation_ratio > 0.85
    assert "everyone" in done.out
    assert "Certified" in done.out
    assert f"Labels: {out}" in done.out


def test_it_says_what_it_did(call, people):
    done = cluster(call, people, "--affinity", "rbf")
    assert "Dropped 'id'" in done.err
    assert "Dropped 'name'" in done.err
    assert "Dropped 'planet'" in done.err
    assert "Filled 1 missing value(s) of 'age'" in done.err
    assert "2 numeric and 2 categorical" in done.out  # x and age, city and migrant
    assert "Nothing was written" in done.out


def test_it_says_what_the_search_began_with_and_which_start_won(call, people):
    line = next(x for x in cluster(call, people).out.splitlines() if x.startswith("Searched from"))
    search = cluster(call, people, "--json").json["search"]
    assert f"{len(search['starts'])} starts" in line
    assert search["winner"] in line
    assert len({one["name"] for one in search["starts"]}) > 1
    assert all(one["name"] in line for one in search["starts"])
    won = [one["name"] for one in search["starts"] if one["won"]]
    assert won == [search["winner"]] or search["winner"] == "combined from several"


def test_the_json_says_whether_the_search_was_stopped_early(call, people):
    whole = cluster(call, people, "--json", "--effort", "fast").json["search"]
    assert whole["stopped"] is False
    short = cluster(call, people, "--json", "--time-budget", "1e-9").json["search"]
    assert short["stopped"] is True


@pytest.mark.parametrize("seconds", ["inf", "0", "nan"])
def test_a_time_budget_is_a_positive_finite_number(call, people, seconds):
    done = cluster(call, people, "--time-budget", seconds)
    assert done.status == 2
    assert f"--time-budget {seconds} must be a positive, finite number of seconds." in done.err


def test_sensitive_columns_are_not_features_by_default(call, people):
    used = cluster(call, people, "--json").json["columns"]
    assert "sex" not in used["numeric"] + used["categorical"]
    used = cluster(call, people, "--json", "--use-sensitive").json["columns"]
    assert "sex" in used["categorical"]


def test_json_is_all_that_stands_on_standard_output(call, people, tmp_path):
    out = tmp_path / "out.csv"
    done = cluster(call, people, "--json", "-o", out, "--drop", "city", "--keep", "id")
    result = done.json
    assert result["rows"] == 80
    assert result["columns"]["numeric"] == ["id", "x", "age"]
    assert result["columns"]["categorical"] == ["migrant"]
    assert result["certified"] is True
    assert result["achieved_tolerance"] <= 0.3
    assert sum(c["size"] for c in result["clusters"]) == 80
    assert np.sum(result["attributes"][0]["counts"]) == 80
    assert result["solver"]["converged"] is True
    assert result["output"] == str(out)
    assert "Dropped 'name'" in " ".join(result["notes"])


def test_the_same_as_the_estimator(call, people, tmp_path):
    out = tmp_path / "out.npy"
    words = ("--keep", "id", "--drop", "age", "--drop", "city", "--drop", "migrant")
    done = cluster(call, people, *words, "-o", out, "--seed", "3", "--gamma", "0.5")
    assert done.status == 0, done.err
    table = pd.read_csv(people)
    X = table[["id", "x"]].to_numpy(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = FairSpectralClustering(2, gamma=0.5, random_state=3)
    expected = model.fit_predict(X, sensitive_features=table["sex"].to_numpy())
    # The inputs differ slightly: each standardises in its own way.
    assert adjusted_rand_score(expected, np.load(out)) > 0.9


def test_several_attributes_and_their_combinations(call, people):
    words = ("--sensitive", "migrant", "--json", "--tolerance", "0.5")
    names = [a["name"] for a in cluster(call, people, *words).json["attributes"]]
    assert names == ["sex", "migrant"]
    done = cluster(call, people, *words, "--attribute-mode", "intersection")
    (attribute,) = done.json["attributes"]
    assert attribute["name"] == "sex × migrant"
    assert len(attribute["groups"]) == 4


def test_numbers_as_groups(call, people, tmp_path):
    words = ("cluster", people, "-k", "2", "-s", "age", "--missing-sensitive", "category")
    done = call(*words, "--bin", "age=3", "--tolerance", "0.5", "--json")
    assert done.status == 0, done.err
    assert len(done.json["attributes"][0]["groups"]) == 4  # three and the missing ones
    assert "Note: Put 'age' into 4 groups: 1" in done.err


def test_a_typo_among_numbers_is_refused(call, people):
    people.write_text(people.read_text().replace("\n5,person 5,", "\n5,person 5,O", 1))
    done = cluster(call, people)
    assert done.status == 2
    assert "in data row 6 of column 'x', which is not a plain number" in done.err
    assert "--categorical x" in done.err
    done = cluster(call, people, "--categorical", "x", "--json")
    assert "x" in done.json["columns"]["categorical"]


def test_plain_clustering_to_compare(call, people):
    done = call("cluster", people, "-k", "2", "--plain", "--drop", "sex", "--json")
    assert done.json["certified"] is None
    assert done.json["attributes"] == []
    done = call("cluster", people, "-k", "2", "--plain", "--drop", "sex")
    assert "size" in done.out
    # With the groups named, it shows their shares, without using them.
    only_x = ("--drop", "age", "--drop", "city", "--drop", "migrant")
    named = cluster(call, people, "--plain", "--json", *only_x).json
    assert named["certified"] is None
    assert named["attributes"][0]["representation_ratio"] < 0.8


def test_other_options_reach_the_estimator(call, people):
    words = ("--affinity", "nearest_neighbors", "--neighbors", "15", "--solver", "nullspace",
             "--memory-budget", "1GB", "--threads", "1", "--min-cluster-size", "30")  # fmt: skip
    done = cluster(call, people, *words, "--json")
    assert done.status == 0, done.err
    assert done.json["solver"]["name"] == "nullspace"
    assert min(c["size"] for c in done.json["clusters"]) >= 30


def test_bounds_of_ones_own(call, people, tmp_path):
    """The audit checks what was written."""
    out = tmp_path / "out.csv"
    groups = ("-s", "sex", "-s", "migrant")
    words = ("--share", "sex:f=0.45..0.6", "--min-cluster-size", "15", "--max-cluster-size", "35")
    done = call("cluster", people, *groups, "-k", "3", *words, "-o", out, "--json",
                "--tolerance", "sex=0.1,migrant=0.5")  # fmt: skip
    assert done.status == 0, done.err
    assert done.json["certified"]
    assert done.json["tolerance"] == {"sex": 0.1, "migrant": 0.5}
    judged = call("audit", out, *groups, *words[2:], "--require-share", words[1],
                  "--require-tolerance", "sex=0.1,migrant=0.5")  # fmt: skip
    assert judged.status == 0, judged.out + judged.err


def test_a_balanced_column(call, people, tmp_path):
    out = tmp_path / "out.csv"
    done = cluster(call, people, "--balance", "age", "-o", out, "--json")
    assert done.status == 0, done.err
    assert "Filled 1 missing value(s) of 'age' with the mean" in done.err
    assert "age" not in done.json["columns"]["numeric"]  # the rows are not compared by it
    (means,) = done.json["covariates"]
    assert means["name"] == "age"
    assert done.json["certified"]
    judged = call("audit", out, "-s", "sex", "--balance", "age", "--json").json["covariates"][0]
    assert judged["means"] == pytest.approx(means["means"], abs=1e-9)
    assert "Mean of age in every cluster" in cluster(call, people, "--balance", "age").out
    plain = cluster(call, people, "--plain", "--balance", "age", "--json").json
    assert plain["covariates"][0]["mean"] == pytest.approx(means["mean"], abs=1e-9)


def test_parquet(call, people, tmp_path):
    pytest.importorskip(
        "pyarrow", reason="pyarrow is not installed: pip install 'fairspectral[parquet]'"
    )
    pd.read_csv(people).to_parquet(tmp_path / "p.parquet")
    out = tmp_path / "out.parquet"
    assert cluster(call, tmp_path / "p.parquet", "-o", out).status == 0
    assert pd.read_parquet(out)["cluster"].nunique() == 2


def test_arrays(call, people, tmp_path):
    table = pd.read_csv(people)
    X = table[["x"]].to_numpy()
    np.savez(tmp_path / "p.npz", X=X, sex=table["sex"].to_numpy(dtype="U1"))
    assert cluster(call, tmp_path / "p.npz", "--json").json["columns"]["numeric"] == ["X[0]"]
    np.save(tmp_path / "p.npy", X)
    done = cluster(call, tmp_path / "p.npy", "--groups", people, "--json")
    assert done.json["columns"] == {"numeric": ["0"], "categorical": [], "sensitive": ["sex"]}


def test_groups_in_a_file_of_their_own_stay_out_too(call, people):
    used = cluster(call, people, "--groups", people, "--json").json["columns"]
    assert "sex" not in used["numeric"] + used["categorical"]


def test_the_report(call, people, tmp_path):
    pytest.importorskip(
        "jinja2", reason="jinja2 is not installed: pip install 'fairspectral[report]'"
    )
    page = tmp_path / "report.html"
    done = cluster(call, people, "--report", page)
    assert done.status == 0, done.err
    text = page.read_text()
    assert "Fair clusters of people.csv" in text
    assert "Dropped" in text
    assert f"Report: {page}" in done.out
    assert sorted(os.listdir(tmp_path)) == ["people.csv", "report.html"]


def test_a_report_without_jinja_is_refused_before_the_work(call, people, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = cluster(call, people, "--report", tmp_path / "r.html")
    assert done.status == 2
    assert "--report needs jinja2" in done.err


# --- the run and its frontier -------------------------------------------------------------------


def test_the_marked_point_of_the_report_is_the_run(call, people, tmp_path):
    pytest.importorskip(
        "jinja2", reason="jinja2 is not installed: pip install 'fairspectral[report]'"
    )
    page, out = tmp_path / "report.html", tmp_path / "out.csv"
    words = ("--report", page, "-o", out, "--json", "--tolerance", "0.15", "--effort", "fast")
    result = call("cluster", people, "-s", "sex", "-k", "4", *words).json
    cuts = [row["normalized_cut"] for row in result["frontier"]]
    assert (np.diff(cuts) <= 1e-9).all()
    (point,) = (row for row in result["frontier"] if row["fairness_tol"] == 0.15)
    assert abs(point["normalized_cut"] - result["normalized_cut"]) < 1e-6
    assert point["achieved_tol"] == pytest.approx(result["achieved_tolerance"], abs=1e-12)
    text = page.read_text(encoding="utf-8")
    (tip,) = re.findall(r'class="point l0 marked"[^>]*data-tip="(tolerance 15%[^"]*)"', text)
    assert f"normalised cut {result['normalized_cut']:.4g}\n" in tip
    sizes = sorted(c["size"] for c in result["clusters"])
    assert sorted(pd.read_csv(out)["cluster"].value_counts()) == sizes


def test_ctrl_c_in_the_searches_of_the_report_takes_what_is_known(
    call, people, tmp_path, monkeypatch
):
    out, page = tmp_path / "out.csv", tmp_path / "report.html"
    words = ("-o", out, "--report", page)
    press_in_search(monkeypatch, 2)  # the first is that of the fit
    done = cluster(call, people, *words)
    assert done.status == 0, done.err
    assert "were not searched" in " ".join(done.out.split())
    assert "no resamples were clustered" in " ".join(done.out.split())
    assert "were not searched" in page.read_text(encoding="utf-8")
    assert len(pd.read_csv(out)) == 80


@pytest.mark.parametrize("wanted", ["none", "too many rows"])
def test_resamples_that_nobody_wanted_are_not_missed_after_ctrl_c(
    wanted, call, people, tmp_path, monkeypatch
):
    if wanted == "too many rows":
        monkeypatch.setattr("fairspectral.report.comeback.MOST_SAMPLES", 10)
    words = ("--stability", "0") if wanted == "none" else ()
    press_in_search(monkeypatch, 2)
    done = cluster(call, people, "--report", tmp_path / "report.html", *words)
    assert done.status == 0, done.err
    said = " ".join(done.out.split())
    assert "were not searched" in said
    assert "no resamples were clustered" not in said


def test_a_second_ctrl_c_names_what_was_written(call, people, tmp_path, monkeypatch):
    out, page = tmp_path / "out.csv", tmp_path / "report.html"
    press_in_search(monkeypatch, 2)
    monkeypatch.setattr(
        "fairspectral.report.price.own_place", lambda *_: signal.raise_signal(signal.SIGINT)
    )
    done = cluster(call, people, "-o", out, "--report", page)
    assert done.status == 130
    assert done.err.endswith(f"Interrupted; no partial file is left. Written before: {out}.\n")
    assert len(pd.read_csv(out)) == 80
    assert not page.exists()


def test_without_a_report_there_is_no_frontier(call, people):
    assert cluster(call, people, "--json").json["frontier"] is None


def test_a_better_clustering_from_the_frontier_is_taken_before_anything_is_written():
    from fairspectral.cli.cluster import _improve_by_frontier

    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(60, 2)), np.tile([0, 1], 30)
    model = FairSpectralClustering(3, effort="fast", random_state=0)
    best = model.fit(X, sensitive_features=groups).fair_assignment_.normalized_cut
    # Fair, and otherwise random.
    noise = rng.normal(size=(60, 3))
    labels = fair_assignment(noise, groups, 3, random_state=0).labels
    plan = plan_rounding(model._attributes, 3)
    model._adopt(measure_labels(plan, noise, labels, model.affinity_operator_))
    assert model.audit_.normalized_cut > best + 1e-6
    frontier = _improve_by_frontier(model, SimpleNamespace(sensitive=groups))
    np.testing.assert_array_equal(model.labels_, frontier.at(0.2).labels)
    assert model.audit_.normalized_cut <= best + 1e-6
    np.testing.assert_array_equal(model.fair_assignment_.labels, model.labels_)
    np.testing.assert_array_equal(model.audit_.sizes, np.bincount(model.labels_))


# --- graphs -----------------------------------------------------------------------------------


def test_a_graph_and_its_groups(call, graph, tmp_path):
    edges, groups = graph
    out = tmp_path / "out.csv"
    done = call("cluster", edges, "--graph", "--groups", groups, "-k", "2", "-o", out)
    assert done.status == 0, done.err
    assert "A graph of 20 nodes and 21 edges" in done.out
    found = pd.read_csv(out)
    assert found.columns.tolist() == ["node", "side", "cluster"]
    assert found["cluster"][:10].nunique() == 1
    assert found["cluster"][0] != found["cluster"][19]


def test_a_matrix_and_groups_in_its_order(call, graph, tmp_path):
    ring = sp.diags_array([np.ones(19), np.ones(19)], offsets=[1, -1], shape=(20, 20))
    scipy.io.mmwrite(tmp_path / "g.mtx", ring)
    words = ("cluster", tmp_path / "g.mtx", "--graph", "--groups", graph[1], "-k", "2", "--json")
    done = call(*words, "-s", "side")
    assert done.status == 0, done.err
    assert done.json["columns"]["sensitive"] == ["side"]
    (tmp_path / "short.csv").write_text("side\na\nb\na\n")
    done = call("cluster", tmp_path / "g.mtx", "--graph", "-k", "2",
                "--groups", tmp_path / "short.csv")  # fmt: skip
    assert done.status == 2
    assert "has 3 rows but" in done.err


def test_a_graph_without_groups_is_clustered_plainly(call, graph, tmp_path):
    edges, _ = graph
    out, certificate = tmp_path / "out.csv", tmp_path / "c.json"
    done = call("cluster", edges, "--graph", "--plain", "-k", "2", "-o", out, "--certificate",
                certificate)  # fmt: skip
    assert done.status == 0, done.err
    lines = out.read_text().splitlines()
    assert lines[0] == "node,cluster"
    assert "v0" in {line.split(",")[0] for line in lines}
    done = call("verify", out, edges, "--certificate", certificate)
    assert done.status == 0, done.out + done.err


def test_a_tolerance_of_none_is_no_bound(call, people):
    done = call("cluster", people, "-s", "sex", "-k", "2", "--tolerance", "none", "--json",
                "--effort", "fast")  # fmt: skip
    assert done.status == 0, done.err
    assert done.json["tolerance"] is None
    done = call("audit", people, "-s", "sex", "--labels", "sex",
                "--require-tolerance", "None")  # fmt: skip
    assert done.status == 2
    assert "--require-tolerance none requires nothing; leave it out." in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--graph needs --groups"),
        (("--plain", "-s", "side"), "--graph needs --groups"),
        (("--groups", "GROUPS", "--drop", "side"), "--drop is for tables"),
        (("--groups", "TWICE"), "names the node 'v0' twice"),
    ],
)
def test_graphs_that_are_refused(call, graph, tmp_path, words, said):
    edges, groups = graph
    twice = tmp_path / "twice.csv"
    twice.write_text("node,side\nv0,a\nv0,b\n")
    names = {"GROUPS": groups, "TWICE": twice}
    done = call("cluster", edges, "--graph", "-k", "2", *(names.get(w, w) for w in words))
    assert done.status == 2
    assert said in done.err


def test_many_rows_suggest_nearest_neighbours(call, people, monkeypatch):
    monkeypatch.setattr("fairspectral.cli.inputs._MANY_ROWS", 50)
    assert "--affinity nearest_neighbors" in cluster(call, people).err


def test_the_diagnosis_is_printed_beside_the_certificate(call, tmp_path):
    graph, groups = tmp_path / "edges.csv", tmp_path / "groups.csv"
    edges = [f"{3 * c + i},{3 * c + j}" for c in range(20) for i, j in ((0, 1), (1, 2), (0, 2))]
    graph.write_text("source,target\n" + "\n".join(edges) + "\n")
    groups.write_text("node,side\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60)))
    words = ("cluster", graph, "--graph", "--groups", groups, "--clusters", "3")
    done = call(*words)
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Certified: "))
    assert lines[at + 1].startswith("Certified is about shares only; see the diagnosis: more comp")
    assert "20 unconnected components for 3 cluster(s), with 57 of 60 people" in done.out
    assert "Connect them with more neighbours" in done.out
    result = call(*words, "--json").json
    assert result["diagnosis"][0]["kind"] == "more components than clusters"
    assert set(result["diagnosis"][0]) == {"kind", "what", "advice"}


def test_good_clusters_have_no_diagnosis(call, people):
    words = ("--drop", "age", "--drop", "city", "--drop", "migrant")
    done = cluster(call, people, *words)
    assert "iagnosis" not in done.out
    assert cluster(call, people, *words, "--json").json["diagnosis"] == []


def test_which_clusters_come_back_is_printed_and_in_json_and_report(call, people, tmp_path):
    words = ("--effort", "fast", "--stability", "2")
    done = cluster(call, people, *words)
    assert "Which clusters come back on resamples" in done.out
    assert "of 2 resamples" in done.out or "all 2 resamples" in done.out
    page = tmp_path / "page.html"
    found = cluster(call, people, *words, "--report", page, "--json").json["stability"]
    assert found["resamples"] == 2
    assert [c["cluster"] for c in found["clusters"]] == [0, 1]
    assert found["words"] in page.read_text(encoding="utf-8")


def test_without_a_report_nothing_is_resampled_unless_asked(call, people, tmp_path):
    assert cluster(call, people, "--effort", "fast", "--json").json["stability"] is None
    page = tmp_path / "page.html"
    words = ("--effort", "fast", "--report", page, "--json")
    assert cluster(call, people, *words, "--stability", "0").json["stability"] is None
    assert cluster(call, people, *words).json["stability"]["resamples"] == 10


def test_a_checkpoint_is_removed_at_the_end_and_one_of_another_run_is_refused(
    call, people, tmp_path, monkeypatch
):
    file = tmp_path / "run.ckpt"
    written = []
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    write = checkpoint._write
    monkeypatch.setattr(
        checkpoint, "_write", lambda *given: (write(*given), written.append(file.read_bytes()))
    )
    done = cluster(call, people, "--checkpoint", file)
    assert done.status == 0, done.err
    assert not file.exists()
    file.write_bytes(written[-1])
    done = cluster(call, people, "--checkpoint", file, "--tolerance", "0.1")
    assert done.status != 0
    assert "another run: --tolerance is 0.2 there and 0.1 here" in done.err
    done = cluster(call, people, "--checkpoint", tmp_path / "none" / "run.ckpt")
    assert done.status != 0
    assert "does not exist" in done.err
