"""A certificate as JSON and in words."""

import json

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from fairspectral import Certificate, FairSpectralClustering
from fairspectral.certificate.document import sealed


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).standard_normal((50, 2))
    model = FairSpectralClustering(3, random_state=0, effort="fast")
    return model.fit(X, sensitive_features=np.arange(50) % 2)


def test_it_is_computed_once_and_only_when_asked_for(model):
    assert model.certificate_ is model.certificate_
    with pytest.raises(NotFittedError):
        FairSpectralClustering().certificate_


def test_other_labels_have_another(model):
    from fairspectral import fairness_frontier

    before = model.certificate_
    frontier = fairness_frontier(model, tolerances=[0.0, 0.2])
    other = model._at_tolerance(0.0, frontier.at(0.0))
    assert other.certificate_.parameters["fairness_tol"] == 0.0
    assert model.certificate_ is before


def test_what_is_written_is_read(model, tmp_path):
    path = tmp_path / "c.json"
    text = model.certificate_.to_json(path)
    assert path.read_text(encoding="utf-8") == text
    assert Certificate.from_json(text) == model.certificate_
    assert sealed(json.loads(text))


def test_it_says_what_is_claimed(model):
    text = str(model.certificate_)
    assert "all 6 cells within their bounds" in text
    assert "no clustering within these bounds is below" in text
    assert "no fair embedding has more than" in text
    assert "from all eigenvalues" in text


def test_its_numbers_are_those_of_the_fit(model):
    found = model.certificate_
    assert found.cut.value == pytest.approx(model.audit_.normalized_cut, abs=1e-6)
    assert found.cut.lower_bound <= found.cut.value
    assert found.cut.gap == pytest.approx(1 - found.cut.lower_bound / found.cut.value, abs=1e-12)
    assert found.embedding.objective == pytest.approx(model.eigenvalues_.sum(), abs=1e-5)
    assert 0 <= found.embedding.gap < 1e-3
    assert found.embedding.fairness_residual < 1e-12
    assert found.labels.sizes == np.bincount(model.labels_).tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: [], "not a certificate of fairspectral"),
        (lambda c: {**c, "format": "another"}, "not a certificate of fairspectral"),
        (lambda c: {**c, "version": 99}, "has version 99"),
        (lambda c: {**c, "version": 2.0}, "has version 2.0"),
        (lambda c: {k: v for k, v in c.items() if k != "cut"}, "not complete.*cut"),
        (lambda c: {**c, "cut": {}}, "the part 'cut'"),
        (lambda c: {**c, "labels": {**c["labels"], "attributes": 3}}, "no list of attributes"),
        (lambda c: {**c, "more": 1}, "something of its own.*more"),
        (lambda c: {**c, "parameters": {}}, "no affinity among its parameters"),
        (lambda c: {**c, "parameters": None}, "parameters in the certificate is None, but must be"),
        (lambda c: {**c, "n_clusters": True}, "n_clusters .* True, but must be a whole number"),
        (lambda c: {**c, "not_covered": 1}, "not_covered .* must be a list"),
        (lambda c: {**c, "data": {**c["data"], "options": None}}, "options .* must be a JSON obj"),
        (lambda c: {**c, "data": {**c["data"], "links_sha256": 7}}, "links_sha256 .* is 7, but"),
        (lambda c: {**c, "data": {**c["data"], "files": []}}, "files .* must be a JSON object"),
        (lambda c: {**c, "data": {**c["data"], "groups_sha256": 7}}, "groups_sha256 .* is 7, but"),
    ],
)
def test_what_is_no_certificate_is_refused(model, change, words):
    given = change(json.loads(model.certificate_.to_json()))
    with pytest.raises(ValueError, match=words):
        Certificate.from_dict(given)


def test_text_that_is_not_json():
    with pytest.raises(ValueError, match="not valid JSON"):
        Certificate.from_json("{")
