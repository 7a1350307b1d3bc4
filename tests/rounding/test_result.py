"""The certificate is counted from the labels, and is exactly right."""

from dataclasses import replace

import numpy as np
import pytest

from fairspectral.links import Links
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.result import STOPPED, Stage, all_inside, certify
from fairspectral.rounding.sources import Source
from fairspectral.validation import Attribute

STAGES = (
    Stage("start", 9.0, 0.9, 0.1),
    Stage("repair", 8.0, 0.7, 0.1),
    Stage("refined", 7.0, 0.5, 0.2),
)

# Ten of group a and ten of b; the second attribute has five of x and fifteen of y.
SEX = Attribute("sex", np.repeat([0, 1], 10), ("a", "b"))
ORIGIN = Attribute("origin", np.tile([0, 1, 1, 1], 5), ("x", "y"))


def labels_with(first, second):
    """Cluster 0 for so many of group a and of group b, cluster 1 for the others."""
    labels = np.ones(20, dtype=np.int64)
    labels[:first] = 0
    labels[10 : 10 + second] = 0
    return labels


def plan_of(rules, k=2, smallest=1):
    kinds = np.zeros(len(rules[0].attribute.codes), dtype=np.int64)
    return RoundingPlan(k, rules, kinds, smallest, len(kinds), None, "auto", ("a note",))


def certified(labels, rules, k=2, smallest=1):
    return certify(labels, plan_of(rules, k, smallest), STAGES)


def test_everything_is_counted_from_the_labels():
    found = certified(labels_with(4, 6), [make_rule(SEX, 2, fairness_tol=0.2)], smallest=3)
    assert found.labels.dtype == np.int32
    assert found.labels.tolist() == labels_with(4, 6).tolist()
    assert found.sizes.tolist() == [10, 10]
    assert found.groups == (("sex", "a"), ("sex", "b"))
    assert found.table.tolist() == [[4, 6], [6, 4]]
    assert found.lower.tolist() == [[4, 4], [4, 4]]
    assert found.upper.tolist() == [[6, 6], [6, 6]]
    assert found.certified
    assert found.achieved_tol == pytest.approx(0.2, abs=1e-12)
    assert found.persons_outside == 0
    assert found.min_cluster_size == 3
    assert found.embedding_cost == 7.0
    assert found.normalized_cut == 0.5
    assert found.history == STAGES
    assert found.notes == ("a note",)
    assert found.certificate == (
        "Certified: all 4 cells (2 groups × 2 clusters) are within their bounds, the smallest "
        "cluster has 10 persons (floor 3), and the largest deviation from a target share is "
        "20.00%."
    )


def test_a_cell_outside_is_counted_and_named():
    found = certified(labels_with(3, 6), [make_rule(SEX, 2, fairness_tol=0.2)])
    # Of 9 persons, 3.6 to 5.4 of each group are asked for, so 4 to 5; of 11, 4.4 to 6.6.
    assert found.lower.tolist() == [[4, 5], [4, 5]]
    assert found.upper.tolist() == [[5, 6], [5, 6]]
    assert found.table.tolist() == [[3, 7], [6, 4]]
    assert not found.certified
    assert found.achieved_tol == pytest.approx(1.5 / 4.5, abs=1e-12)
    assert found.persons_outside == pytest.approx(0.6, abs=1e-12)
    assert found.certificate == (
        "Not certified: 4 of 4 cells are outside their bounds, the smallest cluster has 9 persons "
        "(floor 1), and the largest deviation from a target share is 33.33%; bounds are in whole "
        "persons, and the worst cell is 0.6 person(s) outside the band of shares itself."
    )


@pytest.mark.parametrize(("first", "second"), [(4, 4), (6, 6)])
def test_bounds_themselves_are_inside(first, second):
    """Four of ten and six of ten stand exactly on the bounds of tolerance 0.2."""
    labels = labels_with(first, 10 - second)
    rules = [make_rule(SEX, 2, fairness_tol=0.2)]
    assert all_inside(rules, labels, 2)
    assert certified(labels, rules).certified


def test_a_cell_above_its_bound_is_seen_alone():
    """No lower bound is broken, one upper bound is."""
    labels = labels_with(6, 2)  # a cluster of 8 and one of 12
    rules = [make_rule(SEX, 2, fairness_tol=None, upper={"a": 0.7})]
    assert not all_inside(rules, labels, 2)
    found = certified(labels, rules)
    assert not found.certified
    assert found.certificate.startswith("Not certified: 1 of 4 cells are outside")


def test_a_cell_below_its_bound_is_seen_alone():
    labels = labels_with(2, 6)
    rules = [make_rule(SEX, 2, fairness_tol=None, lower={"a": 0.4})]
    assert not all_inside(rules, labels, 2)
    assert certified(labels, rules).certificate.startswith("Not certified: 1 of 4 cells")


def test_every_attribute_counts():
    labels = np.tile([0, 1], 10)  # five and five of each sex, but all of x in cluster 0
    sex, origin = make_rule(SEX, 2), make_rule(ORIGIN, 2)
    assert all_inside([sex], labels, 2)
    assert not all_inside([sex, origin], labels, 2)
    assert not all_inside([origin, sex], labels, 2)
    for rules in ([sex, origin], [origin, sex]):
        found = certified(labels, rules)
        assert not found.certified
        assert found.achieved_tol == pytest.approx(1.0, abs=1e-12)
        assert found.persons_outside == pytest.approx(2.0, abs=1e-12)
    assert found.groups == (("origin", "x"), ("origin", "y"), ("sex", "a"), ("sex", "b"))
    assert found.table.tolist() == [[5, 0], [5, 10], [5, 5], [5, 5]]
    assert found.lower.tolist() == [[2, 2], [6, 6], [4, 4], [4, 4]]
    assert found.upper.tolist() == [[3, 3], [9, 9], [6, 6], [6, 6]]


def test_the_floor_counts():
    rules = [make_rule(SEX, 2)]
    labels = labels_with(2, 2)
    assert certified(labels, rules, smallest=4).certified
    found = certified(labels, rules, smallest=5)
    assert not found.certified
    assert found.certificate.startswith(
        "Not certified: the smallest cluster is below the floor on sizes (min_cluster_size), "
        "though all 4 cells are within their bounds, "
    )
    assert "the smallest cluster has 4 persons (floor 5)" in found.certificate


def test_an_empty_cluster_is_not_forgotten():
    found = certified(labels_with(5, 5), [make_rule(SEX, 3)], k=3)
    assert found.sizes.tolist() == [10, 10, 0]
    assert found.table.tolist() == [[5, 5, 0], [5, 5, 0]]
    assert not found.certified
    assert all_inside([make_rule(SEX, 3)], labels_with(5, 5), 3)


def test_what_is_not_kept_is_said_first():
    plan = replace(plan_of([make_rule(SEX, 2, fairness_tol=None)]), largest=15)
    found = certify(labels_with(2, 2), plan, STAGES)
    assert found.certificate.startswith(
        "Not certified: the largest cluster is above the ceiling on sizes (max_cluster_size), "
        "though there are no bounds on shares, "
    )
    links = Links(np.arange(20), np.array([[0, 10]]), range(20))
    found = certify(labels_with(5, 5), replace(plan_of([make_rule(SEX, 2)]), links=links), STAGES)
    assert found.certificate.startswith("Not certified: not all links are kept, though all 4")


def test_without_bounds_nothing_is_certified_in_words():
    found = certified(labels_with(9, 1), [make_rule(SEX, 2, fairness_tol=None)])
    assert found.certificate == (
        "No bounds on shares were asked for, the smallest cluster has 10 persons (floor 1), and "
        "the largest deviation from a target share is 80.00%."
    )


@pytest.mark.parametrize(
    "wish",
    [
        {"fairness_tol": None, "upper": {"a": 0.95}},
        {"fairness_tol": None, "lower": {"a": 0.05}},
        {"bounds": "lower"},
    ],
    ids=["upper", "lower", "lower only"],
)
def test_one_bound_is_a_bound(wish):
    free = make_rule(ORIGIN, 2, fairness_tol=None)
    found = certified(labels_with(5, 5), [free, make_rule(SEX, 2, **wish)])
    assert found.certificate.startswith(
        "Certified: all 8 cells (4 groups × 2 clusters) are within their bounds"
    )


def test_a_fraction_of_a_person_outside_the_band_is_reported():
    """Three of seven are fewer than 0.95 times one half, but no whole number is nearer."""
    labels = labels_with(3, 4)
    found = certified(labels, [make_rule(SEX, 2, fairness_tol=0.05)])
    assert found.certified
    assert found.persons_outside == pytest.approx(0.95 * 3.5 - 3, abs=1e-12)
    assert found.certificate.endswith(
        "; bounds are in whole persons, and the worst cell is 0.325 person(s) outside the band of "
        "shares itself."
    )


def test_what_a_search_says_of_itself_is_kept():
    rules, labels = [make_rule(SEX, 2, fairness_tol=0.2)], labels_with(4, 6)
    starts = (Source("start", 0.9, True, 0.5),)
    found = certify(labels, plan_of(rules, smallest=3), STAGES, starts, stopped=True)
    assert found.starts == starts
    assert found.notes == ("a note", STOPPED)
    assert found.certificate == f"{certified(labels, rules, smallest=3).certificate} {STOPPED}"
