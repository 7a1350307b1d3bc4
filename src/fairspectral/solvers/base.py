"""The base of all solvers: checked parameters, a recorded run, one type of result."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairspectral.checkpoint import Section, section
from fairspectral.linalg.threads import threads_apart
from fairspectral.parameters import seeded
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.result import Callback, Recorder, SolveResult


@dataclass(frozen=True)
class Outcome:
    """The output of a solver's algorithm, from which the `SolveResult` is made."""

    vectors: np.ndarray
    eigenvalues: np.ndarray
    converged: bool
    status: str
    gap: float | None = None
    details: dict[str, Any] = field(default_factory=dict)


class Solver(ABC):
    """One algorithm. `solve` checks, counts and warns; `_solve` computes.

    Parameters
    ----------
    params : dataclass of the solver's own type, or None
        None takes the defaults.
    """

    name: ClassVar[str]
    Params: ClassVar[type]
    # Whether it multiplies whole blocks, with little work between the products.
    block_products: ClassVar[bool] = False

    def __init__(self, params: Any = None) -> None:
        self.params = self.Params() if params is None else params
        if not isinstance(self.params, self.Params):
            raise TypeError(
                f"the solver {self.name!r} takes parameters of type {self.Params.__name__}, "
                f"not {type(self.params).__name__}."
            )

    def solve(
        self,
        problem: FairCutProblem,
        *,
        callback: Callback | None = None,
        random_state: Any = None,
        start: np.ndarray | None = None,
    ) -> SolveResult:
        """Solve a problem.

        Parameters
        ----------
        problem : FairCutProblem
            The problem to solve.
        callback : callable or None
            Called once an iteration with the `IterationRecord`; an exception that it raises
            ends the solve and reaches the caller.
        random_state : int, RandomState or None
            For the random start.
        start : ndarray of shape (n, any) or None
            Vectors to start from, for the solvers that can (warm start).
        """
        rng, saved = seeded(random_state), section("solve")
        result = _restored(saved, rng)
        if result is None:
            result = self._run(problem, Recorder(problem, callback, saved), rng, start)
            saved.finish({"result": result.state(), "rng": rng.get_state(legacy=False)})
        if not result.converged:
            warnings.warn(f"{self.name}: {result.status}", ConvergenceWarning, stacklevel=2)
        return result

    def _run(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        rng: np.random.RandomState,
        start: np.ndarray | None,
    ) -> SolveResult:
        apart = self.block_products and problem.operator.own_threads
        with threads_apart() if apart else nullcontext(), problem.operator.computing():
            outcome = self._solve(problem, recorder, rng, start)
        return SolveResult(
            vectors=outcome.vectors,
            eigenvalues=outcome.eigenvalues,
            converged=outcome.converged,
            status=outcome.status,
            solver=self.name,
            history=tuple(recorder.history),
            passes=recorder.passes,
            columns=recorder.columns,
            seconds=recorder.seconds,
            gap=outcome.gap,
            fairness_residual=problem.fairness_residual(outcome.vectors),
            orthogonality_residual=problem.orthogonality_residual(outcome.vectors),
            details=outcome.details,
        )

    @abstractmethod
    def _solve(
        self,
        problem: FairCutProblem,
        recorder: Recorder,
        rng: np.random.RandomState,
        start: np.ndarray | None,
    ) -> Outcome:
        """Run the algorithm."""


def _restored(saved: Section, rng: np.random.RandomState) -> SolveResult | None:
    """The result of an earlier process, after which the generator is as it was there."""
    if (state := saved.finished()) is None:
        return None
    rng.set_state(state["rng"])
    return SolveResult.restored(state["result"])
