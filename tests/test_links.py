"""Pairs who must be together or apart: read, refused, and kept."""

import networkx
import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering
from fairspectral.datasets import load_diabetes_patients
from fairspectral.links import read_links


def kept_pairs(labels, pairs):
    return [labels[i] == labels[j] for i, j in pairs]


def test_linked_people_become_one_node():
    links = read_links([(0, 1), (3, 1)], [(0, 2)], range(5), 2)
    assert links.n_nodes == 3
    assert len(set(links.nodes[[0, 1, 3]].tolist())) == 1
    assert links.together(np.array([1, 0, 0, 0, 1]), 2).tolist() == [0, 0, 0, 0, 1]
    assert links.joined(np.array([1, 1, 0, 1, 1])).tolist() == []
    assert links.kept(np.array([1, 1, 0, 1, 1]))
    assert not links.kept(np.array([1, 0, 0, 1, 1]))
    assert links.sentence(np.array([1, 1, 1, 1, 1])) == (
        "Links: all 2 must-link(s) are kept, and 1 of 1 cannot-link pair(s) are together: 0 and 2."
    )


def test_no_pairs_are_no_links():
    assert read_links([], None, range(3), 2) is None
    assert read_links(None, np.empty((0, 2)), range(3), 2) is None


def test_many_broken_pairs_are_counted():
    pairs = [(0, i) for i in range(1, 7)]
    links = read_links(None, [(f"p{i}", f"p{j}") for i, j in pairs], [f"p{i}" for i in range(7)], 2)
    assert "p0 and p1, p0 and p2, p0 and p3, and 3 more." in links.sentence(np.zeros(7, dtype=int))


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_links_are_kept_and_shares_too(affinity):
    patients = load_diabetes_patients()
    X, groups = patients.X[:150], patients.sensitive_features[:150]
    rng = np.random.default_rng(0)
    pairs = rng.permutation(150)[:60].reshape(-1, 2).tolist()
    together, apart = pairs[:15], pairs[15:]
    model = FairSpectralClustering(3, affinity=affinity, effort="fast", random_state=0)
    model.fit(X, sensitive_features=groups, must_link=together, cannot_link=apart)
    assert all(kept_pairs(model.labels_, together))
    assert not any(kept_pairs(model.labels_, apart))
    assert model.fair_assignment_.certified
    assert "all 15 must-link(s) are kept, and all 15 cannot" in model.fair_assignment_.certificate
    assert len(model.solve_result_.vectors) == 150 - 15
    rows = model.embedding_
    assert (rows[[i for i, _ in together]] == rows[[j for _, j in together]]).all()


def test_the_embedding_of_links_is_fair():
    patients = load_diabetes_patients()
    model = FairSpectralClustering(3, effort="fast", random_state=0)
    model.fit(
        patients.X[:80],
        sensitive_features=patients.sensitive_features[:80],
        must_link=[(0, 1), (2, 3)],
    )
    assert "fairness residual" in str(model.solve_result_)
    groups = patients.sensitive_features[:80] == patients.sensitive_features[0]
    # Weighted by degree, the rows sum to the same in both groups, for each their number.
    degrees = model.affinity_operator_.degrees
    rows = model.embedding_ * 1.0
    difference = (
        rows[groups].sum(axis=0) / groups.sum() - rows[~groups].sum(axis=0) / (~groups).sum()
    )
    assert abs(difference).max() < 1e-6 * abs(rows).max()
    assert degrees.shape == (80,)


def test_impossible_pairs_are_named():
    # Five in a ring who must all be apart from their neighbours cannot be in two clusters, and no
    # three of them exclude each other.
    ring = [(i, (i + 1) % 5) for i in range(5)]
    people, groups = np.random.default_rng(0).random((30, 2)), np.arange(30) % 2
    model = FairSpectralClustering(2, effort="fast", random_state=0)
    model.fit(people, sensitive_features=groups, cannot_link=ring)
    fair = model.fair_assignment_
    broken = [pair for pair in ring if model.labels_[pair[0]] == model.labels_[pair[1]]]
    assert len(broken) == 1
    assert not fair.certified
    i, j = sorted(broken[0])
    assert f"1 of 5 cannot-link pair(s) are together: {i} and {j}." in fair.certificate
    assert any("cannot-link" in note for note in fair.notes)


def test_a_pair_that_cannot_be_parted_breaks_no_other():
    patients = load_diabetes_patients()
    ring, others = [(i, (i + 1) % 5) for i in range(5)], [(10, 11), (12, 13)]
    model = FairSpectralClustering(2, effort="fast", random_state=0)
    model.fit(
        patients.X[:200],
        sensitive_features=patients.sensitive_features[:200],
        cannot_link=ring + others,
    )
    assert sum(kept_pairs(model.labels_, ring)) == 1
    assert not any(kept_pairs(model.labels_, others))


def blocks_with_detached_pairs():
    """Four blocks of 40 people each, and eight pairs without a link to anybody else."""
    rng, block = np.random.default_rng(0), np.repeat(np.arange(4), 40)
    linked = rng.random((160, 160)) < np.where(block[:, None] == block, 0.3, 0.02)
    graph = np.zeros((176, 176))
    graph[:160, :160] = np.triu(linked, 1)
    for first in range(160, 176, 2):
        graph[first, first + 1] = 1
    return graph + graph.T, block


@pytest.mark.parametrize(
    "asked",
    [
        {"must_link": [(0, 1)]},
        {"must_link": [(0, 160), (1, 161)]},
        {"cannot_link": [(0, 41)]},
        {"sample_weight": np.arange(176) % 3 + 1},
    ],
)
def test_with_links_and_weights_small_components_are_no_clusters(asked):
    graph, block = blocks_with_detached_pairs()
    model = FairSpectralClustering(4, affinity="precomputed", effort="fast", random_state=0)
    with pytest.warns(UserWarning, match="components"):
        model.fit(graph, sensitive_features=np.arange(176) % 2, **asked)
    assert adjusted_rand_score(block, model.labels_[:160]) > 0.95
    assert model.fair_assignment_.certified
    components = next(one for one in model.diagnosis_.findings if "components" in one.kind)
    assert "of 176 people" in str(components)


def test_more_people_together_than_fit_in_a_cluster_are_refused():
    people = np.random.default_rng(0).random((30, 2))
    model = FairSpectralClustering(2, rounding_params={"max_cluster_size": 20}, random_state=0)
    with pytest.raises(ValueError, match="must_link keeps 25 people together, but max_cluster_siz"):
        model.fit(people, must_link=[(0, i) for i in range(1, 25)])


def test_nodes_and_rows_by_name():
    club = networkx.karate_club_graph()
    club = networkx.relabel_nodes(club, {i: f"member {i}" for i in club})
    model = FairSpectralClustering(2, effort="fast", random_state=0)
    pair = ("member 0", "member 33")
    model.fit(club, sensitive_features="club", must_link=[pair])
    found = dict(zip(club, model.labels_, strict=True))
    assert found["member 0"] == found["member 33"]
    pandas = pytest.importorskip("pandas", reason="pip install 'fairspectral[pandas]'")
    rows = pandas.DataFrame(
        np.random.default_rng(1).random((20, 2)), index=list("abcdefghijklmnopqrst")
    )
    groups = pandas.Series(np.arange(20) % 2, index=rows.index)
    pairs = pandas.DataFrame({"one": ["a"], "other": ["b"]})
    model.fit(rows, sensitive_features=groups, cannot_link=pairs)
    assert model.labels_[0] != model.labels_[1]


def test_without_groups_k_means_keeps_people_together():
    X = np.random.default_rng(2).random((40, 2))
    model = FairSpectralClustering(4, random_state=0)
    model.fit(X, must_link=[(0, 1), (1, 2), (30, 39)])
    assert all(kept_pairs(model.labels_, [(0, 1), (1, 2), (30, 39)]))
    assert set(model.labels_) == {0, 1, 2, 3}


def test_no_links_change_nothing():
    X, groups = np.random.default_rng(3).random((60, 2)), np.arange(60) % 2
    model = FairSpectralClustering(3, effort="fast", random_state=0)
    labels = model.fit_predict(X, sensitive_features=groups)
    again = model.fit_predict(X, sensitive_features=groups, must_link=[], cannot_link=[])
    assert (labels == again).all()
