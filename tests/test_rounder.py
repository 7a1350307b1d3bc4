"""Searches at several bounds share what they find."""

import signal

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import sparse_blocks

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.anytime import takes_interrupt
from fairspectral.constraints import encode_groups
from fairspectral.cut import CutState
from fairspectral.datasets import make_msbm
from fairspectral.progress import ROUNDING, listening
from fairspectral.rounder import Rounder
from fairspectral.rounding.follow import measure_labels
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.result import STOPPED
from fairspectral.starts import FAIR, PLAIN, embed_kind, embed_starts, starts_from

N, K = 120, 3


def make_rounder(dense, seed=0):
    """Three blocks whose groups differ, as a sparse graph or as a kernel."""
    rng = np.random.default_rng(seed)
    blocks = np.repeat(np.arange(K), N // K)
    groups = np.where(rng.random(N) < 0.4, blocks % 2, rng.integers(0, 2, N))
    if dense:
        centres = np.array([[0, 0], [2, 0], [0, 2]])
        operator = make_operator(rng.normal(size=(N, 2)) + centres[blocks], "rbf", gamma=1.0)
    else:
        W = np.triu(rng.random((N, N)) < np.where(blocks[:, None] == blocks, 0.2, 0.05), 1)
        W = (W | W.T).astype(float)
        W[np.arange(N), (np.arange(N) + 1) % N] = W[(np.arange(N) + 1) % N, np.arange(N)] = 1.0
        operator = make_operator(sparse_blocks(W), "precomputed")
    attributes = encode_groups(groups, N)
    rows = embed_kind(FAIR, operator, attributes, K, 0)
    return Rounder(rows, attributes, operator, random_state=seed)


def plan_of(rounder, tol, effort="fast", **options):
    return plan_rounding(rounder.attributes, K, fairness_tol=tol, effort=effort, **options)


@pytest.mark.parametrize("dense", [False, True], ids=["graph", "kernel"])
def test_never_worse_than_a_clustering_that_was_given(dense):
    best = make_rounder(dense).round(plan_of(make_rounder(dense), 0.2))
    # A search that hardly searches, from rows that say nothing.
    other = make_rounder(dense)
    other.rows = np.random.default_rng(1).normal(size=(N, K))
    lazy = plan_of(other, 0.2, refine_rounds=0)
    other.know(best.labels, lazy)
    found = other.round(lazy)
    assert found.certified
    assert found.normalized_cut <= best.normalized_cut + 1e-9


@pytest.mark.parametrize("dense", [False, True], ids=["graph", "kernel"])
def test_a_looser_plan_is_never_worse_and_each_is_as_good_as_alone(dense):
    rounder, tolerances = make_rounder(dense), (0.0, 0.1, 0.3, None)
    found = rounder.round_all([plan_of(rounder, tol) for tol in tolerances])
    cuts = np.array([one.normalized_cut for one in found])
    assert (np.diff(cuts) <= 1e-9).all()
    for tol, cut in zip(tolerances, cuts, strict=True):
        alone = make_rounder(dense)
        assert cut <= alone.round(plan_of(alone, tol)).normalized_cut + 1e-9


def test_the_same_request_is_not_searched_again():
    rounder = make_rounder(dense=False)
    first = rounder.round(plan_of(rounder, 0.2))
    assert rounder.round(plan_of(rounder, 0.2)) is first
    assert len(rounder.archive) == 1
    again = make_rounder(dense=False)
    np.testing.assert_array_equal(again.round(plan_of(again, 0.2)).labels, first.labels)


def test_after_an_interrupt_no_other_search_begins():
    rounder = make_rounder(dense=False)
    plans = [plan_of(rounder, tol) for tol in (0.1, 0.3, None)]
    seen = []

    def interrupt_once(stage, done):
        seen.append(stage)
        # The first fraction of a search is reported by the search itself.
        if stage == ROUNDING and takes_interrupt() and "pressed" not in seen:
            seen.append("pressed")
            signal.raise_signal(signal.SIGINT)

    with listening(interrupt_once):
        found = rounder.round_all(plans)
    assert "pressed" in seen
    assert len(rounder.archive) == 1
    for one in found:
        np.testing.assert_array_equal(one.labels, found[0].labels)
        assert STOPPED in one.notes
    # Another call goes on, unless it is told that it is enough.
    rounder.enough = True
    assert STOPPED in rounder.round(plans[0]).notes
    rounder.enough = False
    assert STOPPED not in rounder.round(plans[0]).notes


def test_a_clustering_outside_the_bounds_is_no_answer():
    rounder = make_rounder(dense=False)
    apart = (rounder.attributes[0].codes + 2 * (np.arange(N) % 2 == 0)).clip(0, K - 1)
    plan = plan_of(rounder, 0.0)
    rounder.know(apart.astype(np.int32), plan)
    assert not measure_labels(plan, rounder.rows, apart.astype(np.int32)).certified
    assert rounder.round(plan).certified


def test_without_bounds_dense_affinities_are_searched_from_the_plain_embedding_too():
    rounder = make_rounder(dense=True)
    plan = plan_of(rounder, None)
    seed = rounder._start_seed
    plain = embed_starts((PLAIN,), rounder.operator, (), plan, rounder.rows, random_state=seed)
    (start,) = starts_from(plain, rounder.operator, plan)
    found = rounder.round(plan)
    assert found.cost <= CutState.measure(rounder.operator, start.labels, K).cut * (1 + 1e-6)


def test_a_graph_in_a_dense_matrix_is_searched_as_a_graph():
    data = make_msbm(200, 5, 2, random_state=0)
    model = FairSpectralClustering(5, affinity="precomputed", effort="fast", random_state=0)
    for graph in (data.graph, sp.csr_array(data.graph)):
        model.fit(graph, sensitive_features=data.sensitive_features)
        assert model.fair_assignment_.starts
