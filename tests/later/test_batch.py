"""Batches within the bounds, against all possibilities."""

from itertools import product

import numpy as np
import pytest

from fairspectral.cells import count_cells, judge_cells
from fairspectral.later import batch
from fairspectral.later.batch import place_within_bounds
from fairspectral.later.groups import everyone
from fairspectral.later.placing import Placing
from fairspectral.later.standing import Standing
from fairspectral.rounding.bounds import make_rule
from fairspectral.validation import Attribute
from fairspectral.weighting import Weights


def problem(seed):
    """A few new people beside some old ones, in one or two attributes."""
    rng = np.random.default_rng(seed)
    k, m, n = int(rng.integers(2, 4)), int(rng.integers(1, 6)), int(rng.integers(4, 40))
    hs = [int(rng.integers(2, 4)) for _ in range(int(rng.integers(1, 3)))]
    old = np.stack([np.r_[np.arange(h), rng.integers(0, h, n)][:n] for h in hs], axis=1)
    labels = np.r_[np.arange(k), rng.integers(0, k, n)][:n]
    codes = np.stack([rng.integers(0, h, m) for h in hs], axis=1)
    before = [count_cells(old[:, a], labels, h, k) for a, h in enumerate(hs)]
    attributes = [Attribute(f"a{a}", old[:, a], tuple(range(h))) for a, h in enumerate(hs)]
    tolerance = float(rng.choice([0.0, 0.1, 0.3]))
    rules = [
        make_rule(attribute, k, fairness_tol=tolerance)
        for attribute in everyone(attributes, before, codes)
    ]
    costs = rng.random((m, k))
    return Placing(costs.argmin(axis=1).astype(np.int32), costs), codes, Standing(before, rules)


def weighted_problem(seed, largest):
    """A few new people of whole weights beside some old ones."""
    placing, codes, standing = problem(seed)
    rng = np.random.default_rng(1000 + seed)
    before = [table * rng.integers(1, 4) for table in standing.before[:1]]
    old = Attribute("a0", np.arange(len(before[0])), tuple(range(len(before[0]))),
                    Weights(np.full(len(before[0]), largest), 1.0))  # fmt: skip
    weights = Weights(rng.integers(0, largest + 1, len(codes)), 1.0)
    (everybody,) = everyone([old], before, codes[:, :1], weights)
    rule = make_rule(everybody, 2, fairness_tol=float(rng.choice([0.0, 0.1, 0.3])))
    ceiling = None if seed % 3 else int(before[0].sum(axis=0).max()) + 2
    return placing, codes[:, :1], Standing(before, [rule], ceiling), weights


def persons_beyond(labels, codes, standing):
    return sum(
        int(judge_cells(
            table + count_cells(codes[:, a], labels, *table.shape), rule.lower, rule.upper
        ).beyond.sum())
        for a, (table, rule) in enumerate(zip(standing.before, standing.rules, strict=True))
    )  # fmt: skip


@pytest.mark.parametrize("part", range(4))
def test_no_placement_has_fewer_persons_beyond_the_bounds(part):
    for seed in range(part * 40, part * 40 + 40):
        placing, codes, standing = problem(seed)
        result = place_within_bounds(placing, codes, standing)
        m, k = placing.costs.shape
        best = min(
            persons_beyond(np.array(labels), codes, standing)
            for labels in product(range(k), repeat=m)
        )
        assert result.beyond == persons_beyond(result.labels, codes, standing) == best, seed
        assert result.proved
        assert result.within_bounds == (best == 0)


def fewest_beyond(placing, codes, standing, weights):
    m, k = placing.costs.shape
    return min(
        standing.judge(np.array(labels), codes, weights.units).beyond
        for labels in product(range(k), repeat=m)
    )


@pytest.mark.parametrize("part", range(2))
def test_no_placement_has_less_weight_beyond_the_bounds(part):
    seen = set()
    for seed in range(part * 60, part * 60 + 60):
        given = weighted_problem(seed, largest=5)
        result = place_within_bounds(*given)
        assert result.beyond == fewest_beyond(*given), seed
        assert result.proved
        seen.add((result.within_bounds, result.n_moved > 0))
    assert len(seen) == 4


def test_many_units_are_counted_in_persons_of_mean_weight(monkeypatch):
    monkeypatch.setattr("fairspectral.later.limits._MOST_UNITS", 0)
    for seed in range(60):
        given = weighted_problem(seed, largest=5)
        result, best = place_within_bounds(*given), fewest_beyond(*given)
        assert result.within_bounds == (best == 0), seed
        assert result.proved == (best == 0)
        assert result.beyond == best, seed


def test_everyone_keeps_the_units_and_the_largest_weight():
    table = np.array([[7, 6], [0, 0], [5, 0]])
    old = Attribute("g", np.array([0, 2]), ("a", "b", "c"), Weights(np.array([5, 2]), 0.5))
    new = Weights(np.array([4, 0]), 0.5)
    (found,) = everyone([old], [table], np.array([[1], [2]]), new)
    assert found.counts.tolist() == [13, 4, 5]
    assert found.largest == 5
    assert found.weights.unit == 0.5


def test_the_cost_is_near_the_least():
    # Among placements within the bounds; a few persons may be rounded to the next cluster.
    for seed in range(40):
        placing, codes, standing = problem(seed)
        result = place_within_bounds(placing, codes, standing)
        m, k = placing.costs.shape
        costs = [
            placing.costs[np.arange(m), labels].sum()
            for labels in product(range(k), repeat=m)
            if persons_beyond(np.array(labels), codes, standing) == result.beyond
        ]
        found = placing.costs[np.arange(m), result.labels].sum()
        assert found <= min(costs) + 1.0, seed


def test_nobody_moves_where_the_bounds_hold_anyway():
    before = [np.array([[50, 50], [50, 50]])]
    codes = np.array([[0], [1]])
    costs = np.array([[0.0, 1.0], [0.0, 1.0]])
    attribute = Attribute("sex", np.repeat([0, 1], 100), ("f", "m"))
    rules = [make_rule(everyone([attribute], before, codes)[0], 2, fairness_tol=0.2)]
    placing = Placing(np.zeros(2, dtype=np.int32), costs)
    result = place_within_bounds(placing, codes, Standing(before, rules))
    assert result.n_moved == 0
    assert result.within_bounds
    assert "all 4 cells (2 groups × 2 clusters) are within their bounds" in str(result)


def test_what_cannot_hold_is_said_with_numbers():
    # Cluster 0 has no men, and one man cannot mend that.
    before = [np.array([[30, 30], [0, 30]])]
    attribute = Attribute("sex", np.repeat([0, 1], [60, 30]), ("f", "m"))
    codes = np.array([[1]])
    rules = [make_rule(everyone([attribute], before, codes)[0], 2, fairness_tol=0.2)]
    placing = Placing(np.array([1], dtype=np.int32), np.array([[1.0, 0.0]]))
    result = place_within_bounds(placing, codes, Standing(before, rules))
    assert not result.within_bounds
    assert result.proved
    assert result.labels.tolist() == [0]
    assert result.beyond < result.beyond_before
    assert f"by {result.beyond} person(s) in all, the fewest possible" in result.verdict
    assert "cluster 0 has 1 of sex 'm', allowed" in result.verdict
    assert {"cluster", "attribute", "group", "persons", "least", "most"} == set(result.rows()[0])


def large_batch(m, beyond):
    """People of two groups, nearly all at home in three clusters, with a few too many in one."""
    rng = np.random.default_rng(0)
    codes = np.arange(m)[:, None] % 2
    similar = np.arange(m) // 2 % 3
    similar[:: m // beyond] = 0  # those at even rows are of group 0
    costs = 1e-5 * np.exp(3.0 * rng.normal(size=(m, 3)))
    costs[np.arange(m), similar] = 0.0
    before = [np.full((2, 3), 500)]
    costs[-1] = 0.0  # somebody without any affinity, placed in the largest cluster
    attribute = Attribute("g", np.repeat([0, 1], 1500), (0, 1))
    rules = [make_rule(everyone([attribute], before, codes)[0], 3, fairness_tol=0.01)]
    return Placing(similar.astype(np.int32), costs), codes, Standing(before, rules)


def test_of_a_large_batch_about_as_many_move_as_are_beyond_the_bounds():
    placing, codes, standing = large_batch(6000, 60)
    beyond = persons_beyond(placing.labels, codes, standing)
    placed = place_within_bounds(placing, codes, standing)
    assert placed.within_bounds
    assert placed.proved
    assert 0 < placed.n_moved <= beyond
    moved = np.flatnonzero(placed.labels != placing.labels)
    lost = placing.costs[moved, placed.labels[moved]]
    assert lost.max() < np.median(placing.costs[placing.costs > 0])


def test_a_few_movers_at_a_time_are_as_good_as_all_at_once(monkeypatch):
    placing, codes, standing = large_batch(600, 60)
    people = np.arange(600)
    found = []
    for step in (5, 10**6):
        monkeypatch.setattr("fairspectral.later.program._STEP", step)
        placed = place_within_bounds(placing, codes, standing)
        assert placed.within_bounds
        found.append((placed.n_moved, placing.costs[people, placed.labels].sum()))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_nobody_is_placed_in_a_full_cluster():
    before = [np.array([[50, 40], [50, 40]])]
    codes = np.arange(20)[:, None] % 2
    costs = np.tile([0.0, 1.0], (20, 1))
    attribute = Attribute("sex", np.repeat([0, 1], 90), ("f", "m"))
    rules = [make_rule(everyone([attribute], before, codes)[0], 2, fairness_tol=0.2)]
    placing = Placing(np.zeros(20, dtype=np.int32), costs)
    placed = place_within_bounds(placing, codes, Standing(before, rules, ceiling=104))
    assert placed.within_bounds
    assert placed.sizes.tolist() == [104, 96]
    assert "no cluster has more than 104" in placed.verdict
    full = place_within_bounds(placing, codes, Standing(before, rules, ceiling=95))
    # 200 people are ten more than two clusters of 95 hold.
    assert full.beyond == 10
    assert full.proved
    assert not full.within_bounds
    assert "people, allowed 95" in full.verdict


def test_fewest_is_proved_only_where_the_count_agrees(monkeypatch):
    solve = batch.nearest_whole_numbers

    def wrong(wanted, limits):
        persons, fewest = solve(wanted, limits)
        return persons, fewest - 1

    found = [place_within_bounds(*problem(seed)) for seed in range(20)]
    monkeypatch.setattr(batch, "nearest_whole_numbers", wrong)
    for seed, right in enumerate(found):
        assert place_within_bounds(*problem(seed)).proved == (right.beyond == 0)
    assert any(right.beyond for right in found)


def test_shares_that_cannot_hold_have_the_fewest_persons_beyond():
    for seed in range(25):
        placing, codes, standing = problem(seed)
        asked = {0: 0.05}  # at most, of a group that has more
        rules = [make_rule(rule.attribute, 2, upper=asked, refuse=False) for rule in standing.rules]
        standing = Standing(standing.before, rules)
        result = place_within_bounds(placing, codes, standing)
        m, k = placing.costs.shape
        best = min(
            standing.judge(np.array(labels), codes).beyond for labels in product(range(k), repeat=m)
        )
        assert result.beyond == best, seed


def test_a_program_that_was_given_up_is_said(monkeypatch):
    placing, codes, standing = large_batch(600, 60)
    placed = place_within_bounds(placing, codes, standing)
    assert placed.nearly_cheapest
    assert "gave up" not in placed.verdict
    monkeypatch.setattr("fairspectral.later.program._solve", lambda *given: None)
    placed = place_within_bounds(placing, codes, standing)
    assert placed.within_bounds
    assert placed.proved
    assert not placed.nearly_cheapest
    assert placed.verdict.endswith(
        " The solver gave up the search for the least cost, so people may be less similar to their "
        "clusters than the bounds need."
    )


def test_the_verdict_of_what_cannot_hold_says_it_too(monkeypatch):
    monkeypatch.setattr("fairspectral.later.program._solve", lambda *given: None)
    found = [place_within_bounds(*problem(seed)) for seed in range(20)]
    beyond = [placed for placed in found if not placed.within_bounds]
    assert beyond
    for placed in beyond:
        assert placed.proved
        assert "gave up the search for the least cost" in placed.verdict


def test_each_placement_is_judged_once(monkeypatch):
    judged = []
    judge = Standing.judge

    def count(self, labels, *given):
        judged.append(len(labels))
        return judge(self, labels, *given)

    monkeypatch.setattr(Standing, "judge", count)
    place_within_bounds(*large_batch(600, 60))
    assert judged == [600, 600, 0]  # the most similar clusters, the result, and those before
