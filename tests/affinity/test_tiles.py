"""Tests of passes over a kernel by compiled tiles: numbers, memory, what is left to others."""

import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close
from sklearn.metrics.pairwise import pairwise_kernels
from test_contract import N, OperatorContract, points
from threadpoolctl import threadpool_limits

from fairspectral import FairSpectralClustering
from fairspectral.affinity import KernelOperator, make_operator, tiles
from fairspectral.affinity.kernel import kernel_matrix, make_kernel
from fairspectral.affinity.tiles import tiled_kernel
from fairspectral.progress import listening

# Several groups of rows, and tiles of unequal size.
ROWS = 1300
# Name, and number of features: distances by differences and by products.
KERNELS = [
    ("rbf", 3), ("rbf", 20), ("laplacian", 5), ("poly", 4), ("polynomial", 12), ("cosine", 9),
    ("linear", 4),
]  # fmt: skip


@pytest.fixture(autouse=True)
def few_rows_suffice(monkeypatch):
    monkeypatch.setattr(tiles, "FEWEST_ROWS", 1)


def features(d, n=ROWS, seed=0):
    return np.random.default_rng(seed).random((n, d)) + 100.0 * (d > 5)


def recomputed(X, name, budget=10**6, **params):
    operator = make_operator(X, name, memory_budget=budget, **params)
    assert isinstance(operator, KernelOperator)
    assert operator.computed_rows is not None
    return operator


@pytest.mark.parametrize(("name", "d"), KERNELS)
def test_products_degrees_and_rows_are_those_of_scikit_learn(name, d):
    X = features(d)
    operator = recomputed(X, name)
    kernel = make_kernel(name, X, "scale", None)
    W = pairwise_kernels(kernel.prepare(X), metric=name, **kernel.params)
    assert_close(operator.degrees, W.sum(axis=1), dtype=np.float32)
    block = np.random.default_rng(1).standard_normal((ROWS, 5))
    scale = 1 / np.sqrt(W.sum(axis=1))[:, None]
    assert_close(operator.matmat(block), scale * (W @ (scale * block)), dtype=np.float32)
    some = np.array([3, 700, 1299])
    assert_close(operator.rows(some), W[some], dtype=np.float32)
    assert_close(operator.diagonal, W.diagonal(), dtype=np.float32)
    if name in ("rbf", "laplacian"):
        stored = kernel_matrix(X, kernel, np.dtype(np.float32))
        assert_close(stored, W, dtype=np.float32)
        np.testing.assert_array_equal(np.triu(stored, 300), np.tril(stored, -300).T)


class TestTiles(OperatorContract):
    def dense(self):
        return pairwise_kernels(points(), metric="rbf", gamma=2.0)

    def operator(self):
        return make_operator(points(), "rbf", gamma=2.0, memory_budget=N * N)


def test_a_kernel_that_is_zero_far_away():
    X = np.array([[0.0], [1.0], [200.0], [201.0]])
    rows = recomputed(X, "rbf", budget=1, gamma=1.0).rows(np.arange(4))
    near = np.array([[1, np.exp(-1)], [np.exp(-1), 1]])
    assert_close(rows, np.kron(np.eye(2), near), dtype=np.float32)


def test_the_same_numbers_with_any_number_of_threads():
    X, block = features(3), np.random.default_rng(1).standard_normal((ROWS, 6))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            operator = recomputed(X, "rbf")
            found.append((operator.degrees, operator.matmat(block)))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_each_pair_of_groups_meets_once_and_nobody_plays_twice_in_a_round():
    rounds = list(tiles._rounds(8))
    played = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(played) == len(set(played)) == 8 + 8 * 7 // 2
    for pairs in rounds[1:]:
        assert sorted(one for pair in pairs for one in pair) == list(range(8))


@pytest.mark.parametrize(
    ("X", "name", "params"),
    [
        (features(3), "chi2", {}),
        (features(3), "sigmoid", {}),
        (sp.csr_array(features(3)), "rbf", {}),
        (features(3), "rbf", {"dtype": np.float64}),
        (features(3), "poly", {"kernel_params": {"degree": 2.5}}),
        (features(3), "poly", {"kernel_params": {"degree": 17}}),
        (1e30 * features(3), "linear", {}),
        # Two far places, whose own distances float32 would lose.
        (features(3) + 1e5 * (np.arange(ROWS)[:, None] % 2), "rbf", {"gamma": 1.0}),
        (features(20) + 1e5 * (np.arange(ROWS)[:, None] % 2), "rbf", {"gamma": 1.0}),
        (features(3) + 1e5 * (np.arange(ROWS)[:, None] % 2), "laplacian", {"gamma": 1.0}),
    ],
    ids=["chi2", "sigmoid", "csr", "float64", "fraction", "steep", "huge", "far", "far20", "far1"],
)
def test_the_rest_is_left_to_scikit_learn(X, name, params):
    operator = make_operator(X, name, memory_budget=10**6, **params)
    assert isinstance(operator, KernelOperator)
    assert operator.computed_rows is None


def test_differences_where_products_would_cancel():
    """A cluster ten widths from the others: by products its distances would be wrong by 1e-4."""
    X = features(20) + 100 * (np.arange(ROWS)[:, None] % 2)
    rows = recomputed(X, "rbf", gamma=0.05).rows(np.arange(4))
    expected = pairwise_kernels(X[:4], X, metric="rbf", gamma=0.05)
    np.testing.assert_allclose(rows, expected, rtol=0, atol=2e-5)


def test_few_rows_are_left_to_scikit_learn(monkeypatch):
    monkeypatch.undo()
    assert tiled_kernel(features(3), "rbf", {"gamma": 1.0}, name="") is None


def test_negative_affinities_are_refused_with_their_place():
    X = np.abs(features(4))
    X[5] = [-1, 0, 0, 0]
    with pytest.raises(
        ValueError, match=r"'cosine' has the negative weight -.* at row 0, column 5"
    ):
        make_operator(X, "cosine", memory_budget=10**6)


def test_orthogonal_rows_are_not_negative():
    """Affinities of zero that are floating-point errors in float32."""
    directions = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 6)))[0]
    X = directions[np.arange(ROWS) % 6]
    assert recomputed(X, "cosine").degrees.min() > 100


def test_the_choice_is_said_before_the_work_with_time_and_memory():
    X, heard = features(3), []
    with listening(lambda *_: None, lambda stage, words: heard.append((stage, words))):
        operator = recomputed(X, "rbf")
    assert heard == [("affinity", operator.storage)]
    words = r"The matrix would take 0.0068 GB, the budget is 0.001 GB. .* s a pass."
    assert re.fullmatch(words, operator.storage)
    assert make_operator(X, "rbf").storage == ""


def test_the_model_says_it_too(capsys):
    X, groups = features(3), np.arange(ROWS) % 2
    model = FairSpectralClustering(
        3, affinity="rbf", memory_budget="5MB", random_state=0, verbose=1
    )
    model.fit(X, sensitive_features=groups)
    assert model.affinity_choice_.startswith("affinity='rbf', as given. The matrix would take")
    assert "the budget is 0.005 GB" in capsys.readouterr().err


def test_same_objective_and_cut_as_with_the_matrix():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((ROWS, 3)) + 3 * rng.integers(0, 4, (ROWS, 1))
    groups = rng.integers(0, 3, ROWS)
    fits = [
        FairSpectralClustering(4, affinity="rbf", memory_budget=budget, random_state=0).fit(
            X, sensitive_features=groups
        )
        for budget in (None, "6MB")
    ]
    stored, computed = (fit.eigenvalues_.sum() for fit in fits)
    assert abs(stored - computed) < 1e-4 * stored
    assert fits[1].fair_assignment_.certified
    assert [stage.name for stage in fits[1].fair_assignment_.history][-1] == "cut by moves"
    cuts = [fit.audit_.normalized_cut for fit in fits]
    assert cuts[1] < 1.02 * cuts[0]


# A process that fits n samples and prints its peak memory above what it took before, in MB.
_PEAK = """
import resource, sys
import numpy as np
from fairspectral import FairSpectralClustering
rng = np.random.default_rng(0)
def fit(n, budget):
    X, groups = rng.standard_normal((n, 10)), rng.integers(0, 3, n)
    asked = {"affinity": "rbf", "memory_budget": budget, "effort": "fast"}
    model = FairSpectralClustering(5, random_state=0, **asked)
    return model.fit(X, sensitive_features=groups)
def peak():
    unit = 2**10 if sys.platform == "linux" else 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
fit(2500, "20MB")
before = peak()
assert fit(8000, "100MB").affinity_operator_.stored_weights is None
print(peak() - before)
"""


def test_the_memory_budget_is_kept():
    """The matrix would take 256 MB; the libraries and their compiled code come before."""
    pytest.importorskip("resource", reason="peak memory is measured on Unix only")
    done = subprocess.run([sys.executable, "-c", _PEAK], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 100
