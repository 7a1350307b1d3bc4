"""The affinities of some of the people."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, random_affinity
from test_contract import N, OperatorContract

from fairspectral.affinity import induced as module
from fairspectral.affinity import make_operator
from fairspectral.affinity.induced import InducedOperator, induce


class TestSomePeopleThroughAll(OperatorContract):
    def all_people(self):
        return random_affinity(2 * N, seed=5)

    def operator(self):
        whole = make_operator(self.all_people(), "precomputed")
        return InducedOperator(whole, np.arange(0, 2 * N, 2), self.dense().sum(axis=1))

    def dense(self):
        return self.all_people()[::2, ::2]


def points(n=30):
    return np.random.default_rng(0).normal(size=(n, 2))


def normalised(W):
    roots = np.sqrt(W.sum(axis=1))
    return W / roots[:, None] / roots


@pytest.mark.parametrize("kind", ["dense", "sparse", "recomputed"])
def test_products_are_those_of_the_part_alone(kind, monkeypatch):
    operator = make_operator(points(), "rbf", dtype=float)
    W = operator.stored_weights
    if kind == "sparse":
        operator = make_operator(sp.csr_array(W), "precomputed")
    if kind == "recomputed":
        monkeypatch.setattr(module, "_MOST_COPIED", 0)
    people = np.arange(0, 30, 2)
    part, left = induce(operator, people)
    assert isinstance(part, InducedOperator) == (kind == "recomputed")
    np.testing.assert_array_equal(left, people)
    expected = normalised(W[np.ix_(people, people)])
    block = np.random.default_rng(1).normal(size=(15, 3))
    np.testing.assert_allclose(part.matmat(block), expected @ block, atol=1e-10)
    assert_close(part.degrees, W[np.ix_(people, people)].sum(axis=1))


@pytest.mark.parametrize("kind", ["dense", "sparse", "recomputed"])
def test_who_loses_all_neighbours_is_left_out(kind, monkeypatch):
    W = np.zeros((6, 6))
    for a, b in [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 2)]:
        W[a, b] = W[b, a] = 1.0
    if kind == "recomputed":
        monkeypatch.setattr(module, "_MOST_COPIED", 0)
    operator = make_operator(sp.csr_array(W) if kind == "sparse" else W, "precomputed")
    part, left = induce(operator, np.array([0, 1, 2, 3, 5]))  # 3 knew only 4
    np.testing.assert_array_equal(left, [0, 1, 2, 5])
    np.testing.assert_allclose(part.degrees, [2, 2, 3, 1], atol=1e-12)
