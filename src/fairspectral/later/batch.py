"""New people placed within the bounds on the shares, beside those who are placed already.

Where the most similar clusters of all would break the bounds, `fairspectral.later.program` says how
many persons of each kind go to each cluster, and a minimum-cost flow says who.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairspectral.cells import Cells, count_cells, judge_cells
from fairspectral.later.placing import Placing
from fairspectral.later.program import Limits, cheapest, in_persons
from fairspectral.later.result import BatchAssignment
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import solve_flow

# People that are placed in one program; of more, the first so many are placed before the next.
_MOST = 2_000


def place_within_bounds(
    placing: Placing,
    codes: np.ndarray,
    before: Sequence[np.ndarray],
    rules: Sequence[FairnessRule],
) -> BatchAssignment:
    """Place a batch at the least cost, with as few persons as possible beyond the bounds.

    Parameters
    ----------
    placing : Placing
        Of m new people: their most similar cluster, and the cost of each.
    codes : integer ndarray of shape (m, a)
        Their groups.
    before : sequence of integer ndarray of shape (h, k)
        Persons who are placed already, for each attribute.
    rules : sequence of FairnessRule
        The bands of shares, for everyone together.
    """
    labels, proved = placing.labels.copy(), True
    if _beyond(labels, codes, before, rules):
        counted = [table.copy() for table in before]
        for start in range(0, len(labels), _MOST):
            part = slice(start, start + _MOST)
            labels[part], sure = _solve(placing.costs[part], codes[part], counted, rules)
            proved = proved and sure and len(labels) <= _MOST
            for table, new in zip(counted, _tables(labels[part], codes[part], before), strict=True):
                table += new
        proved = proved or not _beyond(labels, codes, before, rules)
    arrivals = _tables(labels, codes, before)
    parts = _judge(labels, codes, before, rules)
    return BatchAssignment.of(
        labels, placing.labels, arrivals, parts, rules,
        beyond_before=sum(_persons(part) for part in _judge(labels[:0], codes[:0], before, rules)),
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
    return [
        judge_cells(old + more, rule.lower, rule.upper)
        for old, more, rule in zip(before, new, rules, strict=True)
    ]


def _persons(cells: Cells) -> int:
    return int(cells.beyond.sum())


def _beyond(
    labels: np.ndarray,
    codes: np.ndarray,
    before: Sequence[np.ndarray],
    rules: Sequence[FairnessRule],
) -> int:
    return sum(_persons(part) for part in _judge(labels, codes, before, rules))


def _solve(
    costs: np.ndarray,
    codes: np.ndarray,
    before: Sequence[np.ndarray],
    rules: Sequence[FairnessRule],
) -> tuple[np.ndarray, bool]:
    """Labels of shape (m,), and whether nothing has fewer persons beyond the bounds."""
    kinds, kind = np.unique(codes, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    limits = Limits.of(kinds, len(costs), before, rules)
    persons, proved = in_persons(cheapest(costs, kind, limits), limits)
    sizes = persons.sum(axis=0)
    return solve_flow(costs, kind, persons, persons, sizes, sizes).labels, proved
