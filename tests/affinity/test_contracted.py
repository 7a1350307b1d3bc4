"""A clustering of nodes has the cut of the people that they stand for."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import random_affinity

from fairspectral.affinity import make_operator
from fairspectral.affinity.contracted import contract_affinity
from fairspectral.cut import CutState


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda W: W.astype(np.float32)])
def test_the_cut_is_that_of_the_people(form):
    W, rng = random_affinity(30), np.random.default_rng(1)
    W[W < 0.8] = 0.0
    nodes = np.append(np.arange(12), rng.integers(0, 12, 18))
    people = make_operator(form(W), "precomputed")
    of_nodes = contract_affinity(people, nodes)
    assert of_nodes.shape == (12, 12)
    assert of_nodes.dtype == people.dtype
    labels = np.append(np.arange(3), rng.integers(0, 3, 9))
    cuts = [
        CutState.measure(people, labels[nodes], 3).cut,
        CutState.measure(of_nodes, labels, 3).cut,
    ]
    assert abs(cuts[0] - cuts[1]) < 1e-5
