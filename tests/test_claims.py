"""The numbers of a certificate, against those that the rounding has of its own labels."""

import numpy as np
import pandas as pd
import pytest

from fairspectral import FairSpectralClustering
from fairspectral.affinity.mixed import read_mixed
from fairspectral.certifying import plain_value
from fairspectral.claims import fingerprint_features, measure_labels, read_bands, sizes_asked
from fairspectral.constraints import encode_groups
from fairspectral.rounding.plan import make_rules
from fairspectral.weighting import check_sample_weight

N = 60


def people(seed=0):
    rng = np.random.default_rng(seed)
    groups = pd.DataFrame(
        {"sex": rng.choice(["f", "m"], N, p=[0.3, 0.7]), "old": rng.random(N) < 0.4}
    )
    return rng.standard_normal((N, 3)), groups


REQUESTS = [
    {},
    {"fairness_tol": 0.05},
    {"fairness_tol": None},
    {"rounding_params": {"bounds": "lower"}},
    {"rounding_params": {"lower": {"f": 0.2}, "upper": {"m": 0.9}}},
    {"rounding_params": {"lower": [0.1, 0.5], "min_cluster_size": 7}},
    {"rounding_params": {"shares": {"f": [0.2, 0.6]}, "max_cluster_size": 25}},
    {"rounding_params": {"shares": {"sex": {"f": 0.35}}}, "fairness_tol": 0.4},
    {"rounding_params": {"shares": {"m": [None, 0.9]}}, "fairness_tol": None},
    {"rounding_params": {"target_proportions": {"f": 0.35, "m": 0.65}}, "fairness_tol": 0.5},
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_bands_and_bounds_are_those_of_the_rounding(request_):
    X, groups = people()
    model = FairSpectralClustering(3, random_state=0, effort="fast", **request_)
    model.fit(X, sensitive_features=groups["sex"])
    fair = model.fair_assignment_
    (attribute,) = model._attributes
    parameters = plain_value(model.get_params())
    (band,) = read_bands((attribute,), parameters)
    asked = dict(model.rounding_params or {})
    sizes = [asked.pop(name, None) for name in ("min_cluster_size", "max_cluster_size")]
    (rule,) = make_rules((attribute,), 3, model.fairness_tol, **asked)
    for name in ("lower", "upper", "target"):
        assert getattr(band, name).tolist() == getattr(rule, name).tolist()
    claim = measure_labels(model.labels_, 3, (attribute,), [band], sizes[0] or 2, sizes[1])
    (table,) = claim.attributes
    assert table.members == fair.table.tolist()
    assert table.least == fair.lower.tolist()
    assert table.most == fair.upper.tolist()
    assert claim.within_bounds == fair.certified
    assert claim.largest_deviation == pytest.approx(fair.achieved_tol, abs=1e-12)
    assert claim.persons_outside == pytest.approx(fair.persons_outside, abs=1e-12)


def test_several_attributes_have_shares_by_name():
    _, groups = people()
    asked = {"lower": {"old": {"True": 0.1}}, "upper": {"sex": [0.6, 0.9]}}
    parameters = {"assign_labels": "fair", "fairness_tol": 0.3, "rounding_params": asked}
    sex, old = read_bands(encode_groups(groups, N), parameters)
    assert sex.upper.tolist() == [0.6, 0.9]
    assert old.lower[1] == 0.1
    assert old.lower[0] == pytest.approx(0.7 * (groups["old"] == 0).mean(), abs=1e-12)
    assert sex.lower[0] == pytest.approx(0.7 * (groups["sex"] == "f").mean(), abs=1e-12)


def test_a_tolerance_for_each_attribute():
    _, groups = people()
    parameters = {"assign_labels": "fair", "fairness_tol": {"sex": 0.5}, "rounding_params": None}
    sex, old = read_bands(encode_groups(groups, N), parameters)
    assert sex.lower[0] == pytest.approx(0.5 * (groups["sex"] == "f").mean(), abs=1e-12)
    assert old.upper.tolist() == [1.0, 1.0]


def test_where_kmeans_rounds_there_are_no_bands():
    _, groups = people()
    attributes = encode_groups(groups, N)
    assert read_bands(attributes, {"assign_labels": "kmeans"}) == []
    claim = measure_labels(np.arange(N) % 3, 3, attributes, [], 1)
    assert claim.within_bounds is None
    assert claim.attributes[0].least is None
    assert claim.attributes[0].lower is None


def test_a_floor_of_one_is_a_bound_where_persons_have_weights():
    weights = check_sample_weight(np.r_[np.ones(N - 2), 100.0, 100.0], N)
    labels = np.r_[0, np.ones(N - 1, dtype=np.int64)]  # cluster 0 is one light person
    asked = {"assign_labels": "fair", "rounding_params": {"min_cluster_size": 1}}
    for parameters, within in (
        (asked, False),
        (asked | {"rounding_params": None}, None),
        ({"assign_labels": "kmeans"}, None),
    ):
        sized = sizes_asked((), parameters, None)
        claim = measure_labels(labels, 2, (), [], 1, weights=weights, sized=sized)
        assert claim.within_bounds is within
    assert measure_labels(labels, 2, (), [], 1, sized=True).within_bounds is True


def test_a_cell_outside_is_counted_and_said():
    _, groups = people()
    attributes = encode_groups(groups["sex"], N)
    parameters = {"assign_labels": "fair", "fairness_tol": 0.1, "rounding_params": None}
    labels = attributes[0].codes.astype(np.int32)
    claim = measure_labels(labels, 2, attributes, read_bands(attributes, parameters), 1)
    assert claim.within_bounds is False
    assert claim.persons_outside > 10


def test_missing_values_have_one_fingerprint():
    table = pd.DataFrame({"a": [1.0, np.nan, 3.0, 2.0], "b": ["x", "y", None, "x"]})
    other = table.copy()
    other.loc[1, "a"] = -np.float64("nan")
    found = [fingerprint_features(read_mixed(t)) for t in (table, other)]
    assert found[0] == found[1]
    table.loc[0, "b"] = "y"
    assert fingerprint_features(read_mixed(table)) != found[0]


def test_parameters_are_plain():
    values = plain_value({"a": np.float64(2), "b": (1, np.int8(2)), 3: None, "f": len})
    assert values == {"a": 2.0, "b": [1, 2], "3": None, "f": "<len>"}
    assert plain_value(np.float32) == plain_value(np.dtype("float32")) == "float32"
    assert plain_value(np.random.RandomState(0)) == "<RandomState>"
