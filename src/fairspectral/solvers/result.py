"""The result of a solver and its history."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from fairspectral.checkpoint import Section
from fairspectral.problem import FairCutProblem


@dataclass(frozen=True)
class IterationRecord:
    """One iteration of a solver; a field that the solver does not have is None.

    Attributes
    ----------
    iteration : int
        From 1.
    objective : float or None
        ``tr(H^T M H)`` on the unshifted ``M``.
    primal_residual, dual_residual, alpha :
        ADMM only.
    fairness, orthogonality : float or None
        ``||F^T H||`` and ``||H^T H - I||``.
    gap : float or None
        Estimate of the relative gap of the objective to the optimum.
    inner_iterations : int or None
        Iterations of the inner solver.
    passes : int
        Passes over ``M`` so far.
    seconds : float
        Since the start of the solve.
    """

    iteration: int
    objective: float | None = None
    primal_residual: float | None = None
    dual_residual: float | None = None
    alpha: float | None = None
    fairness: float | None = None
    orthogonality: float | None = None
    gap: float | None = None
    inner_iterations: int | None = None
    passes: int = 0
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The fields as a dict, for tables and files."""
        return asdict(self)


Callback = Callable[[IterationRecord], Any]


class Recorder:
    """Collects the history of one solve and calls the user's callback once an iteration.

    An exception that the callback raises goes through to the caller: the solve ends there.
    """

    def __init__(
        self,
        problem: FairCutProblem,
        callback: Callback | None = None,
        saved: Section | None = None,
    ) -> None:
        # Where a solver that takes long may save how far it is.
        self.saved = saved or Section()
        self._counter = problem.counter
        self._passes_before = problem.counter.passes
        self._columns_before = problem.counter.columns
        self._start = time.perf_counter()
        self._callback = callback
        self.history: list[IterationRecord] = []

    @property
    def passes(self) -> int:
        """Passes over ``M`` in this solve."""
        return self._counter.passes - self._passes_before

    @property
    def columns(self) -> int:
        """Columns multiplied in this solve."""
        return self._counter.columns - self._columns_before

    @property
    def seconds(self) -> float:
        """Time since the solve began."""
        return time.perf_counter() - self._start

    def state(self) -> dict[str, Any]:
        """All that `restore` needs, in lists and numbers."""
        return {
            "history": [entry.as_dict() for entry in self.history],
            "passes": self.passes,
            "columns": self.columns,
            "seconds": self.seconds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on after the iterations of an earlier process; their time counts too."""
        self.history = [IterationRecord(**entry) for entry in state["history"]]
        self._counter.passes += state["passes"]
        self._counter.columns += state["columns"]
        self._start -= state["seconds"]

    def record(self, **values: Any) -> IterationRecord:
        """Record one iteration and call the callback."""
        entry = IterationRecord(
            iteration=len(self.history) + 1, passes=self.passes, seconds=self.seconds, **values
        )
        self.history.append(entry)
        if self._callback is not None:
            self._callback(entry)
        return entry


@dataclass(frozen=True)
class SolveResult:
    """The fair embedding, and how the solver ended.

    Attributes
    ----------
    vectors : ndarray of shape (n, k), float64
        ``H``.
    eigenvalues : ndarray of shape (k,)
        Ritz values ``diag(H^T M H)``, decreasing.
    converged : bool
        Whether the solver reached its tolerance.
    status : str
        In words: whether and why it stopped.
    solver : str
        Which algorithm.
    history : tuple of IterationRecord
        One entry per iteration.
    passes, columns : int
        Passes over ``M`` and columns multiplied in them.
    seconds : float
        Wall-clock time.
    gap : float or None
        Estimated relative gap of the objective, where the solver has an estimate.
    fairness_residual, orthogonality_residual : float
        ``||Q^T H||`` and ``||H^T H - I||`` of `vectors`.
    choice : str
        Why this solver was chosen, where ``solver="auto"`` chose it.
    details : dict
        Further results of this solver, by name.
    """

    vectors: np.ndarray
    eigenvalues: np.ndarray
    converged: bool
    status: str
    solver: str
    history: tuple[IterationRecord, ...]
    passes: int
    columns: int
    seconds: float
    gap: float | None
    fairness_residual: float
    orthogonality_residual: float
    choice: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def objective(self) -> float:
        """``tr(H^T M H)``."""
        return float(np.sum(self.eigenvalues))

    def state(self) -> dict[str, Any]:
        """The fields, with the history as dicts, from which `restored` makes the same result."""
        named = {part.name: getattr(self, part.name) for part in fields(self)}
        return {**named, "history": [entry.as_dict() for entry in self.history]}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> SolveResult:
        """The result whose `state` was saved."""
        history = tuple(IterationRecord(**entry) for entry in state["history"])
        return cls(**{**state, "history": history})

    def __str__(self) -> str:
        return (
            f"{self.solver}: {self.status} ({self.passes} passes, {self.seconds:.2f} s, "
            f"objective {self.objective:.6g}, fairness residual {self.fairness_residual:.1e}, "
            f"orthogonality {self.orthogonality_residual:.1e})"
        )
