"""Every solver against the dense null-space solution, on synthetic and on real problems.

One table says how close each solver must come; one test per problem, so that the oracle is
computed once.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import make_problem, needs_real_data, oracle, relative_gap, subspace_angle
from scipy.sparse.csgraph import breadth_first_order

from fairspectral import datasets
from fairspectral.affinity import make_operator
from fairspectral.solvers.registry import SOLVERS, make_solver

# solver, parameters, relative objective gap that it must reach
REQUIRED_GAP = [
    ("lanczos", {}, 1e-8),
    ("lanczos", {"formulation": "paper"}, 1e-8),
    ("admm", {}, 1e-3),
    ("krylov", {}, 1e-3),
    ("krylov", {"tol": 1e-8}, 1e-8),
]


# People in the real problems that are larger than the dense oracle can solve in seconds.
REAL_SIZE = 2000


def block_model(n, k, h):
    data = datasets.make_msbm(n, k, h, random_state=0)
    return make_problem(data.graph, data.sensitive_features, k)


def rand_laplace(n, k, h):
    data = datasets.make_randlaplace(n, h, dtype=np.float64, random_state=0)
    return make_problem(data.graph, data.sensitive_features, k)


def graph(fetch, k):
    data = fetch()
    return make_problem(data.graph.astype(np.float64), data.sensitive_features, k)


def around_one_person(fetch, k):
    """The part of a graph that is nearest to its first node: all of it takes the oracle minutes."""
    data = fetch()
    W = sp.csr_array(data.graph.astype(np.float64))
    near = breadth_first_order(W, 0, directed=False, return_predecessors=False)[:REAL_SIZE]
    return make_problem(W[near][:, near], data.sensitive_features[near], k)


def thyroid(factor, standardize):
    data = datasets.fetch_thyroid(standardize=standardize)
    gamma = factor / data.X.shape[1]
    some = np.arange(0, len(data.X), len(data.X) // REAL_SIZE)
    operator = make_operator(data.X[some], "rbf", gamma=gamma, dtype=np.float64)
    return make_problem(operator, np.asarray(data.sensitive_features)[some], 25)


SYNTHETIC = {
    "msbm k=5 h=2": lambda: block_model(700, 5, 2),
    "msbm k=10 h=5": lambda: block_model(700, 10, 5),
    "randlaplace": lambda: rand_laplace(700, 25, 5),
}
REAL = {
    "facebook k=2": lambda: graph(datasets.fetch_facebook, 2),
    "facebook k=25": lambda: graph(datasets.fetch_facebook, 25),
    "facebook k=50": lambda: graph(datasets.fetch_facebook, 50),
    "lastfm": lambda: around_one_person(datasets.fetch_lastfm, 25),
    "thyroid 0.01/d standardised": lambda: thyroid(0.01, True),
    "thyroid 1/d standardised": lambda: thyroid(1.0, True),
    "thyroid 0.01/d raw": lambda: thyroid(0.01, False),
    "thyroid 1/d raw": lambda: thyroid(1.0, False),
}


@pytest.mark.parametrize("name", SYNTHETIC)
def test_synthetic(name):
    check_every_solver(SYNTHETIC[name]())


@needs_real_data
@pytest.mark.parametrize("name", REAL)
def test_real(name):
    check_every_solver(REAL[name]())


def check_every_solver(problem):
    reference = oracle(problem)
    assert reference.fairness_residual < 1e-8
    assert reference.orthogonality_residual < 1e-8
    for name, params, required in REQUIRED_GAP:
        result = make_solver(name, params).solve(problem, random_state=0)
        case = f"{name} {params}: {result}"
        assert result.converged, case
        assert relative_gap(problem, result, reference) <= required, case
        assert problem.fairness_residual(result.vectors) <= 1e-8, case
        assert problem.orthogonality_residual(result.vectors) <= 1e-8, case
        assert result.objective == pytest.approx(problem.objective(result.vectors), abs=1e-6), case


@pytest.mark.parametrize("name", SOLVERS)
def test_subspace_where_the_spectrum_has_a_gap(name):
    """On the block model the k-th eigenvalue stands apart, so the subspace itself is unique."""
    problem = block_model(400, 4, 2)
    result = make_solver(name).solve(problem, random_state=0)
    # The objective is quadratic in the angle: a gap of 1e-3 allows an angle of some 1e-1.
    assert subspace_angle(result.vectors, oracle(problem).vectors) < 0.2


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("k", [1, 2, 6, 27, 28])
def test_small_problems_of_every_size(name, k):
    """n = 30, h = 3: k reaches n - h + 1 = 28, where wanted eigenvalues are negative."""
    rng = np.random.default_rng(0)
    W = rng.random((30, 30))
    problem = make_problem(W + W.T, np.arange(30) % 3, k)
    result = make_solver(name).solve(problem, random_state=0)
    assert result.vectors.shape == (30, k)
    assert result.converged
    assert oracle(problem).objective - result.objective < 2e-2
    assert result.fairness_residual < 1e-8
    assert result.orthogonality_residual < 1e-8
    assert np.all(np.diff(result.eigenvalues) <= 1e-12)  # of numbers of at most 1


@pytest.mark.parametrize("name", SOLVERS)
def test_without_constraint(name):
    W = np.random.default_rng(1).random((50, 50))
    problem = make_problem(W + W.T, None, 4)
    result = make_solver(name).solve(problem, random_state=0)
    scale = 1 / np.sqrt(problem.operator.degrees)
    exact = np.linalg.eigvalsh(scale[:, None] * (W + W.T) * scale)[::-1][:4]
    assert result.objective == pytest.approx(exact.sum(), rel=1e-2)
    assert result.fairness_residual == 0
