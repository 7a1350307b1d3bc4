"""Fingerprints of values do not depend on how they are held; those of objects count types too."""

import hashlib

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral.fingerprints import (
    fingerprint,
    fingerprint_codes,
    fingerprint_file,
    fingerprint_text,
    fingerprint_values,
    in_words,
)


def test_of_a_file_it_is_what_sha256sum_prints(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"a,b\n1,2\n")
    assert fingerprint_file(path) == hashlib.sha256(b"a,b\n1,2\n").hexdigest()


def test_equal_values_in_other_memory_are_equal():
    X = np.arange(12.0).reshape(3, 4)
    same = [np.asfortranarray(X), X.astype(np.float32), X.astype(int), X.astype(">f8"), X[::1]]
    assert {fingerprint_values(x) for x in same} == {fingerprint_values(X)}


@pytest.mark.parametrize("change", ["value", "order", "shape"])
def test_other_values_are_others(change):
    X = np.arange(12.0).reshape(3, 4)
    Y = {"value": X + (X == 5) * 1e-12, "order": X[::-1], "shape": X.reshape(4, 3)}[change]
    assert fingerprint_values(X) != fingerprint_values(Y)


def test_long_arrays_are_read_in_parts():
    X = np.random.default_rng(0).random((5000, 300))
    expected = fingerprint_values(X)
    X[4321, 7] += 1e-9
    assert fingerprint_values(X) != expected


def test_sparse_matrices_by_their_entries():
    W = sp.random(30, 30, 0.2, random_state=0, format="csr")
    twice = sp.coo_array(
        (np.r_[W.tocoo().data / 2, W.tocoo().data / 2], np.tile(np.stack(W.nonzero()), 2)), W.shape
    )
    assert fingerprint_values(W.tocsc()) == fingerprint_values(W) == fingerprint_values(twice)
    other = W.copy()
    other.data[0] += 1
    assert fingerprint_values(other) != fingerprint_values(W)


def test_codes_with_their_names():
    codes = np.array([0, 1, 1])
    assert fingerprint_codes("ab", codes) == fingerprint_codes(["a", "b"], codes.astype(np.int8))
    assert fingerprint_codes("ab", codes) != fingerprint_codes("ba", codes)
    assert fingerprint_codes("ab", codes) != fingerprint_codes("ab", 1 - codes)


def test_text_does_not_depend_on_the_order_of_keys():
    assert fingerprint_text({"a": 1, "b": "é"}) == fingerprint_text({"b": "é", "a": 1})


# --- of objects ---------------------------------------------------------------------------


def test_equal_objects_are_equal_in_any_memory_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 5))
    assert fingerprint(X) == fingerprint(np.asfortranarray(X)) == fingerprint(X.copy())
    graph = sp.random(6, 6, density=0.5, random_state=0)
    assert fingerprint(graph) == fingerprint(graph.tocsr())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(4.0), np.arange(4)),
        (np.arange(6.0), np.arange(6.0).reshape(2, 3)),
        (np.array(["a", "b"], dtype=object), np.array(["a", "c"], dtype=object)),
        (["ab", "c"], ["a", "bc"]),
        ({"a": 1}, {"a": 2}),
        (np.random.RandomState(0), np.random.RandomState(1)),
        (np.mean, np.median),
        (np.float64(1.0), 1),
    ],
)
def test_other_objects_differ(one, other):
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(one)


def test_words_are_short():
    assert in_words("rbf") == "'rbf'"
    assert in_words(None) == "None"
    assert len(in_words({"min_cluster_size": 5})) == 64
