"""The same data in several numbers of clusters, from one embedding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator
from fairspectral.affinity.fringe import Fringe, without_fringe
from fairspectral.constraints import attributes_of
from fairspectral.embedding import embed
from fairspectral.progress import EMBEDDING, GapMeter, report
from fairspectral.rounder import Rounder
from fairspectral.rounding.placement import complete_rows, rows_of_all
from fairspectral.rounding.plan import RoundingPlan, plan_rounding
from fairspectral.rounding.result import FairAssignment
from fairspectral.set_aside import SetAside, choose_aside
from fairspectral.solvers.krylov import KrylovParams
from fairspectral.solvers.result import IterationRecord, SolveResult
from fairspectral.validation import Attribute


@dataclass(frozen=True)
class Request:
    """How each number of clusters is computed; as in `FairSpectralClustering`."""

    fairness_tol: Any
    solver: str
    effort: str
    time_budget: float | None
    random_state: Any


@dataclass(frozen=True)
class Clustering:
    """The data in k clusters.

    Attributes
    ----------
    fair : FairAssignment
        The clusters.
    rows : ndarray of shape (n, k)
        The embedding that was rounded.
    n_aside : int
        People in components too small to be a cluster, who had no part in the embedding.
    """

    fair: FairAssignment
    rows: np.ndarray
    n_aside: int


class Trial:
    """Clusters the same data into several numbers of clusters.

    Parameters
    ----------
    operator : AffinityOperator
        The affinities.
    attributes : tuple of Attribute
        The groups.
    request : Request
        How.
    max_clusters : int
        The largest number that will be asked for.

    Attributes
    ----------
    result : SolveResult
        How the solver of the last embedding ended.
    """

    result: SolveResult

    def __init__(
        self,
        operator: AffinityOperator,
        attributes: tuple[Attribute, ...],
        request: Request,
        max_clusters: int,
    ) -> None:
        self._operator, self._attributes, self._request = operator, attributes, request
        # One more than requested: the last eigengap needs the next eigenvalue.
        self._columns = max_clusters + 1
        self._fringe: Fringe | None = None
        # Who was set aside, and from which number of clusters on.
        self._aside: list[tuple[int, SetAside]] = []

    @property
    def said(self) -> list[str]:
        """Who was set aside, in sentences."""
        if len(self._aside) == 1:
            (_, aside), *_ = self._aside
            return [f"{aside.people}."] if aside else []
        return [f"From {k} clusters on: {aside.people}." for k, aside in self._aside]

    def embed(self, k: int) -> RoundingPlan:
        """Set aside who is too few to be one of k clusters; embed the others, if not done yet."""
        request = self._request
        plan = plan_rounding(
            self._attributes,
            k,
            fairness_tol=request.fairness_tol,
            effort=request.effort,
            time_budget=request.time_budget,
        )
        fringe = choose_aside(self._operator, plan, self._columns)
        if self._fringe is None or not np.array_equal(fringe.piece, self._fringe.piece):
            self._rows, self.result = self._embed(fringe)
            self._fringe = fringe
            aside = SetAside.of(fringe, fringe.piece, plan.smallest)
            self._aside.append((k, aside))
        return plan

    def cluster(self, plan: RoundingPlan) -> Clustering:
        """The clusters of a plan that `embed` has just made."""
        fringe, k = self._fringe, plan.n_clusters
        assert fringe is not None
        rounder = Rounder(
            self._rows[:, :k],
            self._attributes,
            self._operator,
            fringe=fringe,
            random_state=self._request.random_state,
        )
        fair = rounder.round(plan)
        rows = complete_rows(rounder.rows, fair.labels, fringe, k)
        return Clustering(fair, rows, len(rows) - len(fringe.kept))

    def _embed(self, fringe: Fringe) -> tuple[np.ndarray, SolveResult]:
        """The rows of everybody, zero for those who are set aside, and how the solver ended."""
        report(EMBEDDING)
        meter = GapMeter(KrylovParams().tol)

        def watch(record: IterationRecord) -> None:
            report(EMBEDDING, meter.read(record.gap if record.gap is not None else math.inf))

        rows, result = embed(
            without_fringe(self._operator, fringe) if fringe else self._operator,
            attributes_of(self._attributes, fringe.kept),
            self._columns,
            solver=self._request.solver,
            callback=watch,
            random_state=self._request.random_state,
        )
        return rows_of_all(rows, fringe), result
