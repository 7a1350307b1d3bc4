"""Weights in whole units, and shares, bounds and audits that count them."""

from fractions import Fraction

import numpy as np
import pytest

from fairspectral import FairSpectralClustering, audit, metrics
from fairspectral.cells import bounds_in_persons, cell_range
from fairspectral.constraints import encode_groups, fairness_matrix
from fairspectral.datasets import load_diabetes_patients, make_msbm
from fairspectral.weighting import check_sample_weight, shown


def two_groups(n, seed=0):
    return np.random.default_rng(seed).integers(0, 2, n)


def test_whole_weights_are_their_own_units():
    weights = check_sample_weight([3, 0, 5.0], 3)
    assert (weights.units.tolist(), weights.unit) == ([3, 0, 5], 1.0)
    assert (weights.largest, weights.total) == (5, 8)
    assert str(weights) == "Weighted: 3 persons stand for 8, and shares count weight."


def test_other_weights_are_exact_to_a_billionth_of_their_sum():
    given = np.random.default_rng(0).gamma(2.0, 800.0, 1000)
    given[0] = 1e-9  # who has a weight counts something
    weights = check_sample_weight(given, 1000)
    assert weights.units.min() == 1
    assert weights.total <= 2**30
    np.testing.assert_allclose(weights.amount(weights.units), given, rtol=0, atol=weights.unit)


def test_equal_weights_are_none():
    assert check_sample_weight(np.full(5, 2.5), 5) is None


def test_the_floor_counts_persons_of_mean_weight():
    weights = check_sample_weight([1, 2, 3, 6], 4)
    assert weights.at_least(2) == 6  # twice the mean of 3


@pytest.mark.parametrize("largest", [1, 4, 9])
def test_bounds_are_up_to_the_largest_weight(largest):
    counts, sizes = np.array([30, 70]), np.array([0, 7, 33, 60])
    lower, upper = 0.8 * counts / 100, 1.2 * counts / 100
    low, high = bounds_in_persons(lower, upper, counts, sizes, largest)
    for s, count in enumerate(counts.tolist()):
        for c, size in enumerate(sizes.tolist()):
            one = cell_range(lower[s], upper[s], count, 100, size, largest)
            assert (low[s, c], high[s, c]) == one
            share = Fraction(count * size, 100)
            # Allowed is what is in the band, or less than the largest weight from the share.
            inside = [
                x
                for x in range(min(count, size) + 1)
                if Fraction(4, 5) * share <= x <= Fraction(6, 5) * share or abs(x - share) < largest
            ]
            assert (min(inside), max(inside)) == one


def test_the_constraint_is_on_shares_of_the_weight():
    weights = check_sample_weight([1, 2, 3, 4, 5, 6], 6)
    attributes = encode_groups([0, 0, 1, 0, 1, 0], 6, weights=weights)
    F = fairness_matrix(attributes)
    everyone = np.ones(6)
    fair = np.array([1, 1, 0, 1, 0, 0])  # 7 of 13, all of the first group
    assert abs(F.T @ everyone).max() < 1e-12
    assert abs(F.T @ fair).max() > 0.1
    # 3 and 5 of 8 of the second group, 1 + 2 + 4 + 6 of 13 of the first: halves of both.
    half = np.array([0.5] * 6)
    assert abs(F.T @ half).max() < 1e-12


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_equal_weights_change_nothing(affinity):
    patients = load_diabetes_patients()
    X, groups = patients.X[:120], patients.sensitive_features[:120]
    model = FairSpectralClustering(3, affinity=affinity, effort="fast", random_state=0)
    labels = model.fit_predict(X, sensitive_features=groups)
    again = model.fit_predict(X, sensitive_features=groups, sample_weight=np.full(120, 3.0))
    assert (labels == again).all()


def test_weights_of_one_and_two_count_like_copies():
    people = make_msbm(200, n_clusters=2, n_groups=2, random_state=0)
    groups = people.sensitive_features
    weights = np.where(groups == groups[0], 1, 2)
    model = FairSpectralClustering(2, affinity="precomputed", effort="fast", random_state=0)
    model.fit(people.graph, sensitive_features=groups, sample_weight=weights)
    copies = np.repeat(np.arange(200), weights)
    by_weight = metrics.group_counts(model.labels_, groups, sample_weight=weights)
    by_copies = metrics.group_counts(model.labels_[copies], groups[copies])
    assert by_weight.tolist() == by_copies.tolist()
    assert model.audit_.attributes[0].counts.tolist() == by_copies.tolist()
    assert model.fair_assignment_.certified
    names = ("average_balance", "minimum_balance", "relative_balance", "proportionality",
             "representation_difference", "representation_ratio")  # fmt: skip
    for name in names:
        measure = getattr(metrics, name)
        weighted = measure(model.labels_, groups, weights)
        assert weighted == pytest.approx(measure(model.labels_[copies], groups[copies]), abs=1e-12)


def test_the_audit_counts_and_says_weight():
    found = audit([0, 0, 1, 1], ["f", "m", "f", "m"], sample_weight=[1, 3, 10, 30.5])
    assert found.attributes[0].population[0] == pytest.approx(11 / 44.5, abs=1e-7)
    assert found.attributes[0].shares[0].tolist() == pytest.approx([0.25, 0.75], abs=1e-7)
    assert found.sizes.tolist() == [2, 2]
    text = str(found)
    assert "Weighted: 4 persons stand for 44.5, and shares count weight." in text
    assert "weight" in text.splitlines()[1]
    assert "stand for 44.5" in found._repr_html_()
    frame = found.to_frame()
    assert frame["weight"].tolist() == pytest.approx([1, 3, 10, 30.5], abs=1e-6)
    cells = found.attributes[0].judge(0.0)
    assert not cells.outside.any()  # all are within the largest weight


def test_report_description_and_frontier_count_weight(tmp_path):
    pytest.importorskip("jinja2", reason="the report needs: pip install 'fairspectral[report]'")
    from fairspectral import fairness_frontier

    patients = load_diabetes_patients()
    X, groups = patients.X[:150], patients.sensitive_features[:150]
    weights = np.random.default_rng(1).gamma(2.0, 10.0, 150)
    model = FairSpectralClustering(3, effort="fast", random_state=0)
    model.fit(X, sensitive_features=groups, sample_weight=weights)
    assert model.fair_assignment_.certified
    said = f"150 persons stand for {shown(weights.sum())}"
    assert said in model.fair_assignment_.certificate
    page = model.report(tmp_path / "report.html", frontier=False, stability=False).read_text()
    assert "the largest weight of a person" in page
    assert said in page
    shares = {
        group: weights[(groups == group) & (model.labels_ == 0)].sum()
        / weights[model.labels_ == 0].sum()
        for group in set(groups)
    }
    described = model.describe(X).audit.attributes[0]
    for group, share in zip(described.groups, described.shares[0], strict=True):
        assert share == pytest.approx(shares[group], abs=1e-6)
    frontier = fairness_frontier(model, tolerances=[0.1, None])
    assert all("stand for" in one.certificate for one in frontier.assignments)
    with pytest.raises(ValueError, match="does not resample people with weights"):
        model.stability(2)


def test_how_far_the_largest_weight_leads_out_of_the_band_is_said():
    # One person is most of the first group: no division in two mirrors everyone.
    weights = np.array([100.0, *np.arange(1, 20)])
    groups = ["a"] * 3 + ["b"] * 17
    W = np.ones((20, 20))
    model = FairSpectralClustering(
        2, affinity="precomputed", fairness_tol=0.0, effort="fast", random_state=0
    )
    model.fit(W, sensitive_features=groups, sample_weight=weights)
    fair = model.fair_assignment_
    assert fair.certified
    assert "bounds are up to the largest weight of a person, 100, and the worst" in fair.certificate
    assert 0 < fair.persons_outside < 100


def test_a_very_heavy_person_breaks_the_floor_and_the_certificate_says_so_first():
    X, weights = np.random.default_rng(0).random((30, 2)), np.ones(30)
    weights[3] = 1e6
    model = FairSpectralClustering(3, effort="fast", random_state=0)
    model.fit(X, sensitive_features=np.arange(30) % 2, sample_weight=weights)
    said = "Not certified: the smallest cluster is below the floor on sizes (min_cluster_size)"
    assert model.fair_assignment_.certificate.startswith(said)
    with pytest.raises(ValueError, match="gives the person of row 3 a weight of 1,000,000, but"):
        model.set_params(rounding_params={"max_cluster_size": 20}).fit(
            X, sensitive_features=np.arange(30) % 2, sample_weight=weights
        )


def test_weights_whose_sum_overflows_are_refused():
    weights = 1e308 * np.random.default_rng(0).random(60)
    with pytest.raises(ValueError, match=r"whose sum is too large .* divide all of them by the"):
        check_sample_weight(weights, 60)
    assert check_sample_weight(weights / 60, 60).total <= 2**30


def test_weights_that_change_nothing_are_said():
    X, weights = np.random.default_rng(0).random((30, 2)), np.arange(1.0, 31)
    model = FairSpectralClustering(2, effort="fast", random_state=0)
    said = "there are neither groups nor bounds on sizes, so they changed nothing."
    assert said in str(model.fit(X, sample_weight=weights).audit_)
    model.set_params(rounding_params={"max_cluster_size": 20})
    assert said not in str(model.fit(X, sample_weight=weights).audit_)
