"""The problems of the solver benchmark, and how they are posed to the solvers."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import scipy.sparse as sp

from fairspectral.affinity import DenseOperator, SparseOperator
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.problem import FairCutProblem
from fairspectral_benchmarks.problems import read_name


@dataclass(frozen=True)
class Case:
    """One problem by name, its k, and whether it belongs to the quick and to the full run."""

    name: str
    title: str
    problem: str
    n_clusters: int
    quick: bool = False
    full: bool = True


_CASES = (
    Case(
        "randlaplace-2000", "RandLaplace n=2000, k=10, h=5", "randlaplace-2000x5", 10, True, False
    ),
    Case("msbm-2000", "m-SBM n=2000, k=10, h=5", "msbm-groups-2000x10", 10, True, False),
    Case("lastfm", "LastFMNet k=25", "lastfm", 25, quick=True),
    Case("thyroid", "Thyroid k=25, γ=1/d", "thyroid-narrow", 25),
    Case("randlaplace-5000", "RandLaplace n=5000, k=25, h=5", "randlaplace-5000x5", 25),
    Case("randlaplace-10000", "RandLaplace n=10000, k=50, h=5", "randlaplace-10000x5", 50),
    Case("msbm-10000", "m-SBM n=10000, k=50, h=5", "msbm-groups-10000x50", 50),
    Case("4area", "4area k=25, γ=1/d", "4area-published", 25),
)  # fmt: skip
CASES = {case.name: case for case in _CASES}


def available_cases(quick: bool) -> list[Case]:
    """The cases that can be run here: those with real data need FAIRSPECTRAL_DATA."""
    have = bool(os.environ.get("FAIRSPECTRAL_DATA"))
    wanted = [case for case in CASES.values() if (case.quick if quick else case.full)]
    return [case for case in wanted if have or read_name(case.problem).local]


class TimedOperator:
    """An operator that also adds up the time spent in its products."""

    def __init__(self, operator: Any) -> None:
        self._operator = operator
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operator, name)

    def matmat(self, block: Any) -> Any:
        """The product, timed."""
        begin = time.perf_counter()
        result = self._operator.matmat(block)
        self.seconds += time.perf_counter() - begin
        return result


def make_problem(weights: Any, groups: Any, n_clusters: int, dtype: Any) -> FairCutProblem:
    """The problem of the same weights in a precision, with timed products."""
    weights = weights.astype(dtype, copy=False)
    operator = SparseOperator(weights) if sp.issparse(weights) else DenseOperator(weights)
    n = operator.shape[0]
    constraints = FairnessConstraints.from_attributes(encode_groups(groups, n), operator.degrees)
    return FairCutProblem(TimedOperator(operator), constraints, n_clusters)  # type: ignore[arg-type]
