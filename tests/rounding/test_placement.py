import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, sparse_blocks

from fairspectral.affinity import make_operator
from fairspectral.affinity.fringe import find_fringe
from fairspectral.anytime import searching
from fairspectral.constraints import encode_groups
from fairspectral.cut import CutState
from fairspectral.rounding.placement import (
    _Places,
    complete_rows,
    place_pieces,
    rows_of_all,
    settle_pieces,
)
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.result import all_inside, keeps_all
from fairspectral.validation import Attribute


def two_blocks(extra=(), n=40, seed=1):
    """Two dense blocks with a few edges between them, and further small components."""
    rng = np.random.default_rng(seed)
    W = rng.random((n, n)) < np.kron([[0.6, 0.03], [0.03, 0.4]], np.ones((n // 2, n // 2)))
    W = np.triu(W, 1).astype(float)
    W += W.T
    W[np.arange(n), (np.arange(n) + 1) % n] = W[(np.arange(n) + 1) % n, np.arange(n)] = 1.0
    return sparse_blocks(W, *extra)


def pair():
    return np.array([[0.0, 1.0], [1.0, 0.0]])


def setting(extra, groups, tol=0.2, **options):
    W = two_blocks(extra)
    operator = make_operator(W, "precomputed")
    plan = plan_rounding(encode_groups(groups, W.shape[0]), 2, fairness_tol=tol, **options)
    labels = np.zeros(W.shape[0], dtype=np.int32)
    labels[20:40] = 1
    return operator, plan, labels


def test_every_piece_goes_where_the_cut_ends_lowest():
    groups = np.arange(44) % 2
    operator, plan, labels = setting([pair(), pair()], groups, tol=None, min_cluster_size=3)
    fringe = find_fringe(operator, 3)
    placed = place_pieces(operator, labels, fringe, plan)
    assert placed[40] == placed[41]
    assert placed[42] == placed[43]
    np.testing.assert_array_equal(placed[:40], labels[:40])
    cuts = []
    for first in (0, 1):
        for second in (0, 1):
            trial = labels.copy()
            trial[40:42], trial[42:] = first, second
            cuts.append(CutState.measure(operator, trial, 2).cut)
    assert CutState.measure(operator, placed, 2).cut <= min(cuts) + 1e-12


def test_trees_go_with_their_anchor_without_bounds():
    W = two_blocks().toarray()
    W = np.pad(W, (0, 3))
    for a, b in ((25, 40), (40, 41), (3, 42)):
        W[a, b] = W[b, a] = 1.0
    operator = make_operator(sp.csr_array(W), "precomputed")
    plan = plan_rounding(
        encode_groups(np.arange(43) % 2, 43), 2, fairness_tol=None, min_cluster_size=4
    )
    labels = (np.arange(43) >= 20).astype(np.int32)
    fringe = find_fringe(operator, 4, trees=True)
    assert fringe.anchors.tolist() == [25, 3]
    assert place_pieces(operator, labels, fringe, plan)[40:].tolist() == [1, 1, 0]


def test_bounds_decide_before_the_cut():
    # Equal shares in both blocks; both persons of each pair are of one group.
    groups = np.concatenate([np.arange(40) % 2, [0, 0, 0, 0, 1, 1, 1, 1]])
    extra = [pair(), pair(), pair(), pair()]
    operator, plan, labels = setting(extra, groups, tol=0.05, min_cluster_size=3)
    fringe = find_fringe(operator, 3)
    placed = place_pieces(operator, labels, fringe, plan)
    assert all_inside(plan.rules, placed, 2)
    pairs = placed[40:].reshape(4, 2)
    assert (pairs[:, 0] == pairs[:, 1]).all()


def test_the_terms_are_those_of_the_cut():
    groups = np.arange(44) % 2
    operator, plan, labels = setting([pair(), pair()], groups, min_cluster_size=3)
    places = _Places(operator, labels.copy(), plan)
    for members in ([40, 41], [3, 25], [7]):
        places.take(np.array(members))
        places.put(np.array(members), 1)
        outside, cut = places.judge()
        assert_close(cut, CutState.measure(operator, places.labels, 2).cut, roundoffs=1e4)
        cells = plan.rules[0].judge(places.labels, 2)
        assert (outside == 0) == (cells.n_outside == 0)


def test_split_pieces_are_gathered_where_bounds_allow():
    groups = np.arange(44) % 2
    operator, plan, labels = setting([pair(), pair()], groups, min_cluster_size=3)
    fringe = find_fringe(operator, 3)
    labels[[40, 42]], labels[[41, 43]] = 0, 1
    before = CutState.measure(operator, labels, 2).cut
    gathered = settle_pieces(operator, labels, fringe, plan)
    assert gathered[40] == gathered[41]
    assert gathered[42] == gathered[43]
    assert all_inside(plan.rules, gathered, 2)
    assert CutState.measure(operator, gathered, 2).cut <= before
    assert labels[40] != labels[41]  # the given labels are not changed


def test_after_the_deadline_every_piece_is_looked_at_once(monkeypatch):
    """What a search has split is still brought together."""
    operator, plan, labels = setting([pair(), pair()], np.arange(44) % 2, min_cluster_size=3)
    fringe, calls, settle = find_fringe(operator, 3), [], _Places.settle

    def count(places, members):
        calls.append(len(members))
        return settle(places, members)

    monkeypatch.setattr(_Places, "settle", count)
    labels[[40, 42]], labels[[41, 43]] = 0, 1
    settle_pieces(operator, labels, fringe, plan)
    assert len(calls) > 2
    calls.clear()
    with searching(0.0):
        gathered = settle_pieces(operator, labels, fringe, plan)
    assert len(calls) == 2
    assert gathered[40] == gathered[41]
    assert gathered[42] == gathered[43]


@pytest.mark.parametrize("pairs", [2, 6])
def test_everybody_is_not_counted_again_for_every_piece(pairs, monkeypatch):
    groups = np.arange(40 + 2 * pairs) % 2
    operator, plan, labels = setting([pair()] * pairs, groups, min_cluster_size=3)
    counted, counts = [], Attribute.counts.fget
    monkeypatch.setattr(
        Attribute, "counts", property(lambda one: counted.append(one.name) or counts(one))
    )
    settle_pieces(operator, labels, find_fringe(operator, 3), plan)
    assert counted == ["group"]


def cuts_of_single_moves(operator, labels, fringe, plan):
    """The cut after each move of a single whole piece that keeps all cells and the floor."""
    for members in fringe.members():
        for cluster in range(plan.n_clusters):
            moved = labels.copy()
            moved[members] = cluster
            if keeps_all(plan, moved):
                yield CutState.measure(operator, moved, plan.n_clusters).cut


@pytest.mark.parametrize("tol", [0.1, 0.3, None])
@pytest.mark.parametrize("seed", range(6))
def test_no_whole_piece_can_move_and_lower_the_cut(seed, tol):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, 9)
    extra = [rng.integers(1, 4) * (np.ones((s, s)) - np.eye(s)) for s in sizes]
    n = 40 + int(sizes.sum())
    groups = rng.integers(0, 2, n)
    operator, plan, labels = setting(extra, groups, tol=tol, min_cluster_size=6)
    fringe = find_fringe(operator, 6)
    for members in fringe.members():
        labels[members] = rng.integers(0, 2)
    labels = place_pieces(operator, labels, fringe, plan) if tol else labels
    if not keeps_all(plan, labels):
        pytest.skip("this draw has no start within the bounds")
    settled = settle_pieces(operator, labels, fringe, plan)
    np.testing.assert_array_equal(settled[:40], labels[:40])
    assert keeps_all(plan, settled)
    cut = CutState.measure(operator, settled, 2).cut
    assert cut <= CutState.measure(operator, labels, 2).cut + 1e-12
    lowest = min(cuts_of_single_moves(operator, settled, fringe, plan))
    assert lowest >= cut - 1e-10
    np.testing.assert_array_equal(settle_pieces(operator, settled, fringe, plan), settled)


def test_a_whole_piece_moves_where_the_cut_ends_lower():
    operator, plan, labels = setting([pair()], np.arange(42) % 2, tol=None, min_cluster_size=3)
    fringe = find_fringe(operator, 3)
    cuts = []
    for cluster in (0, 1):
        labels[40:] = cluster
        cuts.append(CutState.measure(operator, labels, 2).cut)
    labels[40:] = int(np.argmax(cuts))
    assert settle_pieces(operator, labels, fringe, plan)[40:].tolist() == [np.argmin(cuts)] * 2


def test_a_piece_stays_split_where_whole_it_would_break_the_bounds():
    # All four persons of a component are of a group that has two more in each block.
    groups = np.zeros(44, dtype=int)
    groups[[0, 1, 20, 21, 40, 41, 42, 43]] = 1
    operator, plan, labels = setting([np.ones((4, 4))], groups, tol=0.0, min_cluster_size=5)
    fringe = find_fringe(operator, 5)
    labels[40:42], labels[42:] = 0, 1
    assert all_inside(plan.rules, labels, 2)
    np.testing.assert_array_equal(settle_pieces(operator, labels, fringe, plan), labels)


@pytest.mark.parametrize("dense", [False, True])
def test_rows_of_everybody(dense):
    W = two_blocks([pair()])
    operator = make_operator(W.toarray() if dense else W, "precomputed")
    fringe = find_fringe(operator, 3)
    labels = (np.arange(42) >= 20).astype(np.int32)
    rows = np.random.default_rng(0).standard_normal((40, 3))
    everybody = complete_rows(rows_of_all(rows, fringe), labels, fringe, 2)
    np.testing.assert_array_equal(everybody[:40], rows)
    assert_close(everybody[40:], np.tile(rows[20:].mean(axis=0), (2, 1)))
