"""Impossible requests are refused, with numbers, before anything is computed."""

import warnings

import numpy as np
import pytest

from fairspectral.constraints import encode_groups
from fairspectral.links import read_links
from fairspectral.rounding.plan import plan_rounding, with_links
from fairspectral.validation import FairSpectralWarning
from fairspectral.weighting import check_sample_weight


@pytest.fixture
def colours():
    """90 blue and 10 red."""
    return encode_groups(np.where(np.arange(100) < 90, "blue", "red"), 100)


def test_defaults(colours):
    plan = plan_rounding(colours, 4)
    assert plan.n_clusters == 4
    assert plan.smallest == 2
    assert plan.largest == 100
    assert plan_rounding(colours, 4, max_cluster_size=25).largest == 25
    assert (plan.kinds == colours[0].codes).all()
    assert plan.notes == ()
    (rule,) = plan.rules
    assert rule.lower == pytest.approx([0.72, 0.08])


def linked(people, n=100):
    """The first people must be together."""
    return read_links([(0, i) for i in range(1, people)], None, range(n), 2)


def test_people_together_who_are_more_than_the_ceiling_are_refused(colours):
    plan = plan_rounding(colours, 2, max_cluster_size=70)
    assert with_links(plan, linked(70)).links is not None
    with pytest.raises(ValueError) as caught:
        with_links(plan, linked(90))
    assert str(caught.value) == (
        "must_link keeps 90 people together, but max_cluster_size is 70; raise it, or leave some "
        "pairs out."
    )
    assert with_links(plan_rounding(colours, 2), linked(90)).largest == 100


def test_a_person_heavier_than_the_ceiling_is_refused():
    weights = check_sample_weight(np.where(np.arange(100) == 7, 500, 1), 100)
    groups = encode_groups(np.arange(100) % 2, 100, weights=weights)
    plan = plan_rounding(groups, 2, max_cluster_size=60)
    with pytest.raises(ValueError) as caught:
        with_links(plan, None)
    assert str(caught.value) == (
        "sample_weight gives the person of row 7 a weight of 500, but max_cluster_size is 60, "
        "which is a weight of 359; raise it, or lower that weight."
    )
    with pytest.raises(ValueError, match="must_link keeps a weight of 509 together, but max_cl"):
        with_links(plan, linked(10))


def test_kinds_are_combinations_of_groups():
    groups = np.column_stack([np.arange(12) % 2, np.arange(12) % 3])
    plan = plan_rounding(encode_groups(groups, 12), 2, fairness_tol=None)
    assert len(plan.rules) == 2
    assert (np.bincount(plan.kinds) == 2).all()
    assert len(np.unique(plan.kinds)) == 6


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (
            {"min_cluster_size": 5.5},
            r"min_cluster_size=5\.5 must be a whole number between 1 and 25",
        ),
        ({"min_cluster_size": 0}, "min_cluster_size=0 is not possible with 100 persons"),
        ({"min_cluster_size": 26}, "min_cluster_size=26 is not possible"),
        ({"min_cluster_size": "10"}, "min_cluster_size='10' must be a whole number"),
        ({"max_cluster_size": 24}, "max_cluster_size=24 is not possible.*pass at least 25"),
        ({"max_cluster_size": True}, "max_cluster_size=True must be a whole number of at least 25"),
        ({"max_cluster_size": 30.0}, r"max_cluster_size=30\.0 must be a whole number"),
        ({"refine_rounds": -1}, "refine_rounds=-1 must be a whole number of at least 0"),
        ({"refine_rounds": 2.5}, r"refine_rounds=2\.5 must be"),
        ({"row_scaling": "units"}, "row_scaling='units'"),
        ({"bounds": "upper"}, "bounds='upper'"),
        ({"fairness_tol": -0.1}, r"fairness_tol=-0\.1 must be"),
        ({"lower": {"red": 0.2}}, r"the largest possible lower share is 0\.1"),
        ({"upper": {"blue": 0.5}}, r"the smallest possible upper share is 0\.9"),
        (
            {"target_proportions": {"blue": 0.5, "red": 0.5}},
            r"the smallest fairness_tol that is possible is 0\.8",
        ),
    ],
)
def test_impossible_requests(colours, wish, words):
    with pytest.raises(ValueError, match=words):
        plan_rounding(colours, 4, **wish)


@pytest.mark.parametrize("whole", [10, np.int64(10)])
def test_whole_numbers_of_any_type(colours, whole):
    plan = plan_rounding(colours, 4, min_cluster_size=whole, refine_rounds=whole)
    assert plan.smallest == plan.refine_rounds == 10


@pytest.mark.parametrize(
    ("wish", "free"),
    [
        ({"fairness_tol": None}, True),
        ({"fairness_tol": None, "max_cluster_size": 40}, True),
        ({"fairness_tol": None, "lower": {"red": 0.01}}, False),
        ({"fairness_tol": None, "upper": {"red": 0.9}}, False),
        ({"fairness_tol": 0.2}, False),
    ],
)
def test_a_request_without_bounds_on_shares_is_free(colours, wish, free):
    assert plan_rounding(colours, 4, **wish).is_free is free


def test_small_groups_cause_a_warning(colours):
    with pytest.warns(FairSpectralWarning, match=r"group 'red' has 10 person\(s\) for 11 clusters"):
        plan = plan_rounding(colours, 11)
    assert len(plan.notes) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan_rounding(colours, 10).notes == ()
