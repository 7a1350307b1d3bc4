"""Bounds on cut and objective: what they are worth, and their special cases.

`tests/properties/test_properties_bounds.py` compares them with brute force.
"""

from itertools import pairwise

import numpy as np
import pytest

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.cells import population_shares, tolerance_band
from fairspectral.datasets import make_msbm
from fairspectral.spectral_bounds import Band, SpectralBounds, deviation_budget
from fairspectral.validation import Attribute


def attribute_of(codes, name="group"):
    return Attribute(name, np.asarray(codes), tuple(range(int(np.max(codes)) + 1)))


def band_of(attribute, tolerance):
    return Band(attribute, *tolerance_band(population_shares(attribute.counts), tolerance))


def two_sides(n=60):
    """Two groups that hold together, and across them two halves that do a little."""
    group, half = np.arange(n) % 2, np.arange(n) // (n // 2)
    W = 0.05 + 1.0 * (group[:, None] == group) + 0.3 * (half[:, None] == half)
    return W, attribute_of(group), half


def test_the_tolerance_raises_the_bound_to_nearly_the_cut():
    people = make_msbm(300, n_clusters=3, n_groups=2, random_state=0)
    operator = make_operator(people.graph, "precomputed")
    codes = np.unique(people.sensitive_features, return_inverse=True)[1]
    model = FairSpectralClustering(
        3, affinity="precomputed", fairness_tol=0.1, random_state=0, effort="fast"
    ).fit(people.graph, sensitive_features=people.sensitive_features)
    bounds = SpectralBounds(operator, 3, 0)
    found = bounds.cut([band_of(attribute_of(codes), 0.1)], 10)
    cut = model.audit_.normalized_cut
    assert found.plain < 0.95 * found.lower
    assert 0.9 * cut < found.lower <= cut
    assert found.multiplier > 0
    assert found.failure == 0.0


def test_a_tighter_tolerance_never_lowers_the_bound():
    W, attribute, _ = two_sides()
    bounds = SpectralBounds(make_operator(W, "precomputed"), 2, 0)
    lower = [bounds.cut([band_of(attribute, t)], 20).lower for t in (0.0, 0.1, 0.3, 0.9)]
    assert lower[0] > lower[-1] + 0.01
    assert all(a >= b - 1e-6 for a, b in pairwise(lower))


def test_labels_within_a_tolerance_may_lie_below_the_fair_embedding():
    """Why the spectral value of the exactly fair embedding is no lower bound for them."""
    n = 40
    group = (np.arange(n) % 4 == 0).astype(int)
    half = np.arange(n) // (n // 2)
    half[np.flatnonzero(group & (half == 0))[0]] = 1  # two persons trade places
    half[np.flatnonzero((group == 0) & (half == 1))[0]] = 0
    W = 1e-4 + 1.0 * (half[:, None] == half)
    attribute = attribute_of(group)
    bounds = SpectralBounds(make_operator(W, "precomputed"), 2, 0)
    cut = 2 - sum(W[np.ix_(half == c, half == c)].sum() / W[half == c].sum() for c in (0, 1))
    exactly_fair = 2 - bounds.embedding((attribute,), 2).attained
    assert cut < exactly_fair
    assert bounds.cut([band_of(attribute, 0.3)], 5).lower <= cut


def test_without_bands_it_is_the_plain_bound():
    W, _, _ = two_sides()
    found = SpectralBounds(make_operator(W, "precomputed"), 3, 0).cut([], 1)
    degrees = W.sum(axis=1)
    values = np.linalg.eigvalsh(W / np.sqrt(np.outer(degrees, degrees)))
    assert found.lower == found.plain == pytest.approx(3 - values[-3:].sum(), abs=1e-9)
    assert found.multiplier == found.budget == 0.0


def test_one_cluster_has_no_cut():
    W, attribute, _ = two_sides()
    bounds = SpectralBounds(make_operator(W, "precomputed"), 1, 0)
    assert bounds.cut([band_of(attribute, 0.1)], 1).lower == 0.0
    assert bounds.embedding((attribute,), 1).upper == 1.0


def test_components_have_no_cut():
    W = np.kron(np.eye(3), np.ones((10, 10)))
    bounds = SpectralBounds(make_operator(W, "precomputed"), 3, 0)
    assert bounds.cut([], 1).lower == pytest.approx(0.0, abs=1e-9)


def test_many_people_by_random_blocks():
    """The same problem with all eigenvalues and without."""
    people = make_msbm(300, n_clusters=4, n_groups=2, random_state=1)
    operator = make_operator(people.graph, "precomputed")
    attribute = attribute_of(np.unique(people.sensitive_features, return_inverse=True)[1])
    band, k = band_of(attribute, 0.1), 4
    exact = SpectralBounds(operator, k, 0, all_eigenvalues=10**6)
    random = SpectralBounds(operator, k, 0, all_eigenvalues=0)
    a, b = exact.cut([band], 5), random.cut([band], 5)
    assert b.plain <= a.plain + 1e-9
    assert b.lower <= a.lower + 1e-6  # the multipliers differ
    assert b.lower > 0.8 * a.lower
    assert 0 < b.failure <= 3e-9
    best = exact.embedding((attribute,), k)
    found = random.embedding((attribute,), k)
    assert found.attained <= best.upper
    assert best.attained <= found.upper < best.upper + 0.05


def test_the_budget_of_exact_shares_is_that_of_whole_persons():
    """One person at most from the proportional number, in clusters of at least 25 of 100."""
    attribute = attribute_of(np.arange(100) % 2)
    found = deviation_budget([band_of(attribute, 0.0)], np.full(100, 2.0), 4, 25)
    # 1/25 of a cluster in both groups of share 1/2; the sum of 1/d is 50.
    assert found == pytest.approx(2 * (1 / 25) ** 2 / 0.5 * 50, rel=1e-6)


def test_the_budget_of_a_band_does_not_depend_on_sizes():
    attribute = attribute_of(np.arange(1000) % 4 == 0)
    found = deviation_budget([band_of(attribute, 0.2)], np.ones(1000), 2, 400)
    # The smaller group deviates by 0.2 * 0.25, and so does the other one.
    expected = 0.05**2 * (1 / 0.75 + 1 / 0.25) * 1000
    assert found == pytest.approx(expected, rel=1e-5)


def test_small_clusters_do_not_spoil_the_budget():
    """Whole persons are a lot in a cluster of one, but there are only k of them."""
    attribute = attribute_of(np.arange(2000) % 2)
    band = band_of(attribute, 0.2)
    tight = deviation_budget([band], np.ones(2000), 5, 200)
    loose = deviation_budget([band], np.ones(2000), 5, 1)
    assert tight <= loose < 1.5 * tight
