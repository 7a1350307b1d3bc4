"""Equal data have equal fingerprints, and other data others."""

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral.fingerprint import fingerprint, in_words


def test_equal_data_are_equal_in_any_memory_order(rng):
    X = rng.normal(size=(7, 5))
    assert fingerprint(X) == fingerprint(np.asfortranarray(X)) == fingerprint(X.copy())
    graph = sp.random_array((6, 6), density=0.5, rng=0)
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
def test_other_data_differ(one, other):
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(one)


def test_words_are_short():
    assert in_words("rbf") == "'rbf'"
    assert in_words(None) == "None"
    assert len(in_words({"min_cluster_size": 5})) == 40
