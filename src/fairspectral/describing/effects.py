"""How far each cluster lies from everyone else in a column, and how far it would by chance.

One effect size for every column: of a number, Cliff's delta, the probability that a member has more
than somebody else, less the probability of having less; of a category, the difference of its two
shares, which is Cliff's delta of the indicator. Both lie between -1 and 1. They depend on the
order of the values only, so that neither an outlier nor the unit of a column counts; Cohen's d
of a column with one huge value is about zero whatever the others do.

Chance is what a random assignment of the same cluster sizes would give, without any assumption on
the values: the number of members with a category is then hypergeometric, which is exact, and the
sum of the members' ranks has moments that are known exactly. Of sensitive attributes the shares
count weights, where there are any; what chance gives always counts heads, who were sampled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import hypergeom, norm, pearson3, rankdata

from fairspectral.describing.columns import Column


@dataclass(frozen=True)
class Contrast:
    """A column, or one of its categories, compared between each cluster and everyone else.

    Attributes
    ----------
    column : Column
    category : int or None
        Index of the category; None for numbers and for `missing`.
    missing : bool
        Whether it is about rows without a value.
    effect : ndarray of shape (k,)
        Between -1 and 1; 0 where a side has no values.
    p_value : ndarray of shape (k,)
        How often random clusters of these sizes are as far from everyone else.
    here, elsewhere : ndarray of shape (k,)
        The shares of a category; NaN for numbers.
    """

    column: Column
    category: int | None
    missing: bool
    effect: np.ndarray
    p_value: np.ndarray
    here: np.ndarray
    elsewhere: np.ndarray

    @property
    def name(self) -> str:
        """The column, with the category where there is one."""
        if self.missing:
            return f"{self.column.name}: no value"
        if self.category is None or self.column.yes_or_no:
            return self.column.name
        return f"{self.column.name}: {self.column.categories[self.category]}"


def compare(column: Column, labels: np.ndarray, k: int) -> list[Contrast]:
    """All contrasts of a column.

    Parameters
    ----------
    column : Column
    labels : ndarray of shape (n,)
        The cluster of each row, 0 to k - 1.
    k : int
    """
    found = []
    if column.missing.any():
        found.append(_compare_shares(column, None, column.missing, labels, k))
    known = ~column.missing
    if column.numbers is not None:
        effect, p_value = _compare_ranks(column.numbers[known], labels[known], k)
        unknown = np.full(k, np.nan)
        return [Contrast(column, None, False, effect, p_value, unknown, unknown), *found]
    assert column.codes is not None
    h = len(column.categories)
    # Of two categories one says it all, and of a single one only who has none.
    told = range(h) if h > 2 else [1] if h == 2 else []
    for category in told:
        has = column.codes[known] == category
        found.append(_compare_shares(column, category, has, labels[known], k))
    return found


def _compare_shares(
    column: Column, category: int | None, has: np.ndarray, labels: np.ndarray, k: int
) -> Contrast:
    n, total = len(has), int(has.sum())
    sizes = np.bincount(labels, minlength=k)
    members = np.bincount(labels[has], minlength=k)
    amounts = np.ones(n) if column.weights is None else column.weights.units
    whole = np.bincount(labels, amounts, minlength=k)
    part = np.bincount(labels[has], amounts[has], minlength=k)
    with np.errstate(invalid="ignore", divide="ignore"):
        here = part / whole
        elsewhere = (part.sum() - part) / (whole.sum() - whole)
    effect = np.nan_to_num(here - elsewhere)
    fewer = hypergeom.cdf(members, n, total, sizes)
    more = hypergeom.sf(members - 1, n, total, sizes)
    p_value = np.minimum(1.0, 2 * np.minimum(fewer, more))
    return Contrast(column, category, category is None, effect, p_value, here, elsewhere)


def _compare_ranks(values: np.ndarray, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Cliff's delta of each cluster against everyone else, and its p-value, both (k,).

    The p-value is the larger of two approximations of the permutation distribution: the normal one
    and Pearson's type III with its exact skewness. With many equal values, such as zeros, the
    normal one alone would claim a difference up to a hundred times too often in small clusters.
    """
    n, sizes = len(values), np.bincount(labels, minlength=k)
    effect, p_value = np.zeros(k), np.ones(k)
    inside = (sizes > 0) & (sizes < n)
    ranks = rankdata(values) - (n + 1) / 2
    if n < 3 or not inside.any() or not ranks.any():
        return effect, p_value
    sums = np.bincount(labels, weights=ranks, minlength=k)[inside]
    m = sizes[inside].astype(float)
    effect[inside] = 2 * sums / (m * (n - m))
    variance = m * (n - m) / (n - 1) * np.mean(ranks**2)
    third = m * (n - m) * (n - 2 * m) / ((n - 1) * (n - 2)) * np.mean(ranks**3)
    # Sums of ranks are discrete: half a step less, as usual for a continuous approximation.
    step = np.diff(np.unique(ranks)).min()
    shortened = np.sign(sums) * np.maximum(np.abs(sums) - step / 2, 0)
    z, skew = shortened / np.sqrt(variance), third / variance**1.5
    skewed = 2 * np.minimum(pearson3.cdf(z, skew), pearson3.sf(z, skew))
    p_value[inside] = np.minimum(1.0, np.fmax(2 * norm.sf(np.abs(z)), skewed))
    return effect, p_value


def count_tests(contrasts: list[Contrast], k: int) -> int:
    """In how many places a difference is looked for; of two clusters one mirrors the other."""
    return max(1, len(contrasts) * (k if k > 2 else 1))
