"""The price of fairness."""

import pickle

import numpy as np
import pytest
from helpers import press_in_search, sparse_blocks
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.frontier import fairness_frontier
from fairspectral.rounding.result import NOT_SEARCHED


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((240, 2)) + np.repeat([[0, 0], [4, 0], [0, 4]], 80, axis=0)
    return rows, (rng.random(240) < np.repeat([0.9, 0.2, 0.4], 80)).astype(int)


@pytest.mark.parametrize("refined", [False, True])
def test_cost_falls_as_the_tolerance_grows(blobs, refined):
    rows, groups = blobs
    affinity = make_operator(rows, "rbf", gamma=1.0, dtype=float) if refined else None
    frontier = fairness_frontier(
        rows, groups, 3, tolerances=[None, 0, 0.5, 0.1], affinity=affinity, random_state=0
    )
    assert frontier.tolerances == (0, 0.1, 0.5, None)
    assert all(assignment.certified for assignment in frontier.assignments)
    cost = frontier.normalized_cut if refined else frontier.embedding_cost
    assert (frontier.normalized_cut is None) != refined
    assert (np.diff(cost) <= 1e-9 * max(cost)).all()
    assert frontier.price[0] > 1.1
    assert frontier.price[-1] == 1.0


def test_rows_and_plot(blobs):
    plt = pytest.importorskip(
        "matplotlib.pyplot", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    rows, groups = blobs
    frontier = fairness_frontier(rows, groups, 3, tolerances=(0, None), random_state=0)
    first, last = frontier.rows()
    assert first["fairness_tol"] == 0
    assert first["achieved_tol"] < last["achieved_tol"]
    assert first["embedding_cost"] == frontier.assignments[0].embedding_cost
    ax = frontier.plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0%", "none"]
    assert ax.lines[0].get_ydata() == pytest.approx(frontier.embedding_cost)
    assert frontier.plot(ax) is ax
    assert len(ax.lines) == 2
    plt.close(ax.figure)


def test_it_shows_itself_as_text_and_in_a_notebook(blobs):
    rows, groups = blobs
    frontier = fairness_frontier(rows, groups, 3, tolerances=(0, 0.2, None), random_state=0)
    header, rule, *lines = str(frontier).splitlines()
    assert header.split()[:3] == ["tolerance", "embedding", "cost"]
    assert set(rule) == {"-", " "}
    assert [line.split()[0] for line in lines] == ["0%", "20%", "none"]
    assert lines[-1].split()[2] == "+0.0%"
    html = frontier._repr_html_()
    assert html.count("<tr>") == 4
    assert f">{frontier.cost[0]:.4g}</td>" in html


def test_given_centroids_serve_the_first_start_only(blobs):
    rows, groups = blobs
    centroids = np.array([[0.0, 0], [4, 0], [0, 4]])
    frontier = fairness_frontier(rows, groups, tolerances=(0, 0.2), centroids=centroids)
    assert len(frontier.assignments[1].sizes) == 3


@pytest.fixture(params=["graph", "kernel"])
def model(request):
    """A fitted model of three blobs with two people apart, or of their kernel."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((90, 2)) + np.repeat([[0, 0], [3, 0], [0, 3]], 30, axis=0)
    groups = (rng.random(90) < np.repeat([0.8, 0.3, 0.4], 30)).astype(int)
    fitted = FairSpectralClustering(3, fairness_tol=0.1, effort="fast", random_state=0)
    if request.param == "kernel":
        return fitted.fit(X, sensitive_features=groups)
    near = (np.linalg.norm(X[:, None] - X, axis=2) < 1.2) & ~np.eye(90, dtype=bool)
    near[np.arange(89), np.arange(1, 90)] = near[np.arange(1, 90), np.arange(89)] = True
    W = sparse_blocks(near.astype(float), np.array([[0.0, 1.0], [1.0, 0.0]]))
    fitted.set_params(affinity="precomputed")
    return fitted.fit(W, sensitive_features=np.append(groups, [0, 1]))


def test_the_point_at_the_models_tolerance_is_the_model(model):
    labels, own = model.labels_.copy(), model.fair_assignment_
    frontier = fairness_frontier(model, tolerances=(0, 0.1, 0.3, None))
    cuts = frontier.normalized_cut
    assert (np.diff(cuts) <= 1e-9).all()
    point = frontier.at(0.1)
    same = np.array_equal(point.labels, labels)
    assert same or point.normalized_cut < own.normalized_cut - 1e-9
    # Asking changes nothing of the model.
    np.testing.assert_array_equal(model.labels_, labels)
    assert model.fair_assignment_ is own
    # Asked once more, all of it is known.
    again = fairness_frontier(model, tolerances=(0.1, None))
    np.testing.assert_array_equal(again.at(0.1).labels, point.labels)
    assert again.at(None).normalized_cut <= cuts[-1] + 1e-9


def test_after_an_interrupt_there_is_no_price(model, monkeypatch):
    press_in_search(monkeypatch, 1)
    frontier = fairness_frontier(model, tolerances=(0.1, 0.2, 0.3, None))
    assert frontier.searched.tolist() == [True, True, False, False]
    assert np.isnan(frontier.price).all()
    assert [row["price"] for row in frontier.rows()] == [None] * 4
    assert [row["stopped"] for row in frontier.rows()] == [False, True, False, False]
    assert frontier.caution == (
        "The search at tolerance 20% was stopped early: its cut may be higher than that of a whole "
        "one. Tolerances 30% and none were not searched, so there is no price of fairness."
    )
    assert frontier.caution in str(frontier)
    assert frontier.caution in frontier._repr_html_()
    assert frontier.table()[-1] == ["none", "not searched", "–", "–", "–"]
    assert "+0.0%" not in str(frontier)
    # What is known is there all the same, and says that it was not searched for.
    assert NOT_SEARCHED in frontier.at(None).notes
    # Another call searches on.
    whole = fairness_frontier(model, tolerances=(0.1, 0.2, 0.3, None))
    assert whole.caution == ""
    assert whole.price[-1] == 1


def test_a_price_needs_both_its_searches(model, monkeypatch):
    fairness_frontier(model, tolerances=(None,))
    press_in_search(monkeypatch, 1)
    frontier = fairness_frontier(model, tolerances=(0.1, 0.2, 0.3, None))
    assert np.isnan(frontier.price).tolist() == [False, False, True, False]
    assert frontier.caution.endswith("Tolerance 30% was not searched.")


@pytest.mark.filterwarnings("ignore:the affinity graph has 3 connected components")
@pytest.mark.parametrize("as_rows", [False, True])
def test_over_a_cost_of_zero_there_is_no_price(as_rows):
    """Three cliques, of which two have one group each: without bounds nothing is cut."""
    cliques, groups = np.repeat([0, 1, 2], 8), np.repeat([0, 1, 0, 1], [8, 8, 4, 4])
    if as_rows:
        rows = 1e-3 * np.eye(3)[cliques]
        frontier = fairness_frontier(rows, groups, 3, tolerances=(0, None), random_state=0)
    else:
        W = (cliques[:, None] == cliques).astype(float)
        fitted = FairSpectralClustering(3, affinity="precomputed", fairness_tol=0, random_state=0)
        fitted.fit(sparse_blocks(W), sensitive_features=groups)
        frontier = fairness_frontier(fitted, tolerances=(0, None))
    assert abs(frontier.cost[-1]) < 1e-12
    assert frontier.cost[0] > frontier.negligible
    assert np.isnan(frontier.price).all()
    assert frontier.loosest_is_zero
    assert [row["price"] for row in frontier.rows()] == [None, None]
    assert [line[2] for line in frontier.table()[1:]] == ["–", "–"]


def test_small_units_leave_a_price(blobs):
    rows, groups = blobs
    params = {"tolerances": (0, None), "random_state": 0}
    price = fairness_frontier(rows, groups, 3, **params).price[0]
    assert fairness_frontier(1e-9 * rows, groups, 3, **params).price[0] == pytest.approx(
        price, abs=0.05
    )


def test_a_model_from_a_file_knows_its_clusterings(model):
    best = fairness_frontier(model, tolerances=(0.0, 0.1))
    again = fairness_frontier(pickle.loads(pickle.dumps(model)), tolerances=(0.0, 0.1))
    for one, other in zip(best.assignments, again.assignments, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)


def test_each_point_is_as_good_as_a_model_of_this_tolerance(model):
    found = fairness_frontier(model, tolerances=(0.0, 0.3))
    X = model.affinity_operator_.stored_weights
    other = clone(model).set_params(affinity="precomputed", fairness_tol=0.3)
    other.fit(X, sensitive_features=model._attributes[0].codes)
    assert found.at(0.3).normalized_cut <= other.fair_assignment_.normalized_cut + 1e-6


def test_who_was_set_aside_is_said_for_each_tolerance(model):
    frontier = fairness_frontier(model, tolerances=(0.1, 0.3))
    for aside, one in zip(frontier.set_aside, frontier.assignments, strict=True):
        np.testing.assert_array_equal(aside.indices, model.set_aside_.indices)
        np.testing.assert_array_equal(aside.clusters, one.labels[aside.indices])


def test_rows_of_a_graph_have_small_components_set_aside(model):
    codes = model._attributes[0].codes
    frontier = fairness_frontier(
        model.embedding_, codes, 3, tolerances=(0.1,), affinity=model.affinity_operator_,
        effort="fast", random_state=0,
    )  # fmt: skip
    np.testing.assert_array_equal(frontier.set_aside[0].indices, model.set_aside_.indices)
    assert frontier.assignments[0].certified


def test_a_known_clustering_is_a_bound(blobs):
    rows, groups = blobs
    affinity = make_operator(rows, "rbf", gamma=1.0, dtype=float)
    params = {"affinity": affinity, "random_state": 0}
    good = fairness_frontier(rows, groups, 3, tolerances=(0.1,), **params).assignments[0]
    # Rows that say nothing, and hardly any search.
    noise = np.random.default_rng(1).normal(size=rows.shape)
    lazy = {**params, "effort": "fast", "refine_rounds": 0}
    frontier = fairness_frontier(
        noise, groups, 3, tolerances=(0, 0.1, 0.5), known=[good.labels], **lazy
    )
    assert (frontier.normalized_cut[1:] <= good.normalized_cut + 1e-9).all()


def test_bad_arguments_are_named(blobs):
    rows, groups = blobs
    with pytest.raises(TypeError, match="pass tolerances"):
        fairness_frontier(rows, groups, 3, fairness_tol=0.1)
    with pytest.raises(ValueError, match="tolerances is empty"):
        fairness_frontier(rows, groups, 3, tolerances=())
    with pytest.raises(TypeError, match=r"no parameter 'efort' \(did you mean 'effort'\?\)"):
        fairness_frontier(rows, groups, 3, efort="fast")
    with pytest.raises(ValueError, match="known labels must be 240 whole numbers from 0 to 2"):
        fairness_frontier(rows, groups, 3, known=[np.zeros(3, dtype=int)])
    frontier = fairness_frontier(rows, groups, 3, tolerances=(0.2,), random_state=0)
    with pytest.raises(ValueError, match=r"tolerance 0\.1 is not on this frontier, which has 0\.2"):
        frontier.at(0.1)


def test_models_without_a_frontier_are_named(blobs):
    rows, groups = blobs
    with pytest.raises(NotFittedError):
        fairness_frontier(FairSpectralClustering(3))
    plain = FairSpectralClustering(3, random_state=0).fit(rows)
    with pytest.raises(ValueError, match="this model has no fair rounding"):
        fairness_frontier(plain)
    with pytest.raises(TypeError, match="a fitted model has its sensitive_features"):
        fairness_frontier(plain, groups)


def test_attributes_with_tolerances_of_their_own():
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((90, 2))
    groups = {"sex": np.arange(90) % 2, "region": np.arange(90) // 2 % 3}
    own = {"sex": 0.1, "region": 0.4}
    found = fairness_frontier(rows, groups, 3, tolerances=[None, own, 0.1, own], random_state=0)
    assert found.tolerances == (0.1, own, None)
    assert found.tolerance_names == ["10%", "sex 10%, region 40%", "none"]
    assert found.at(own).certified
    assert (np.diff(found.cost) <= 1e-9 * found.cost[0]).all()
    with pytest.raises(ValueError, match=r"which has 0\.1, \{'sex': 0\.1"):
        found.at(0.2)
