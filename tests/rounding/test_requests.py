"""Sizes and links without groups, through everything that a model says of itself."""

import numpy as np
import pytest

import fairspectral
from fairspectral import FairSpectralClustering, fairness_frontier, verify_certificate
from fairspectral.datasets import load_diabetes_patients


def test_sizes_hold_without_groups(tmp_path):
    X = load_diabetes_patients().X[:60]
    sizes = {"min_cluster_size": 18, "max_cluster_size": 22}
    model = FairSpectralClustering(
        3, affinity="rbf", rounding_params=sizes, effort="fast", random_state=0
    ).fit(X)
    counts = np.bincount(model.labels_)
    assert counts.min() >= 18
    assert counts.max() <= 22
    fair = model.fair_assignment_
    assert fair.certified
    assert fair.certificate.startswith("No bounds on shares were asked for, the smallest cluster")
    assert "deviation" not in fair.certificate
    assert not model.audit_.attributes
    assert verify_certificate(model.certificate_, model.labels_, X)
    loaded = fairspectral.load(model.save(tmp_path / "model.npz"))
    assert loaded.fair_assignment_.groups == fair.groups
    assert model.stability(1, n_seeds=0).n_resamples == 1
    with pytest.raises(ValueError, match="no fair rounding, and so no price of fairness"):
        fairness_frontier(model)


def test_people_are_apart_without_groups():
    X = load_diabetes_patients().X[:40]
    model = FairSpectralClustering(3, affinity="rbf", effort="fast", random_state=0)
    alone = model.fit(X).labels_
    pair = tuple(np.flatnonzero(alone == alone[0])[:2])
    weights = np.arange(40) % 3 + 1
    labels = model.fit(X, cannot_link=[pair], sample_weight=weights).labels_
    assert labels[pair[0]] != labels[pair[1]]
    assert verify_certificate(
        model.certificate_, labels, X, cannot_link=[pair], sample_weight=weights
    )
