"""Effect sizes and what chance explains, against counting all pairs and all assignments."""

from itertools import combinations

import numpy as np
import pytest

from fairspectral.describing.columns import Column
from fairspectral.describing.effects import compare


def number(values):
    values = np.asarray(values, dtype=float)
    return Column("x", np.isnan(values), values)


def category(codes, names):
    codes = np.asarray(codes)
    return Column("x", np.zeros(len(codes), bool), None, codes, tuple(names))


def by_pairs(values, inside):
    """Cliff's delta from all pairs."""
    signs = np.sign(np.subtract.outer(values[inside], values[~inside]))
    return signs.mean()


def test_the_effect_of_numbers_is_that_of_all_pairs(rng):
    values = rng.poisson(2, 60).astype(float)
    labels = rng.integers(0, 3, 60)
    (contrast,) = compare(number(values), labels, 3)
    for cluster in range(3):
        expected = by_pairs(values, labels == cluster)
        assert contrast.effect[cluster] == pytest.approx(expected, abs=1e-12)


def test_the_effect_of_a_category_is_that_of_its_indicator(rng):
    codes, labels = rng.integers(0, 4, 80), rng.integers(0, 3, 80)
    found = compare(category(codes, "abcd"), labels, 3)
    assert [contrast.name for contrast in found] == ["x: a", "x: b", "x: c", "x: d"]
    for contrast in found:
        has = (codes == contrast.category).astype(float)
        for cluster in range(3):
            inside = labels == cluster
            expected = by_pairs(has, inside)
            assert contrast.effect[cluster] == pytest.approx(expected, abs=1e-12)
            assert contrast.here[cluster] == pytest.approx(has[inside].mean(), abs=1e-12)
            assert contrast.elsewhere[cluster] == pytest.approx(has[~inside].mean(), abs=1e-12)


def test_neither_unit_nor_outlier_changes_the_effect(rng):
    values, labels = rng.normal(size=50), rng.integers(0, 2, 50)
    (plain,) = compare(number(values), labels, 2)
    (skewed,) = compare(number(np.exp(9 * values)), labels, 2)
    np.testing.assert_allclose(skewed.effect, plain.effect, rtol=0, atol=1e-12)
    np.testing.assert_allclose(skewed.p_value, plain.p_value, rtol=0, atol=1e-12)


def test_the_chance_of_a_category_is_counted_exactly():
    """All 210 clusters of 4 among 10 people, of whom 3 have the category."""
    has = np.arange(10) < 3
    counts = [has[list(members)].sum() for members in combinations(range(10), 4)]
    for members in ((0, 1, 2, 3), (0, 1, 4, 5), (6, 7, 8, 9)):
        labels = np.zeros(10, dtype=int)
        labels[list(members)] = 1
        (contrast,) = compare(category(has.astype(int), "ab"), labels, 2)
        inside = has[list(members)].sum()
        tails = np.mean(np.array(counts) <= inside), np.mean(np.array(counts) >= inside)
        assert contrast.p_value[1] == pytest.approx(min(1, 2 * min(tails)), abs=1e-12)


@pytest.mark.parametrize(
    "values",
    [range(12), [0] * 6 + [*range(1, 7)], [0] * 10 + [1, 2], [9] * 10 + [1, 2], [0, 1, 2] * 4],
    ids=["distinct", "half zeros", "nearly all zeros", "nearly all nines", "three values"],
)
def test_chance_is_not_underrated(values):
    """Of all 220 clusters of 3 among 12 people, few are as far out as their p-value says.

    With so few people the chances are large steps, so they may be a little above the level.
    """
    p_values = []
    for members in combinations(range(12), 3):
        labels = np.zeros(12, dtype=int)
        labels[list(members)] = 1
        (contrast,) = compare(number(values), labels, 2)
        p_values.append(contrast.p_value[1])
    for level in (0.1, 0.05, 0.02, 0.01):
        assert np.mean(np.array(p_values) < level) <= 1.5 * level


def test_where_there_is_nothing_to_compare_there_is_no_effect():
    labels = np.array([0, 0, 0, 1])
    (alone,) = compare(number([1, 2, 3, 4]), np.zeros(4, dtype=int), 1)
    assert (alone.effect[0], alone.p_value[0]) == (0, 1)
    numbers, missing = sorted(
        compare(number([1, 2, 3, np.nan]), labels, 2), key=lambda c: c.missing
    )
    assert numbers.effect.tolist() == [0, 0]  # everyone with a value is in cluster 0
    assert missing.effect.tolist() == [-1, 1]
    assert missing.name == "x: no value"
    (equal,) = compare(number([5, 5, 5, 5]), labels, 2)
    assert equal.effect.tolist() == [0, 0]
    assert equal.p_value.tolist() == [1, 1]
