"""Clusterings made of the best clusters of two others."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from rounding_cases import store

from fairspectral.affinity import make_operator
from fairspectral.constraints import encode_groups
from fairspectral.rounding.flow import load_kernels
from fairspectral.rounding.partition.coarsen import Level
from fairspectral.rounding.partition.graph import make_band, make_graph
from fairspectral.rounding.partition.inherit import inherit_clusters
from fairspectral.rounding.partition.search import Effort, Search
from fairspectral.rounding.partition.watch import Watch
from fairspectral.rounding.plan import plan_rounding

EFFORT = Effort(steps=1000, per_node=5, members=2, generations=1)


def cliques(sizes):
    """Cliques, each with one link to the next one, and which node is in which."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    W = (labels[:, None] == labels).astype(float)
    np.fill_diagonal(W, 0.0)
    firsts = np.searchsorted(labels, np.arange(len(sizes)))
    for one, other in pairwise(firsts):
        W[one, other] = W[other, one] = 1.0
    return W, labels


def make_search(W, k, **request):
    groups = np.arange(len(W)) % 2
    plan = plan_rounding(encode_groups(groups, len(W)), k, fairness_tol=None, **request)
    graph = make_graph(make_operator(sp.csr_array(W), "precomputed"), plan.rules)
    return Search(Level(graph), make_band(plan), k, None, EFFORT, Watch(1.0))


def same_partition(labels, others):
    return len({*zip(labels.tolist(), others.tolist(), strict=True)}) == len(set(others.tolist()))


@pytest.mark.parametrize("swapped", [False, True])
def test_each_parent_hands_on_what_it_knows(swapped):
    """One has the first two cliques right, the other the last two; the child has all four."""
    W, truth = cliques([10, 10, 10, 10])
    search = make_search(W, 4)
    halves = np.arange(40) % 2
    first = np.where(truth < 2, truth, 2 + halves)
    second = np.where(truth < 2, 2 + halves, truth - 2)
    parents = search.state(second), search.state(first)
    child = inherit_clusters(search.finest.graph, parents[::-1] if swapped else parents)
    assert same_partition(child, truth)


def test_who_is_in_no_cluster_goes_where_the_links_are():
    """Node 9 is in a bad cluster of either parent, and comes back to its clique."""
    W, truth = cliques([10, 10, 10, 10])
    search = make_search(W, 4)
    halves = np.arange(40) % 2
    first = np.where(truth < 2, truth, 2 + halves)
    first[9] = 2
    second = np.where(truth < 2, halves, truth)
    child = inherit_clusters(search.finest.graph, (search.state(first), search.state(second)))
    assert same_partition(child, truth)


def test_nothing_is_inherited_where_clusters_overlap_too_much():
    """Each parent knows one clique whole, and has halves of the other as its other clusters."""
    W, truth = cliques([20, 20])
    search = make_search(W, 3)
    halves = np.arange(40) % 2
    parents = np.where(truth == 0, 0, 1 + halves), np.where(truth == 1, 0, 1 + halves)
    states = tuple(map(search.state, parents))
    assert inherit_clusters(search.finest.graph, states) is None
    # The search then combines them as it does otherwise.
    found = search.inherit(*parents, np.random.default_rng(0))
    assert len(np.unique(found.labels)) == 3


def test_weights_decide_not_the_number_of_links():
    """Node 5 has five light links with its clique and three heavy ones with the other."""
    W, truth = cliques([6, 6])
    W[5, 6:9] = W[6:9, 5] = 5.0
    graph = make_search(W, 2).finest.graph
    labels = np.where(np.arange(12) == 5, -1, truth).astype(np.int32)
    load_kernels("partition.inherit_kernels").join_most_linked(graph, labels, 2)
    assert labels.tolist() == [0] * 5 + [1] * 7


def test_an_operator_of_floats_gives_the_same():
    W, truth = cliques([8, 8, 8])
    plan = plan_rounding(encode_groups(truth % 2, 24), 3)
    for storage in ("dense", "dense float32", "sparse"):
        graph = make_graph(store(W, storage), plan.rules)
        search = Search(Level(graph), make_band(plan), 3, None, EFFORT, Watch(1.0))
        state = search.state(truth)
        assert same_partition(inherit_clusters(graph, (state, state)), truth)
