"""New people placed within the bounds on the shares, beside those who are placed already.

Where the most similar clusters of all would break the bounds, `fairspectral.later.program` says how
many persons of each kind go to each cluster, and a minimum-cost flow says who.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairspectral.later.limits import Limits
from fairspectral.later.placing import Placing
from fairspectral.later.program import cheapest_numbers, nearest_whole_numbers
from fairspectral.later.result import BatchAssignment
from fairspectral.later.standing import Standing
from fairspectral.rounding.flow import solve_flow
from fairspectral.weighting import Weights

# Regrets for the solver, which takes differences below 1e-7 for none: the median is `_ORDINARY`,
# and those above 1 count as 1, so that a few very large ones do not make all others equal. Any move
# costs `_STAY` more, so that nobody moves for nothing.
_ORDINARY, _STAY = 1e-3, 1e-5


def place_within_bounds(
    placing: Placing, codes: np.ndarray, standing: Standing, weights: Weights | None = None
) -> BatchAssignment:
    """Place a batch with the fewest persons beyond the bounds, at nearly the least cost.

    Parameters
    ----------
    placing : Placing
        Of m new people: their most similar cluster, and the cost of each.
    codes : integer ndarray of shape (m, a)
        Their groups.
    standing : Standing
        The people so far, and the bounds on everyone together.
    weights : Weights or None
        Of the new people; then all counts are units of weight.
    """
    units = None if weights is None else weights.units
    labels, proved, nearly_cheapest = placing.labels, True, True
    found = standing.judge(labels, codes, units)
    if found.beyond:
        moved = _move(placing, codes, standing, units)
        labels, nearly_cheapest = moved.labels, moved.nearly_cheapest
        found = standing.judge(labels, codes, units)
        # With a million people one person is within the tolerance of the solver: count again.
        proved = found.beyond in (0, moved.fewest)
    return BatchAssignment.of(
        labels, placing.labels, found, standing,
        beyond_before=standing.judge(labels[:0], codes[:0]).beyond,
        proved=proved,
        nearly_cheapest=nearly_cheapest,
        unit=None if weights is None else weights.unit,
    )  # fmt: skip


@dataclass(frozen=True)
class _Moved:
    """A batch of which some are moved for the bounds.

    Attributes
    ----------
    labels : ndarray of shape (m,)
    fewest : int or None
        The fewest persons beyond the bounds, by the program; None where it did not prove it.
    nearly_cheapest : bool
        Whether the cost is nearly the least.
    """

    labels: np.ndarray
    fewest: int | None
    nearly_cheapest: bool


def _move(
    placing: Placing, codes: np.ndarray, standing: Standing, units: np.ndarray | None
) -> _Moved:
    each = np.ones(len(codes), dtype=np.int64) if units is None else units
    # People of the same groups and the same weight are of one kind.
    kinds, kind = np.unique(np.column_stack([codes, each]), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    regret = _regrets(placing)
    limits = Limits.of(kinds[:, :-1], kinds[:, -1], int(each.sum()), standing)
    wanted, solved = cheapest_numbers(regret, kind, placing.labels, limits)
    persons, fewest = nearest_whole_numbers(wanted, limits)
    sizes = persons.sum(axis=0)
    labels = solve_flow(regret, kind, persons, persons, sizes, sizes).labels
    return _Moved(labels, fewest, solved)


def _regrets(placing: Placing) -> np.ndarray:
    """What each person loses in each cluster, in units of the solver, shape (m, k)."""
    k = placing.costs.shape[1]
    own = placing.labels[:, None]
    regret = placing.costs - np.take_along_axis(placing.costs, own, axis=1)
    some = regret[regret > 0]
    if len(some):
        regret = np.minimum(regret * (_ORDINARY / np.median(some)), 1.0)
    return np.where(np.arange(k) == own, 0.0, regret + _STAY)
