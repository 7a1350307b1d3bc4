"""Every solver of the benchmark under one interface: settings to try, and how to run one.

A competitor runs its settings from loose to tight; the fastest run that reaches the gap counts,
so that all are compared at equal quality and at their best. s-FSC also runs as published, with
ARPACK's default tolerance: to full accuracy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse.linalg as sla

from fairspectral.problem import FairCutProblem
from fairspectral.solvers.admm import ADMMParams
from fairspectral.solvers.registry import make_solver

TOLERANCES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 1e-4, 1e-6)


@dataclass(frozen=True)
class Setting:
    """One way to run a solver; `family` groups settings that differ in the tolerance only."""

    family: str
    tol: float | None
    run: Callable[[FairCutProblem, int], np.ndarray]


@dataclass(frozen=True)
class Peer:
    """A solver: its title, the precision of its products, its settings, and its largest n."""

    name: str
    title: str
    dtype: Any
    settings: Callable[[FairCutProblem], Iterator[Setting]]
    largest_n: int | None = None


def _ours(name: str, params: Any = None) -> Callable[[FairCutProblem, int], np.ndarray]:
    def run(problem: FairCutProblem, seed: int) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make_solver(name, params).solve(problem, random_state=seed).vectors

    return run


def _single(name: str, params: Any = None) -> Callable[[FairCutProblem], Iterator[Setting]]:
    def settings(problem: FairCutProblem) -> Iterator[Setting]:
        yield Setting("default", None, _ours(name, params))

    return settings


def _s_fsc(problem: FairCutProblem) -> Iterator[Setting]:
    for tol in TOLERANCES:
        params = {"formulation": "paper", "tol": tol}
        yield Setting("ncv default", tol, _ours("lanczos", params))


def _deflated(problem: FairCutProblem) -> tuple[sla.LinearOperator, np.ndarray]:
    """``P M P`` without the known vector, and the directions that were removed."""
    fixed = np.hstack([problem.known_vector, problem.constraints.basis]).astype(problem.dtype)

    def multiply(block: np.ndarray) -> np.ndarray:
        block = np.asarray(block, dtype=problem.dtype).reshape(problem.n_samples, -1)
        image = problem.apply(block - fixed @ (fixed.T @ block))
        image -= fixed @ (fixed.T @ image)
        return image

    n = problem.n_samples
    operator = sla.LinearOperator(
        (n, n), matvec=lambda x: multiply(x)[:, 0], matmat=multiply, dtype=problem.dtype
    )
    return operator, fixed


def _with_known(problem: FairCutProblem, vectors: np.ndarray) -> np.ndarray:
    return np.hstack([problem.known_vector, vectors])


def _eigsh(problem: FairCutProblem) -> Iterator[Setting]:
    k = problem.n_clusters - 1
    for ncv in (None, int(1.5 * k) + 10, 3 * k, 4 * k):
        for tol in TOLERANCES:

            def run(
                problem: FairCutProblem, seed: int, tol: float = tol, ncv: int | None = ncv
            ) -> np.ndarray:
                operator, _ = _deflated(problem)
                v0 = np.random.default_rng(seed).standard_normal(problem.n_samples)
                v0 = v0.astype(problem.dtype)
                _, vectors = sla.eigsh(operator, k, which="LA", tol=tol, ncv=ncv, v0=v0)
                return _with_known(problem, vectors)

            yield Setting(f"ncv={ncv or 'default'}", tol, run)


def _lobpcg(problem: FairCutProblem) -> Iterator[Setting]:
    k = problem.n_clusters - 1
    for extra in (0, 10):
        for steps in (5, 10, 20, 40, 80, 160, 320):

            def run(
                problem: FairCutProblem, seed: int, steps: int = steps, extra: int = extra
            ) -> np.ndarray:
                operator, fixed = _deflated(problem)
                X = np.random.default_rng(seed).standard_normal((problem.n_samples, k + extra))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    values, vectors = sla.lobpcg(
                        operator, X.astype(problem.dtype), Y=fixed, largest=True, maxiter=steps,
                        tol=1e-12,
                    )  # fmt: skip
                best = np.argsort(-values)[:k]
                return _with_known(problem, vectors[:, best])

            yield Setting(f"k+{extra} columns", 1.0 / steps, run)


def _primme(problem: FairCutProblem) -> Iterator[Setting]:
    import primme

    k = problem.n_clusters - 1
    for method in ("PRIMME_DEFAULT_MIN_MATVECS", "PRIMME_DEFAULT_MIN_TIME"):
        for block in (1, 8, max(8, k // 2)):
            for tol in TOLERANCES[2:]:

                def run(
                    problem: FairCutProblem,
                    seed: int,
                    tol: float = tol,
                    block: int = block,
                    method: str = method,
                ) -> np.ndarray:
                    operator, fixed = _deflated(problem)
                    v0 = np.random.default_rng(seed).standard_normal((problem.n_samples, block))
                    _, vectors = primme.eigsh(
                        operator, k, which="LA", tol=tol, lock=fixed, maxBlockSize=block,
                        v0=v0.astype(problem.dtype), method=method,
                    )  # fmt: skip
                    return _with_known(problem, vectors)

                yield Setting(f"{method.split('_')[-1].lower()}, block {block}", tol, run)


f32, f64 = np.float32, np.float64
PEERS = {
    peer.name: peer
    for peer in (
        Peer("krylov", "krylov (ours, default)", f32, _single("krylov")),
        Peer("krylov-f64", "krylov, float64", f64, _single("krylov"), 20000),
        Peer("eigsh", "eigsh, tuned, float32", f32, _eigsh),
        Peer("eigsh-f64", "eigsh, tuned, float64", f64, _eigsh, 20000),
        Peer("lobpcg", "LOBPCG(Y=...), tuned, float32", f32, _lobpcg),
        Peer("primme", "PRIMME(lock=...), tuned, float32", f32, _primme),
        Peer(
            "s-fsc-published",
            "s-FSC, the paper's shift, to full accuracy, float64",
            f64,
            _single("lanczos", {"formulation": "paper"}),
            20000,
        ),
        Peer("s-fsc", "s-FSC, the paper's shift, tuned, float64", f64, _s_fsc, 20000),
        Peer("s-fsc-f32", "s-FSC, the paper's shift, tuned, float32", f32, _s_fsc),
        Peer(
            "admm-paper",
            "ADMM, the paper's preset",
            f32,
            _single("admm", ADMMParams.paper()),
            20000,
        ),
        Peer("admm", "ADMM, our default", f32, _single("admm")),
        Peer("o-fsc", "o-FSC, dense null space, float64", f64, _single("nullspace"), 12000),
    )
}
