"""Components too small to be a cluster, through the estimator, the report and the command."""

import json
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import sparse_blocks
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering, fairness_frontier, load
from fairspectral import rounder as rounder_module
from fairspectral.affinity import make_operator
from fairspectral.anytime import Deadline, stop_when
from fairspectral.constraints import attributes_of, encode_groups
from fairspectral.metrics import normalized_cut
from fairspectral.rounding import follow
from fairspectral.rounding.placement import beside_fringe, settle_pieces
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.result import keeps_all
from fairspectral.set_aside import choose_aside


def block_model(seed, pairs, n=200):
    """Four blocks, four groups, and a few pairs without any edge to the rest."""
    rng = np.random.default_rng(seed)
    blocks = np.repeat(np.arange(4), n // 4)
    W = np.triu(rng.random((n, n)) < np.where(blocks[:, None] == blocks, 0.3, 0.02), 1)
    W = (W | W.T).astype(float)
    W[np.arange(n), (np.arange(n) + 1) % n] = W[(np.arange(n) + 1) % n, np.arange(n)] = 1.0
    groups = rng.integers(0, 4, n + 2 * pairs)
    return sparse_blocks(W, *[np.array([[0.0, 1.0], [1.0, 0.0]])] * pairs), groups, blocks


def fit(W, groups, **options):
    options = {"affinity": "precomputed", "effort": "fast", "random_state": 0, **options}
    model = FairSpectralClustering(4, **options)
    return model.fit(W, sensitive_features=groups)


@pytest.mark.parametrize("seed", range(4))
def test_detached_pairs_do_not_spoil_the_clusters(seed):
    W, groups, blocks = block_model(seed, 3)
    n = len(blocks)
    with_pairs = fit(W, groups)
    without = fit(sp.csr_array(W[:n][:, :n]), groups[:n])
    scores = [adjusted_rand_score(blocks, model.labels_[:n]) for model in (without, with_pairs)]
    assert scores[1] >= scores[0] - 0.03
    assert with_pairs.fair_assignment_.certified


def test_far_pairs_make_up_no_cluster_of_a_kernel():
    rng = np.random.default_rng(0)
    centres = 1.5 * rng.normal(size=(6, 3))
    people = centres[rng.integers(0, 6, 150)] + 0.6 * rng.normal(size=(150, 3))
    far = np.repeat(40 + 15.0 * np.arange(12), 2)[:, None] + 0.1 * rng.normal(size=(24, 3))
    model = FairSpectralClustering(4, gamma=0.5, effort="fast", random_state=0)
    model.fit(np.concatenate([people, far]), sensitive_features=rng.integers(0, 2, 174))
    aside = np.zeros(174)
    aside[model.set_aside_.indices] = 1
    assert aside.sum() >= 24
    parts = np.bincount(model.labels_, weights=aside) / np.bincount(model.labels_)
    assert parts.max() <= 0.5
    assert model.fair_assignment_.certified
    assert [a.name for a in model.audit_.attributes] == ["group"]
    assert len(model.fair_assignment_.groups) == 2  # the rule of the search is not the user's


def test_what_was_set_aside_is_said():
    W, groups, blocks = block_model(0, 2)
    model, n = fit(W, groups), len(blocks)
    aside = model.set_aside_
    assert aside
    assert aside.indices.tolist() == list(range(n, n + 4))
    assert aside.n_pieces == 2
    np.testing.assert_array_equal(aside.clusters, model.labels_[n:])
    assert str(aside).startswith("4 people in 2 component(s) of fewer than 5 people")
    assert str(aside) in model.audit_.certificate
    assert aside.summary()["components"] == 2
    json.dumps(aside.summary())
    # Everybody has a label and a row; those of the others are as they were embedded.
    assert model.embedding_.shape == (n + 4, 4)
    assert model.solve_result_.vectors.shape == (n, 4)
    members = model.labels_[:n] == model.labels_[n]
    np.testing.assert_allclose(
        model.embedding_[n], model.embedding_[:n][members].mean(axis=0), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("effort", ["fast", "default"])
@pytest.mark.parametrize("dense", [False, True])
def test_nobody_would_be_placed_at_a_lower_cut_elsewhere(dense, effort):
    W, groups, blocks = block_model(5, 7)
    model = fit(W.toarray() if dense else W, groups, fairness_tol=0.1, effort=effort)
    aside, cut = model.set_aside_, model.audit_.normalized_cut
    assert aside.n_pieces == 7
    plan = plan_rounding(encode_groups(groups, len(groups)), 4, fairness_tol=0.1)
    for piece in range(7):
        for cluster in range(4):
            labels = model.labels_.copy()
            labels[aside.indices[aside.piece == piece]] = cluster
            apart = np.bincount(labels[len(blocks) :], minlength=4) / np.bincount(labels)
            if keeps_all(plan, labels) and apart.max() <= 0.5:
                assert normalized_cut(labels, W) >= cut - 1e-9


def test_a_clustering_from_other_bounds_has_its_pieces_placed_again():
    W, groups, _ = block_model(6, 5)
    model = fit(W, groups, fairness_tol=0.0)
    rounder, labels = model._rounder, model.labels_.copy()
    labels[model.set_aside_.indices] = np.repeat([0, 1, 2, 3, 3], 2)
    rounder.enough = True
    plan = plan_rounding(encode_groups(groups, len(groups)), 4, fairness_tol=None)
    rounder.know(labels, plan)
    found = rounder.round(plan)
    beside = beside_fringe(plan, rounder.fringe)
    again = settle_pieces(model.affinity_operator_, found.labels, rounder.fringe, beside)
    np.testing.assert_array_equal(again, found.labels)
    assert found.cost <= normalized_cut(labels, W) + 1e-12
    assert found.history[-1].normalized_cut == found.normalized_cut


def test_pieces_in_parts_are_counted():
    W, groups, _ = block_model(1, 2)
    aside = fit(W, groups).set_aside_
    split = type(aside)(aside.indices, aside.piece, np.array([0, 1, 2, 2]), aside.floor)
    assert split.n_whole == 1
    assert "1 in parts" in str(split)


def test_dense_and_sparse_set_the_same_people_aside():
    W, groups, _ = block_model(2, 2)
    first, second = fit(W, groups), fit(W.toarray(), groups)
    np.testing.assert_array_equal(first.set_aside_.indices, second.set_aside_.indices)
    assert second.fair_assignment_.certified


def test_the_same_seed_gives_the_same_labels():
    W, groups, _ = block_model(3, 3)
    np.testing.assert_array_equal(
        fit(W, groups, n_jobs=1).labels_, fit(W, groups, n_jobs=1).labels_
    )


def test_nobody_is_set_aside_where_all_are_connected_or_k_means_rounds():
    W, groups, blocks = block_model(0, 2)
    n = len(blocks)
    connected = fit(sp.csr_array(W[:n][:, :n]), groups[:n]).set_aside_
    assert not connected
    assert str(connected) == "Nobody was set aside before the embedding."
    with pytest.warns(UserWarning, match="connected components"):
        assert not fit(W, groups, assign_labels="kmeans").set_aside_


def test_a_group_that_is_only_among_those_set_aside():
    W, groups, blocks = block_model(0, 2)
    groups[len(blocks) :] = 4
    assert fit(W, groups).fair_assignment_.certified


def test_too_few_would_be_left():
    W = sparse_blocks(*[np.array([[0.0, 1.0], [1.0, 0.0]])] * 30)
    operator = make_operator(W, "precomputed")
    attributes = encode_groups(np.arange(60) % 2, 60)
    plan = plan_rounding(attributes, 2, min_cluster_size=10)
    assert not choose_aside(operator, plan, 2)


def test_groups_of_those_who_are_kept():
    groups = np.array([["a", "x"], ["b", "x"], ["c", "y"], ["c", "y"]])
    attributes = encode_groups(groups, 4)
    (left,) = attributes_of(attributes, np.array([0, 2, 3]))[:1]
    assert left.categories == ("a", "c")
    assert left.codes.tolist() == [0, 1, 1]
    assert len(attributes_of(attributes, np.array([0, 1]))) == 1
    assert attributes_of(attributes, np.arange(4)) is attributes


def with_leaves(W, groups, leaves=6):
    """The same graph with so many people more who know one person each."""
    n = W.shape[0]
    known = sp.csr_array((np.ones(leaves), (np.arange(leaves), np.arange(leaves))), (leaves, n))
    whole = sp.block_array([[W, known.T], [known, None]], format="csr")
    return sp.csr_array(whole), np.append(groups, np.arange(leaves) % 4)


def test_trees_that_some_starts_set_aside_are_said():
    W, groups, _ = block_model(0, 2)
    model = fit(*with_leaves(W, groups), effort="thorough")
    aside = model.set_aside_
    assert aside.n_pieces == 2  # nobody else was left out of the embedding
    names = [one.name for one in model.fair_assignment_.starts]
    said = sum("without dangling trees" in name for name in names)
    assert said > 0
    assert (aside.trees.persons, aside.trees.trees, aside.trees.starts) == (6, 6, said)
    assert "6 people in 6 tree(s) that hang on the rest by one edge" in model.audit_.certificate
    assert aside.summary()["trees"] == {"persons": 6, "trees": 6, "starts": said}
    loaded = pickle.loads(pickle.dumps(aside))
    assert str(loaded) == str(aside)


def test_trees_are_not_said_where_no_start_sets_them_aside():
    W, groups, _ = block_model(0, 0)
    aside = fit(*with_leaves(W, groups)).set_aside_
    assert aside.trees is None
    assert aside.words == ""
    thorough = fit(W, groups, effort="thorough").set_aside_  # a graph without trees
    assert thorough.trees is None


def test_trees_alone_are_said_without_components():
    W, groups, _ = block_model(0, 0)
    aside = fit(*with_leaves(W, groups), effort="thorough").set_aside_
    assert not aside
    assert aside.words.startswith("Nobody was set aside before the embedding. 6 people in 6 tree")


def test_a_saved_model_knows_the_trees(tmp_path):
    W, groups, _ = block_model(0, 2)
    model = fit(*with_leaves(W, groups), effort="thorough")
    model.save(tmp_path / "model.npz")
    assert load(tmp_path / "model.npz").set_aside_.words == model.set_aside_.words


def test_the_report_says_it():
    jinja = pytest.importorskip("jinja2")
    assert jinja
    from fairspectral.report.html import render_report

    W, groups, _ = block_model(0, 2)
    page = render_report(fit(W, groups), plain=False, frontier=False)
    assert "4 people in 2 component(s) of fewer than" in page
    assert "Searched from " in page


def count_settling(monkeypatch):
    """A list that grows whenever small components are settled, by the search or after it."""
    calls = []

    def settle(*args):
        calls.append(Deadline().seconds_left)
        return settle_pieces(*args)

    for module in (follow, rounder_module):
        monkeypatch.setattr(module, "settle_pieces", settle)
    return calls


def test_nothing_is_settled_twice_within_the_same_bounds(monkeypatch):
    W, groups, _ = block_model(6, 5)
    calls = count_settling(monkeypatch)
    model = fit(W, groups)
    assert len(calls) == 1  # at the end of the search
    tolerances = (0.05, 0.2, 0.5)
    fairness_frontier(model, tolerances=tolerances)
    begun = len(calls)
    fairness_frontier(model, tolerances=tolerances)
    assert len(calls) == begun
    # One that comes from elsewhere is settled when it is asked for.
    rounder, labels = model._rounder, model.labels_.copy()
    labels[model.set_aside_.indices] = np.repeat([0, 1, 2, 3, 3], 2)
    plan = plan_rounding(encode_groups(groups, len(groups)), 4, fairness_tol=None)
    rounder.know(labels, plan)
    best = rounder.round(plan)
    begun = len(calls)
    np.testing.assert_array_equal(rounder.round(plan).labels, best.labels)
    assert len(calls) == begun


def test_settling_is_a_part_of_the_work_that_can_be_stopped(monkeypatch):
    W, groups, _ = block_model(6, 5)
    calls = count_settling(monkeypatch)
    model = fit(W, groups, time_budget=100.0)
    assert max(calls) < 100.0
    # After a stop what is known is taken as it is.
    known, stop = model.labels_.copy(), threading.Event()
    known[model.set_aside_.indices] = np.repeat([0, 1, 2, 3, 3], 2)
    plan = plan_rounding(encode_groups(groups, len(groups)), 4, fairness_tol=0.9, effort="fast")
    model._rounder.know(known, plan)
    calls.clear()
    stop.set()
    with stop_when(stop):
        assert model._rounder.round(plan).stopped
    assert len(calls) == 1  # by the search, once, to bring together what it had split
