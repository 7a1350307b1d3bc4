"""The solvers by name, and the choice that ``solver="auto"`` makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fairspectral.parameters import build_params, check_choice
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.admm import ADMMSolver
from fairspectral.solvers.base import Solver
from fairspectral.solvers.krylov import KrylovSolver
from fairspectral.solvers.lanczos import LanczosSolver
from fairspectral.solvers.nullspace import NullspaceSolver
from fairspectral.solvers.result import Callback, SolveResult

SOLVERS: dict[str, type[Solver]] = {
    solver.name: solver for solver in (KrylovSolver, ADMMSolver, LanczosSolver, NullspaceSolver)
}
SOLVER_NAMES = ("auto", *SOLVERS)

# Below this size a dense eigendecomposition takes milliseconds and is exact.
_DENSE_BELOW = 300


def make_solver(name: str, params: Any = None) -> Solver:
    """A solver from its name and its parameters (a dict, or the solver's own dataclass)."""
    check_choice(name, SOLVERS, "solver")
    solver = SOLVERS[name]
    if params is None or isinstance(params, dict):
        params = build_params(solver.Params, params, where=f"the solver {name!r}")
    return solver(params)


def choose_solver(problem: FairCutProblem) -> tuple[str, str]:
    """Which solver suits a problem, and why, in words."""
    n, k = problem.n_samples, problem.n_clusters
    if n < _DENSE_BELOW:
        return "nullspace", f"n={n} is small enough for a dense eigendecomposition"
    density = problem.operator.density
    kind = "sparse" if density < 1 else "dense"
    reason = f"n={n}, k={k}, {kind} {problem.dtype}: a block method needs the fewest passes"
    return "krylov", reason


def solve(
    problem: FairCutProblem,
    solver: str = "auto",
    params: Any = None,
    *,
    callback: Callback | None = None,
    random_state: Any = None,
    start: np.ndarray | None = None,
) -> SolveResult:
    """Solve a problem with a named solver, or with the one that ``"auto"`` chooses.

    Under ``"auto"``, `params` are those of the Krylov solver, and a breakdown is followed by a
    second try with another algorithm; `choice` in the result says what was chosen and why.
    """
    run = {"callback": callback, "random_state": random_state, "start": start}
    if solver != "auto":
        check_choice(solver, SOLVER_NAMES, "solver")
        return make_solver(solver, params).solve(problem, **run)
    first = krylov = make_solver("krylov", params)  # refuses a misspelt parameter in any case
    name, reason = choose_solver(problem)
    if name == "nullspace":
        first = make_solver("nullspace")
    try:
        return replace(first.solve(problem, **run), choice=f"{name}: {reason}")
    except np.linalg.LinAlgError as error:
        trouble = f"{name} broke down ({error})"
    second: Solver = make_solver("nullspace")
    if problem.n_clusters < problem.n_samples:
        second = make_solver("lanczos", {"tol": krylov.params.tol})
    return replace(second.solve(problem, **run), choice=f"{second.name}, because {trouble}")
