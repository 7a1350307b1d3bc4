import re
from types import SimpleNamespace

import numpy as np
import pytest
from report_models import blobs, crowded_model, fair_model, kmeans_model, make, plain_model

from fairspectral import FairSpectralClustering
from fairspectral.auditing import audit
from fairspectral.report import collect


def labelled(labels, groups, **settings):
    """The parts of a model that `judge` uses."""
    model = {"fairness_tol": 0.2, "rounding_params": None, "fair_assignment_": None, **settings}
    return SimpleNamespace(audit_=audit(labels, groups), **model)


def test_a_clustering_at_the_tolerance_is_fair_and_beyond_it_is_not():
    groups = np.repeat(["a", "b"], 50)
    labels = np.zeros(100, dtype=int)
    labels[:30] = labels[50:70] = 1  # 30 and 20 of 50: 0.6 and 0.4, 20 % from a half
    assert collect.judge(labelled(labels, groups)).fair
    found = collect.judge(labelled(labels, groups, fairness_tol=0.19))
    assert not found.fair
    assert (found.n_outside, found.n_cells) == (4, 4)
    assert abs(found.worst.deviation) == pytest.approx(0.2, abs=1e-9)


def test_whole_persons_are_allowed_for():
    groups = np.array(["a"] * 30 + ["b"] * 3)
    labels = np.array([0] * 15 + [1] * 15 + [0, 0, 1])  # 1.5 of "b" would be proportional
    found = collect.judge(labelled(labels, groups))
    assert found.fair
    assert found.whole_persons
    assert (found.worst.group, found.worst.size) == ("b", 17) or found.worst.count == 1


def test_without_a_tolerance_the_four_fifths_rule_judges():
    found = collect.judge(kmeans_model())
    assert (found.tolerance, found.asked, found.custom) == (0.2, False, False)
    assert not found.fair


def test_the_judgement_agrees_with_the_certificate():
    for model in (fair_model(), crowded_model()):
        assert collect.judge(model).fair
        assert model.fair_assignment_.certified


def test_other_bounds_than_the_tolerance_are_judged_as_they_are():
    X, group = blobs()
    model = make(4, rounding_params={"bounds": "lower"})
    model.fit(X, sensitive_features=group)
    found = collect.judge(model)
    assert found.custom
    assert found.fair
    assert [table.shape for table in found.outside] == [(4, 3)]


def test_no_groups_no_judgement():
    assert collect.judge(plain_model()) is None


def test_groups_passed_go_before_groups_kept():
    model = fair_model()
    (kept,) = collect.read_attributes(model, None)
    assert kept.name == "</script><i>origin</i>"
    (passed,) = collect.read_attributes(model, ["x", "y"] * 60)
    assert passed.categories == ("x", "y")
    assert collect.read_attributes(plain_model(), None) == ()


def test_a_sample_is_drawn_without_repetition_and_again_the_same():
    rows = collect.sample_rows(100, 10, 0)
    assert len(np.unique(rows)) == 10
    assert rows.tolist() == collect.sample_rows(100, 10, 0).tolist()
    assert collect.sample_rows(7, 10, 0).tolist() == list(range(7))


def test_the_snippet_repeats_the_run():
    model = fair_model()
    X, _ = blobs()
    code = re.sub(r"model\.report.*", "", collect.snippet(model))
    names = {"X": X, "sensitive": np.array(model._attributes[0].codes)}
    exec(code, names)
    assert np.array_equal(names["labels"], model.labels_)


def test_the_snippet_stays_code_whatever_the_names_and_parameters():
    X, group = blobs()
    W = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    graph = make(2, affinity="precomputed").fit(W)
    assert "# X: the affinities, 120 × 120" in collect.snippet(graph)
    model = FairSpectralClustering(2, random_state=np.random.RandomState(0), dtype=np.float64)
    model.fit(X, sensitive_features=group)
    model.audit_.attributes[0].__dict__["name"] = "a\nimport os"
    code = collect.snippet(model)
    compile(code, "snippet", "exec")
    assert "\nimport os" not in code
    assert "random_state=...,  # <RandomState>" in code
    assert "dtype=...,  # <float64>" in code


def test_changed_parameters_are_marked():
    model = FairSpectralClustering(np.int64(4), gamma=0.5)
    table = {name: (shown, changed) for name, shown, changed in collect.parameters(model)}
    assert table["n_clusters"] == ("4", True)
    assert table["gamma"] == ("0.5", True)
    assert table["tol"] == ("None", False)


def test_versions_name_the_package():
    assert "fairspectral" in dict(collect.versions())
