import numpy as np
import pytest

from fairspectral.datasets import make_msbm


@pytest.fixture
def planted(tmp_path):
    """A graph with three planted fair clusters, as files."""
    data = make_msbm(150, 3, 2, random_state=0)
    rows, columns = np.nonzero(
        np.triu(np.asarray(getattr(data.graph, "todense", lambda: data.graph)()))
    )
    edges = tmp_path / "edges.csv"
    lines = [f"{a},{b}" for a, b in zip(rows, columns, strict=True)]
    edges.write_text("source,target\n" + "\n".join(lines))
    groups = tmp_path / "groups.csv"
    lines = [f"{i},g{s}" for i, s in enumerate(data.sensitive_features)]
    groups.write_text("node,group\n" + "\n".join(lines))
    return edges, groups


def test_the_planted_number_is_suggested(call, planted):
    edges, groups = planted
    words = ("choose-k", edges, "--graph", "--groups", groups, "--effort", "fast")
    words = (*words, "--max-clusters", "4")
    done = call(*words, "--threads", "1")
    assert done.status == 0, done.err
    assert "Suggestion: 3 clusters" in done.out
    result = call(*words, "--json", "--min-clusters", "3").json
    assert result["suggestion"] == 3
    assert [c["k"] for c in result["candidates"]] == [3, 4]
    assert all(c["certified"] for c in result["candidates"])
    assert result["solver"]["converged"] is True
    values = [c["eigenvalue"] for c in result["candidates"]]
    assert values == sorted(values, reverse=True)


def test_small_components_are_set_aside_and_said(call, graph_with_pairs):
    edges, groups = graph_with_pairs
    words = ("choose-k", edges, "--graph", "--groups", groups, "--effort", "fast")
    done = call(*words, "--max-clusters", "4")
    # The pairs are no clusters: without them the three blocks are what there is.
    assert "Suggestion: 3 clusters" in done.out
    assert "4 people in 2 component(s) of fewer than 7 people" in done.out
    candidates = call(*words, "--max-clusters", "4", "--json").json["candidates"]
    assert [c["set_aside"] for c in candidates] == [4, 4, 4]
    assert all(c["certified"] for c in candidates)


def test_a_component_can_be_large_enough_for_more_clusters(call, graph_with_pairs):
    edges, groups = graph_with_pairs
    words = ("choose-k", edges, "--graph", "--groups", groups, "--effort", "fast")
    words = (*words, "--min-clusters", "5", "--max-clusters", "6")
    said = " ".join(call(*words).out.split())
    assert "From 5 clusters on: 4 people in 2 component(s) of fewer than 3 people" in said
    assert "From 6 clusters on: Nobody was set aside before the embedding." in said
    candidates = call(*words, "--json").json["candidates"]
    assert [c["set_aside"] for c in candidates] == [4, 0]


def test_one_embedding_serves_every_number(call, people):
    """The columns for fewer clusters equal a separate embedding."""
    words = ("choose-k", people, "-s", "sex", "--json", "--min-clusters", "2", "--max-clusters")
    many = call(*words, "4").json["candidates"][0]
    few = call(*words, "2").json["candidates"][0]
    assert many["eigenvalue"] == pytest.approx(few["eigenvalue"], abs=1e-4)
    assert many["eigengap"] == pytest.approx(few["eigengap"], abs=1e-3)
    assert many["normalized_cut"] == pytest.approx(few["normalized_cut"], abs=0.05)


def test_resamples_add_two_columns(call, people):
    words = ("choose-k", people, "-s", "sex", "--max-clusters", "3", "--effort", "fast")
    done = call(*words, "--stability", "2")
    assert done.status == 0, done.err
    assert "weakest cluster" in done.out
    assert "resamples agree most" in " ".join(done.out.split())
    result = call(*words, "--stability", "2", "--json").json
    assert [one["resamples"] for one in result["stability"]] == [2, 2]
    assert all(0 <= c["weakest"] <= 1 for c in result["candidates"])
    assert "stability" not in call(*words).out


def test_a_range_the_wrong_way_round(call, people):
    done = call("choose-k", people, "-s", "sex", "--min-clusters", "5", "--max-clusters", "3")
    assert done.status == 2
    assert "swap them" in done.err


def test_more_clusters_than_people(call, people):
    done = call("choose-k", people, "-s", "sex", "--max-clusters", "100")
    assert done.status == 2
    assert "--max-clusters 100 is too many for 80 rows and 1 fairness constraint" in done.err
    assert "choose at most 78" in done.err
    words = ("choose-k", people, "-s", "sex", "--max-clusters", "78", "--min-clusters", "78")
    done = call(*words)
    assert done.status == 0
    assert "so there is no suggestion" in done.out
    assert "78 *" not in done.out
    assert call(*words, "--json").json["suggestion"] is None
