"""Operators with a term of low rank, against dense matrices and the embeddings that they join."""

import numpy as np
import pytest
import scipy.linalg
from helpers import assert_close, make_problem, oracle, random_affinity

from fairspectral.affinity import make_operator
from fairspectral.affinity.wrapped import PenalisedOperator, RegularisedOperator
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.krylov import KrylovParams, KrylovSolver

N, K = 120, 4


@pytest.fixture
def affinity():
    blocks = np.kron(np.eye(K), np.ones((N // K, N // K)))
    return random_affinity(N, seed=5) + 4 * blocks


@pytest.fixture
def groups():
    return np.random.default_rng(6).integers(0, 3, N)


def normalised(W):
    scale = 1 / np.sqrt(W.sum(axis=1))
    return scale[:, None] * W * scale


def constraints_of(groups, degrees):
    return FairnessConstraints.from_attributes(encode_groups(groups, N), degrees)


def penalised(W, groups, strength):
    operator = make_operator(W, "precomputed")
    basis = constraints_of(groups, operator.degrees).basis
    return PenalisedOperator(operator, basis, strength), basis


def solve_unconstrained(operator):
    problem = FairCutProblem(operator, FairnessConstraints.none(N), K)
    return KrylovSolver(KrylovParams(tol=1e-10)).solve(problem, random_state=0)


def largest_angle(first, second):
    return float(scipy.linalg.subspace_angles(first, second).max())


@pytest.mark.parametrize("strength", [0.0, 0.1, 1.0, 30.0])
def test_the_penalty_against_a_dense_matrix(affinity, groups, strength):
    operator, Q = penalised(affinity, groups, strength)
    expected = normalised(affinity) - strength * Q @ Q.T
    assert_close(operator.matmat(np.eye(N)), expected, roundoffs=1000)
    values, vectors = np.linalg.eigh(expected)
    result = solve_unconstrained(operator)
    assert_close(result.eigenvalues, values[::-1][:K], roundoffs=1e6)
    assert largest_angle(result.vectors, vectors[:, -K:]) < 1e-4


def test_without_a_penalty_it_is_the_plain_embedding(affinity, groups):
    operator, _ = penalised(affinity, groups, 0.0)
    plain = oracle(make_problem(affinity, None, K))
    assert largest_angle(solve_unconstrained(operator).vectors, plain.vectors) < 1e-4


def test_a_large_penalty_gives_the_fair_embedding(affinity, groups):
    fair = oracle(make_problem(affinity, groups, K)).vectors
    angles = [
        largest_angle(solve_unconstrained(penalised(affinity, groups, mu)[0]).vectors, fair)
        for mu in (0.0, 1.0, 1e4)
    ]
    assert angles[2] < 1e-3
    assert angles[2] < angles[1] < angles[0]


def test_the_trivial_vector_keeps_its_eigenvalue(affinity, groups):
    operator, _ = penalised(affinity, groups, 2.0)
    root = np.sqrt(operator.degrees)[:, None]
    assert_close(operator.matmat(root), root, roundoffs=1000)


@pytest.mark.parametrize("tau", [0.0, 3.0])
def test_the_regulariser_against_a_dense_matrix(affinity, tau):
    operator = RegularisedOperator(make_operator(affinity, "precomputed"), tau)
    dense = affinity + tau / N
    assert_close(operator.degrees, dense.sum(axis=1))
    assert_close(operator.matmat(np.eye(N)), normalised(dense), roundoffs=1000)


def test_both_together(affinity, groups):
    regular = RegularisedOperator(make_operator(affinity, "precomputed"), 5.0)
    Q = constraints_of(groups, regular.degrees).basis
    expected = normalised(affinity + 5.0 / N) - 0.5 * Q @ Q.T
    assert_close(PenalisedOperator(regular, Q, 0.5).matmat(np.eye(N)), expected, roundoffs=1000)


def test_they_keep_the_dtype_and_leave_the_block_alone(affinity, groups):
    operator = make_operator(affinity.astype(np.float32), "precomputed")
    Q = constraints_of(groups, operator.degrees).basis
    block = np.random.default_rng(0).standard_normal((N, 3)).astype(np.float32)
    before = block.copy()
    for wrapped in (PenalisedOperator(operator, Q, 1.0), RegularisedOperator(operator, 2.0)):
        assert wrapped.matmat(block).dtype == np.float32
        assert wrapped.stored_weights is None
    np.testing.assert_array_equal(block, before)
