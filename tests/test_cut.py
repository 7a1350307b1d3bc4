"""The normalised cut and its parts, by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral import metrics
from fairspectral.affinity import make_operator
from fairspectral.cut import CutState, kept_within

# Two triangles joined by an edge of weight 1: each triangle has a volume of 7 and a cut of 1.
TRIANGLES = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
TRIANGLES[2, 3] = TRIANGLES[3, 2] = 1


@pytest.mark.parametrize("store", [np.array, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_terms_of_the_cut(store, dtype):
    operator = make_operator(store(TRIANGLES.astype(dtype)), "precomputed", dtype=dtype)
    labels = np.array([0, 0, 0, 1, 1, 1])
    state = CutState.measure(operator, labels, 2)
    near = {"rtol": 0, "atol": 20 * np.finfo(dtype).eps}
    np.testing.assert_allclose(state.links[:, 0], [2, 2, 2, 1, 0, 0], **near)
    np.testing.assert_allclose(state.links[:, 1], [0, 0, 1, 2, 2, 2], **near)
    np.testing.assert_allclose(state.within, [6, 6], **near)
    np.testing.assert_allclose(state.volumes, [7, 7], **near)
    np.testing.assert_allclose(state.cut, 2 / 7, **near)
    np.testing.assert_allclose(state.ratio_cut, 2 / 3, **near)
    assert state.links.dtype == np.float64
    assert state.labels is labels


def test_the_ratio_cut_counts_heads():
    operator = make_operator(TRIANGLES, "precomputed")
    state = CutState.measure(operator, np.array([0, 0, 1, 1, 1, 1]), 2)
    assert state.ratio_cut == pytest.approx(2 / 2 + 2 / 4, abs=1e-12)


def test_zero_volumes_keep_nothing():
    near = pytest.approx(0.75, abs=1e-15)
    assert kept_within(np.array([3.0, 1e-17]), np.array([4.0, -1e-16])) == near
    assert kept_within(np.array([3.0, 0.0]), np.array([4.0, 0.0])) == near


def test_the_metric_is_this_cut():
    labels = np.array([0, 1, 0, 2, 1, 2])
    operator = make_operator(TRIANGLES, "precomputed")
    cut = CutState.measure(operator, labels, 3).cut
    assert metrics.normalized_cut(labels, TRIANGLES) == pytest.approx(cut, abs=1e-14)


def test_the_unit_of_the_weights_does_not_matter():
    labels = np.array([0, 0, 0, 1, 1, 1])
    for unit in (1e-3, 1e3):  # volumes far below and far above one
        operator = make_operator(unit * TRIANGLES, "precomputed")
        assert CutState.measure(operator, labels, 2).cut == pytest.approx(2 / 7, abs=1e-12)
