"""The price of fairness in the report: the marked point is the run."""

import re

import numpy as np
import pytest
from helpers import press_in_search
from report_models import blobs, kmeans_model, plain_model
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering
from fairspectral.anytime import searching
from fairspectral.frontier import frontier_beside_run
from fairspectral.report import price, render_report
from fairspectral.report.comparison import compare
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.follow import measure_labels
from fairspectral.rounding.plan import plan_rounding


@pytest.fixture
def model():
    X, group = blobs(60)
    return FairSpectralClustering(3, effort="fast", random_state=0).fit(X, sensitive_features=group)


def test_what_is_said_of_the_runs_own_searches_is_true_of_them(model):
    """The chart's share of the time is not that of the run, nor of the search without bounds."""
    frontier = frontier_beside_run(model, [0.0, 0.2, None], time_budget=1e-9)
    assert [one.stopped for one in frontier.assignments] == [True, False, False]
    assert frontier.caution.startswith("The search at tolerance 0% was stopped early")
    assert frontier.effort == "fast"


def test_the_other_tolerances_of_the_chart_share_one_budget(model, monkeypatch):
    asked = []
    monkeypatch.setattr(price, "TOLERANCES", (0.0, 0.1, 0.2, None))
    monkeypatch.setattr(price, "frontier_beside_run", lambda *_, **params: asked.append(params))
    model.time_budget = 100.0
    price.compute_frontier(model, model._attributes)
    assert asked == [{"time_budget": 50.0}]


def make_worse(model):
    """Have the model take a fair clustering of rows that say nothing, without any search."""
    codes = model._attributes[0].codes
    noise = np.random.default_rng(5).normal(size=(60, 3))
    labels = fair_assignment(noise, codes, 3, random_state=0).labels
    plan = plan_rounding(model._attributes, 3)
    model._adopt(measure_labels(plan, noise, labels, model.affinity_operator_))


def marked(page):
    """The tips of the filled points in the section of the price."""
    section = page.split('<section id="price">')[1].split("</section>")[0]
    return re.findall(r'class="point l\d marked"[^>]*data-tip="([^"]*)"', section)


def test_the_marked_point_is_the_run(model):
    labels = model.labels_.copy()
    frontier = price.compute_frontier(model, model._attributes)
    assert (np.diff(frontier.normalized_cut) <= 1e-9).all()
    assert price.own_place(frontier, model) == frontier.tolerances.index(0.2)
    if price.better_cut(frontier, model) is None:
        assert price.has_run(frontier, model)
        np.testing.assert_array_equal(frontier.at(0.2).labels, labels)
    page = render_report(model, plain=False, stability=False)
    np.testing.assert_array_equal(model.labels_, labels)
    (tip,) = marked(page)
    assert f"tolerance 20%\nnormalised cut {model.audit_.normalized_cut:.4g}\n" in tip
    assert "the filled one is this run" in page


def test_a_better_clustering_is_said_and_not_taken_silently(model):
    best = price.compute_frontier(model, model._attributes).at(0.2)
    make_worse(model)
    labels, cut = model.labels_.copy(), model.audit_.normalized_cut
    assert cut > best.normalized_cut + 1e-6
    page = render_report(model, plain=False, stability=False)
    np.testing.assert_array_equal(model.labels_, labels)
    (tip,) = marked(page)
    assert f"normalised cut {cut:.4g}" in tip
    said = f"a lower normalised cut within this run’s bounds, {best.normalized_cut:.4g} against"
    assert f"{said} {cut:.4g}" in page


def test_the_chart_and_the_comparison_have_the_same_clustering_without_bounds(model):
    frontier = price.compute_frontier(model, model._attributes)
    found = compare(model, model._attributes, 0)
    loosest = frontier.at(None)
    assert abs(found.unbounded.normalized_cut - loosest.normalized_cut) < 1e-6
    assert adjusted_rand_score(found.unbounded.labels, loosest.labels) > 1 - 1e-9


def test_labels_by_k_means_have_no_point(monkeypatch):
    monkeypatch.setattr(price, "TOLERANCES", (0.2, None))
    model = kmeans_model()
    frontier = price.compute_frontier(model, model._attributes)
    assert frontier.tolerances == (0.2, None)
    assert price.own_place(frontier, model) is None
    assert price.better_cut(frontier, model) is None
    assert price.compute_frontier(plain_model(), ()) is None


def test_many_samples_get_a_quick_frontier_and_very_many_none(monkeypatch):
    monkeypatch.setattr(price, "FULL_FRONTIER_SAMPLES", 100)
    X, group = blobs()
    model = FairSpectralClustering(4, random_state=0).fit(X, sensitive_features=group)
    page = render_report(model, plain=False, stability=False)
    assert "in normalised cut over the same rounding without any bound" in page
    assert "searched with effort “fast”, this run with “default”." in page
    assert len(marked(page)) == 1
    monkeypatch.setattr(price, "QUICK_FRONTIER_SAMPLES", 100)
    assert "Not computed for this report: it takes" in render_report(
        model, plain=False, stability=False
    )
    assert price.compute_frontier(model, model._attributes) is None


def test_bounds_of_ones_own_have_no_tolerance_to_vary():
    X, group = blobs()
    model = FairSpectralClustering(
        4, effort="fast", rounding_params={"lower": {0: 0.2, 1: 0.2, 2: 0.05}}, random_state=0
    )
    model.fit(X, sensitive_features=group)
    page = render_report(model)
    assert "so there is no tolerance to vary" in page
    assert "it costs" not in page


def words_of(page):
    """The page without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_after_an_interrupt_the_page_claims_no_price(model, monkeypatch):
    press_in_search(monkeypatch, 1)
    page = words_of(render_report(model))
    assert "Ctrl-C came before the search without bounds" not in page  # it was stopped in it
    assert "The search without bounds on the shares was stopped early" in page
    assert "at no cost" not in page.split("Who is where")[1]
    assert "were searched with effort" not in page
    assert "were not searched" in page


def test_an_interrupt_before_the_search_without_bounds_leaves_nothing_to_compare(model):
    with searching() as whole:
        whole.interrupt()
        frontier = price.compute_frontier(model, model._attributes)
        assert frontier.searched.sum() == 1
        assert compare(model, model._attributes, 0, frontier) is None
        page = words_of(render_report(model, stability=False))
    assert re.search(r"Fair within 20%( up to whole persons)?\.", page)
    assert "Ctrl-C came before the search without bounds on the shares" in page
    assert "Ctrl-C ended the searches for this chart. Tolerances 0%," in page
    for claim in ("costs nothing", "at no cost", "Nobody", "searched with effort"):
        assert claim not in page
