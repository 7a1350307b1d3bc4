from types import SimpleNamespace as Space

import numpy as np
import pytest
from report_models import crowded_model, fair_model, kmeans_model, plain_model

from fairspectral.frontier import FairnessFrontier, fairness_frontier
from fairspectral.report import words
from fairspectral.report.collect import judge
from fairspectral.report.comparison import compare


def test_a_fair_clustering_is_called_fair_with_its_tolerance_and_cost():
    model = fair_model()
    found = words.verdict(model, judge(model), compare(model, model._attributes, 0))
    assert found.kind == "fair"
    assert found.headline.startswith("Fair within 20% up to whole persons, ")
    assert "cut" in found.headline
    assert model.fair_assignment_.certificate in found.small_print
    assert found.details[0].startswith("In each of the 4 clusters every group’s share is within")


def test_an_unfair_clustering_is_called_unfair_with_a_remedy():
    model = kmeans_model()
    found = words.verdict(model, judge(model), None)
    assert found.kind == "unfair"
    assert "of 12 shares are outside." in found.headline
    assert 'assign_labels="fair"' in found.details[-1]
    assert "four-fifths" in found.small_print[0]
    assert "between 24% and 36%" in found.small_print[0]


def test_no_groups_no_verdict():
    found = words.verdict(plain_model(), None, None)
    assert found.kind == "none"
    assert "no fairness was asked for" in found.headline


def test_whole_persons_are_explained():
    found = judge(crowded_model())
    assert words.describe(found).endswith("less than one person from that share.")


@pytest.mark.parametrize(
    ("fair", "other", "said"),
    [
        (1.1, 1.0, "for a normalised cut 10.0% above that without bounds"),
        (8.2, 1.0, "for a normalised cut of 8.2 instead of 1 without bounds"),
        (0.9, 1.0, "at no cost in normalised cut"),
        (1.0, 1.0, "at no cost in normalised cut"),
        (0.5, 0.0, "for a normalised cut of 0.5 instead of 0 without bounds"),
        (0.5, -1e-16, "for a normalised cut of 0.5 instead of 0 without bounds"),
        (1e-16, -1e-16, "at no cost in normalised cut"),
        (0.5, 3.3e-6, "for a normalised cut of 0.5 instead of 3.3e-06 without bounds"),
    ],
)
def test_the_cost_in_words(fair, other, said):
    from types import SimpleNamespace as Space

    model = Space(n_clusters=3, audit_=Space(normalized_cut=fair))
    found = Space(plain=Space(), unbounded=Space(normalized_cut=other))
    assert words.cost(model, found) == said


def test_a_group_that_is_missing_is_not_called_fair_without_the_reason():
    model = crowded_model()
    found = words.verdict(model, judge(model), None)
    assert found.headline == "Fair within 50% up to whole persons."


def test_the_price_at_the_models_tolerance():
    rng = np.random.default_rng(0)
    rows, groups = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    frontier = fairness_frontier(rows, groups, 3, tolerances=(0.0, 0.2, None), random_state=0)

    def at(tolerance):
        return Space(fairness_tol=tolerance, effort="default", fair_assignment_=Space(cost=1.0))

    text = words.price(frontier, at(0.0))
    assert text.startswith("At 0% it costs +")
    assert text.endswith("without any bound.")
    assert words.price(frontier, at(0.3)) == ""
    assert words.price(frontier, at(None)) == ""
    assert words.price(frontier, Space(fairness_tol=0.2, fair_assignment_=None)) == ""
    bounded = fairness_frontier(rows, groups, 3, tolerances=(0.0, 0.2), random_state=0)
    assert words.price(bounded, at(0.2)) == (
        "At 20% it costs nothing in embedding cost over the same rounding at 20%."
    )


@pytest.mark.parametrize("tolerance", [0.2, None])
def test_a_lower_cut_than_the_runs_is_said(tolerance):
    point = Space(normalized_cut=3.096, cost=3.096, searched=True, stopped=False)
    frontier = FairnessFrontier((tolerance,), (point,))
    model = Space(fairness_tol=tolerance, effort="default", fair_assignment_=Space(cost=3.172))
    said = words.price(frontier, model)
    assert "a lower normalised cut within this run’s bounds, 3.096 against 3.172" in said
    assert said.endswith(
        "Only the Python session that wrote this report has their labels: "
        f"fairness_frontier(model, tolerances=[{tolerance}])."
    )
    if tolerance is not None:
        assert said.startswith("At 20% this run costs +2.5% in normalised cut over")
        assert "These other clusters cost nothing." in said
    model.fair_assignment_.cost = 3.096
    assert "lower" not in words.price(frontier, model)


def test_signs_are_true_minus_signs():
    assert words.signed(-0.016) == "−1.6%"
    assert words.signed(0.2) == "+20.0%"
    assert words.percent(0.125) == "12.5%"
