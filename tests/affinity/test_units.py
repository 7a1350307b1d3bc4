"""Shifting and scaling features changes no clusters, however far."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.affinity.units import Units


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=2, size=(3, 4))
    return centres[np.arange(90) % 3] + rng.normal(scale=0.4, size=(90, 4))


def dense(operator):
    return operator.matmat(np.eye(operator.shape[0]))


@pytest.mark.parametrize("affinity", ["rbf", "laplacian", "nearest_neighbors"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("budget", [None, 50_000], ids=["stored", "recomputed"])
def test_shift(points, affinity, convert, budget):
    params = {"gamma": 0.3, "dtype": np.float64, "memory_budget": budget}
    expected = dense(make_operator(points, affinity, **params))
    shifted = dense(make_operator(convert(points + 1e9), affinity, **params))
    # The sum itself is rounded to 1e-7.
    np.testing.assert_allclose(shifted, expected, atol=1e-5)


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
@pytest.mark.parametrize("scale", [2.0**-1000, 1e-200, 1e-310, 1e150, 1e305])
def test_scale(points, affinity, scale):
    expected = dense(make_operator(points, affinity, dtype=np.float64))
    scaled = dense(make_operator(points * scale, affinity, dtype=np.float64))
    # Of a subnormal number, few digits are left.
    tolerance = 1e-10 if scale > 1e-300 else 1e-4
    np.testing.assert_allclose(scaled, expected, atol=tolerance)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_clusters_stay(points, convert):
    groups = np.arange(90) // 3 % 2

    def labels(X):
        model = FairSpectralClustering(3, random_state=0)
        return model.fit_predict(convert(X), sensitive_features=groups)

    expected = labels(points)
    for changed in (points + 1e9, points * 1e-200, points * 1e200, points * 1e-3 - 1e5):
        assert adjusted_rand_score(expected, labels(changed)) == 1


def test_a_given_gamma_keeps_its_meaning(points):
    """In the units of the data, not those in which the kernel is computed."""
    squares = np.sum((points[:, None] - points) ** 2, axis=2)
    W = np.exp(-0.7 * squares)
    expected = W / np.sqrt(np.outer(W.sum(0), W.sum(0)))
    for params in ({"gamma": 0.7}, {"kernel_params": {"gamma": 0.7}}):
        operator = make_operator(points, "rbf", dtype=np.float64, **params)
        np.testing.assert_allclose(dense(operator), expected, atol=1e-12)
    small = make_operator(points * 1e-3, "rbf", dtype=np.float64, gamma=0.7e6)
    np.testing.assert_allclose(dense(small), expected, atol=1e-9)


def test_variance_of_sparse_features(points):
    holes = np.where(points > 0, points, 0.0)
    units = Units.of(sp.csr_array(holes))
    assert units.variance == pytest.approx(Units.of(holes).variance, rel=1e-12)
    assert units.variance * 4.0**units.exponent == pytest.approx(holes.var(), rel=1e-12)
    assert units.apply(sp.csr_array(holes)).nnz == np.count_nonzero(holes)


def test_one_outlier_does_not_take_the_digits_of_the_others(points):
    far = np.vstack([points, np.full((1, 4), 1e9)])
    W = make_operator(far, "rbf", gamma=0.3, dtype=np.float64).stored_weights
    expected = make_operator(points, "rbf", gamma=0.3, dtype=np.float64).stored_weights
    np.testing.assert_allclose(W[:-1, :-1], expected, atol=1e-9)


def test_input_is_not_modified(points):
    before = sp.csr_array(points)
    make_operator(before, "rbf")
    np.testing.assert_array_equal(before.toarray(), points)


def test_kernels_that_see_the_origin_are_left_alone(points):
    """A polynomial kernel of shifted data is another kernel."""
    X = np.abs(points)
    plain = dense(make_operator(X, "polynomial", gamma=0.1, dtype=np.float64))
    shifted = dense(make_operator(X + 5, "polynomial", gamma=0.1, dtype=np.float64))
    assert np.abs(plain - shifted).max() > 1e-3


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_tensors_are_centred_at_their_medians_in_a_fixed_order(n, monkeypatch):
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'fairspectral[torch]'")
    X = torch.from_numpy(np.random.default_rng(0).normal(size=(n, 3)))
    expected = X - X.median(dim=0).values
    # On a GPU it fails under torch.use_deterministic_algorithms.
    monkeypatch.setattr(torch.Tensor, "median", lambda *_, **__: pytest.fail("no fixed order"))
    torch.testing.assert_close(Units(0, 1.0).apply(X), expected)
