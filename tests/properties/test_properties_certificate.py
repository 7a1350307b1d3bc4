"""What a fit claims about its labels, against a recount by definition in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_problems import random_problems

from fairspectral import audit, metrics


def recount(labels, groups):
    """Persons by (group, cluster), counted one by one."""
    cells = {}
    for label, group in zip(labels.tolist(), groups.tolist(), strict=True):
        cells[group, label] = cells.get((group, label), 0) + 1
    return cells


def bounds(count, n, size, tolerance):
    """The documented bounds on a cell, in fractions."""
    expected = Fraction(count * size, n)
    low = min(math.ceil((1 - tolerance) * expected), math.floor(expected))
    high = max(math.floor((1 + tolerance) * expected), math.ceil(expected))
    return max(low, 0), min(high, count, size)


def cut_by_hand(labels, W):
    """The normalised cut from its definition, cluster by cluster."""
    total = 0.0
    for cluster in np.unique(labels):
        inside = labels == cluster
        total += W[np.ix_(inside, ~inside)].sum() / W[inside].sum()
    return total


@given(random_problems())
def test_every_share_and_the_cut_are_as_claimed(problem):
    model = problem.fit()
    labels, fair, k = model.labels_, model.fair_assignment_, problem.n_clusters
    sizes = np.bincount(labels, minlength=k)
    assert len(labels) == problem.n
    assert sizes.min() >= fair.min_cluster_size
    assert fair.certified
    cells = recount(labels, problem.groups)
    tolerance = Fraction(str(problem.tolerance))
    for row, (_, group) in enumerate(fair.groups):
        count = int(np.sum(problem.groups == group))
        for cluster in range(k):
            have = cells.get((group, cluster), 0)
            wanted = bounds(count, problem.n, int(sizes[cluster]), tolerance)
            assert fair.table[row, cluster] == have
            assert (fair.lower[row, cluster], fair.upper[row, cluster]) == wanted
            assert wanted[0] <= have <= wanted[1]
    by_hand = cut_by_hand(labels, problem.affinity)
    assert fair.normalized_cut == pytest.approx(by_hand, abs=1e-9 * k)
    assert model.audit_.normalized_cut == pytest.approx(by_hand, abs=1e-9 * k)


@given(random_problems())
def test_the_embedding_is_fair_and_orthonormal(problem):
    H = problem.fit().solve_result_.vectors
    degrees = problem.affinity.sum(axis=1)
    rows = H / np.sqrt(degrees)[:, None]
    for group in np.unique(problem.groups):
        member = (problem.groups == group).astype(float)
        excess = (member - member.mean()) @ rows
        assert np.abs(excess).max() <= 1e-8 * np.abs(rows).sum(axis=0).max()
    np.testing.assert_allclose(H.T @ H, np.eye(problem.n_clusters), atol=1e-8)


@given(random_problems(), st.randoms(use_true_random=False))
def test_an_audit_does_not_depend_on_the_order_of_the_people(problem, random):
    labels = problem.fit().labels_
    order = np.array(random.sample(range(problem.n), problem.n))
    before = audit(labels, problem.groups, problem.affinity)
    after = audit(labels[order], problem.groups[order], problem.affinity[np.ix_(order, order)])
    np.testing.assert_array_equal(before.attributes[0].counts, after.attributes[0].counts)
    assert before.normalized_cut == pytest.approx(after.normalized_cut, abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 4))
def test_the_metrics_are_their_definitions(seed, k, h):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, 30)])
    groups = np.concatenate([rng.integers(0, h, k), rng.integers(0, h, 30)])
    clusters, present = np.unique(labels).tolist(), np.unique(groups).tolist()
    cells, n = recount(labels, groups), len(labels)
    share = {
        (s, c): Fraction(cells.get((s, c), 0), int(np.sum(labels == c)))
        for c in clusters
        for s in present
    }
    population = {s: Fraction(int(np.sum(groups == s)), n) for s in present}
    ratio = min(share[s, c] / population[s] for s in present for c in clusters)
    difference = max(abs(share[s, c] - population[s]) for s in present for c in clusters)
    balance = [
        Fraction(
            min(cells.get((s, c), 0) for s in present), max(cells.get((s, c), 0) for s in present)
        )
        for c in clusters
    ]
    ratios = [share[s, c] / population[s] for s in present for c in clusters]
    bera = 0 if min(ratios) == 0 else min(min(r, 1 / r) for r in ratios)
    close = {"abs": 1e-12}
    assert metrics.representation_ratio(labels, groups) == pytest.approx(float(ratio), **close)
    assert metrics.representation_difference(labels, groups) == pytest.approx(
        float(difference), **close
    )
    assert metrics.minimum_balance(labels, groups) == pytest.approx(float(min(balance)), **close)
    assert metrics.average_balance(labels, groups) == pytest.approx(
        float(sum(balance) / k), **close
    )
    assert metrics.proportionality(labels, groups) == pytest.approx(float(bera), **close)
