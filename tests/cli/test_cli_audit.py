import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def labelled(tmp_path):
    """Cluster 0 has 6 f and 4 m, cluster 1 has 4 f and 6 m."""
    rows = ["0,f"] * 6 + ["0,m"] * 4 + ["1,f"] * 4 + ["1,m"] * 6
    path = tmp_path / "labelled.csv"
    path.write_text("cluster,sex\n" + "\n".join(rows) + "\n")
    return path


def test_groups_of_one_person_each_are_refused(call, tmp_path):
    """In whole persons their shares exclude nothing: even clusters by age would be fair."""
    path = tmp_path / "by-age.csv"
    rows = [f"{20 + min(i, 58)},{i // 20}" for i in range(60)]
    path.write_text("\n".join(["age,cluster", *rows]))
    words = ("audit", path, "-s", "age", "--require-tolerance", "0.2")
    done = call(*words)
    assert done.status == 2
    assert "'age' has 59 values in 60 rows" in done.err
    assert "--bin age=5" in done.err
    assert call(*words, "--bin", "age=3").status == 1


def test_the_table_and_the_numbers(call, labelled):
    done = call("audit", labelled, "--sensitive", "sex")
    assert done.status == 0, done.err
    assert "60.0%" in done.out
    assert "largest difference from everyone's shares 10.0 points" in done.out
    result = call("audit", labelled, "-s", "sex", "--json").json
    assert result["attributes"][0]["counts"] == [[6, 4], [4, 6]]
    assert result["clusters"] == [{"label": 0, "size": 10}, {"label": 1, "size": 10}]
    assert "fair" not in result


@pytest.mark.parametrize(("tolerance", "status"), [("0.2", 0), ("0.19", 1), ("0", 1)])
def test_the_gate(call, labelled, tolerance, status):
    words = ("audit", labelled, "-s", "sex", "--require-tolerance", tolerance)
    done = call(*words)
    assert done.status == status
    assert (
        "Fair: up to whole persons, every group" if status == 0 else "Not fair: 4 cell(s)"
    ) in done.out
    result = call(*words, "--json").json
    assert result["fair"] is (status == 0)
    assert len(result["failures"]) == 4 * status
    if status:
        cell = result["failures"][0]
        assert (cell["group"], cell["cluster"], cell["members"]) == ("f", 0, 6)
        assert cell["most"] == 5


def test_the_gate_for_small_clusters(call, labelled):
    words = ("audit", labelled, "-s", "sex", "--min-cluster-size")
    done = call(*words, "10")
    assert done.status == 0, done.err
    assert "Every cluster has at least 10 members." in done.out
    done = call(*words, "11")
    assert done.status == 1
    assert "Too small: 2 cluster(s) have fewer than 11 members:\n  cluster 0: 10\n" in done.out
    result = call(*words, "11", "--json", "--require-tolerance", "0.2").json
    assert result["fair"] is True
    assert result["min_cluster_size"] == 11
    assert result["small_clusters"] == [{"label": 0, "size": 10}, {"label": 1, "size": 10}]


def test_whole_persons_are_allowed(call, tmp_path):
    # 3 f and 4 m cannot be shared equally: half a person must not be required.
    path = tmp_path / "odd.csv"
    path.write_text("cluster,sex\n0,f\n0,m\n0,m\n1,f\n1,f\n1,m\n1,m\n")
    assert call("audit", path, "-s", "sex", "--require-tolerance", "0").status == 0


def test_many_failures_are_not_all_shown(call, tmp_path):
    path = tmp_path / "many.csv"
    rows = [f"c{i},g{i}" for i in range(5) for _ in range(20)]
    path.write_text("cluster,sex\n" + "\n".join(rows) + "\n")
    done = call("audit", path, "-s", "sex", "--require-tolerance", "0.2")
    assert done.status == 1
    assert "Not fair: 25 cell(s)" in done.out
    assert "and 15 more; --json lists all" in done.out


def test_several_attributes_and_their_combinations(call, tmp_path):
    path = tmp_path / "two.csv"
    rows = ["0,f,y", "0,m,n", "1,f,n", "1,m,y"] * 5
    path.write_text("cluster,sex,own\n" + "\n".join(rows) + "\n")
    words = ("audit", path, "-s", "sex", "-s", "own", "--require-tolerance", "0.2")
    assert call(*words).status == 0
    assert call(*words, "--attribute-mode", "intersection").status == 1


def test_labels_of_any_kind(call, tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("team,score,sex\nred,1.5,f\nblue,10,m\nred,2,m\nblue,2,f\n")
    result = call("audit", path, "-s", "sex", "-l", "team", "--json").json
    assert [c["label"] for c in result["clusters"]] == ["blue", "red"]
    result = call("audit", path, "-s", "sex", "-l", "score", "--json").json
    assert [c["label"] for c in result["clusters"]] == ["1.5", "10", "2"]


@pytest.mark.parametrize(
    "pair", [("9007199254740992", "9007199254740993"), ("01", "1"), ("1e2", "100"), ("-", "None")]
)
def test_names_that_are_the_same_number_do_not_hide_segregation(call, tmp_path, pair):
    path = tmp_path / "apart.csv"
    path.write_text("cluster,sex\n" + f"{pair[0]},m\n{pair[1]},f\n" * 20)
    done = call("audit", path, "-s", "sex", "--require-tolerance", "0.2", "--json")
    assert done.status == 1
    assert [str(c["label"]) for c in done.json["clusters"]] == sorted(pair)
    # Nor are groups merged.
    path.write_text("sex,cluster\n" + f"{pair[0]},m\n{pair[1]},f\n" * 20)
    assert call("audit", path, "-s", "sex", "--require-tolerance", "0.2").status == 1


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_large_integers_are_not_one_label(call, tmp_path, kind):
    path = tmp_path / f"apart.{kind}"
    labels, sex = np.array([2**53, 2**53 + 1] * 20), np.array(["m", "f"] * 20)
    if kind == "npz":
        np.savez(path, cluster=labels, sex=sex)
    else:
        pytest.importorskip("pyarrow", reason="Parquet files need: pip install pyarrow")
        pd.DataFrame({"cluster": labels, "sex": sex}).to_parquet(path)
    assert call("audit", path, "-s", "sex", "--require-tolerance", "0.2").status == 1


def test_numbers_as_groups(call, tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("cluster,age\n" + "\n".join(f"{i % 2},{20 + i // 2}" for i in range(80)))
    done = call("audit", path, "-s", "age", "--bin", "age=4", "--json")
    assert done.status == 0, done.err
    assert len(done.json["attributes"][0]["groups"]) == 4
    assert "Note: Put 'age' into 4 groups: 20 to 29 (20), 30 to 39 (20)," in done.err
    for word, said in (("age", "such as age=5"), ("age=1", "at least 2"), ("sex=3", "not sensit")):
        done = call("audit", path, "-s", "age", "--bin", word)
        assert done.status == 2
        assert said in done.err


def test_one_group_is_fair(call, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("cluster,sex\n0,f\n1,f\n1,f\n")
    assert call("audit", path, "-s", "sex", "--require-tolerance", "0").status == 0


def test_missing_labels_and_headers(call, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("cluster,sex\n0,f\n,m\n1,f\n")
    done = call("audit", path, "-s", "sex")
    assert done.status == 2
    assert "1 row(s) without a label in column 'cluster', the first in data row 2" in done.err
    path.write_text("0,f\n1,m\n1,f\n")
    done = call("audit", path, "--no-header", "-l", "column 1", "-s", "column 2", "--json")
    assert done.json["rows"] == 3
    done = call("audit", path, "-l", "0", "-s", "f")
    assert "--no-header" in done.err


def test_a_wrong_label_column_suggests_the_nearest(call, labelled):
    done = call("audit", labelled, "-s", "sex", "-l", "clusters")
    assert done.status == 2
    assert "(asked for by --labels); did you mean 'cluster'?" in done.err


def test_many_groups_give_a_note_and_row_numbers_are_refused(call, tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("cluster,id,age\n" + "\n".join(f"{i % 2},{i},{i // 2}" for i in range(80)))
    done = call("audit", path, "-s", "age")
    assert done.status == 0, done.err
    assert "'age' has 40 groups; a few broader ones" in done.err
    assert "pass --bin age=5 to put its numbers into five groups" in done.err
    done = call("audit", path, "-s", "id")
    assert done.status == 2
    assert "'id' has a different value in every row" in done.err
    assert "pass --bin id=5" in done.err
    path.write_text("cluster,sex\n0,a\n0,b\n1,c\n")
    assert call("audit", path, "-s", "sex", "--json").json["rows"] == 3


def test_fair_shares_of_one_giant_cluster_have_a_caution(call, tmp_path):
    path = tmp_path / "giant.csv"
    rows = [f"{cluster},{sex}" for cluster in [0] * 45 + [1] * 3 + [2] * 2 for sex in "fm"]
    path.write_text("cluster,sex\n" + "\n".join(rows) + "\n")
    words = ("audit", path, "-s", "sex", "--require-tolerance", "0.2")
    done = call(*words)
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Fair: "))
    assert lines[at + 1] == "Fair is about shares only; see the diagnosis: one giant cluster."
    assert "90% of everyone (90 of 100)" in done.out
    assert [f["kind"] for f in call(*words, "--json").json["diagnosis"]] == ["one giant cluster"]


def test_without_a_verdict_the_audit_itself_is_about_shares(call, labelled, tmp_path):
    path = tmp_path / "giant.csv"
    path.write_text(labelled.read_text() + "0,f\n" * 120)
    assert "The audit is about shares only" in call("audit", path, "-s", "sex").out
    assert "iagnosis" not in call("audit", labelled, "-s", "sex").out


@pytest.mark.parametrize(
    ("share", "status"), [("f=0.4..0.6", 0), ("f=0.45..", 1), ("f=..0.55", 1), ("m=0.4..", 0)]
)
def test_the_gate_for_shares(call, labelled, share, status):
    words = ("audit", labelled, "-s", "sex", "--require-share", f"sex:{share}")
    done = call(*words)
    assert done.status == status, done.err
    verdict = "Fair: up to whole persons" if status == 0 else "outside the bounds asked for:"
    assert verdict in done.out
    result = call(*words, "--json").json
    assert result["fair"] is (status == 0)
    assert list(result["shares"]["sex"]) == [share[0]]


def test_the_gate_for_a_tolerance_of_each_attribute(call, tmp_path):
    rows = ["0,f,n"] * 6 + ["0,m,s"] * 4 + ["1,f,n"] * 4 + ["1,m,s"] * 6
    path = tmp_path / "two.csv"
    path.write_text("cluster,sex,region\n" + "\n".join(rows) + "\n")
    words = ("audit", path, "-s", "sex", "-s", "region", "--require-tolerance")
    assert call(*words, "sex=0.2,region=0.3").status == 0
    failed = call(*words, "sex=0.2,region=0.1", "--json")
    assert failed.status == 1
    assert {cell["attribute"] for cell in failed.json["failures"]} == {"region"}
    assert call(*words, "sex=none,region=0.2").status == 0
    assert "no tolerance for the attribute 'region'" in call(*words, "sex=0.2").err


def test_the_gate_for_large_clusters(call, labelled):
    words = ("audit", labelled, "-s", "sex", "--max-cluster-size")
    assert "Every cluster has at most 10 members." in call(*words, "10").out
    failed = call(*words, "9")
    assert failed.status == 1
    assert "Too large: 2 cluster(s) have more than 9 members:" in failed.out
    assert len(call(*words, "9", "--json").json["large_clusters"]) == 2
