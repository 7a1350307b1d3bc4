"""Unusable affinities are refused in one sentence."""

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral.affinity import make_operator
from fairspectral.affinity.checks import check_degrees

NOTHING = "gives no affinity between different nodes beyond floating-point error"


@pytest.mark.parametrize(("degree", "word"), [(1e-200, "small"), (1e200, "large")])
def test_degrees_out_of_range(degree, word):
    check_degrees(np.array([1e-140, 1e-130]), "W")
    check_degrees(np.array([1e140, 1e130]), "W")
    with pytest.raises(ValueError, match=rf"at node 1, too {word} to compute with; divide all"):
        check_degrees(np.array([1.0, degree]), "W")


def test_one_weight_that_drowns_all_others():
    check_degrees(np.array([1.0, 1.0, 1e13]), "W")
    check_degrees(np.array([1.0, 1.0, 1e-30]), "W")  # a weakly linked node is accepted
    with pytest.raises(ValueError, match=r"sum to 1e\+18 at node 2, beside which .* cap it"):
        check_degrees(np.array([1.0, 1.0, 1e18]), "W")


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("off", "dtype"), [(0.0, float), (1e-30, float), (1e-18, float), (1e-9, "float32")]
)
def test_the_identity_up_to_rounding(convert, off, dtype):
    with pytest.raises(ValueError, match=f"X {NOTHING}.*set its diagonal to zero"):
        make_operator(convert((np.eye(20) + off).astype(dtype)), "precomputed")


def test_nearly_the_identity_is_not_refused():
    make_operator(np.eye(20) + 1e-12, "precomputed")
    W = np.eye(20)
    W[3, 4] = W[4, 3] = 1.0  # an affinity between two nodes is enough
    make_operator(W, "precomputed")


@pytest.mark.parametrize("budget", [None, 1], ids=["stored", "recomputed"])
@pytest.mark.parametrize("affinity", ["rbf", "laplacian"])
@pytest.mark.parametrize("gamma", [1e10, 1e300])
def test_an_absurd_gamma_is_named(affinity, gamma, budget):
    X = np.random.default_rng(0).random((40, 3))
    with pytest.raises(ValueError) as caught:
        make_operator(X, affinity, gamma=gamma, memory_budget=budget)
    message = str(caught.value)
    assert f"gamma={gamma:.3g} is too large for these data; pass a smaller gamma" in message
    assert "W.sum" not in message


def test_a_sample_without_a_neighbour():
    X = np.random.default_rng(0).random((20, 2))
    with pytest.raises(ValueError, match=f"nearest neighbours {NOTHING}.*n_neighbors=1 counts"):
        make_operator(X, "nearest_neighbors", n_neighbors=1)
    with pytest.raises(TypeError, match="n_neighbors=True is not a whole number"):
        make_operator(X, "nearest_neighbors", n_neighbors=True)


def test_masked_affinities():
    W = np.ma.array(np.ones((5, 5)), mask=np.eye(5) > 0)
    for affinities in (W, W.astype(np.float32)):
        with pytest.raises(ValueError, match=r"X is a masked array with 5 masked value\(s\)"):
            make_operator(affinities, "precomputed")
