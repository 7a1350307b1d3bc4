"""The flow for one attribute, with the sizes of the clusters chosen so that it costs least.

The bounds on the cells are proportional to the sizes, so the cost of the flow is (up to the
rounding of bounds to whole persons) a convex function of the sizes, and its potentials give a
subgradient. Sizes taken from unfair k-means are far from its minimum where the groups are well
separated. Each flow gives a plane below the function; the linear program over all planes, in a
trust region, proposes the next sizes (Kelley's cutting planes, doi 10.1137/0108053).
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.optimize import linprog

from fairspectral.cells import population_shares
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import FlowResult, solve_flow
from fairspectral.validation import Attribute

# Largest number of flows, how many in a row may fail, and the relative fall of the cost below
# which the search stops.
_ROUNDS, _FAILURES, _ENOUGH = 40, 10, 5e-4
# Sizes are chosen on a sample of this many persons, which gives shares to one part in a hundred.
_SAMPLE = 5_000
# But a sample misses clusters of a few persons. If asked for, up to this many costs (n times k)
# are searched without sampling: some seconds.
_EVERYBODY = 400_000
# Clusters of up to this many persons are tried a few persons larger and smaller, in at most this
# many flows.
_SMALL_CLUSTER, _STEPS, _TRIES = 200, (8, 4, 2, 1), 150


class SizedFlow:
    """The fair assignment under one attribute, as a function of the costs.

    Parameters
    ----------
    rule : FairnessRule
        The shares that every cluster must have.
    sizes : integer ndarray of shape (k,)
        Sizes of the clusters.
    smallest : int
        Floor on the sizes.
    largest : int or None
        Ceiling on them.
    thorough : bool
        As in `choose_sizes`.
    """

    def __init__(
        self,
        rule: FairnessRule,
        sizes: np.ndarray,
        smallest: int,
        largest: int | None = None,
        *,
        thorough: bool = False,
    ) -> None:
        self._rule, self._sizes = rule, sizes
        self._range = (smallest, largest)
        self._thorough = thorough

    def resize(self, cost: np.ndarray) -> None:
        """Choose sizes at which these costs add up to less."""
        self._sizes = choose_sizes(
            cost, self._rule, self._sizes, *self._range, thorough=self._thorough
        )

    def __call__(self, cost: np.ndarray, potentials: np.ndarray | None = None) -> FlowResult:
        """Assign every person, with the sizes as they are."""
        return _flow(cost, self._rule, self._sizes, potentials)


def choose_sizes(
    cost: np.ndarray,
    rule: FairnessRule,
    sizes: np.ndarray,
    smallest: int,
    largest: int | None = None,
    *,
    thorough: bool = False,
) -> np.ndarray:
    """Sizes at which the fair flow costs less than at the given ones.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        Cost of every person in every cluster.
    rule : FairnessRule
        The shares that every cluster must have.
    sizes : integer ndarray of shape (k,)
        Where the search starts; returned if nothing better is found.
    smallest : int
        Floor on the sizes.
    largest : int or None
        Ceiling on them; None is none.
    thorough : bool
        Whether to use all persons, where that takes seconds, rather than a sample.

    Returns
    -------
    integer ndarray of shape (k,)
    """
    n, k = cost.shape
    most = n if largest is None else largest
    if k == 1 or n in (k * smallest, k * most):
        return sizes
    if thorough and n * k <= _EVERYBODY:
        found = _search(cost, rule, sizes, smallest, most)
        return _nudge(cost, rule, found, smallest, most)
    if n <= _SAMPLE:
        return _search(cost, rule, sizes, smallest, most)
    chosen = np.sort(np.random.default_rng(0).permutation(n)[:_SAMPLE])
    sample = _restrict(rule, chosen)
    floor, ceiling = max(1, smallest * _SAMPLE // n), -(-most * _SAMPLE // n)
    begin = apportion(sizes, _SAMPLE, floor, ceiling)
    found = _search(cost[chosen], sample, begin, floor, ceiling)
    proposed = apportion(found, n, smallest, most)
    # A sample may miss small clusters: keep its sizes only if they are better for all persons.
    now = _flow(cost, rule, sizes, None)
    better = _flow(cost, rule, proposed, now.potentials).cost < now.cost
    return proposed if better else sizes


def _search(
    cost: np.ndarray, rule: FairnessRule, sizes: np.ndarray, smallest: int, largest: int
) -> np.ndarray:
    n = len(cost)
    best = _flow(cost, rule, sizes, None)
    planes = [(best.cost, _slopes(best, rule, len(sizes)), sizes)]
    radius, failures = n / 4, 0
    for _ in range(_ROUNDS):
        proposed, promised = _propose(planes, sizes, smallest, largest, radius)
        if promised > best.cost - _ENOUGH * abs(best.cost) or failures == _FAILURES:
            break
        trial_sizes = apportion(proposed, n, smallest, largest)
        trial = _flow(cost, rule, trial_sizes, best.potentials)
        planes.append((trial.cost, _slopes(trial, rule, len(sizes)), trial_sizes))
        if trial.cost < best.cost:
            best, sizes, failures = trial, trial_sizes, 0
        else:
            radius, failures = 0.7 * radius, failures + 1
    return sizes


def _nudge(
    cost: np.ndarray, rule: FairnessRule, sizes: np.ndarray, smallest: int, largest: int
) -> np.ndarray:
    """Sizes with a few persons shifted to or from small clusters, wherever that lowers the cost.

    The bounds of a small cluster move by whole persons, which slopes do not describe.
    """
    best, tries = _flow(cost, rule, sizes, None), 0
    for step in _STEPS:
        lowered = True
        while lowered:
            lowered = False
            for giver, taker in permutations(range(len(sizes)), 2):
                possible = sizes[giver] - step >= smallest and sizes[taker] + step <= largest
                if tries == _TRIES or not possible or min(sizes[[giver, taker]]) > _SMALL_CLUSTER:
                    continue
                shifted = sizes.copy()
                shifted[giver] -= step
                shifted[taker] += step
                trial = _flow(cost, rule, shifted, best.potentials)
                tries += 1
                if trial.cost < best.cost:
                    best, sizes, lowered = trial, shifted, True
    return sizes


def _flow(
    cost: np.ndarray, rule: FairnessRule, sizes: np.ndarray, potentials: np.ndarray | None
) -> FlowResult:
    low, high = rule.cell_bounds(sizes)
    return solve_flow(cost, rule.attribute.codes, low, high, sizes, sizes, potentials=potentials)


def _slopes(flow: FlowResult, rule: FairnessRule, k: int) -> np.ndarray:
    """How the cost of the flow grows with the size of each cluster, shape (k,).

    One person more raises the cost by the price of the cluster, and moves the bounds of its
    cells. Each bound costs the difference between the cell's price and the cluster's: positive
    where the lower bound is active, negative where the upper one is.
    """
    cells, clusters = flow.potentials[: -k - 1].reshape(-1, k), flow.potentials[-k - 1 : -1]
    pressure = cells - clusters
    return clusters + rule.lower @ np.maximum(pressure, 0) + rule.upper @ np.minimum(pressure, 0)


def _propose(
    planes: list[tuple[float, np.ndarray, np.ndarray]],
    sizes: np.ndarray,
    smallest: int,
    largest: int,
    radius: float,
) -> tuple[np.ndarray, float]:
    """The sizes within the radius with the least cost by the planes; and that cost."""
    k = len(sizes)
    # Steps in units of the radius and costs in units of the largest slope keep HiGHS exact.
    scale = max(max(float(np.ptp(slopes)) for _, slopes, _ in planes), 1e-300) * radius
    base = min(value for value, _, _ in planes)
    rows = np.array([np.append(slopes * radius / scale, -1.0) for _, slopes, _ in planes])
    right = [(base - value - slopes @ (sizes - at)) / scale for value, slopes, at in planes]
    step = [
        (max(-1.0, (smallest - size) / radius), min(1.0, (largest - size) / radius))
        for size in sizes
    ]
    result = linprog(
        np.append(np.zeros(k), 1.0),
        A_ub=rows,
        b_ub=right,
        A_eq=np.append(np.ones(k), 0.0)[None],
        b_eq=[0.0],
        bounds=[*step, (None, None)],
        method="highs",
    )
    if result.x is None:  # pragma: no cover - no step at all is a solution
        return sizes, np.inf
    return np.clip(sizes + radius * result.x[:k], smallest, largest), base + scale * result.x[k]


def apportion(sizes: np.ndarray, n: int, smallest: int, largest: int | None = None) -> np.ndarray:
    """Whole sizes that sum to n, in proportion to the given ones above the floor.

    What would be above the ceiling is shared out among the others.
    """
    room = n - smallest * len(sizes)
    weights = np.maximum(sizes * (n / sizes.sum()) - smallest, 0.0)
    # Where all sizes are at the floor, the rest is spread evenly.
    weights = weights / weights.sum() if weights.sum() > 0 else np.full(len(sizes), 1 / len(sizes))
    exact = room * weights
    whole = np.floor(exact).astype(np.int64)
    order = np.argsort(whole - exact, kind="stable")
    whole[order[: room - int(whole.sum())]] += 1
    whole += smallest
    if largest is not None and (over := whole > largest).any():
        whole[over] = largest
        whole[~over] = apportion(sizes[~over], n - int(whole[over].sum()), smallest, largest)
    return whole


def _restrict(rule: FairnessRule, chosen: np.ndarray) -> FairnessRule:
    """The rule for some of the persons; its band is widened to hold the sample's own shares."""
    codes = rule.attribute.codes[chosen]
    attribute = Attribute(rule.attribute.name, codes, rule.attribute.categories)
    shares = population_shares(attribute.counts)
    return FairnessRule(
        attribute, rule.target, np.minimum(rule.lower, shares), np.maximum(rule.upper, shares)
    )
