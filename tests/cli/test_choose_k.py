import numpy as np
import pytest

from fairspectral.cli.choose_k import Candidate, print_candidates, suggest
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
    words = ("choose-k", edges, "--graph", "--groups", groups, "--max-clusters", "4")
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


def candidate(k, eigengap, silhouette=0.0):
    return Candidate(k, 0.5, eigengap, 0.1, silhouette, 1.0, True)


def test_the_smaller_of_equals():
    assert suggest([candidate(2, 0.1), candidate(3, 0.4), candidate(4, 0.4)]).k == 3


@pytest.mark.parametrize(
    ("silhouettes", "said"), [((0.1, 0.9), "is best at 3."), ((0.9, 0.1), "agrees.")]
)
def test_it_says_whether_the_silhouette_agrees(capsys, silhouettes, said):
    candidates = [candidate(2, 0.4, silhouettes[0]), candidate(3, 0.1, silhouettes[1])]
    print_candidates(candidates, suggest(candidates))
    words = capsys.readouterr().out.strip().splitlines()[-1]
    assert words == f"Suggestion: 2 clusters, where the eigengap is largest; the silhouette {said}"


def test_a_range_the_wrong_way_round(call, people):
    done = call("choose-k", people, "-s", "sex", "--min-clusters", "5", "--max-clusters", "3")
    assert done.status == 2
    assert "swap them" in done.err


def test_more_clusters_than_people(call, people):
    done = call("choose-k", people, "-s", "sex", "--max-clusters", "100")
    assert done.status == 2
    assert "--max-clusters 100 is too many for 80 rows and 1 fairness constraint" in done.err
    assert "choose at most 78" in done.err
    done = call("choose-k", people, "-s", "sex", "--max-clusters", "78", "--min-clusters", "78")
    assert done.status == 0
