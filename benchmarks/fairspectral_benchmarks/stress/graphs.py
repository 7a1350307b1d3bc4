"""Graphs and spectra made to mislead an eigensolver, with their true eigenvalues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from fairspectral.affinity import AffinityOperator, DenseOperator, SparseOperator
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.datasets import make_msbm, make_randlaplace
from fairspectral.problem import FairCutProblem


class Prescribed(AffinityOperator):
    """A matrix with eigenvalues of our choice; its degrees are only what makes ``sqrt(d)``."""

    def __init__(self, spectrum: np.ndarray, n: int, groups: np.ndarray, dtype: Any) -> None:
        rng = np.random.default_rng(0)
        self.degrees = rng.uniform(1, 3, n)
        known = np.sqrt(self.degrees / self.degrees.sum())[:, None]
        basis = FairnessConstraints.from_attributes(encode_groups(groups, n), self.degrees).basis
        fixed = np.hstack([known, basis])
        free = np.linalg.qr(np.hstack([fixed, rng.standard_normal((n, n - fixed.shape[1]))]))[0]
        values = np.zeros(n)
        values[0] = 1.0
        # Forbidden directions have an eigenvalue that would win if they were let in.
        values[1 : fixed.shape[1]] = 0.995
        values[fixed.shape[1] : fixed.shape[1] + len(spectrum)] = spectrum
        self._M = ((free * values) @ free.T).astype(dtype)
        self.shape, self.dtype, self.nbytes = (n, n), np.dtype(dtype), self._M.nbytes
        self.own_threads = True  # as of stored affinities, so that the same widths are tested

    def _product(self, block: np.ndarray) -> np.ndarray:
        raise AssertionError("matmat is given")

    def matmat(self, block: Any) -> Any:
        """``M @ block``."""
        return self._M @ np.asarray(block, dtype=self.dtype)


def ring_of_cliques(n: int, cliques: int, link: float) -> sp.csr_array:
    """As many eigenvalues close to 1 as there are cliques, of equal size but for the last one."""
    size, rest = n // cliques, n % cliques
    blocks = [np.ones((size, size))] * cliques + [np.ones((rest, rest))] * (rest > 0)
    steps = sp.diags_array([np.ones(n - 1), [1.0]], offsets=[1, n - 1], shape=(n, n))
    return sp.csr_array(sp.block_diag([sp.coo_array(b) for b in blocks]) + link * (steps + steps.T))


def chain(n: int, steps: tuple[int, ...]) -> sp.csr_array:
    """A path, or a ribbon with longer steps: eigenvalues crowd at 1 like squares."""
    return sp.csr_array(sum(sp.diags_array([np.ones(n - s)] * 2, offsets=[s, -s]) for s in steps))


def grid(rows: int, columns: int) -> sp.csr_array:
    """Neighbours in a rectangle: pairs of eigenvalues nearly equal."""
    paths = [chain(m, (1,)) for m in (rows, columns)]
    return sp.csr_array(
        sp.kron(paths[0], sp.eye_array(columns)) + sp.kron(sp.eye_array(rows), paths[1])
    )


def components(n: int, parts: int, link: float) -> sp.csr_array:
    """Random graphs side by side: an exact multiple eigenvalue 1, or a near one with links."""
    rng = np.random.default_rng(1)
    blocks = []
    for size in np.diff(np.linspace(0, n, parts + 1).astype(int)):
        W = rng.random((size, size)) + 0.05
        blocks.append(sp.coo_array(W + W.T))
    return sp.csr_array(sp.block_diag(blocks) + link * chain(n, (1,)))


def near_copies(n: int, copies: int, noise: float) -> sp.csr_array:
    """The same small graph many times over, each a little different: every eigenvalue nearly
    as many times.
    """
    rng = np.random.default_rng(2)
    size = n // copies
    one = rng.random((size, size)) ** 3
    blocks = []
    for _ in range(copies):
        W = one * (1.0 + noise * rng.standard_normal((size, size)))
        blocks.append(sp.coo_array(np.abs(W + W.T)))
    W = sp.block_diag(blocks)
    return sp.csr_array(W + 1e-3 * chain(W.shape[0], (1,)))


def neighbours(n: int) -> sp.csr_array:
    """Nearest neighbours of points in clusters, as users have them."""
    from sklearn.datasets import make_blobs
    from sklearn.neighbors import kneighbors_graph

    X, _ = make_blobs(n, centers=12, n_features=4, cluster_std=1.5, random_state=0)
    W = kneighbors_graph(X, 10)
    return sp.csr_array((W + W.T) / 2)


def rbf(n: int) -> np.ndarray:
    """A kernel, whose spectrum decays quickly."""
    X = np.random.default_rng(3).standard_normal((n, 4))
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 4)


GRAPHS: dict[str, Callable[[], Any]] = {
    "30 cliques in a ring, weak links": lambda: ring_of_cliques(1200, 30, 0.1),
    "60 cliques in a ring": lambda: ring_of_cliques(1200, 60, 3.0),
    "100 cliques in a ring, weak links": lambda: ring_of_cliques(1200, 100, 0.1),
    "22 cliques in a ring, strong links": lambda: ring_of_cliques(1200, 22, 10.0),
    "chain": lambda: chain(1200, (1,)),
    "ribbon": lambda: chain(1200, (1, 2, 7)),
    "grid": lambda: grid(30, 40),
    "40 components": lambda: components(1200, 40, 0.0),
    "40 components, weakly linked": lambda: components(1200, 40, 1e-4),
    "12 components, linked": lambda: components(1200, 12, 0.3),
    "60 near copies": lambda: near_copies(1200, 60, 1e-3),
    "20 near copies": lambda: near_copies(1200, 20, 1e-2),
    "RandLaplace": lambda: make_randlaplace(1200, 5, random_state=0).graph,
    "m-SBM": lambda: make_msbm(1200, 20, 5, random_state=0).graph,
    "neighbours": lambda: neighbours(1200),
    "RBF kernel": lambda: rbf(1200),
}
SPECTRA: dict[str, Callable[[], np.ndarray]] = {
    "12 and 12 copies": lambda: np.r_[np.full(12, 0.9), np.full(12, 0.5), np.full(1100, -0.5)],
    "40 copies after two": lambda: np.r_[0.95, 0.9, np.full(40, 0.7),
                                         np.linspace(0.65, -0.6, 1100)],
    "100 within 1e-3": lambda: np.r_[0.8 + 1e-3 * np.linspace(0, 1, 100)[::-1],
                                     np.linspace(0.3, -0.6, 1000)],
    "60 within 1e-2": lambda: np.r_[0.8 + 1e-2 * np.linspace(0, 1, 60)[::-1],
                                    np.linspace(0.5, -0.6, 1000)],
    "edge of a bulk": lambda: np.linspace(0.6, -0.6, 1100),
    "edge of a half-circle": lambda: 0.5 * np.cos(np.linspace(0, np.pi, 1100)),
    "tie across the cut": lambda: np.r_[0.9, 0.8, 0.7 + 1e-12 * np.arange(60),
                                        np.linspace(0.6, -0.6, 1000)],
    "large negative": lambda: np.r_[np.linspace(0.2, 0.1, 60), np.linspace(-0.5, -0.99, 1000)],
    "all equal": lambda: np.full(1190, 0.3),
    "one far below": lambda: np.r_[np.linspace(0.99, 0.9, 30), np.full(1000, 0.01)],
}  # fmt: skip
NAMES = (*GRAPHS, *SPECTRA)


def groups_of(n: int) -> np.ndarray:
    """Three groups."""
    return np.random.default_rng(0).permutation(np.arange(n) % 3)


class Subject:
    """One graph or spectrum, with the eigenvalues that all its problems share."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.weights = GRAPHS[name]() if name in GRAPHS else None
        self.n = 1200 if self.weights is None else self.weights.shape[0]
        self.storages = ("dense", "sparse") if sp.issparse(self.weights) else ("dense",)
        self._operators: dict[tuple[str, str], Any] = {}
        self.eigenvalues = self._true_eigenvalues()

    def _true_eigenvalues(self) -> np.ndarray:
        """Of ``M`` on the feasible vectors, decreasing, without the known eigenvalue 1."""
        if self.weights is None:
            spectrum = np.sort(SPECTRA[self.name]())[::-1]
            return np.sort(np.r_[spectrum, np.zeros(self.n - 4 - len(spectrum) + 1)])[::-1]
        problem = self.problem("dense", "float64", 2)
        fixed = np.hstack([problem.known_vector, problem.constraints.basis])
        outside = scipy.linalg.null_space(fixed.T)
        M = outside.T @ problem.operator.matmat(outside)
        return np.linalg.eigvalsh((M + M.T) / 2)[::-1]

    def problem(self, storage: str, dtype: str, n_clusters: int) -> FairCutProblem:
        """The problem in one storage and precision."""
        if (storage, dtype) not in self._operators:
            self._operators[storage, dtype] = self._operator(storage, dtype)
        operator = self._operators[storage, dtype]
        encoded = encode_groups(groups_of(self.n), self.n)
        constraints = FairnessConstraints.from_attributes(encoded, operator.degrees)
        return FairCutProblem(operator, constraints, n_clusters)

    def _operator(self, storage: str, dtype: str) -> Any:
        if self.weights is None:
            return Prescribed(SPECTRA[self.name](), self.n, groups_of(self.n), dtype)
        if storage == "sparse":
            return SparseOperator(self.weights.astype(dtype))
        dense = self.weights.toarray() if sp.issparse(self.weights) else self.weights
        return DenseOperator(np.asarray(dense, dtype=dtype))
