"""The command `describe`, on its own and after `cluster`."""

import numpy as np
import pandas as pd
import pytest

from fairspectral.cli.tables import original_columns, read_table


@pytest.fixture
def labelled(tmp_path):
    """120 people in two clusters: one is older and mostly retired; ages with decimal commas."""
    rng = np.random.default_rng(0)
    n = 120
    cluster = np.repeat(["red", "blue"], n // 2)
    age = np.round(rng.normal(40, 8, n) + 25 * (cluster == "blue"), 1)
    table = pd.DataFrame(
        {
            "id": np.arange(n),
            "person": [f"p{i}" for i in range(n)],
            "age": [str(a).replace(".", ",") for a in age],
            "work": np.where(rng.random(n) < 0.1 + 0.7 * (cluster == "blue"), "retired", "NA"),
            "height": np.round(rng.normal(170, 8, n)),
            "sex": np.tile(["f", "m"], n // 2),
            "cluster": cluster,
        }
    )
    path = tmp_path / "out.csv"
    table.to_csv(path, index=False, sep=";")
    return path


def test_sentences_table_shares_and_typical_members(call, labelled):
    done = call("describe", labelled, "--sensitive", "sex")
    assert done.status == 0, done.err
    first, second, *_ = done.out.splitlines()
    assert first.startswith("Cluster blue (60 members, 50%): age much higher (median 6")
    assert "work missing less often (" in first
    assert second.startswith("Cluster red (60 members, 50%): age much lower")
    assert "height" not in done.out
    assert "differs in" in done.out
    assert "Shares of sex in every cluster" in done.out
    assert "Typical of cluster blue: " in done.out
    assert "Members are numbered by data row, from 1" in done.out
    assert "Note: Left out 'id': it has the numbers of the rows." in done.err
    assert "Note: Left out 'person': it has mostly different texts" in done.err


def test_for_machines(call, labelled):
    result = call("describe", labelled, "-s", "sex", "--name", "person", "--json").json
    assert result["rows"] == 120
    blue, red = result["clusters"]
    assert (blue["label"], blue["size"], red["share"]) == ("blue", 60, 0.5)
    age = blue["differences"][0]
    assert (age["column"], age["measure"]) == ("age", "median")
    table = pd.read_csv(labelled, sep=";", decimal=",")
    assert age["here"] == pytest.approx(table["age"][60:].median(), abs=1e-9)
    assert blue["sentence"].startswith("Cluster blue (60 members")
    assert all(name.startswith("p") for name in blue["typical"])
    assert result["attributes"][0]["counts"] == [[30, 30], [30, 30]]


def test_columns_are_chosen_dropped_and_read_as_categories(call, labelled):
    def told(*words):
        done = call("describe", labelled, *words, "--json")
        assert done.status == 0, done.err
        return [d["what"] for d in done.json["clusters"][0]["differences"]]

    assert told("--drop", "age") == ["work missing less often"]
    assert told("-c", "age") == ["age much higher"]
    assert told("-c", "height") == []
    assert told("--most", "1") == ["age much higher"]
    assert told("--least-effect", "1") == []
    assert told("-c", "height", "--categorical", "height") == []


def test_labels_in_a_file_of_their_own(call, labelled, tmp_path):
    table = pd.read_csv(labelled, sep=";", dtype=str, keep_default_na=False)
    labels = tmp_path / "labels.npy"
    np.save(labels, table["cluster"].to_numpy().astype(str))
    data = tmp_path / "data.csv"
    table.drop(columns="cluster").to_csv(data, index=False, sep=";")
    alone = call("describe", labels, data, "-s", "sex", "--json")
    assert alone.status == 0, alone.err
    together = call("describe", labelled, "-s", "sex", "--json").json
    assert alone.json["clusters"] == together["clusters"]
    np.save(labels, np.arange(7))
    done = call("describe", labels, data)
    assert done.status == 2
    assert "has 120 rows but" in done.err
    assert "needs one row for each label" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-l", "clusters"), "(asked for by --labels); did you mean 'cluster'?"),
        (("-s", "sexx"), "(asked for by --sensitive); did you mean 'sex'?"),
        (("-c", "agee"), "(asked for by --column); did you mean 'age'?"),
        (("--name", "persn"), "(asked for by --name); did you mean 'person'?"),
        (("--least-effect", "2"), "--least-effect 2.0 must be above 0, and 1 at most."),
        (("--most", "0"), "--most must be at least 1"),
    ],
)
def test_mistakes_are_one_sentence(call, labelled, words, said):
    done = call("describe", labelled, *words)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_table_of_labels_and_groups_alone_says_that_columns_are_missing(call, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("cluster,sex\n" + "0,f\n1,m\n" * 20)
    done = call("describe", path, "-s", "sex")
    assert done.status == 0, done.err
    assert "Note: No table was given" in done.err
    assert "sex “m” more often (100% against 0%, sensitive)" in done.out


def test_escape_codes_and_markup_of_the_data_are_harmless(call, tmp_path):
    path = tmp_path / "bad.csv"
    rows = [f"{i // 30},{'[bold]x' if i < 30 else chr(27) + '[31my'}" for i in range(60)]
    path.write_text("cluster,co\x1b[2Jlour\n" + "\n".join(rows))
    done = call("describe", path)
    assert done.status == 0, done.err
    assert "\x1b" not in done.out
    assert "co\\x1b[2Jlour “[bold]x” more often" in done.out


def test_the_report_of_cluster_uses_the_original_columns(call, people, tmp_path):
    report = tmp_path / "report.html"
    words = ("cluster", people, "-s", "migrant", "-k", "2", "--effort", "fast")
    plain = call(*words)
    done = call(*words, "--report", report, "--stability", "0")
    assert done.status == 0, done.err
    assert len(done.out.splitlines()) == len(plain.out.splitlines())  # nothing more is printed
    page = report.read_text()
    text = page[page.index('id="clusters"') : page.index('id="comparison"')]
    assert "Typical: data row " in text
    assert "sex “f” more often" in text
    assert "sex=f" not in text
    assert "migrant “" not in text
    assert ">x</th>" in text


def test_the_report_of_a_graph_tells_connections_and_names_nodes(call, graph, tmp_path):
    edges, groups = graph
    report = tmp_path / "report.html"
    done = call("cluster", edges, "--graph", "--groups", groups, "-k", "2", "--report", report)
    assert done.status == 0, done.err
    page = report.read_text()
    text = page[page.index('id="clusters"') : page.index('id="comparison"')]
    assert "of its connections stay inside" in text
    assert "Typical: v" in text


def test_columns_keep_their_units_and_words(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;c\n1,5;x;1\n2,5;NA;2\n;y;1\n")
    frame, notes = original_columns(read_table(path), ["a", "b", "c"], ["c"])
    assert frame["a"].tolist()[:2] == [1.5, 2.5]
    assert frame["a"].isna().tolist() == [False, False, True]
    assert frame["b"].tolist() == ["x", None, "y"]
    assert frame["c"].tolist() == ["1", "2", "1"]
    assert notes == []
