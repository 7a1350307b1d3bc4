"""The stages of one rounding have one deadline, and a search that was stopped says so."""

import signal
from dataclasses import replace

import numpy as np
import pytest
from helpers import sparse_blocks

from fairspectral.affinity import make_operator
from fairspectral.anytime import Deadline
from fairspectral.constraints import encode_groups
from fairspectral.progress import listening
from fairspectral.rounding import follow
from fairspectral.rounding.partition import partition
from fairspectral.rounding.partition.evolve import EFFORTS
from fairspectral.rounding.plan import plan_rounding

N, K = 80, 4


@pytest.fixture
def graph():
    rng = np.random.default_rng(0)
    blocks = np.repeat(np.arange(K), N // K)
    W = np.triu(rng.random((N, N)) < np.where(blocks[:, None] == blocks, 0.4, 0.05), 1)
    W[np.arange(N - 1), np.arange(1, N)] = True
    return make_operator(sparse_blocks((W | W.T).astype(float)), "precomputed"), blocks


def follow_from(graph, monkeypatch, first, **options):
    """Round from labels outside the bounds by a first search that ends where it began.

    Returns the result, and the effort and the seconds of every search.
    """
    operator, blocks = graph
    attributes = encode_groups((np.arange(N) % K == blocks).astype(int) + (blocks < 2), N)
    plan = plan_rounding(attributes, K, fairness_tol=0.0, effort="default", **options)
    asked = []

    def search(affinity, starts, plan, rng, effort, **kwargs):
        asked.append((effort, Deadline().seconds_left))
        if len(asked) == 1:
            first()
        found = partition(affinity, starts, plan, rng, effort, **kwargs)
        return replace(found, labels=starts[0][1], fair=False) if len(asked) == 1 else found

    monkeypatch.setattr(follow, "partition", search)
    rows = np.random.default_rng(1).normal(size=(N, K))
    starts = [("a start", blocks.astype(np.int32))]
    found = follow.follow_plan(plan, rows, affinity=operator, starts=starts, random_state=0)
    return found, asked


def test_after_an_interrupt_only_what_the_bounds_need_is_done(graph, monkeypatch):
    found, asked = follow_from(graph, monkeypatch, lambda: signal.raise_signal(signal.SIGINT))
    assert [effort for effort, _ in asked] == [EFFORTS["default"], EFFORTS["default"].scaled(0)]
    assert found.certified
    assert found.stopped
    assert found.starts[0].name == "a start"


def test_one_time_budget_is_for_all_searches(graph, monkeypatch):
    found, asked = follow_from(graph, monkeypatch, lambda: None, time_budget=1000.0)
    assert [effort for effort, _ in asked] == [EFFORTS["default"]] * 2
    assert 1000.0 > asked[0][1] > asked[1][1]
    assert not found.stopped
    names = [one.name for one in found.starts]
    assert (names[0], names.count("fair flow")) == ("a start", 1)


def test_without_an_affinity_ctrl_c_takes_the_best_so_far():
    rng = np.random.default_rng(0)
    attributes = encode_groups(rng.integers(0, 2, N), N)
    plan = plan_rounding(attributes, K, refine_rounds=10**9)
    rows, reports = rng.normal(size=(N, 2)), []

    def press(stage, done):
        reports.append(done)
        if len(reports) == 5:
            signal.raise_signal(signal.SIGINT)

    with listening(press):
        found = follow.follow_plan(plan, rows, random_state=0)
    assert found.certified
    assert found.stopped
