"""Rows recognised among earlier ones."""

import numpy as np
import scipy.sparse as sp

from fairspectral.later.recognising import fingerprints, recognise


def table(seed=0, n=200, d=7):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, d)) < 0.6, rng.integers(0, 3, (n, d)), rng.random((n, d)))


def test_sparse_and_dense_rows_have_the_same():
    X = table()
    np.testing.assert_array_equal(fingerprints(X), fingerprints(sp.csr_array(X)))
    np.testing.assert_array_equal(fingerprints(X), fingerprints(sp.coo_array(X)))


def test_different_rows_have_different_ones():
    rng = np.random.default_rng(1)
    X = np.unique(rng.integers(0, 2, (3000, 16)).astype(float), axis=0)
    assert len(np.unique(fingerprints(X), axis=0)) == len(X)


def test_columns_are_not_interchangeable():
    X = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert (fingerprints(X)[0] != fingerprints(X)[1]).all()


def test_zeros_of_both_signs_and_missing_values_are_equal():
    payload = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    X = np.array([[0.0, np.nan], [-0.0, payload]])
    np.testing.assert_array_equal(fingerprints(X)[0], fingerprints(X)[1])


def test_they_do_not_change_between_versions():
    # A saved model may keep them in place of the rows.
    found = fingerprints(np.array([[1.0, 0.0, -2.5]]))
    assert found.tolist() == [[8599701969896739364, 18056847435149630888]]


def test_equal_rows_are_taken_in_turn():
    known = fingerprints(np.array([[1.0], [2.0], [1.0], [3.0]]))
    later = fingerprints(np.array([[1.0], [1.0], [1.0], [5.0], [3.0]]))
    np.testing.assert_array_equal(recognise(known, later), [0, 2, 0, -1, 3])


def test_every_row_of_a_table_is_its_own():
    X = table(n=300, d=2).round()
    np.testing.assert_array_equal(recognise(fingerprints(X), fingerprints(X)), np.arange(300))
