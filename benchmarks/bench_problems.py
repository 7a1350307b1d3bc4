"""The problems of the solver benchmark, and the scorer that stands outside the solvers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity import DenseOperator, SparseOperator
from fairspectral.affinity.kernel import kernel_matrix, make_kernel
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.datasets import (
    fetch_4area,
    fetch_lastfm,
    fetch_thyroid,
    make_msbm,
    make_randlaplace,
)
from fairspectral.problem import FairCutProblem


@dataclass(frozen=True)
class Case:
    """One problem: its k, how to make its affinities (float32) and groups, in which runs."""

    name: str
    title: str
    n_clusters: int
    load: Callable[[], tuple[Any, Any]]
    real_data: bool = False
    quick: bool = False
    full: bool = True


def _randlaplace(n: int, h: int) -> tuple[Any, Any]:
    data = make_randlaplace(n, h, dtype=np.float32, random_state=0)
    return data.graph, data.sensitive_features


def _msbm(n: int, k: int, h: int) -> tuple[Any, Any]:
    data = make_msbm(n, k, h, dtype=np.float32, random_state=0)
    return data.graph, data.sensitive_features


def _lastfm() -> tuple[Any, Any]:
    data = fetch_lastfm()
    graph = sp.csr_array(data.graph).astype(np.float32)
    # scikit-learn's SpectralClustering takes 32-bit indices only.
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return graph, data.sensitive_features


def _rbf(fetch: Callable[[], Any], standardise: bool) -> tuple[Any, Any]:
    data = fetch()
    X = np.asarray(data.X, dtype=np.float64)
    if standardise:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernel = make_kernel("rbf", X, 1.0 / X.shape[1], None)
    return kernel_matrix(X, kernel, np.dtype(np.float32)), data.sensitive_features


CASES = {
    case.name: case
    for case in (
        Case(
            "randlaplace-2000",
            "RandLaplace n=2000, k=10, h=5",
            10,
            lambda: _randlaplace(2000, 5),
            quick=True,
            full=False,
        ),
        Case(
            "msbm-2000",
            "m-SBM n=2000, k=10, h=5",
            10,
            lambda: _msbm(2000, 10, 5),
            quick=True,
            full=False,
        ),
        Case("lastfm", "LastFMNet k=25", 25, _lastfm, real_data=True, quick=True),
        Case("thyroid", "Thyroid k=25, γ=1/d", 25, lambda: _rbf(fetch_thyroid, True), True),
        Case(
            "randlaplace-5000", "RandLaplace n=5000, k=25, h=5", 25, lambda: _randlaplace(5000, 5)
        ),
        Case(
            "randlaplace-10000",
            "RandLaplace n=10000, k=50, h=5",
            50,
            lambda: _randlaplace(10000, 5),
        ),
        Case("msbm-10000", "m-SBM n=10000, k=50, h=5", 50, lambda: _msbm(10000, 50, 5)),
        Case("4area", "4area k=25, γ=1/d", 25, lambda: _rbf(fetch_4area, False), True),
    )
}


def available_cases(quick: bool) -> list[Case]:
    """The cases that can be run here: those with real data need FAIRSPECTRAL_DATA."""
    have = bool(os.environ.get("FAIRSPECTRAL_DATA"))
    return [
        case
        for case in CASES.values()
        if (case.quick if quick else case.full) and (have or not case.real_data)
    ]


class TimedOperator:
    """An operator that also adds up the time spent in its products."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operator, name)

    def matmat(self, block: Any) -> Any:
        begin = time.perf_counter()
        result = self._operator.matmat(block)
        self.seconds += time.perf_counter() - begin
        return result


def make_problem(weights: Any, groups: Any, n_clusters: int, dtype: Any) -> FairCutProblem:
    """The problem in one precision, with timed products."""
    weights = weights.astype(dtype, copy=False)
    operator = SparseOperator(weights) if sp.issparse(weights) else DenseOperator(weights)
    n = operator.shape[0]
    constraints = FairnessConstraints.from_attributes(encode_groups(groups, n), operator.degrees)
    return FairCutProblem(TimedOperator(operator), constraints, n_clusters)


class Scorer:
    """Certifies vectors in float64, whatever precision they were computed in.

    The objective is that of the vectors made exactly feasible (projected, orthonormalised), so
    that nobody gains by violating the constraints; the violations are reported beside it.
    """

    def __init__(self, weights: Any, problem: FairCutProblem) -> None:
        self._weights = weights
        self._degrees = problem.operator.degrees
        self._basis = problem.constraints.basis

    def __call__(self, vectors: np.ndarray) -> dict[str, float]:
        H = np.asarray(vectors, dtype=np.float64)
        gram = H.T @ H
        Q = self._basis
        feasible = np.linalg.qr(H - Q @ (Q.T @ H))[0]
        feasible = np.linalg.qr(feasible - Q @ (Q.T @ feasible))[0]
        return {
            "objective": float(np.sum(feasible * self._apply(feasible))),
            "fairness": float(np.linalg.norm(Q.T @ H)),
            "orthogonality": float(np.linalg.norm(gram - np.eye(len(gram)))),
        }

    def _apply(self, block: np.ndarray) -> np.ndarray:
        """``M @ block`` in float64, by strips of a float32 ``W``."""
        scale = 1.0 / np.sqrt(self._degrees)[:, None]
        scaled = block * scale
        product = np.empty_like(scaled)
        for start in range(0, len(block), 1024):
            rows = slice(start, start + 1024)
            product[rows] = self._weights[rows].astype(np.float64) @ scaled
        return product * scale
