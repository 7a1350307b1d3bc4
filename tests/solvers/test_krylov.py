"""The default solver against prescribed spectra, the oracle, and its own claims."""

import itertools
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.spatial
from helpers import (
    assert_close,
    make_problem,
    needs_real_data,
    oracle,
    random_affinity,
    relative_gap,
    sparse_blocks,
    subspace_angle,
)
from sklearn.exceptions import ConvergenceWarning

from fairspectral.affinity import AffinityOperator
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.datasets import fetch_lastfm, make_randlaplace
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.krylov import KrylovParams, KrylovSolver

# Larger than the basis that the solver may store for k <= 10: it has to iterate.
N = 420


class Prescribed(AffinityOperator):
    """A symmetric matrix given by itself; its degrees are only what makes sqrt(d)."""

    def __init__(self, M, degrees, dtype):
        self._M = M.astype(dtype)
        self.shape, self.dtype, self.nbytes = M.shape, np.dtype(dtype), M.nbytes
        self.degrees = degrees

    def _product(self, block):
        raise AssertionError("matmat is overridden")

    def matmat(self, block):
        return self._M @ np.asarray(block, dtype=self.dtype)


def prescribed(spectrum, n_clusters, *, n=N, n_groups=3, seed=0, dtype=np.float64):
    """A problem whose projected operator has eigenvalue 1 and then exactly this spectrum.

    Range(Q) carries the eigenvalue 0.995, which would win if it were let in. The rest of the
    spectrum is zero where fewer eigenvalues are given than there are.
    """
    rng = np.random.default_rng(seed)
    degrees = rng.uniform(1, 3, n)
    groups = rng.permutation(np.arange(n) % n_groups)
    constraints = FairnessConstraints.from_attributes(encode_groups(groups, n), degrees)
    known = np.sqrt(degrees / degrees.sum())[:, None]
    fixed = np.hstack([known, constraints.basis])
    free = np.linalg.qr(np.hstack([fixed, rng.standard_normal((n, n - fixed.shape[1]))]))[0]
    free = free[:, fixed.shape[1] :]
    values = np.zeros(free.shape[1])
    values[: len(spectrum)] = spectrum
    M = known @ known.T + 0.995 * constraints.basis @ constraints.basis.T
    M += (free * values) @ free.T
    problem = FairCutProblem(Prescribed((M + M.T) / 2, degrees, dtype), constraints, n_clusters)
    return problem, free[:, np.argsort(-values, kind="stable")], np.sort(values)[::-1]


def solve(problem, random_state=0, start=None, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solver = KrylovSolver(KrylovParams(**params))
        return solver.solve(problem, random_state=random_state, start=start)


def true_gap(problem, result, values):
    best = 1.0 + values[: problem.n_clusters - 1].sum()
    return (best - problem.objective(result.vectors)) / abs(best)


def assert_solved(problem, result, values, tol):
    assert result.converged, result.status
    assert true_gap(problem, result, values) <= tol
    assert result.fairness_residual < 1e-13
    assert result.orthogonality_residual < 1e-13


BULK = np.linspace(0.6, -0.6, N - 3)
SPECTRA = {
    "separated": np.concatenate([np.linspace(0.95, 0.8, 9), BULK[9:]]),
    "tie across the cut": np.concatenate([[0.9, 0.8], 0.7 + 1e-12 * np.arange(12), BULK[14:]]),
    "exactly multiple": np.concatenate([np.ones(9), BULK[9:]]),
    "more copies than wanted": np.concatenate([np.full(40, 0.9), BULK[40:]]),
    "rank-deficient": np.linspace(0.9, 0.5, 5),
    "zero": np.zeros(1),
    "all equal": np.full(N - 3, 0.3),
    "large negative": np.concatenate([np.linspace(0.2, 0.1, 15), np.linspace(-0.5, -0.99, 402)]),
    "all negative but one": np.concatenate([[0.4], np.linspace(-0.1, -0.9, N - 4)]),
    "dense bulk": BULK,
}


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@pytest.mark.parametrize("name", SPECTRA)
def test_hard_spectra(name, tol):
    problem, _, values = prescribed(SPECTRA[name], n_clusters=10)
    result = solve(problem, tol=tol)
    assert result.gap <= tol
    assert result.details["method"] != "dense"
    assert_solved(problem, result, values, tol)
    assert result.objective == pytest.approx(problem.objective(result.vectors), rel=1e-9)


@pytest.mark.parametrize("name", SPECTRA)
def test_narrow_blocks_miss_no_copies(name):
    problem, _, values = prescribed(SPECTRA[name], n_clusters=10)
    result = solve(problem, tol=1e-6, block=8)
    assert result.converged, result.status
    assert true_gap(problem, result, values) <= 1e-6


def test_the_subspace_itself():
    problem, free, _ = prescribed(SPECTRA["separated"], n_clusters=10)
    result = solve(problem, tol=1e-12)
    expected = np.hstack([problem.known_vector, free[:, :9]])
    assert subspace_angle(expected, result.vectors) < 1e-5
    np.testing.assert_allclose(result.eigenvalues[1:], np.linspace(0.95, 0.8, 9), rtol=0, atol=1e-9)
    assert result.eigenvalues[0] == 1.0
    assert (np.diff(result.eigenvalues) <= 0).all()


def test_disconnected_components_of_a_real_graph():
    W = sparse_blocks(*[random_affinity(60, seed) for seed in range(9)])
    groups = np.random.default_rng(0).permutation(np.arange(540) % 2)
    problem = make_problem(W, groups, 8)
    result = solve(problem, tol=1e-8)
    assert result.converged
    assert relative_gap(problem, result) <= 1e-8
    assert (result.eigenvalues <= 1.0).all()


@pytest.mark.parametrize("n_clusters", [2, 19, 28])
def test_small_problems_are_solved_exactly(n_clusters):
    groups = np.arange(30) % 3  # k = n - h + 1 = 28 is the most there can be
    problem = make_problem(random_affinity(30), groups, n_clusters)
    result = solve(problem)
    assert result.converged
    assert result.details["method"] == "dense"
    assert abs(relative_gap(problem, result)) < 1e-12
    assert result.fairness_residual < 1e-13
    assert result.orthogonality_residual < 1e-13
    assert result.passes == 1


def test_one_vector_costs_no_pass():
    problem = make_problem(random_affinity(30), np.arange(30) % 2, 1)
    result = solve(problem)
    assert result.converged
    assert result.passes == 0
    assert_close(result.vectors, problem.known_vector)
    assert result.objective == 1.0


@pytest.mark.parametrize("groups", [None, np.arange(700) % 4])
def test_against_the_oracle_in_both_precisions(groups):
    for dtype, tol, slack in ((np.float64, 1e-8, 1e-12), (np.float32, 1e-4, 1e-6)):
        problem = make_problem(random_affinity(700).astype(dtype), groups, 7)
        result = solve(problem, tol=tol)
        assert result.converged
        assert relative_gap(problem, result) <= tol + slack
        assert result.fairness_residual < 1e-13
        assert result.orthogonality_residual < 1e-13
        assert result.vectors.dtype == np.float64


def test_float32_says_what_it_can_reach():
    problem, _, values = prescribed(SPECTRA["separated"], 10, dtype=np.float32)
    with pytest.warns(ConvergenceWarning, match="accuracy of float32"):
        result = KrylovSolver(KrylovParams(tol=1e-10)).solve(problem, random_state=0)
    assert not result.converged
    assert true_gap(problem, result, values) <= result.gap < 1e-5


def test_the_limit_of_passes_is_kept_and_said():
    problem, _, values = prescribed(BULK, 10)
    with pytest.warns(ConvergenceWarning, match="max_iter after 2 passes"):
        result = KrylovSolver(KrylovParams(max_iter=2)).solve(problem, random_state=0)
    assert result.passes == 2
    assert len(result.history) == 2
    assert true_gap(problem, result, values) > 1e-3
    assert result.orthogonality_residual < 1e-13


def test_history_and_details_tell_the_story():
    problem, *_ = prescribed(BULK, 10)
    result = solve(problem)
    objectives = [record.objective for record in result.history]
    assert (np.diff(objectives) > -1e-12 * objectives[-1]).all()
    assert [record.passes for record in result.history] == list(range(1, result.passes + 1))
    assert result.history[-1].gap == pytest.approx(result.gap)
    details = result.details
    assert result.columns == result.passes * details["block"]
    M = problem.operator._M
    residuals = problem.project(M @ result.vectors) - result.vectors * result.eigenvalues
    found = np.linalg.norm(residuals, axis=0)
    np.testing.assert_allclose(found, details["residuals"], rtol=0, atol=1e-8)


def test_the_same_random_state_gives_the_same_vectors():
    problem, *_ = prescribed(BULK, 6)
    first, second, third = (solve(problem, random_state=s) for s in (3, 3, 4))
    np.testing.assert_array_equal(first.vectors, second.vectors)
    assert not np.array_equal(first.vectors, third.vectors)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9, 1e-10])
def test_as_many_passes_as_it_took_are_enough(tol):
    rng = np.random.default_rng(0)
    centres = 2 * rng.standard_normal((12, 4))
    points = centres[rng.integers(0, 12, 800)] + rng.standard_normal((800, 4))
    W = np.exp(-scipy.spatial.distance.cdist(points, points, "sqeuclidean") / 4) + 1e-3
    problem = make_problem(W, np.arange(800) % 3, 12)
    first = solve(problem, tol=tol, block=16)
    assert first.converged
    again = solve(problem, tol=tol, block=16, max_iter=first.passes)
    assert again.converged
    assert again.passes == first.passes


# --- starting from an embedding ---------------------------------------------------------


@pytest.mark.parametrize("skipped", [1, 3, 9])
def test_a_warm_start_from_lower_eigenvectors_is_not_taken_for_the_answer(skipped):
    # Their residuals are nothing, and what is above them was not given.
    problem, vectors, values = prescribed(0.97 ** np.arange(1, 120), 10)
    lower = vectors[:, skipped : skipped + 9]
    warm = solve(problem, tol=1e-3, start=np.hstack([problem.known_vector, lower]))
    assert warm.converged
    assert true_gap(problem, warm, values) <= 1e-3


def test_a_warm_start_on_changed_data_saves_passes():
    data = make_randlaplace(700, random_state=0)
    W, groups = data.graph.astype(np.float64), data.sensitive_features
    old = solve(make_problem(W, groups, 10), tol=1e-4)
    noise = random_affinity(700, seed=5)
    problem = make_problem(W + 0.01 * (noise + noise.T), groups, 10)
    cold = solve(problem, tol=1e-4)
    warm = solve(problem, tol=1e-4, start=old.vectors)
    assert warm.passes <= 0.5 * cold.passes
    assert relative_gap(problem, warm) <= 1e-4


def test_a_path_over_k_saves_passes():
    spectrum = np.concatenate([np.linspace(0.95, 0.5, 30), np.linspace(0.4, -0.4, 700)])
    start = None
    for n_clusters in (26, 22, 18):  # downwards, the first vectors are the answer already
        problem, _, values = prescribed(spectrum, n_clusters, n=900)
        cold, warm = solve(problem), solve(problem, start=start)
        assert warm.passes <= 0.7 * cold.passes or start is None
        assert true_gap(problem, warm, values) <= 1e-3
        start = warm.vectors
    # Upwards the new vectors have to be found among few random ones: no gain, and little loss.
    problem, _, values = prescribed(spectrum, 20, n=900)
    warm = solve(problem, start=start)
    assert warm.passes <= 2 * solve(problem).passes
    assert true_gap(problem, warm, values) <= 1e-3


@pytest.mark.parametrize("name", ["separated", "exactly multiple", "dense bulk"])
def test_a_wrong_start_is_found_out(name):
    problem, free, values = prescribed(SPECTRA[name], 10)
    wrong = free[:, 200:209]  # exact eigenvectors, far from the top
    result = solve(problem, tol=1e-4, start=wrong)
    assert result.converged
    assert true_gap(problem, result, values) <= 1e-4


# --- the claim over many seeds ----------------------------------------------------------


@pytest.mark.parametrize(("n", "n_clusters", "tol"), [(700, 25, 1e-3), (600, 5, 1e-4)])
def test_over_many_seeds_the_gap_is_what_it_claims(n, n_clusters, tol):
    data = make_randlaplace(n, random_state=1)
    W, groups = data.graph.astype(np.float64), data.sensitive_features
    problem = make_problem(W.astype(np.float32), groups, n_clusters)
    reference = oracle(make_problem(W, groups, n_clusters))
    for seed in range(20):
        result = solve(problem, random_state=seed, tol=tol)
        assert result.converged
        assert relative_gap(problem, result, reference) <= tol


@needs_real_data
def test_over_fifty_seeds_on_lastfm():
    data = fetch_lastfm()
    problem = make_problem(data.graph.astype(np.float32), data.sensitive_features, 25)
    reference = solve(
        make_problem(data.graph.astype(np.float64), data.sensitive_features, 25), tol=1e-9
    )
    assert reference.converged
    for seed in range(50):
        result = solve(problem, random_state=seed)
        assert result.converged
        assert relative_gap(problem, result, reference) <= 1e-3


# --- memory -----------------------------------------------------------------------------


def ring_graph(n):
    """A sparse graph in which eigenvalues crowd at 1."""
    steps = [sp.diags_array([np.ones(n - s)] * 2, offsets=[s, -s]) for s in (1, 2, 7)]
    return sp.csr_array(sum(steps))


def grid_graph(rows, columns):
    paths = [sp.diags_array([np.ones(m - 1)] * 2, offsets=[1, -1]) for m in (rows, columns)]
    along = sp.kron(sp.eye_array(rows), paths[1])
    return sp.csr_array(sp.kron(paths[0], sp.eye_array(columns)) + along)


@pytest.mark.parametrize(("shape", "n_clusters"), [((1, 900), 5), ((20, 45), 12)])
def test_slow_spectra_of_sparse_graphs_keep_the_claim(shape, n_clusters):
    graph = grid_graph(*shape) if shape[0] > 1 else ring_graph(shape[1])
    n = graph.shape[0]
    problem = make_problem(graph, np.random.default_rng(0).integers(0, 3, n), n_clusters)
    best = oracle(problem).objective
    for seed in range(4):
        result = solve(problem, random_state=seed)
        assert result.converged
        assert (best - problem.objective(result.vectors)) / best <= 1e-3


def ring_of_cliques(cliques, link, n=720):
    """As many eigenvalues close to 1 as there are cliques, of equal size but for the last one."""
    size, rest = n // cliques, n % cliques
    members = [np.ones((size, size))] * cliques + [np.ones((rest, rest))] * (rest > 0)
    steps = sp.diags_array([np.ones(n - 1), [1.0]], offsets=[1, n - 1], shape=(n, n))
    return sp.csr_array(sparse_blocks(*members) + link * (steps + steps.T))


@pytest.mark.parametrize(("cliques", "n_clusters"), [(60, 5), (60, 25), (100, 12), (100, 25)])
@pytest.mark.parametrize("link", [0.1, 3.0])
def test_more_near_copies_than_columns_are_no_convergence(cliques, n_clusters, link):
    graph = ring_of_cliques(cliques, link)
    groups = np.random.default_rng(0).integers(0, 2, graph.shape[0])
    sparse, dense = (make_problem(W, groups, n_clusters) for W in (graph, graph.toarray()))
    best = oracle(dense).objective
    for problem, seed in itertools.product((sparse, dense), range(3)):
        result = solve(problem, random_state=seed)
        assert result.converged
        assert (best - problem.objective(result.vectors)) / best <= 1e-3


@pytest.mark.parametrize(("link", "tol"), [(10.0, 1e-3), (0.1, 1e-5), (0.01, 1e-8)])
def test_a_few_more_near_copies_than_columns_are_no_convergence(link, tol):
    # Of 22 near copies blocks of 16 columns see 16, whose residuals are small from the start.
    graph = ring_of_cliques(22, link)
    groups = np.random.default_rng(3).integers(0, 5, graph.shape[0])
    problem = make_problem(graph, groups, 12)
    best = oracle(problem).objective
    for seed in range(3):
        result = solve(problem, random_state=seed, tol=tol)
        assert result.converged
        assert (best - problem.objective(result.vectors)) / best <= tol


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("block", "n_clusters"), [(8, 10), (8, 25), (16, 25)])
def test_more_exact_copies_than_columns_are_no_convergence(block, n_clusters, dtype):
    # The space is exhausted after three steps; its residuals vanish, and copies are missing.
    spectrum = np.concatenate([np.full(12, 0.9), np.full(12, 0.5), np.full(373, -0.5)])
    problem, _, values = prescribed(spectrum, n_clusters, n=400, dtype=dtype)
    for seed in range(5):
        result = solve(problem, random_state=seed, block=block)
        assert_solved(problem, result, values, 1e-3)


def in_parts(linked, n=800):
    """A sparse affinity in 40 parts, without links or with a few weak ones, and groups."""
    W = sparse_blocks(*[random_affinity(n // 40, seed) for seed in range(40)])
    steps = sp.diags_array([np.ones(n - 1)] * 2, offsets=[1, -1])
    groups = np.random.default_rng(0).integers(0, 3, n)
    return sp.csr_array(W + linked * 1e-4 * steps), groups


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("n_clusters", [20, 40])
def test_a_narrow_block_that_saw_too_little_is_not_believed(n_clusters, linked):
    """40 eigenvalues at or near 1, more than the columns of the first block."""
    graph, groups = in_parts(linked)
    sparse, dense = (make_problem(W, groups, n_clusters) for W in (graph, graph.toarray()))
    best = oracle(dense).objective
    for problem, seed in itertools.product((sparse, dense), range(3)):
        result = solve(problem, random_state=seed)
        assert result.converged
        assert (best - problem.objective(result.vectors)) / best <= 1e-3


def test_copies_between_single_eigenvalues_are_not_missed():
    spectrum = np.concatenate([[0.95, 0.9], np.full(40, 0.7), np.linspace(0.65, -0.6, 300)])
    problem, _, values = prescribed(spectrum, n_clusters=50, n=700, dtype=np.float32)
    for seed in range(3):
        result = solve(problem, random_state=seed, block=32)
        assert result.converged
        assert true_gap(problem, result, values) <= 1e-3


def test_a_narrow_block_will_do_where_eigenvalues_differ():
    data = make_randlaplace(900, 5, random_state=0)
    problem = make_problem(data.graph, data.sensitive_features, 40)
    result = solve(problem)
    assert result.converged
    assert result.details["block"] == 32
    assert relative_gap(problem, result) <= 1e-3


def test_a_narrow_block_will_do_where_what_it_mixes_is_too_small_to_matter():
    # A few large eigenvalues, and more in a tiny cluster than a narrow block has columns.
    spectrum = np.concatenate([np.linspace(0.8, 0.3, 12), np.linspace(2e-5, 1e-5, 500)])
    problem, _, values = prescribed(spectrum, n_clusters=50, n=700, dtype=np.float32)
    for seed in range(3):
        result = solve(problem, random_state=seed, block=32)
        assert result.converged
        assert result.details["block"] == 32
        assert true_gap(problem, result, values) <= 1e-3


def peak_bytes(problem, **params):
    problem.known_vector  # not the solver's
    tracemalloc.start()
    try:
        result = solve(problem, **params)
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_stays_within_the_default_bound(dtype):
    n, k = 10000, 12
    problem = make_problem(ring_graph(n).astype(dtype), np.arange(n) % 3, k)
    peak, _ = peak_bytes(problem, max_iter=40)
    assert peak <= 1.15 * 6 * (k + 32) * n * np.dtype(dtype).itemsize


def test_memory_stays_within_the_default_bound_on_a_dense_affinity():
    n, k = 4000, 50
    data = make_randlaplace(n, random_state=0, dtype=np.float32)
    problem = make_problem(data.graph, data.sensitive_features, k)
    problem.apply(np.ones((n, 56), dtype=np.float32))  # compiles, which takes memory too
    peak, result = peak_bytes(problem)
    assert result.converged
    # The small matrices of Rayleigh-Ritz still count at this n.
    assert peak <= 1.3 * 6 * (k + 32) * n * 4


def test_a_memory_budget_is_kept_by_restarting():
    n, k = 30000, 12  # temporaries of a fixed size hardly count
    problem = make_problem(ring_graph(n), np.arange(n) % 3, k)
    budget = 80 * n * 8
    peak, result = peak_bytes(problem, max_iter=40, memory_budget=budget)
    assert peak <= 1.15 * budget
    _, free = peak_bytes(problem, max_iter=40)
    assert result.details["restarts"] > free.details["restarts"]


def test_little_memory_gives_the_same_answer():
    problem, _, values = prescribed(SPECTRA["separated"], 10)
    result = solve(problem, tol=1e-6, memory_budget=64 * N * 8)
    assert result.converged
    assert result.details["restarts"] > 0
    assert true_gap(problem, result, values) <= 1e-6


def test_too_little_memory_is_said_with_what_is_needed():
    problem, *_ = prescribed(BULK, 10)
    with pytest.raises(ValueError, match="memory_budget='1KB' is too small for 10 vectors"):
        solve(problem, memory_budget="1KB")


# --- parameters and namespaces ----------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        ({"tol": 0}, "tol"),
        ({"tol": 2.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"block": 0}, "block"),
        ({"memory_budget": "much"}, "memory_budget"),
    ],
)
def test_bad_parameters_are_named(bad, word):
    with pytest.raises(ValueError, match=word):
        KrylovParams(**bad)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_torch_blocks_work_unchanged(dtype):
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")
    import array_api_compat.torch

    problem, _, values = prescribed(SPECTRA["separated"], 10, dtype=dtype)
    seen = set()

    class TorchOperator(Prescribed):
        xp = array_api_compat.torch
        device = "cpu"

        def matmat(self, block):
            seen.add(type(block))
            return torch.from_numpy(self._M) @ block

    on_torch = TorchOperator(problem.operator._M, problem.operator.degrees, dtype)
    torch_problem = FairCutProblem(on_torch, problem.constraints, 10)
    tol = 1e-5
    result = solve(torch_problem, tol=tol)
    assert seen == {torch.Tensor}
    assert result.converged
    assert isinstance(result.vectors, np.ndarray)
    assert true_gap(problem, result, values) <= tol
    warm = solve(torch_problem, tol=tol, start=result.vectors)
    assert warm.passes < result.passes


def test_hundreds_of_groups_leave_room():
    """The constraints are the problem's: their number is no matter of the solver's memory."""
    rng = np.random.default_rng(0)
    graph = sp.random(1500, 1500, 0.01, random_state=rng, format="csr")
    groups = [f"group {i % 300}" for i in range(1500)]
    problem = make_problem(graph + graph.T + sp.eye(1500), groups, 4)
    result = KrylovSolver().solve(problem, random_state=0)
    assert result.converged
    assert relative_gap(problem, result) <= 1e-3
    assert result.fairness_residual < 1e-8
    with pytest.raises(ValueError, match=r"too small for 4 vectors .* 299 fairness constraint"):
        KrylovSolver(KrylovParams(memory_budget="1MB")).solve(problem)
