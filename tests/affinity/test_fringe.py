import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, sparse_blocks

from fairspectral.affinity import make_operator
from fairspectral.affinity.fringe import find_fringe, without_fringe


def graph(n, edges):
    rows, columns = np.array(edges).T
    W = np.zeros((n, n))
    W[rows, columns] = W[columns, rows] = 1.0
    return sp.csr_array(W)


def ring(first, length):
    return [(first + i, first + (i + 1) % length) for i in range(length)]


def fringe_of(W, smallest, **options):
    return find_fringe(make_operator(W, "precomputed"), smallest, **options)


def pieces(fringe):
    return [part.tolist() for part in fringe.members()]


@pytest.mark.parametrize("convert", [lambda W: W, lambda W: W.toarray()], ids=["sparse", "dense"])
def test_components_below_the_floor_are_found(convert):
    W = graph(10, [*ring(0, 5), (5, 6), (6, 7), (8, 9)])
    found = fringe_of(convert(W), 3)
    assert pieces(found) == [[8, 9]]
    assert found.anchors.tolist() == [-1]
    assert found.kept.tolist() == list(range(8))
    assert pieces(fringe_of(convert(W), 4)) == [[5, 6, 7], [8, 9]]


def test_a_connected_graph_has_none():
    assert not fringe_of(graph(5, ring(0, 5)), 5)


def test_trees_hang_on_their_anchor():
    # A ring of four; from 0 a path 4-5, from 0 a leaf 6, from 2 a star 7 with leaves 8 and 9.
    W = graph(10, [*ring(0, 4), (0, 4), (4, 5), (0, 6), (2, 7), (7, 8), (7, 9)])
    found = fringe_of(W, 4, trees=True)
    assert pieces(found) == [[4, 5], [6], [7, 8, 9]]
    assert found.anchors.tolist() == [0, 0, 2]
    assert found.sizes.tolist() == [2, 1, 3]
    assert not fringe_of(W, 4)


def test_trees_are_counted_without_components():
    edges = [*ring(0, 5), (4, 5), (5, 6), (1, 7), (8, 9)]
    found = fringe_of(graph(10, edges), 3, trees=True)
    assert len(found.sizes) == 3
    assert found.trees == (3, 2)
    assert fringe_of(graph(10, edges), 3).trees == (0, 0)


def test_a_tree_that_could_be_a_cluster_is_kept_whole():
    W = graph(10, [*ring(0, 4), (0, 4), (4, 5), (0, 6), (2, 7), (7, 8), (7, 9)])
    assert pieces(fringe_of(W, 3, trees=True)) == [[4, 5], [6]]


def test_a_component_that_is_a_tree_loses_nothing():
    path = [(i, i + 1) for i in range(9)]
    assert not fringe_of(graph(10, path), 3, trees=True)


def test_self_loops_and_stored_zeros_are_no_edges():
    W = graph(12, [*ring(0, 10), (0, 10), (10, 11)]).toarray()
    W[11, 11] = W[10, 10] = 1.0
    W[1, 11] = W[11, 1] = 2.0
    stored = sp.csr_array(W)
    stored.data[stored.data == 2.0] = 0.0
    assert pieces(fringe_of(stored, 3, trees=True)) == [[10, 11]]


def test_a_long_path_is_not_small():
    path = [(3, 4)] + [(i, i + 1) for i in range(4, 40)]
    W = graph(41, [*ring(0, 4), *path])
    assert not fringe_of(W, 20, trees=True)
    assert len(fringe_of(W, 38, trees=True).kept) == 4


@pytest.mark.parametrize("dense", [False, True])
def test_the_operator_of_those_who_are_kept(dense):
    rng = np.random.default_rng(3)
    inner = rng.random((12, 12))
    inner = inner + inner.T
    W = sparse_blocks(np.ones((2, 2)), inner, np.ones((1, 1)))
    operator = make_operator(W.toarray() if dense else W, "precomputed")
    fringe = find_fringe(operator, 3)
    core = without_fringe(operator, fringe)
    block = rng.standard_normal((12, 3))
    scale = 1 / np.sqrt(inner.sum(axis=1))
    assert_close(core.degrees, inner.sum(axis=1))
    assert_close(core.matmat(block), (scale[:, None] * inner * scale) @ block)
    assert core.count_components() == 1


def test_degrees_of_anchors_are_without_their_trees():
    W = graph(6, [*ring(0, 4), (0, 4), (4, 5)])
    operator = make_operator(W, "precomputed")
    core = without_fringe(operator, find_fringe(operator, 3, trees=True))
    assert core.degrees.tolist() == [2.0] * 4
