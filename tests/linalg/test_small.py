import numpy as np

from fairspectral.linalg.small import eigh_decreasing, eigvalsh_decreasing


def test_decreasing_eigenpairs():
    A = np.random.default_rng(0).standard_normal((30, 30))
    A = A + A.T
    values, vectors = eigh_decreasing(A)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-12)
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose(eigvalsh_decreasing(A), values, atol=1e-12)
