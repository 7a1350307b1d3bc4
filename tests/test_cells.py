"""Cells by hand: counts, bounds, and cells outside, for all modules that use them."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from fairspectral import audit
from fairspectral.cells import (
    Cells,
    bounds_in_persons,
    cell_range,
    count_cells,
    judge_by_tolerance,
    judge_cells,
    persons_beyond,
    population_shares,
    tolerance_band,
)
from fairspectral.report.collect import judge
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.result import Stage, all_inside, certify
from fairspectral.validation import Attribute


def test_cells_are_counted_group_by_cluster():
    groups = np.array([0, 0, 1, 1, 1], dtype=np.int8)
    labels = np.array([2, 0, 2, 2, 0], dtype=np.int32)
    table = count_cells(groups, labels, 2, 4)  # nobody is in the clusters 1 and 3
    assert table.tolist() == [[1, 0, 1, 0], [1, 0, 2, 0]]
    assert table.dtype == np.int64


def test_codes_of_a_small_type_do_not_overflow():
    table = count_cells(np.full(3, 100, dtype=np.int8), np.full(3, 9, dtype=np.int32), 101, 10)
    assert (table[100, 9], table.sum()) == (3, 3)


def test_the_band_around_shares_stays_between_nothing_and_everyone():
    lower, upper = tolerance_band(np.array([0.25, 0.75]), 0.5)
    np.testing.assert_allclose(lower, [0.125, 0.375], rtol=0, atol=1e-15)
    np.testing.assert_allclose(upper, [0.375, 1.0], rtol=0, atol=1e-15)
    assert tolerance_band(np.array([0.25, 0.75]), 2.0)[0].tolist() == [0, 0]


def test_shares_of_everyone():
    assert population_shares(np.array([5, 15])).tolist() == [0.25, 0.75]


def test_bounds_are_whole_persons_that_always_allow_rounding():
    # A fifth and four fifths of ten persons, within a tenth: clusters of four and of six.
    low, high = bounds_in_persons(
        np.array([0.18, 0.72]), np.array([0.22, 0.88]), np.array([2, 8]), np.array([4, 6])
    )
    assert low.tolist() == [[0, 1], [3, 4]]
    assert high.tolist() == [[1, 2], [4, 5]]
    assert low.dtype == high.dtype == np.int64


def test_bounds_of_all_cells_are_those_of_each():
    rng = np.random.default_rng(8)
    counts, sizes = rng.integers(1, 60, 6), rng.integers(1, 90, 9)
    shares = counts / counts.sum()
    lower, upper = 0.8 * shares, np.minimum(1.2 * shares, 1.0)
    low, high = bounds_in_persons(lower, upper, counts, sizes)
    n = int(counts.sum())
    for s, count in enumerate(counts.tolist()):
        for cluster, size in enumerate(sizes.tolist()):
            expected = cell_range(lower[s], upper[s], count, n, size)
            assert (low[s, cluster], high[s, cluster]) == expected


@pytest.mark.parametrize(("lower", "upper"), [(0.1, 0.3), (0.7 - 0.6, 0.1 + 0.2)])
def test_a_floating_point_error_moves_no_bound(lower, upper):
    # 20 of 100 in a cluster of 10: two by their share, one to three by the band.
    assert cell_range(lower, upper, 20, 100, 10) == (1, 3)
    low, high = bounds_in_persons(np.array([lower, 0.0]), np.array([upper, 1.0]), [20, 80], [10])
    assert (low[0, 0], high[0, 0]) == (1, 3)


def test_persons_beyond_the_bounds_on_either_side():
    table = np.array([[1, 5, 9]])
    assert persons_beyond(table, np.array([[3, 3, 3]]), np.array([[6, 6, 6]])).tolist() == [
        [2, 0, 3]
    ]
    assert persons_beyond(table, np.array([[1.5]]), np.array([[8.75]])).tolist() == [[0.5, 0, 0.25]]


def test_a_cell_at_its_bound_is_inside():
    cells = Cells(np.array([[2, 3, 4, 5]]), np.full((1, 4), 3), np.full((1, 4), 4))
    assert cells.outside.tolist() == [[True, False, False, True]]
    assert cells.n_outside == 2


def test_attributes_stand_one_below_the_other():
    one = Cells(np.array([[1, 2]]), np.array([[0, 0]]), np.array([[3, 3]]))
    two = Cells(np.array([[5, 6]]), np.array([[6, 6]]), np.array([[7, 7]]))
    both = Cells.together([one, two])
    assert both.table.tolist() == [[1, 2], [5, 6]]
    assert both.lower.tolist() == [[0, 0], [6, 6]]
    assert both.upper.tolist() == [[3, 3], [7, 7]]
    assert both.outside.tolist() == [[False, False], [True, False]]


def test_a_clustering_is_judged_by_its_own_sizes():
    table = np.array([[3, 7], [9, 1]])  # clusters of 12 and 8; each group is half of everyone
    cells = judge_cells(table, np.array([0.4, 0.4]), np.array([0.6, 0.6]))
    assert cells.table is table
    assert cells.lower.tolist() == [[5, 4], [5, 4]]
    assert cells.upper.tolist() == [[7, 4], [7, 4]]
    assert cells.outside.all()
    by_tolerance = judge_by_tolerance(table, 0.2)
    assert by_tolerance.lower.tolist() == cells.lower.tolist()
    assert by_tolerance.upper.tolist() == cells.upper.tolist()


def outside_in_fractions(codes, labels, h, k, tol):
    """Which cells are outside, from the definition in exact arithmetic."""
    n = len(codes)
    outside = np.zeros((h, k), dtype=bool)
    for s in range(h):
        share = Fraction(int(np.sum(codes == s)), n)
        for c in range(k):
            size = int(np.sum(labels == c))
            persons = int(np.sum((codes == s) & (labels == c)))
            low = min(-((-(1 - tol) * share * size) // 1), share * size // 1)
            high = max((1 + tol) * share * size // 1, -((-share * size) // 1))
            outside[s, c] = not low <= persons <= high
    return outside


@pytest.mark.parametrize("tol", [Fraction(0), Fraction(1, 10), Fraction(1, 5), Fraction(1)])
def test_rounding_audit_report_and_command_agree_with_exact_arithmetic(tol):
    from fairspectral.cli.audit import _failures

    rng = np.random.default_rng(int(100 * tol))
    stage = [Stage("start", 1.0, None, 0.0)]
    for _ in range(20):
        n, h, k = int(rng.integers(30, 60)), int(rng.integers(2, 5)), int(rng.integers(2, 6))
        codes = np.append(np.arange(h), rng.integers(0, h, n - h))
        labels = np.append(np.arange(k), rng.integers(0, k, n - k))
        expected = outside_in_fractions(codes, labels, h, k, tol)

        attribute = Attribute("group", codes, tuple(range(h)))
        rules = [make_rule(attribute, k, fairness_tol=float(tol))]
        plan = RoundingPlan(k, rules, np.zeros(n, dtype=np.int64), 1, n, None, "auto", ())
        found = certify(labels, plan, stage)
        assert (Cells(found.table, found.lower, found.upper).outside == expected).all()
        assert found.certified == all_inside(rules, labels, k) == (not expected.any())

        audited = audit(labels, codes)
        model = SimpleNamespace(
            audit_=audited,
            fairness_tol=float(tol),
            rounding_params=None,
            fair_assignment_=None,
        )
        assert (judge(model).outside[0] == expected.T).all()
        failing = {
            (cell["group"], cell["cluster"])
            for cell in _failures(audited, (attribute,), float(tol), None)
        }
        assert failing == {(s, c) for s, c in np.argwhere(expected).tolist()}
