"""Bounds in whole persons: the formula, its feasibility, and impossible requests."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fairspectral.cells import cell_range
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.flow import solve_flow
from fairspectral.validation import Attribute


def attribute(*counts, names="abcdefgh"):
    codes = np.repeat(np.arange(len(counts)), counts)
    return Attribute("group", codes, tuple(names[: len(counts)]))


@pytest.mark.parametrize("tol", ["0", "0.05", "0.2", "0.5", "1"])
def test_cell_range_is_the_formula_in_exact_arithmetic(tol):
    exact, n = Fraction(tol), 97
    for count in (1, 3, 20, 48, 97):
        for size in (1, 2, 10, 50, 97):
            x = Fraction(count * size, n)
            low = min(math.ceil((1 - exact) * x), math.floor(x))
            high = min(max(math.floor((1 + exact) * x), math.ceil(x)), count, size)
            share = float(tol)
            found = cell_range((1 - share) * count / n, (1 + share) * count / n, count, n, size)
            assert found == (low, high)


def test_floating_point_error_does_not_change_the_bounds():
    # 0.8 * 5 persons and 1.2 * 5 persons are whole; floats come out on either side of them.
    rule = make_rule(attribute(50, 50), 10, fairness_tol=0.2)
    low, high = rule.cell_bounds(np.full(10, 10))
    assert low.dtype == high.dtype == np.int64
    assert (low == 4).all()
    assert (high == 6).all()


def test_inside_the_band_where_a_person_fits():
    rule = make_rule(attribute(300, 700), 4, fairness_tol=0.1)
    sizes = np.array([100, 200, 300, 400])
    low, high = rule.cell_bounds(sizes)
    x = np.array([[0.3], [0.7]]) * sizes
    assert (0.1 * x >= 1).all()
    assert (low >= 0.9 * x - 1e-9).all()
    assert (high <= 1.1 * x + 1e-9).all()


@pytest.mark.parametrize("seed", range(20))
def test_bounds_always_admit_a_table(seed):
    rng = np.random.default_rng(seed)
    h, k, n = rng.integers(1, 12), rng.integers(1, 12), int(rng.integers(12, 200))
    codes = np.concatenate([np.arange(h), rng.integers(0, h, n - h)])
    rule = make_rule(Attribute("g", codes, tuple(range(h))), k, fairness_tol=rng.choice([0, 0.1]))
    sizes = np.diff(np.concatenate([[0], np.sort(rng.integers(0, n + 1, k - 1)), [n]]))
    low, high = rule.cell_bounds(sizes)
    solve_flow(np.zeros((n, k)), codes, low, high, sizes, sizes)  # raises if infeasible


def test_lower_only_leaves_the_top_open():
    rule = make_rule(attribute(40, 60), 2, fairness_tol=0.2, bounds="lower")
    low, high = rule.cell_bounds(np.array([50, 50]))
    assert low.tolist() == [[16, 16], [24, 24]]
    assert high.tolist() == [[40, 40], [50, 50]]
    # Only what is missing counts against a rule without an upper side.
    assert rule.achieved(np.array([[30, 10], [20, 40]])) == pytest.approx(0.5)


def test_none_sets_no_bounds():
    low, high = make_rule(attribute(40, 60), 2, fairness_tol=None).cell_bounds(np.array([50, 50]))
    assert low.tolist() == [[0, 0], [0, 0]]
    assert high.tolist() == [[40, 40], [50, 50]]


def test_explicit_shares_replace_the_band_of_the_groups_named():
    rule = make_rule(attribute(40, 60), 2, lower={"a": 0.3}, upper={"b": 0.65})
    assert rule.lower == pytest.approx([0.3, 0.48])
    assert rule.upper == pytest.approx([0.48, 0.65])
    by_position = make_rule(attribute(40, 60), 2, fairness_tol=None, lower=[0.1, 0.2])
    assert by_position.lower.tolist() == [0.1, 0.2]


def test_targets_other_than_the_population():
    rule = make_rule(attribute(40, 60), 2, fairness_tol=0.25, target_proportions=[0.5, 0.5])
    assert rule.lower == pytest.approx([0.375, 0.375])
    assert rule.upper == pytest.approx([0.625, 0.625])


def test_achieved_slack_and_persons_outside():
    rule = make_rule(attribute(50, 50), 2, fairness_tol=0.1)
    table = np.array([[30, 20], [20, 30]])
    assert rule.achieved(table) == pytest.approx(0.2)
    assert rule.persons_outside(table) == pytest.approx(2.5)
    assert rule.persons_outside(np.array([[26, 24], [24, 26]])) == 0.0
    # A band that reaches up to all of a cluster still has two sides.
    wide = make_rule(attribute(90, 10), 2, fairness_tol=0.5)
    assert wide.achieved(np.array([[50, 40], [5, 5]])) == pytest.approx(1 / 9)
    assert wide.achieved(np.array([[50, 40], [0, 10]])) == pytest.approx(1.0)


def test_too_many_do_not_count_where_only_too_few_are_forbidden():
    # Clusters of 10 and 90: twice too many of a in the first, two thirds too few of b.
    table = np.array([[8, 32], [2, 58]])
    lower = make_rule(attribute(40, 60), 2, bounds="lower")
    assert lower.achieved(table) == pytest.approx(2 / 3, abs=1e-12)
    both = make_rule(attribute(40, 60), 2)
    assert both.achieved(table) == pytest.approx(1.0, abs=1e-12)
    assert lower.persons_outside(table) == pytest.approx(0.8 * 6 - 2, abs=1e-12)
    assert both.persons_outside(table) == pytest.approx(8 - 1.2 * 4, abs=1e-12)


def test_clusters_of_one_person_and_of_none():
    rule = make_rule(attribute(50, 50), 2, fairness_tol=0.1)
    assert rule.achieved(np.array([[50, 0], [50, 0]])) == 0
    assert rule.persons_outside(np.array([[50, 0], [50, 0]])) == 0
    assert rule.achieved(np.array([[1, 49], [0, 50]])) == pytest.approx(1.0, abs=1e-12)
    assert rule.persons_outside(np.array([[1, 49], [0, 50]])) == pytest.approx(0.45, abs=1e-12)


def test_floating_point_error_puts_no_cell_outside():
    """A share that is off in its tenth digit asks for 1e-8 more of a hundred persons."""
    rule = make_rule(attribute(100, 100), 2, fairness_tol=0)
    off = replace(rule, lower=rule.lower + 1e-10, upper=rule.upper + 1e-10)
    assert off.persons_outside(np.full((2, 2), 50)) == 0
    wrong = replace(rule, lower=rule.lower + 1e-4, upper=rule.upper + 1e-4)
    assert wrong.persons_outside(np.full((2, 2), 50)) == pytest.approx(0.01, abs=1e-9)


def test_a_group_without_a_lower_bound_is_not_short():
    assert make_rule(attribute(3, 97), 5, fairness_tol=None).shortages(5) == ()
    assert make_rule(attribute(3, 97), 5, fairness_tol=1).shortages(5) == ()


def test_a_relaxed_rule_is_never_tighter():
    narrow = make_rule(attribute(30, 70), 2, fairness_tol=0.1).relaxed(0.5)
    assert narrow.lower == pytest.approx([0.15, 0.35])
    assert narrow.upper == pytest.approx([0.45, 1.0])
    wide = make_rule(attribute(30, 70), 2, fairness_tol=0.6)
    assert (wide.relaxed(0.5).lower == wide.lower).all()
    assert (wide.relaxed(0.5).upper == wide.upper).all()


def test_a_group_smaller_than_the_number_of_clusters_is_reported():
    rule = make_rule(attribute(3, 97), 5)
    (note,) = rule.shortages(5)
    assert "group 'a' has 3 person(s) for 5 clusters, so at least 2 cluster(s)" in note
    assert rule.shortages(3) == ()


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"fairness_tol": -0.1}, "fairness_tol=-0.1"),
        ({"fairness_tol": math.inf}, "fairness_tol=inf"),
        ({"fairness_tol": True}, "fairness_tol=True must be a number"),
        ({"fairness_tol": "0.2"}, "fairness_tol='0.2' must be a number"),
        (
            {"fairness_tol": math.nan},
            r"^fairness_tol=nan must be a number of at least 0 \(0\.2 is the four-fifths rule\), "
            r"or None for no constraint\.$",
        ),
        ({"bounds": "upper"}, "bounds='upper' is unknown"),
        (
            {"lower": {"a": 0.5}},
            r"lower asks for a share of 0.5 of group 'a' in every cluster, but it has 3 of 100 "
            r"persons \(0.03\); the largest possible lower share is 0.03\.$",
        ),
        ({"upper": {"b": 0.5}}, "the smallest possible upper share is 0.97"),
        (
            {"lower": {"a": 0.01}},
            r"in each of 5 clusters, but it has only 3 person\(s\); choose n_clusters of at most "
            r"3, or leave the group out of lower, and it is spread as evenly as whole persons "
            r"allow\.$",
        ),
        ({"lower": [0.01, 0.5]}, r"group 'a' in each of 5 clusters, but it has only 3 person"),
        ({"lower": {"a": math.nan}}, "lower of group 'a' is nan"),
        ({"lower": {"a": None}}, "lower of group 'a' is None"),
        ({"lower": [0.0, math.nan]}, "lower of group 'b' is nan"),
        ({"upper": [1.0, None]}, "upper of group 'b' is None"),
        (
            {"lower": {"b": -0.1}},
            r"lower of group 'b' is -0.1; a share is a number between 0 and 1\.$",
        ),
        ({"target_proportions": {"z": 1.0}}, "^target_proportions names the unknown group 'z'"),
        ({"target_proportions": [0.5, 0.5], "bounds": "lower"}, "of group 'a' .* tolerance 0.2"),
        ({"lower": {"z": 0.01}}, "unknown group 'z'; the groups are 'a', 'b'"),
        ({"lower": [0.1]}, r"lower has shape \(1,\)"),
        ({"upper": [1.5, 1.0]}, "upper of group 'a' is 1.5"),
        ({"target_proportions": {"a": 0.5}}, "no share for group 'b'"),
        ({"target_proportions": [0.5, 0.6]}, "sums to 1.1"),
        ({"target_proportions": [0.5, 0.5]}, "smallest fairness_tol that is possible is 0.94"),
        ({"target_proportions": [0.0, 1.0]}, "of group 'a' .* give that group a positive target"),
        ({"target_proportions": [1.0, 0.0]}, "of group 'b' .* give that group a positive target"),
    ],
)
def test_impossible_requests_are_refused_with_numbers(wish, words):
    with pytest.raises(ValueError, match=words):
        make_rule(attribute(3, 97), 5, **wish)


def test_an_unknown_group_lists_ten_known_ones():
    many = Attribute("group", np.arange(12), tuple("abcdefghijkl"))
    with pytest.raises(ValueError, match=r"the groups are 'a', .*, 'j'\.$"):
        make_rule(many, 2, lower={"z": 0.1})


def test_the_group_that_misses_its_target_is_named():
    """The first group is within its band; the second has 0.2 where 0.32 is the least."""
    with pytest.raises(
        ValueError, match=r"share of 0.32 to 0.48 of group 'b' .* is 0.2 of the who"
    ):
        make_rule(attribute(40, 20, 40), 2, target_proportions=[0.4, 0.4, 0.2])


def test_a_lower_share_is_refused_only_if_requested():
    """Three persons for five clusters: none of these requests a share in each."""
    for lower in ({"b": 0.5}, {"a": 0.0}, [0.0, 0.5], {}):
        assert make_rule(attribute(3, 97), 5, lower=lower).lower[0] <= 0.03
    assert make_rule(attribute(3, 97), 3, lower={"a": 0.01}).lower[0] == 0.01


def test_a_band_ends_at_one():
    upper = make_rule(attribute(90, 10), 2, fairness_tol=0.5).upper
    assert upper == pytest.approx([1.0, 0.15], abs=1e-12)
    assert make_rule(attribute(90, 10), 2, fairness_tol=3).lower.tolist() == [0.0, 0.0]


def test_many_small_groups_are_counted_after_the_first_three():
    five = make_rule(attribute(1, 1, 1, 1, 1, 20), 3).shortages(3)
    assert [note[:9] for note in five[:3]] == ["group 'a'", "group 'b'", "group 'c'"]
    assert five[3:] == (
        "2 further groups of 'group' have fewer persons than there are clusters; "
        "put small groups together.",
    )
    four = make_rule(attribute(1, 1, 1, 1, 20), 3).shortages(3)
    assert [note[:9] for note in four] == ["group 'a'", "group 'b'", "group 'c'", "group 'd'"]
