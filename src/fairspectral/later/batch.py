"""New people placed within the bounds on the shares, beside those who are placed already.

Where the most similar clusters of all would break the bounds, `fairspectral.later.program` says how
many persons of each kind go to each cluster, and a minimum-cost flow says who.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairspectral.cells import Cells, count_cells, judge_cells
from fairspectral.later.limits import Limits
from fairspectral.later.placing import Placing
from fairspectral.later.program import cheapest, in_persons
from fairspectral.later.result import BatchAssignment, above
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import solve_flow

# Regrets for the solver, which takes differences below 1e-7 for none: the median is `_ORDINARY`,
# and those above 1 count as 1, so that a few very large ones do not make all others equal. Any move
# costs `_STAY` more, so that nobody moves for nothing.
_ORDINARY, _STAY = 1e-3, 1e-5


def place_within_bounds(
    placing: Placing,
    codes: np.ndarray,
    before: Sequence[np.ndarray],
    rules: Sequence[FairnessRule],
    ceiling: int | None = None,
) -> BatchAssignment:
    """Place a batch with the fewest persons beyond the bounds, at nearly the least cost.

    Parameters
    ----------
    placing : Placing
        Of m new people: their most similar cluster, and the cost of each.
    codes : integer ndarray of shape (m, a)
        Their groups.
    before : sequence of integer ndarray of shape (h, k)
        Persons who are placed already, for each attribute.
    rules : sequence of FairnessRule
        The bands of shares, for everyone together; they may be impossible.
    ceiling : int or None
        The most persons in a cluster.
    """
    labels, proved = placing.labels, True
    if _beyond(labels, codes, before, rules, ceiling):
        labels, fewest = _solve(placing, codes, before, rules, ceiling)
        # With a million people one person is within the tolerance of the solver: count again.
        beyond = _beyond(labels, codes, before, rules, ceiling)
        proved = beyond in (0, fewest)
    arrivals = _tables(labels, codes, before)
    parts = _judge(labels, codes, before, rules)
    return BatchAssignment.of(
        labels, placing.labels, arrivals, parts, rules,
        beyond_before=_beyond(labels[:0], codes[:0], before, rules, ceiling),
        ceiling=ceiling,
        proved=proved,
    )  # fmt: skip


def _tables(
    labels: np.ndarray, codes: np.ndarray, before: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """New persons in each cell, for each attribute."""
    return [count_cells(codes[:, a], labels, *table.shape) for a, table in enumerate(before)]


def _judge(
    labels: np.ndarray,
    codes: np.ndarray,
    before: Sequence[np.ndarray],
    rules: Sequence[FairnessRule],
) -> list[Cells]:
    new = _tables(labels, codes, before)
    return [judge(old + more, rule) for old, more, rule in zip(before, new, rules, strict=True)]


def judge(table: np.ndarray, rule: FairnessRule) -> Cells:
    """Put bounds on all cells: those of a fit, and for shares that cannot hold the band alone.

    In a fit the share of everyone is always allowed, which would excuse such a share in silence.
    """
    cells = judge_cells(table, rule.lower, rule.upper)
    below, above = (np.broadcast_to(one[:, None], table.shape) for one in rule.impossible)
    sizes = table.sum(axis=0)
    slip = 1e-9 + 1e-15 * sizes
    least = np.ceil(rule.lower[:, None] * sizes - slip).astype(np.int64)
    most = np.floor(rule.upper[:, None] * sizes + slip).astype(np.int64)
    lower = np.where(below, least, cells.lower)
    upper = np.where(above, most, cells.upper)
    # The bounds of a fit are at most the persons of the group; a least share may ask for more.
    return Cells(table, lower, np.where(below, np.maximum(upper, lower), upper))


def _beyond(
    labels: np.ndarray,
    codes: np.ndarray,
    before: Sequence[np.ndarray],
    rules: Sequence[FairnessRule],
    ceiling: int | None,
) -> int:
    """Persons beyond the bounds of all cells, and above the ceiling of all clusters."""
    parts = _judge(labels, codes, before, rules)
    return sum(int(part.beyond.sum()) for part in parts) + above(parts[0].table, ceiling)


def _solve(
    placing: Placing,
    codes: np.ndarray,
    before: Sequence[np.ndarray],
    rules: Sequence[FairnessRule],
    ceiling: int | None,
) -> tuple[np.ndarray, int | None]:
    """Labels of shape (m,), and the fewest persons beyond the bounds, None if not proved."""
    kinds, kind = np.unique(codes, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    regret = _regrets(placing)
    limits = Limits.of(kinds, len(regret), before, rules, ceiling)
    persons, fewest = in_persons(cheapest(regret, kind, placing.labels, limits), limits)
    sizes = persons.sum(axis=0)
    return solve_flow(regret, kind, persons, persons, sizes, sizes).labels, fewest


def _regrets(placing: Placing) -> np.ndarray:
    """What each person loses in each cluster, in units of the solver, shape (m, k)."""
    k = placing.costs.shape[1]
    own = placing.labels[:, None]
    regret = placing.costs - np.take_along_axis(placing.costs, own, axis=1)
    some = regret[regret > 0]
    if len(some):
        regret = np.minimum(regret * (_ORDINARY / np.median(some)), 1.0)
    return np.where(np.arange(k) == own, 0.0, regret + _STAY)
