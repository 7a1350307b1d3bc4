from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from report_models import blobs, fair_model, kmeans_model, two_attribute_model

from fairspectral import FairSpectralClustering
from fairspectral.metrics import normalized_cut
from fairspectral.report import words
from fairspectral.report.collect import judge
from fairspectral.report.comparison import compare, comparison_table


def test_other_clusterings_are_measured_and_numbered_like_the_fair_one():
    model = fair_model()
    found = compare(model, model._attributes, 0)
    for other in (found.plain, found.unbounded):
        assert other.audit.sizes.sum() == len(model.labels_)
        assert other.normalized_cut == pytest.approx(
            normalized_cut(other.labels, model.affinity_operator_), rel=1e-6, abs=1e-9
        )
        assert model.certificate_.cut.plain_bound <= other.normalized_cut
    assert 0 < found.moved.sum() < len(model.labels_) / 2
    again = FairSpectralClustering(4, random_state=0).fit(blobs()[0])
    assert found.plain.normalized_cut == pytest.approx(again.audit_.normalized_cut, rel=0.05)


def test_fairness_is_compared_with_the_same_floor_and_the_same_search():
    # Three persons far from everybody, whom plain clustering cuts off; fairness costs little.
    rng = np.random.default_rng(3)
    people = rng.normal(size=(120, 2)) + 6 * np.repeat([[0, 0], [1, 0]], 60, axis=0)
    X = np.concatenate([people, [[60.0, 0], [0, 60], [60, 60]]])
    groups = np.arange(len(X)) % 2
    model = FairSpectralClustering(3, gamma=0.3, random_state=0).fit(X, sensitive_features=groups)
    found = compare(model, model._attributes, 0)
    assert found.plain.audit.sizes.min() == 1
    assert found.unbounded.audit.sizes.min() >= 4  # a tenth of 123 / 3
    assert found.unbounded.normalized_cut <= model.audit_.normalized_cut * (1 + 1e-6)
    assert model.audit_.normalized_cut > 2 * found.plain.normalized_cut  # what used to be said
    assert model.audit_.normalized_cut < 1.2 * found.unbounded.normalized_cut
    assert "instead of" not in words.verdict(model, judge(model), found).headline


def test_three_rows_with_sizes_and_the_shares_of_every_attribute():
    model = two_attribute_model()
    header, rows = comparison_table(model, compare(model, model._attributes, 0))
    names = ["plain k-means", "without bounds on the shares", "fair (this run)"]
    assert [row[0] for row in rows] == names
    assert sum(name.startswith("origin: ") for name in header) == 2
    assert sum(name.startswith("sex: ") for name in header) == 2
    assert all(len(row) == len(header) + 1 for row in rows)
    assert rows[2][1] == f"{model.audit_.normalized_cut:.4g}"


def test_cuts_of_floating_point_error_are_zero_in_the_table():
    model = copy(fair_model())
    model.audit_ = replace(model.audit_, normalized_cut=2e-16)
    found = compare(model, model._attributes, 0)
    free = replace(found.unbounded, normalized_cut=-2e-16)
    rows = comparison_table(model, replace(found, unbounded=free))[1]
    assert [row[1] for row in rows[1:]] == ["0", "0"]


def test_labels_of_k_means_are_compared_with_those_of_k_means():
    model = kmeans_model()
    found = compare(model, model._attributes, 0)
    assert found.unbounded is found.plain
    assert len(comparison_table(model, found)[1]) == 2
