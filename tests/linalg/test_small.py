import numpy as np
from helpers import assert_close

from fairspectral.linalg.small import eigh_decreasing, eigvalsh_decreasing


def test_decreasing_eigenpairs(rng):
    A = rng.standard_normal((30, 30))
    A = A + A.T
    values, vectors = eigh_decreasing(A)
    assert_close(A @ vectors, vectors * values, 500)
    assert (np.diff(values) <= 0).all()
    assert_close(eigvalsh_decreasing(A), values, 500)
