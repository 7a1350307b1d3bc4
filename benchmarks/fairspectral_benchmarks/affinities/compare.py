"""Clusterings of the same table by several affinities, on resamples."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering
from fairspectral.affinity.gower import distances, typical_distance
from fairspectral.affinity.mixed import read_mixed
from fairspectral.affinity.neighbours import NEIGHBOURS, self_tuned_graph
from fairspectral_benchmarks.affinities.tables import Table, as_numbers

RESAMPLES, SHARE = 5, 0.8

# From some rows of a table to the data and the parameters of the estimator.
Method = Callable[[Any], tuple[Any, dict[str, Any]]]


def rbf(X: Any) -> tuple[Any, dict[str, Any]]:
    """The kernel of everyone with everyone, on encoded columns."""
    return as_numbers(X), {"affinity": "rbf"}


def auto(X: Any) -> tuple[Any, dict[str, Any]]:
    """Chosen by the rules."""
    return X, {"affinity": "auto"}


def gower(width: float | None = None) -> Method:
    """Gower's kernel; `width` is in units of the median distance."""

    def method(X: Any) -> tuple[Any, dict[str, Any]]:
        if width is None:
            return X, {"affinity": "gower"}
        return X, {"affinity": "gower", "gamma": 1 / (width * typical_distance(read_mixed(X)))}

    return method


def gower_graph(X: Any) -> tuple[Any, dict[str, Any]]:
    """Neighbours by Gower's distance, weighted as in the self-tuned graph."""
    table = read_mixed(X)
    found = distances(table.values, table.values, table.categorical)
    np.fill_diagonal(found, -1.0)  # everyone first, and then left out
    nearest = np.argsort(found, axis=1, kind="stable")[:, 1 : NEIGHBOURS + 1]
    ratios = np.take_along_axis(found, nearest, axis=1)
    ratios /= np.where(ratios[:, -1:] > 0, ratios[:, -1:], 1.0)
    weights = np.zeros_like(found)
    np.put_along_axis(weights, nearest, np.exp(-np.square(ratios)), axis=1)
    return sp.csr_array((weights + weights.T) / 2), {"affinity": "precomputed"}


def graph(n_neighbors: int = 20) -> Method:
    """The self-tuned graph, whatever the rules say."""

    def method(X: Any) -> tuple[Any, dict[str, Any]]:
        weights, *_ = self_tuned_graph(as_numbers(X), n_neighbors=n_neighbors)
        return weights, {"affinity": "precomputed"}

    return method


@dataclass(frozen=True)
class Score:
    """Of one affinity on one table, means over the resamples.

    Attributes
    ----------
    agreement : float or None
        Adjusted Rand index with the known classes.
    largest : float
        Share of everyone in the largest cluster.
    at_floor : float
        Clusters that are as small as allowed.
    stability : float
        Adjusted Rand index of two resamples, on the rows that are in both.
    choice : str
        How the rows of the first resample were compared.
    """

    agreement: float | None
    largest: float
    at_floor: float
    stability: float
    choice: str


def score(table: Table, method: Method) -> Score:
    """Cluster resamples of 80% of the rows, each with its own seed."""
    n, labels, agreements, largest, at_floor, choices = len(table.groups), [], [], [], [], []
    for seed in range(RESAMPLES):
        rows = np.sort(np.random.default_rng(seed).permutation(n)[: int(SHARE * n)])
        data, params = method(table.rows(rows))
        model = FairSpectralClustering(table.k, effort="fast", random_state=seed, **params)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of groups with few people
            model.fit(data, sensitive_features=table.groups[rows])
        everyone = np.full(n, -1)
        everyone[rows] = model.labels_
        labels.append(everyone)
        if table.classes is not None:
            agreements.append(adjusted_rand_score(table.classes[rows], model.labels_))
        assert model.fair_assignment_ is not None
        sizes = model.audit_.sizes
        largest.append(sizes.max() / sizes.sum())
        at_floor.append(np.sum(sizes <= model.fair_assignment_.min_cluster_size))
        choices.append(model.affinity_choice_)
    pairs = []
    for one, other in combinations(labels, 2):
        both = (one >= 0) & (other >= 0)
        pairs.append(adjusted_rand_score(one[both], other[both]))
    return Score(
        float(np.mean(agreements)) if agreements else None,
        float(np.mean(largest)),
        float(np.mean(at_floor)),
        float(np.mean(pairs)),
        choices[0],
    )
