"""Products in float64 with affinities in float32."""

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral.affinity import make_operator
from fairspectral.affinity.fringe import PrincipalOperator
from fairspectral.affinity.wide import in_float64


def single(n=60, seed=0):
    W = np.random.default_rng(seed).random((n, n)).astype(np.float32)
    return W + W.T


def exact(operator, W):
    W = W.toarray() if sp.issparse(W) else W
    scale = 1 / np.sqrt(operator.degrees)
    return scale[:, None] * W.astype(np.float64) * scale


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_stored_weights_are_multiplied_in_float64(kind):
    W = kind(single())
    operator = make_operator(W, "precomputed")
    assert operator.dtype == np.float32
    wide, block = in_float64(operator), np.random.default_rng(1).standard_normal((60, 3))
    assert np.abs(wide.matmat(block) - exact(operator, W) @ block).max() < 1e-14
    assert wide.component_labels().tolist() == operator.component_labels().tolist()


def test_strips_of_a_large_matrix_add_up():
    W = single(3000)
    operator = make_operator(W, "precomputed")
    block = np.random.default_rng(1).standard_normal((3000, 2))
    assert np.abs(in_float64(operator).matmat(block) - exact(operator, W) @ block).max() < 1e-13


def test_a_recomputed_kernel():
    X = np.random.default_rng(0).standard_normal((50, 3))
    operator = make_operator(X, "rbf", memory_budget=1)
    block = np.random.default_rng(1).standard_normal((50, 2))
    wide = in_float64(operator)
    expected = exact(operator, operator.rows(np.arange(50))) @ block
    assert np.abs(wide.matmat(block) - expected).max() < 1e-14
    assert operator.dtype == np.float32  # as it was
    part = in_float64(PrincipalOperator(operator, np.arange(50)))
    assert np.abs(part.matmat(block) - expected).max() < 1e-14


def test_what_is_in_float64_stays_as_it_is():
    operator = make_operator(single().astype(np.float64), "precomputed")
    assert in_float64(operator) is operator


def test_an_operator_that_only_has_float32_has_none():
    class Own:
        shape, dtype, degrees = (3, 3), np.dtype(np.float32), np.ones(3)

        def matmat(self, block):
            return np.full((3, 3), np.float32(1 / 3)) @ block

    assert in_float64(make_operator(None, Own())) is None
