"""The instances: a graph or kernel with groups, a number of clusters, a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity import AffinityOperator, make_operator
from fairspectral.cells import Cells, bounds_in_persons, judge_by_tolerance, tolerance_band
from fairspectral.rounding.plan import default_floor
from fairspectral_benchmarks import problems
from fairspectral_benchmarks.cut import graphs


def _problem(name: str) -> graphs.Graph:
    """A problem of `fairspectral_benchmarks.problems`."""
    instance = problems.Instance(name)
    return instance.weights(np.float64), instance.groups


# Real data first; tables are sampled to sizes at which ten seeds of every method take minutes.
DATA: dict[str, Callable[[], graphs.Graph]] = {
    "lastfm": partial(_problem, "lastfm"),
    "facebook": partial(_problem, "facebook"),
    "thyroid": partial(_problem, "thyroid-narrow@2000"),
    "census": partial(_problem, "census@2000"),
    "4area": partial(_problem, "4area-published@2000"),
    "diabetes": partial(_problem, "diabetes"),
    "elliptical": partial(_problem, "elliptical"),
    "msbm": partial(_problem, "msbm-groups-1000x5"),
    "blocks": partial(graphs.blocks, 2, 0),
    "pairs": partial(graphs.blocks, 2, 4),
    "lfr80": partial(graphs.communities, 80, 0.3, 3, 5, 5.0),
    "lfr120": partial(graphs.communities, 120, 0.2, 2, 8, 6.0),
    "lfr250": partial(graphs.communities, 250, 0.3, 3, 12, 8.0),
    "lfr400": partial(graphs.communities, 400, 0.2, 4, 15, 10.0),
    "lfr2000": partial(graphs.communities, 2000, 0.3, 3, 20, 10.0),
    "digits": partial(graphs.neighbours, "digits"),
    "wine": partial(graphs.neighbours, "wine"),
    "cancer": partial(graphs.neighbours, "cancer"),
    "patients": partial(graphs.neighbours, "diabetes"),
    "digits-rbf": partial(graphs.kernel, "digits", 800),
    "cancer-rbf": partial(graphs.kernel, "cancer", 569),
    "tails": partial(graphs.heavy_tails, 350),
    "tails900": partial(graphs.heavy_tails, 900),
}

# For each graph and each k the tolerances; None is no bound.
_PLAN: dict[str, dict[int, tuple[float | None, ...]]] = {
    "lastfm": {2: (None,), 5: (0.05, 0.2, 0.5, None), 10: (0.2, None), 25: (0.2, None)},
    "facebook": {2: (0.2,), 5: (0.0, 0.2, 0.5, None), 10: (0.0, 0.2)},
    "thyroid": {5: (0.2,), 25: (0.2,)},
    "census": {5: (0.05,), 25: (0.2,)},
    "4area": {10: (0.2,), 25: (0.2, None)},
    "diabetes": {5: (0.2,), 10: (0.2, None)},
    "elliptical": {2: (0.05,)},
    "msbm": {5: (0.0, 0.2, None)},
    "blocks": {4: (0.2,)},
    "pairs": {4: (0.2,)},
    "lfr80": {8: (0.0, 0.2)},
    "lfr120": {5: (0.05, 0.2, 0.5, None)},
    "lfr250": {5: (0.2,), 10: (0.2, None)},
    "lfr400": {10: (0.0, 0.2, None)},
    "lfr2000": {10: (0.5, None), 25: (0.2,)},
    "digits": {10: (0.05, 0.2, 0.5, None), 25: (0.2,)},
    "wine": {2: (0.2,), 5: (0.2, None)},
    "cancer": {2: (0.05,), 5: (0.2,)},
    "patients": {5: (0.2,), 10: (0.5,)},
    "digits-rbf": {10: (0.2,), 25: (0.05,)},
    "cancer-rbf": {5: (0.2,), 10: (0.5,)},
    "tails": {6: (0.05, 0.2, 0.5), 8: (None,)},
    "tails900": {6: (0.2,)},
}


@dataclass(frozen=True)
class Instance:
    """A task of the benchmark.

    Attributes
    ----------
    data : str
        A key of `DATA`.
    k : int
        Number of clusters.
    tolerance : float or None
        How far shares of groups may deviate; None is no bound.
    floor : int or None
        Least size of a cluster; None is the estimator's default.
    """

    data: str
    k: int
    tolerance: float | None
    floor: int | None = None

    @property
    def name(self) -> str:
        """For example ``lastfm-k5-0.2``, ``lastfm-k5-none`` or ``lastfm-k10-none-floor5``."""
        bound = "none" if self.tolerance is None else str(self.tolerance)
        floor = "" if self.floor is None else f"-floor{self.floor}"
        return f"{self.data}-k{self.k}-{bound}{floor}"

    def load(self) -> Task:
        """The instance with its data, which are kept: instances of the same data are neighbours."""
        return Task(self, *_loaded(self.data))

    def at_least_as_loose_as(self, other: Instance) -> bool:
        """Whether every clustering that is allowed there is allowed here."""
        same = (self.data, self.k) == (other.data, other.k)
        # None is the loosest tolerance, and the highest floor: those that are given are lower.
        wider = _or_infinity(self.tolerance) >= _or_infinity(other.tolerance)
        return same and wider and _or_infinity(self.floor) <= _or_infinity(other.floor)


class Task:
    """An instance with its data, and the judgement of labels.

    Attributes
    ----------
    instance : Instance
    W : ndarray or csr_array of shape (n, n), float64
        The affinities.
    groups : ndarray of shape (n,)
        The group of each person, 0 to h - 1.
    counts : ndarray of shape (h,)
        Persons in each group.
    floor : int
        The least size of a cluster.
    """

    def __init__(self, instance: Instance, W: Any, groups: np.ndarray) -> None:
        self.instance, self.W = instance, W
        self.groups = np.unique(groups, return_inverse=True)[1].reshape(-1)
        self.counts = np.bincount(self.groups)
        self.degrees = np.asarray(W.sum(axis=1)).reshape(-1)
        self.n, self.k = len(self.groups), instance.k
        self.floor = instance.floor or default_floor(self.n, self.k)

    @property
    def operator(self) -> AffinityOperator:
        """The affinities for the library."""
        return make_operator(self.W, "precomputed")

    def terms(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``W Y``, weights within the clusters and their volumes, from the definition."""
        Y = np.eye(self.k)[labels]
        links = self.W @ Y
        return links, np.sum(links * Y, axis=0), self.degrees @ Y

    def cut(self, labels: np.ndarray) -> float:
        """The normalised cut, without the code of the library."""
        _, within, volumes = self.terms(labels)
        return float(np.sum(1 - within / volumes))

    def cells(self, labels: np.ndarray) -> Cells:
        """Persons in each cell with their bounds."""
        table = np.zeros((len(self.counts), self.k), dtype=np.int64)
        np.add.at(table, (self.groups, labels), 1)
        if self.instance.tolerance is None:
            return Cells(table, np.zeros_like(table), np.full_like(table, self.n))
        return judge_by_tolerance(table, self.instance.tolerance)

    def bounds(self, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest number of persons of each group in clusters of these sizes."""
        if self.instance.tolerance is None:
            low, high = np.zeros(len(self.counts)), np.ones(len(self.counts))
        else:
            low, high = tolerance_band(self.counts / self.n, self.instance.tolerance)
        return bounds_in_persons(low, high, self.counts, np.asarray(sizes))

    def judge(self, labels: Any) -> dict[str, Any]:
        """Cut, cells outside and smallest cluster, all counted here; `valid` if allowed."""
        labels = np.asarray(labels, dtype=np.int64)
        smallest = int(np.bincount(labels, minlength=self.k).min())
        outside = self.cells(labels).n_outside
        valid = len(labels) == self.n and smallest >= self.floor and outside == 0
        cut = self.cut(labels) if smallest > 0 else float(self.k)
        return {"cut": cut, "outside": outside, "smallest": smallest, "valid": valid}


def _or_infinity(number: float | None) -> float:
    return np.inf if number is None else number


@cache
def _loaded(data: str) -> graphs.Graph:
    W, groups = DATA[data]()
    return (sp.csr_array(W) if sp.issparse(W) else np.ascontiguousarray(W)), groups


# Floors that the labels of scikit-learn reach: below the default it isolates a few persons.
_LOW_FLOORS = (
    Instance("lastfm", 10, None, floor=5),
    Instance("lastfm", 25, None, floor=4),
)
INSTANCES = (
    *_LOW_FLOORS,
    *(
        Instance(data, k, tolerance)
        for data, clusters in _PLAN.items()
        for k, tolerances in clusters.items()
        for tolerance in tolerances
    ),
)
QUICK = ("facebook-k5-0.2", "lfr120-k5-0.2", "lfr120-k5-none", "wine-k5-0.2", "blocks-k4-0.2")


def chosen(only: str, quick: bool) -> list[Instance]:
    """Instances whose name contains `only`; of the quick ones if asked."""
    return [
        instance
        for instance in INSTANCES
        if only in instance.name and (not quick or instance.name in QUICK)
    ]
