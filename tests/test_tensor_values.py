"""Weights, covariates and embeddings as tensors, which numpy alone could not read."""

import numpy as np
import pytest

import fairspectral
from fairspectral import FairSpectralClustering, audit, fair_assignment
from fairspectral.embedding import fair_spectral_embedding

torch = pytest.importorskip("torch")


def with_gradient(values):
    return torch.from_numpy(values).requires_grad_()


def in_bfloat16(values):
    return torch.from_numpy(values).bfloat16()


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    weights = rng.integers(1, 4, 90).astype(float)  # exact in bfloat16
    model = FairSpectralClustering(2, affinity="rbf", effort="fast", random_state=0)
    model.fit(X, sensitive_features=np.arange(90) % 2, sample_weight=weights)
    return X, np.arange(90) % 2, weights, model


@pytest.mark.parametrize("tensor", [with_gradient, in_bfloat16])
def test_weights(people, tensor):
    X, groups, weights, model = people
    given = {"sensitive_features": groups[:9]}
    placed = model.assign(X[:9] + 0.1, sample_weight=tensor(weights[:9]), **given)
    expected = model.assign(X[:9] + 0.1, sample_weight=weights[:9], **given)
    np.testing.assert_array_equal(placed.labels, expected.labels)
    found = audit(model.labels_, groups, sample_weight=tensor(weights))
    assert str(found) == str(audit(model.labels_, groups, sample_weight=weights))
    accepted = fairspectral.verify_certificate(
        model.certificate_, model.labels_, X, groups, sample_weight=tensor(weights)
    )
    assert accepted.accepted, str(accepted)


@pytest.mark.parametrize("tensor", [with_gradient, in_bfloat16])
@pytest.mark.parametrize("name", [None, "age"])
def test_covariates(people, tensor, name):
    X, groups, weights, _ = people
    options = {"n_components": 2, "affinity": "rbf", "random_state": 0}
    given = tensor(weights) if name is None else {name: tensor(weights)}
    found = fair_spectral_embedding(X, groups, constraints=given, **options)
    expected = fair_spectral_embedding(X, groups, constraints=weights, **options)
    np.testing.assert_array_equal(found, expected)


def test_an_embedding_and_its_weights(people):
    _, groups, weights, model = people
    rows = model.embedding_.astype(np.float64)
    options = {"random_state": 0, "refine_rounds": 0}
    found = fair_assignment(with_gradient(rows), groups, sample_weight=in_bfloat16(weights),
                            **options)  # fmt: skip
    expected = fair_assignment(rows, groups, sample_weight=weights, **options)
    np.testing.assert_array_equal(found.labels, expected.labels)
