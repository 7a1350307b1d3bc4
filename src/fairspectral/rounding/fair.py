"""Fair rounding: labels whose group shares are guaranteed in every cluster, at a low cut.

1. k-means on the rows of the embedding, with a floor on the sizes of the clusters;
2. bounds in whole persons on every cell (group, cluster), and the exact flow that meets them at
   the least distance to the centroids, alternated with updates of the sizes and the centroids;
3. where the affinity is known, refinement on the normalised cut itself, also by way of wider
   bounds, which a flow then tightens.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fairspectral.affinity import is_operator, make_operator
from fairspectral.constraints import encode_groups
from fairspectral.progress import ROUNDING, report
from fairspectral.rounding.bounds import FairnessRule, make_rule
from fairspectral.rounding.gram import GramOperator
from fairspectral.rounding.marginal import MarginalFlow
from fairspectral.rounding.refine import (
    CutState,
    affordable_rounds,
    can_search,
    flow_steps,
    local_search,
    tighten,
)
from fairspectral.rounding.result import FairAssignment, Stage, all_inside, certify
from fairspectral.rounding.sizes import SizedFlow
from fairspectral.rounding.start import (
    Assign,
    WeightedRows,
    fair_lloyd,
    floored_clusters,
    nearest_with_floor,
)
from fairspectral.validation import Attribute, FairSpectralWarning

__all__ = ["FairAssignment", "fair_assignment"]

# Up to so many rows, whole persons matter to the k-means cost and all inner products are cheap.
_GRAM_ROWS = 2000

# The wider band of shares, relative to the population's, in which the search for a low cut begins.
_RELAXED = 0.4

# Without a floor shares mean nothing: one person is never proportional. A tenth of the mean
# size lets sizes differ by what data ask for.
_FLOOR_SHARE = 0.1

# Share of the time that passes before the search for a low cut, roughly.
_STARTED = 0.2


def fair_assignment(
    embedding: Any,
    sensitive_features: Any,
    n_clusters: int | None = None,
    *,
    fairness_tol: float | None = 0.2,
    bounds: str = "two-sided",
    target_proportions: Any = None,
    lower: Any = None,
    upper: Any = None,
    attribute_mode: str = "marginal",
    min_cluster_size: int | None = None,
    affinity: Any = None,
    refine_rounds: int | None = None,
    row_scaling: str = "auto",
    sample_weight: Any = None,
    centroids: Any = None,
    initial_labels: Any = None,
    n_init: int = 10,
    random_state: Any = None,
) -> FairAssignment:
    """Cluster the rows of an embedding so that every group has its share of every cluster.

    Parameters
    ----------
    embedding : array of shape (n, d)
        Rows to cluster; for spectral clustering the rows of ``D^-1/2 H``.
    sensitive_features : array of shape (n,) or (n, a), Series or DataFrame
        The group of each person, in one or several attributes.
    n_clusters : int or None
        None: as many as the embedding has columns, or as there are centroids.
    fairness_tol : float or None
        Allowed relative deviation of a group's share in a cluster from the target: 0 means
        proportional up to whole persons, 0.2 is the four-fifths rule, None sets no bounds.
    bounds : {"two-sided", "lower"}
        ``"lower"`` forbids too few of a group but not too many.
    target_proportions : array of shape (h,), mapping from group to share, or None
        Shares to aim at; None means the population's own.
    lower, upper : array of shape (h,), mapping from group to share, or None
        Least and largest share of a group in every cluster, in place of the tolerance's.
        With several attributes these three map attribute names to such values.
    attribute_mode : {"marginal", "intersection"}
        Several attributes: bound the shares of each attribute, or of each combination.
    min_cluster_size : int or None
        Floor on the size of every cluster; None means a tenth of ``n / n_clusters``.
    affinity : array, sparse matrix, AffinityOperator or None
        Enables the refinement on the normalised cut. Without it the k-means cost is refined
        instead, if there are few rows.
    refine_rounds : int or None
        How often the refinement shakes a local optimum and tries again; None means 100, and
        down to 5 where the affinities are so many that a round takes seconds.
    row_scaling : {"auto", "none", "unit", "degree"}
        Rows of unit length or weighted by degree; ``"auto"`` takes unit rows for sparse graphs,
        degrees for other affinities, neither without an affinity.
    sample_weight : array of shape (n,) or None
        Weight of each person in the k-means cost; shares count heads.
    centroids : array of shape (k, d) or None
        Assign to these, in place of k-means and its updates.
    initial_labels : array of shape (n,) or None
        A clustering to start from, in place of k-means; for example that of a tighter tolerance.
    n_init : int
        Starts of k-means.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    FairAssignment
        Labels, the table of cells with its bounds, costs, and the certificate.

    Raises
    ------
    ValueError
        If what is asked for cannot be; the message says the closest that can.
    """
    rows = _check_rows(embedding, "embedding")
    n = len(rows)
    if affinity is not None and not is_operator(affinity):
        affinity = make_operator(affinity, "precomputed")
    if affinity is not None and affinity.shape[0] != n:
        raise ValueError(
            f"affinity has {affinity.shape[0]} nodes but the embedding has {n} rows; pass the "
            "affinity that the embedding came from."
        )
    if centroids is not None:
        centroids = _check_rows(centroids, "centroids")
    k = _check_k(n_clusters, n, rows, centroids)
    smallest = _check_floor(min_cluster_size, n, k)
    attributes = encode_groups(sensitive_features, n, attribute_mode)
    rules = _rules(
        attributes, k, fairness_tol, bounds,
        target_proportions=target_proportions, lower=lower, upper=upper,
    )  # fmt: skip
    notes = tuple(note for rule in rules for note in rule.shortages(k))
    if notes:
        warnings.warn(" ".join(notes), FairSpectralWarning, stacklevel=2)
    weights = None if sample_weight is None else _check_weights(sample_weight, n)
    points = WeightedRows.scaled(rows, weights, row_scaling, affinity)
    seeds = check_random_state(random_state)
    rng = np.random.default_rng(seeds.randint(2**31 - 1))
    trail = _Trail(points, affinity, k)

    name, labels = _start(points, k, smallest, centroids, initial_labels, n_init, seeds)
    trail.add(name, labels)
    report(ROUNDING, _STARTED)
    kinds = _kinds(attributes)
    began, assign = labels, _flow(rules, labels, kinds, k, smallest)
    # Labels that are fair already, and whose cut will be refined, need no pull to the centroids.
    if initial_labels is None or affinity is None or not all_inside(rules, labels, k):
        if centroids is None:
            labels = fair_lloyd(points, labels, k, assign)
        else:
            costs = points.costs(centroids)
            assign.resize(costs)
            labels = assign(costs).labels
        trail.add("fair flow", labels)
    search = partial(local_search, kinds=kinds, smallest=smallest, rng=rng)
    if trail.state is not None:
        rounds = affordable_rounds(affinity, k) if refine_rounds is None else refine_rounds
        state = flow_steps(affinity, trail.state, assign)
        trail.add("cut by flow", state.labels, state)
        middle = _STARTED
        if centroids is None and initial_labels is None and can_search(affinity):
            middle = (1 + _STARTED) / 2
            wide = partial(search, rounds=rounds // 2, progress=(_STARTED, middle))
            flow = partial(_flow, kinds=kinds, k=k, smallest=smallest)
            other = _by_wider_bounds(points, affinity, began, rules, flow, wide)
            both = [search(affinity, start, rules, rounds=0) for start in (state, other)]
            state = min(both, key=lambda found: found.cut)
            trail.add("from wider bounds", state.labels, state)
            rounds -= rounds // 2
        state = search(affinity, state, rules, rounds=rounds, progress=(middle, 1.0))
        trail.add("cut by moves", state.labels, state)
    elif centroids is None and n <= _GRAM_ROWS and (points.weights > 0).all():
        gram = GramOperator(points)
        rounds = affordable_rounds(gram, k) if refine_rounds is None else refine_rounds
        measured = CutState.measure(gram, labels, k)
        state = search(gram, measured, rules, rounds=rounds, progress=(_STARTED, 1.0))
        trail.add("cost by moves", state.labels)
    return certify(trail.labels, rules, k, smallest, trail.stages, notes)


def _flow(
    rules: list[FairnessRule], labels: np.ndarray, kinds: np.ndarray, k: int, smallest: int
) -> Assign:
    """The fair flow for clusters of the sizes that they have."""
    sizes = np.bincount(labels, minlength=k)
    if len(rules) == 1:
        return SizedFlow(rules[0], sizes, smallest)
    return MarginalFlow(rules, kinds, sizes)


def _by_wider_bounds(
    points: WeightedRows,
    affinity: Any,
    labels: np.ndarray,
    rules: list[FairnessRule],
    flow: Callable[[list[FairnessRule], np.ndarray], Assign],
    search: Callable[[Any, CutState, list[FairnessRule]], CutState],
) -> CutState:
    """A clustering with a low cut within wider bounds, moved into the true ones.

    Tight bounds leave few moves, and a search under them gets stuck early.
    """
    wide = [rule.relaxed(_RELAXED) for rule in rules]
    assign, k = flow(wide, labels), int(labels.max()) + 1
    state = CutState.measure(affinity, fair_lloyd(points, labels, k, assign), k)
    state = search(affinity, flow_steps(affinity, state, assign), wide)
    return tighten(affinity, state, flow(rules, state.labels))


def _start(
    points: WeightedRows,
    k: int,
    smallest: int,
    centroids: np.ndarray | None,
    initial_labels: Any,
    n_init: int,
    seeds: Any,
) -> tuple[str, np.ndarray]:
    """The first labels, and where they come from."""
    if initial_labels is not None:
        return "initial labels", _check_labels(initial_labels, len(points.rows), k, smallest)
    if centroids is not None:
        return "nearest centroid", nearest_with_floor(points, centroids, smallest)
    seed = seeds.randint(2**31 - 1)
    return "k-means with a floor", floored_clusters(points, k, smallest, n_init, seed)


class _Trail:
    """The stages of one rounding, with the labels, and their cut where it is known, so far."""

    def __init__(self, points: WeightedRows, affinity: Any, k: int) -> None:
        self._points, self._affinity, self._k = points, affinity, k
        self._clock = time.perf_counter()
        self.stages: list[Stage] = []
        self.state: CutState | None = None

    def add(self, name: str, labels: np.ndarray, state: CutState | None = None) -> None:
        """Note a stage; measures its cut if that can be and is not done yet."""
        seconds = time.perf_counter() - self._clock
        if state is None and self._affinity is not None:
            state = CutState.measure(self._affinity, labels, self._k)
        cost = self._points.cost(labels, self._points.centroids(labels, self._k))
        cut = None if state is None else state.cut
        self.stages.append(Stage(name, cost, cut, seconds))
        self.labels, self.state = labels, state
        self._clock = time.perf_counter()


# --- input --------------------------------------------------------------------------------


def _check_rows(rows: Any, name: str) -> np.ndarray:
    rows = np.asarray(rows)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"{name} has shape {rows.shape}; pass one row per person or cluster.")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} contains NaN or infinity; check how it was computed.")
    return rows


def _check_k(n_clusters: int | None, n: int, rows: np.ndarray, centroids: Any) -> int:
    if centroids is not None and centroids.shape[1] != rows.shape[1]:
        raise ValueError(
            f"centroids have {centroids.shape[1]} columns but the embedding has {rows.shape[1]}; "
            "pass centroids of the same rows."
        )
    if centroids is not None and n_clusters not in (None, len(centroids)):
        raise ValueError(
            f"n_clusters={n_clusters} but there are {len(centroids)} centroids; leave one out."
        )
    k = len(centroids if centroids is not None else rows.T) if n_clusters is None else n_clusters
    if not isinstance(k, Integral) or not 1 <= k <= n:
        raise ValueError(
            f"n_clusters={k!r} must be a whole number between 1 and the number of rows, {n}."
        )
    return k


def _check_floor(min_cluster_size: int | None, n: int, k: int) -> int:
    if min_cluster_size is None:
        return max(1, int(_FLOOR_SHARE * n / k))
    if not 1 <= min_cluster_size <= n // k:
        raise ValueError(
            f"min_cluster_size={min_cluster_size} is not possible with {n} persons in {k} "
            f"clusters; it must lie between 1 and {n // k}."
        )
    return int(min_cluster_size)


def _check_labels(initial_labels: Any, n: int, k: int, smallest: int) -> np.ndarray:
    labels = np.asarray(initial_labels)
    if labels.shape != (n,) or labels.dtype.kind not in "iu" or not np.isin(labels, range(k)).all():
        raise ValueError(
            f"initial_labels must be {n} whole numbers from 0 to {k - 1}, one for each row."
        )
    least = int(np.bincount(labels, minlength=k).min())
    if least < smallest:
        raise ValueError(
            f"initial_labels has a cluster of {least} person(s), below the floor of {smallest}; "
            f"pass min_cluster_size={max(least, 1)} or other labels."
        )
    return labels.astype(np.int32)


def _check_weights(sample_weight: Any, n: int) -> np.ndarray:
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(
            f"sample_weight must be {n} finite numbers of at least zero, one for each row."
        )
    return weights


def _rules(
    attributes: tuple[Attribute, ...],
    k: int,
    fairness_tol: float | None,
    bounds: str,
    **shares: Any,
) -> list[FairnessRule]:
    """One rule for each attribute; shares of several attributes come by the attribute's name."""
    if len(attributes) == 1:
        return [make_rule(attributes[0], k, fairness_tol=fairness_tol, bounds=bounds, **shares)]
    names = [attribute.name for attribute in attributes]
    for argument, given in shares.items():
        if given is not None and not (isinstance(given, Mapping) and set(given) <= set(names)):
            raise ValueError(
                f"{argument} with several attributes must map their names ({', '.join(names)}) to "
                "shares, for example {name: {group: share}}."
            )
    rules = []
    for attribute in attributes:
        own = {key: given and given.get(attribute.name) for key, given in shares.items()}
        rules.append(make_rule(attribute, k, fairness_tol=fairness_tol, bounds=bounds, **own))
    return rules


def _kinds(attributes: tuple[Attribute, ...]) -> np.ndarray:
    """The combination of groups that each person belongs to, numbered from 0."""
    combined = np.stack([attribute.codes for attribute in attributes], axis=1)
    return np.unique(combined, axis=0, return_inverse=True)[1].reshape(-1)
