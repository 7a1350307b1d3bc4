"""Weights within their bounds or said, and links that are never broken, on random problems."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_problems import random_problems

from fairspectral import FairSpectralClustering, FairSpectralWarning


def bounds(share, size, count, largest, tolerance):
    """The documented bounds on the weight of a cell, in fractions."""
    expected = share * size
    low = min(math.ceil((1 - tolerance) * expected), math.floor(expected) - largest + 1)
    high = max(math.floor((1 + tolerance) * expected), math.ceil(expected) + largest - 1)
    return max(low, 0), min(high, count, size)


def fit(problem, **arguments):
    model = FairSpectralClustering(
        problem.n_clusters,
        affinity="precomputed",
        fairness_tol=problem.tolerance,
        effort="fast",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairSpectralWarning)
        return model.fit(problem.affinity, sensitive_features=problem.groups, **arguments)


@given(random_problems(), st.integers(0, 2**32 - 1))
def test_weighted_cells_are_within_their_bounds_or_it_is_said(problem, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 10, problem.n)
    weights[0] += 1  # not all equal
    model = fit(problem, sample_weight=weights)
    labels, fair, k = model.labels_, model.fair_assignment_, problem.n_clusters
    sizes = [int(weights[labels == c].sum()) for c in range(k)]
    inside = min(sizes) * problem.n >= fair.min_cluster_size * int(weights.sum())
    for row, (_, group) in enumerate(fair.groups):
        ours = problem.groups == group
        count = int(weights[ours].sum())
        share = Fraction(count, int(weights.sum()))
        for cluster in range(k):
            have = int(weights[ours & (labels == cluster)].sum())
            assert fair.table[row, cluster] == have
            tolerance = Fraction(str(problem.tolerance))
            low, high = bounds(share, sizes[cluster], count, int(weights.max()), tolerance)
            assert (fair.lower[row, cluster], fair.upper[row, cluster]) == (low, high)
            inside = inside and low <= have <= high
    assert fair.certified == inside
    assert fair.certificate.startswith("Certified" if inside else "Not certified")


@given(random_problems(), st.integers(0, 2**32 - 1))
def test_linked_people_are_together_and_rivals_apart_or_named(problem, seed):
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(problem.n)[: 2 * (problem.n // 4)].reshape(-1, 2).tolist()
    together, apart = pairs[::2], pairs[1::2]
    model = fit(problem, must_link=together, cannot_link=apart)
    labels = model.labels_
    assert all(labels[i] == labels[j] for i, j in together)
    broken = sum(int(labels[i] == labels[j]) for i, j in apart)
    certificate = model.fair_assignment_.certificate
    if broken:
        assert not model.fair_assignment_.certified
        assert f"{broken} of {len(apart)} cannot-link pair(s) are together" in certificate
    else:
        assert f"all {len(apart)} cannot-link pair(s) are apart" in certificate
