from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from helpers import make_problem, oracle, sparse_blocks

from fairspectral import starts
from fairspectral.affinity import make_operator
from fairspectral.affinity.fringe import Fringe
from fairspectral.constraints import encode_groups
from fairspectral.cut import CutState
from fairspectral.rounding.plan import EFFORTS, plan_rounding
from fairspectral.set_aside import choose_aside
from fairspectral.starts import FAIR, Kind, choose_kinds, embed_kind, make_starts

N, K = 160, 4


def block_graph(seed=0, pairs=0, leaves=0):
    """Four blocks whose groups differ, some pairs apart, and some persons with one edge."""
    rng = np.random.default_rng(seed)
    blocks = np.repeat(np.arange(K), N // K)
    W = np.triu(rng.random((N, N)) < np.where(blocks[:, None] == blocks, 0.3, 0.03), 1)
    W = (W | W.T).astype(float)
    W[np.arange(N), (np.arange(N) + 1) % N] = W[(np.arange(N) + 1) % N, np.arange(N)] = 1.0
    W = np.pad(W, (0, leaves))
    for leaf in range(N, N + leaves):
        W[leaf, leaf - N] = W[leaf - N, leaf] = 1.0
    groups = np.where(rng.random(N) < 0.5, blocks % 2, rng.integers(0, 2, N))
    groups = np.append(groups, rng.integers(0, 2, leaves + 2 * pairs))
    return sparse_blocks(W, *[np.array([[0.0, 1.0], [1.0, 0.0]])] * pairs), groups


def setting(tol=0.2, **options):
    W, groups = block_graph(**options)
    operator = make_operator(W, "precomputed")
    attributes = encode_groups(groups, W.shape[0])
    return operator, attributes, plan_rounding(attributes, K, fairness_tol=tol)


def fair_rows(operator, attributes):
    return embed_kind(FAIR, operator, attributes, K, 0, tol=1e-6)


@pytest.mark.parametrize(
    ("strength", "constrained"), [(np.inf, True), (1e5, True), (0.0, False)], ids=str
)
def test_the_ends_are_the_fair_and_the_plain_embedding(strength, constrained):
    W, groups = block_graph()
    operator, attributes = make_operator(W, "precomputed"), encode_groups(groups, N)
    exact = oracle(make_problem(W, groups if constrained else None, K))
    rows = embed_kind(Kind("one", strength), operator, attributes, K, 0, tol=1e-8)
    expected = exact.vectors / np.sqrt(operator.degrees)[:, None]
    assert scipy.linalg.subspace_angles(rows, expected).max() < 1e-2


def test_the_regularised_fair_embedding_against_a_dense_matrix():
    W, groups = block_graph()
    operator, attributes = make_operator(W, "precomputed"), encode_groups(groups, N)
    tau = 0.1 * operator.degrees.mean()
    exact = oracle(make_problem(W.toarray() + tau / N, groups, K))
    rows = embed_kind(Kind("one", np.inf, regularised=True), operator, attributes, K, 0, tol=1e-8)
    expected = exact.vectors / np.sqrt(operator.degrees + tau)[:, None]
    assert scipy.linalg.subspace_angles(rows, expected).max() < 1e-2


@pytest.mark.parametrize("tol", [0.0, 0.2, None])
def test_every_start_reaches_the_floor(tol):
    operator, attributes, plan = setting(tol)
    found = make_starts(operator, attributes, plan, fair_rows(operator, attributes))
    assert found
    for start in found:
        assert start.labels.shape == (N,)
        assert np.bincount(start.labels, minlength=K).min() >= plan.smallest


def test_more_effort_adds_starts():
    _, _, plan = setting()
    few, some, many = (choose_kinds(replace(plan, effort=effort)) for effort in EFFORTS)
    assert many[: len(some)] == some
    assert some[: len(few)] == few
    assert len(few) < len(some) < len(many)


def test_without_bounds_the_plain_embedding_comes_first():
    assert choose_kinds(setting(0.2)[2])[0] is FAIR
    assert choose_kinds(setting(None)[2])[0].strength == 0.0


def test_starts_differ_and_repeat_for_a_seed():
    operator, attributes, plan = setting(leaves=6)
    plan = replace(plan, effort="thorough")
    rows = fair_rows(operator, attributes)
    first, second = (
        make_starts(operator, attributes, plan, rows, random_state=3) for _ in range(2)
    )
    assert [start.name for start in first] == [start.name for start in second]
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
    assert len({start.labels.tobytes() for start in first}) == len(first)


def test_pairs_set_aside_are_placed_in_every_start():
    operator, attributes, plan = setting(pairs=1)
    fringe = choose_aside(operator, plan, K)
    assert len(fringe.kept) == N
    rows = np.zeros((N + 2, K))
    rows[:N] = np.random.default_rng(0).standard_normal((N, K))
    for start in make_starts(operator, attributes, plan, rows, fringe=fringe):
        assert start.labels.shape == (N + 2,)
        assert set(start.labels.tolist()) == set(range(K))


def test_one_attribute_without_differences_is_no_constraint():
    operator, _, _ = setting()
    rows = embed_kind(Kind("one", 1.0), operator, (), K, 0)
    assert rows.shape == (N, K)
    assert not Fringe.none(N)


def triangles_on_a_graph(count=3):
    """A random graph of 100 nodes, from which triangles hang by one edge each."""
    rng, n = np.random.default_rng(0), 100 + 3 * count
    W = np.zeros((n, n))
    W[:100, :100] = np.triu(rng.random((100, 100)) < 0.08, 1)
    W[np.arange(99), np.arange(1, 100)] = 1.0
    for corner in range(100, n, 3):
        W[corner : corner + 3, corner : corner + 3] = np.triu(np.ones((3, 3)), 1)
        W[corner - 100, corner] = 1.0
    return sp.csr_array(np.maximum(W, W.T)), np.arange(n) % 2


@pytest.mark.parametrize("smallest", [3, 15], ids=["low floor", "high floor"])
def test_a_start_isolates_the_few_only_where_the_floor_allows_it(smallest, monkeypatch):
    W, groups = triangles_on_a_graph()
    operator, attributes = make_operator(W, "precomputed"), encode_groups(groups, W.shape[0])
    plan = plan_rounding(attributes, K, fairness_tol=None, min_cluster_size=smallest)
    rows = embed_kind(Kind("plain", 0.0), operator, attributes, K, 0, tol=1e-6)

    def first_start():
        labels = make_starts(operator, attributes, plan, rows, random_state=0)[0].labels
        return labels, CutState.measure(operator, labels, K).cut

    labels, cut = first_start()
    monkeypatch.setattr(starts, "_SCALINGS", ("auto",))
    _, scaled = first_start()
    assert cut <= scaled + 1e-12
    if smallest == 3:
        assert sorted(np.bincount(labels)) == [3, 3, 3, 100]
        assert cut < 0.9 * scaled
    else:
        assert np.bincount(labels).min() >= smallest
