"""Searches at several bounds share what they find."""

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import sparse_blocks

from fairspectral import FairSpectralClustering, fairness_frontier, starts
from fairspectral import rounder as rounder_module
from fairspectral.affinity import make_operator
from fairspectral.anytime import Deadline, searching, stop_when, takes_interrupt
from fairspectral.constraints import encode_groups
from fairspectral.cut import CutState
from fairspectral.datasets import make_msbm
from fairspectral.progress import ROUNDING, listening
from fairspectral.rounder import Rounder
from fairspectral.rounding.follow import follow_plan, measure_labels
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.result import NOT_SEARCHED
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


def test_a_start_from_another_search_is_named_in_plain_words():
    """What was given is told from what other bounds or another effort had found."""
    best = make_rounder(dense=False).round(plan_of(make_rounder(dense=False), 0.0))
    for given, name in ((True, "known labels"), (False, "best of earlier searches")):
        other = make_rounder(dense=False)
        plan, worse = plan_of(other, 0.2), replace(best, normalized_cut=float(K))
        if given:
            other.know(best.labels, plan)
        else:
            other.archive.add(best)
        further = other._further(plan, {}, worse, Deadline())
        assert [start for start, _ in further] == [name]


def lazy_rounder(dense):
    """One whose searches hardly search, from rows that say nothing, and a plan for it."""
    rounder, rng = make_rounder(dense), np.random.default_rng(1)
    rounder.rows = rng.normal(size=(N, K))
    if dense:  # affinities with many clusterings that no move of a person improves
        W = rng.random((N, N)) ** 8
        rounder.operator = make_operator(W + W.T, "precomputed")
    return rounder, plan_of(rounder, 0.2, refine_rounds=0)


@pytest.mark.parametrize("over", [False, True], ids=["searched", "stopped"])
@pytest.mark.parametrize("dense", [False, True], ids=["graph", "kernel"])
@pytest.mark.parametrize("name", ["known labels", "best of earlier searches"])
def test_labels_that_were_known_before_are_a_start_of_the_result(name, dense, over):
    """Also where the search from them, or none in the time, found nothing lower."""
    alone, plan = lazy_rounder(dense)
    best = alone.round(plan_of(alone, 0.2, "default"))
    alone, _ = lazy_rounder(dense)
    rounder, _ = lazy_rounder(dense)
    if name == "known labels":
        rounder.know(best.labels, plan)
    else:
        rounder.archive.add(best)
    stop = threading.Event()
    if over:
        stop.set()
    with stop_when(stop):
        own = [start.name for start in alone.round(plan).starts]
        found = rounder.round(plan)
    assert found.cost <= best.cost + 1e-9
    np.testing.assert_array_equal(found.labels, best.labels)
    assert found.winner == name
    assert [start.name for start in found.starts] == [*own, name]
    assert f"{name}: {found.cost:.4g}" in found.search
    assert found.stopped is over


@pytest.mark.parametrize("dense", [False, True], ids=["graph", "kernel"])
def test_a_looser_plan_is_never_worse_and_each_is_as_good_as_alone(dense):
    rounder, tolerances = make_rounder(dense), (0.0, 0.1, 0.3, None)
    found = rounder.round_all([plan_of(rounder, tol) for tol in tolerances])
    cuts = np.array([one.normalized_cut for one in found])
    assert (np.diff(cuts) <= 1e-9).all()
    for tol, cut in zip(tolerances, cuts, strict=True):
        alone = make_rounder(dense)
        assert cut <= alone.round(plan_of(alone, tol)).normalized_cut + 1e-9


@pytest.mark.parametrize("tolerance", [0.2, None])
def test_a_known_cluster_of_small_components_stays_within_the_bounds(tolerance):
    """Settling components must not take them out of a cluster that then is below the floor."""
    ring = np.arange(60)
    ties = [np.stack([ring, (ring + step) % 60]) for step in (1, 2)]
    for first, last in ((60, 61), (62, 65), (66, 67), (68, 69)):
        ties.append(np.stack([np.arange(first, last), np.arange(first + 1, last + 1)]))
    rows, columns = np.concatenate(ties, axis=1)
    W = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(70, 70))
    model = FairSpectralClustering(
        3, affinity="precomputed", effort="fast", random_state=0, fairness_tol=tolerance,
        rounding_params={"min_cluster_size": 6},
    )  # fmt: skip
    model.fit(W + W.T, sensitive_features=np.arange(70) % 2)
    known = np.concatenate([np.repeat([1, 2], 30), np.zeros(10, dtype=int)])
    frontier = fairness_frontier(model, tolerances=[tolerance], known=[known])
    found = frontier.at(tolerance)
    assert found.certified
    assert found.normalized_cut <= model.fair_assignment_.normalized_cut + 1e-9


def test_the_same_request_is_not_searched_again():
    rounder = make_rounder(dense=False)
    first = rounder.round(plan_of(rounder, 0.2))
    assert rounder.round(plan_of(rounder, 0.2)) is first
    assert len(rounder.archive) == 1
    again = make_rounder(dense=False)
    np.testing.assert_array_equal(again.round(plan_of(again, 0.2)).labels, first.labels)


@contextmanager
def pressing_once():
    """Ctrl-C, pressed once, as soon as a search takes it and reports."""
    pressed = []

    def press(stage, done):
        # The first fraction of a search is reported by the search itself.
        if stage == ROUNDING and takes_interrupt() and not pressed:
            pressed.append(stage)
            signal.raise_signal(signal.SIGINT)

    with listening(press):
        yield
    assert pressed


# A budget that is not spent makes no difference.
@pytest.mark.parametrize("budget", [None, 1000.0])
def test_after_an_interrupt_no_other_search_begins(budget):
    rounder = make_rounder(dense=False)
    plans = [plan_of(rounder, tol, time_budget=budget) for tol in (0.1, 0.3, None)]
    with pressing_once():
        found = rounder.round_all(plans)
    assert len(rounder.archive) == 1
    for one in found:
        np.testing.assert_array_equal(one.labels, found[0].labels)
    assert [one.stopped for one in found] == [True, False, False]
    assert [one.searched for one in found] == [True, False, False]
    assert NOT_SEARCHED in found[1].certificate
    # Another call searches to the end.
    again = rounder.round_all(plans)
    assert not any(one.stopped for one in again)
    assert all(one.searched for one in again)


def test_an_interrupt_before_ends_the_calls_of_the_same_work():
    rounder = make_rounder(dense=False)
    with searching():
        with pressing_once():
            rounder.round(plan_of(rounder, 0.1))
        (loose,) = rounder.round_all([plan_of(rounder, None)])
        assert not loose.searched
        # Where nothing is known, only what the bounds need is done.
        tight = rounder.round(plan_of(rounder, 0.0))
        again = rounder.round(plan_of(rounder, 0.0))
    assert tight.certified
    assert not tight.searched
    assert not again.searched


def test_the_mark_is_that_of_the_search_that_was_asked_for():
    rounder = make_rounder(dense=False)
    complete = rounder.round(plan_of(rounder, 0.3))
    # A stopped search takes what a complete one found, and the other way round.
    with pressing_once():
        stopped = rounder.round(plan_of(rounder, None, "thorough"))
    assert stopped.stopped
    assert stopped.cost <= complete.cost + 1e-9
    assert not rounder.round(plan_of(rounder, 0.3)).stopped
    other = make_rounder(dense=False)
    with pressing_once():
        other.round(plan_of(other, 0.1))
    other.know(complete.labels, plan_of(other, 0.3))
    assert not other.round(plan_of(other, 0.3)).stopped


def test_an_interrupt_while_the_starts_are_made_takes_the_first(monkeypatch):
    rounder, made = make_rounder(dense=False), []

    def embed(kind, *rest, **named):
        made.append(kind.name)
        signal.raise_signal(signal.SIGINT)
        return embed_kind(kind, *rest, **named)

    monkeypatch.setattr(starts, "embed_kind", embed)
    found = rounder.round(plan_of(rounder, 0.2, "thorough"))
    assert found.certified
    assert found.stopped
    assert len(made) == 1


def test_an_interrupt_gives_up_the_start_that_is_being_embedded(monkeypatch):
    rounder, asked, made = make_rounder(dense=False), [], []

    def embed(kind, *rest, callback=None):
        asked.append(kind.name)
        if callback is not None:
            signal.raise_signal(signal.SIGINT)
        rows = embed_kind(kind, *rest, callback=callback)
        made.append(kind.name)
        return rows

    monkeypatch.setattr(starts, "embed_kind", embed)
    found = rounder.round(plan_of(rounder, None, "thorough"))
    assert found.stopped
    assert (len(asked), len(made)) == (2, 1)


def test_no_start_is_made_when_the_time_is_over(monkeypatch):
    made = []

    def embed(kind, *rest, **named):
        made.append(kind.name)
        time.sleep(0.2)
        return embed_kind(kind, *rest, **named)

    monkeypatch.setattr(starts, "embed_kind", embed)
    rounder = make_rounder(dense=False)
    found = rounder.round(plan_of(rounder, None, "thorough", time_budget=0.1))
    assert found.stopped
    assert len(made) == 1


def over_in_the_second(monkeypatch, end):
    """Have the time end by `end()` as a second start is embedded; who was asked for, and made."""
    asked, made = [], []

    def embed(kind, *rest, callback=None):
        asked.append(kind.name)
        if len(asked) == 2:
            end()
        rows = embed_kind(kind, *rest, callback=callback)
        made.append(kind.name)
        return rows

    monkeypatch.setattr(starts, "embed_kind", embed)
    return asked, made


def sleep_until_it_is_over():
    time.sleep(Deadline().seconds_left + 0.01)


def test_the_time_budget_ends_the_start_that_is_being_embedded(monkeypatch):
    rounder = make_rounder(dense=False)
    asked, made = over_in_the_second(monkeypatch, sleep_until_it_is_over)
    found = rounder.round(plan_of(rounder, None, "thorough", time_budget=3.0))
    assert found.stopped
    assert (len(asked), len(made)) == (2, 1)


def test_who_asks_from_outside_ends_the_start_that_is_being_embedded(monkeypatch):
    rounder, stop = make_rounder(dense=False), threading.Event()
    asked, made = over_in_the_second(monkeypatch, stop.set)
    with stop_when(stop):
        found = rounder.round(plan_of(rounder, None, "thorough"))
    assert found.stopped
    assert (len(asked), len(made)) == (2, 1)


def test_on_a_kernel_the_plain_start_is_given_up_too(monkeypatch):
    """The search from the fair embedding was made before it, so that none of it is needed."""
    rounder, stop = make_rounder(dense=True), threading.Event()
    asked, made = over_in_the_second(monkeypatch, stop.set)
    asked.append("the fair one, which the rounder has")
    with stop_when(stop):
        assert rounder.round(plan_of(rounder, None)).stopped
    assert (len(asked), len(made)) == (2, 0)


def test_a_time_that_is_over_takes_no_start_from_the_next_plan(monkeypatch):
    """What one plan gave up is embedded for the next one, from the seed that it had."""
    rounder = make_rounder(dense=False)
    plan = plan_of(rounder, 0.2, "thorough")
    other = make_rounder(dense=False)
    embeddings, whole = {}, {}
    other._starts(plan, whole, Deadline())
    asked, made = over_in_the_second(monkeypatch, sleep_until_it_is_over)
    with searching(3.0) as deadline:
        rounder._starts(plan, embeddings, deadline)
    assert (len(asked), len(made)) == (2, 1)
    rounder._starts(plan, embeddings, Deadline())
    (one,), (expected,) = embeddings.values(), whole.values()
    assert [start.name for start in one.made] == [start.name for start in expected.made]
    for start, other_start in zip(one.made, expected.made, strict=True):
        np.testing.assert_array_equal(start.rows, other_start.rows)
        assert start.seed == other_start.seed
    assert len(made) == len(set(made))  # none was embedded twice


def test_the_time_is_counted_from_the_beginning(monkeypatch):
    """On kernels the other start is made after the first search, and searched in what is left."""
    begun = []

    def search(*args, **kwargs):
        begun.append(Deadline().seconds_left)
        return follow_plan(*args, **kwargs)

    monkeypatch.setattr(rounder_module, "follow_plan", search)
    rounder = make_rounder(dense=True)
    rounder.round(plan_of(rounder, None, time_budget=100.0))
    assert len(begun) > 1
    assert 100.0 > begun[0] > begun[1]


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
