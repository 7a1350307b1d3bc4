"""Fair assignment under several attributes, each with its own shares: overlapping groups.

With one attribute the bounds are those of a flow, whose optimum is integral; with several they
are not. But if the table of kinds (the combinations of groups) times clusters is given, the exact
flow with every cell fixed assigns the persons. Its cost is a convex function of the table, with
the flow's potentials as a subgradient: each flow gives, for each kind, a plane below that
function. So in turn

1. a linear program of the size of the table, with the planes as its cost and the bounds of all
   attributes, proposes a fractional table;
2. an integer program rounds it to whole persons, within the bounds or, if that is impossible,
   with the fewest persons outside them;
3. the flow assigns, and the cheapest assignment is kept

(Kelley's cutting planes, doi 10.1137/0108053, in a trust region). The first table is that of
the flow with bounds on every kind, which always exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from fairspectral.cells import bounds_in_persons, count_cells, persons_beyond, population_shares
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import FlowResult, solve_flow

# Tables that are tried by the first call and by later ones, which start from a good table, and
# the relative fall of the cost below which the search stops.
_ROUNDS, _LATER_ROUNDS, _ENOUGH = 10, 3, 1e-4
# Nodes that HiGHS may visit for one program: more rarely help. Not a time limit, since the labels
# must not depend on how busy the machine is.
_NODES = 200
# Relative gap to the best table at which HiGHS may stop: a nearby table is enough.
_GAP = 0.2


class _Planes(NamedTuple):
    """Each kind's cost at one table, and its slopes there: planes below the cost everywhere."""

    values: np.ndarray  # (H,)
    slopes: np.ndarray  # (H, k)
    table: np.ndarray  # (H, k)


class MarginalFlow:
    """The assignment for clusters of given sizes, as a function of the costs.

    Parameters
    ----------
    rules : sequence of FairnessRule
        One for each attribute.
    kinds : ndarray of shape (n,)
        The combination of groups of each person, 0 to H - 1.
    sizes : ndarray of shape (k,)
        Sizes of the clusters.
    """

    def __init__(self, rules: Sequence[FairnessRule], kinds: np.ndarray, sizes: np.ndarray) -> None:
        self._kinds, self._sizes = kinds, sizes
        self._counts = np.bincount(kinds)
        ranges = [rule.cell_bounds(sizes) for rule in rules]
        self._low = np.concatenate([low for low, _ in ranges])
        self._high = np.concatenate([high for _, high in ranges])
        _, first = np.unique(kinds, return_index=True)
        groups = [rule.attribute.codes[first] for rule in rules]
        # members[t, kind] = 1 where persons of that kind belong to group t.
        self._members = np.vstack(
            [
                np.eye(len(rule.target), dtype=np.int64)[:, group]
                for rule, group in zip(rules, groups, strict=True)
            ]
        )
        self._kind_bounds = _kind_bounds(rules, groups, self._counts, sizes)
        self._table: np.ndarray | None = None

    def resize(self, cost: np.ndarray) -> None:
        """Keep the sizes: with several attributes each choice would need a search of tables."""

    def __call__(self, cost: np.ndarray, potentials: np.ndarray | None = None) -> FlowResult:
        """Assign every person; later calls start from the table of the one before."""
        rounds = _ROUNDS if self._table is None else _LATER_ROUNDS
        best, table = self._begin(cost, potentials)
        planes = [self._planes(cost, best, table)]
        radius = max(1, int(self._counts.max()) // 4)
        for _ in range(rounds):
            wanted, promised = self._propose(planes, table, radius)
            if promised > best.cost - _ENOUGH * abs(best.cost):
                break
            whole = self._whole(wanted)
            if whole is None:
                break
            trial = self._flow(cost, whole, whole, best.potentials)
            planes.append(self._planes(cost, trial, whole))
            if trial.cost < best.cost and self._outside(whole) <= self._outside(table):
                best, table = trial, whole
            else:
                radius = max(1, radius // 2)
        self._table = table
        return best

    def _begin(
        self, cost: np.ndarray, potentials: np.ndarray | None
    ) -> tuple[FlowResult, np.ndarray]:
        """An assignment to start from, and its table of kinds times clusters."""
        if self._table is not None:
            return self._flow(cost, self._table, self._table, potentials), self._table
        flow = self._flow(cost, *self._kind_bounds, potentials)
        table = count_cells(self._kinds, flow.labels, len(self._counts), len(self._sizes))
        # Bounds on kinds imply those on groups, up to rounding each kind to whole persons.
        whole = self._whole(table) if self._outside(table) else None
        if whole is None:
            return flow, table
        return self._flow(cost, whole, whole, flow.potentials), whole

    def _outside(self, table: np.ndarray) -> int:
        """Total number of persons by which a table is outside the bounds."""
        return int(persons_beyond(self._members @ table, self._low, self._high).sum())

    def _flow(
        self, cost: np.ndarray, low: np.ndarray, high: np.ndarray, potentials: np.ndarray | None
    ) -> FlowResult:
        return solve_flow(
            cost, self._kinds, low, high, self._sizes, self._sizes, potentials=potentials
        )

    def _planes(self, cost: np.ndarray, flow: FlowResult, table: np.ndarray) -> _Planes:
        chosen = np.take_along_axis(cost, flow.labels[:, None], axis=1)[:, 0]
        values = np.bincount(self._kinds, weights=chosen, minlength=len(self._counts))
        return _Planes(values, flow.potentials[: table.size].reshape(table.shape), table)

    # --- the two programs -----------------------------------------------------------------

    def _propose(
        self, planes: list[_Planes], table: np.ndarray, radius: int
    ) -> tuple[np.ndarray, float]:
        """The fractional table near the given one with the least cost by the planes; that cost.

        Unknowns: the table, and the cost of each kind, which lies above all its planes.
        """
        n_kinds = len(self._counts)
        # Shift and scale costs to order one: HiGHS is silently wrong on badly scaled ones.
        base = np.min([plane.values for plane in planes], axis=0)
        scale = max(max(float(np.ptp(plane.slopes)) for plane in planes), 1e-300)
        now = self._members @ table  # where it is outside the bounds, the next one may be too
        totals, group = self._table_rows()
        constraints = [
            _constraint(totals, self._totals(), self._totals(), n_kinds),
            _constraint(group, np.minimum(self._low, now), np.maximum(self._high, now), n_kinds),
        ]
        for plane in planes:
            slopes = plane.slopes / scale
            # Stack sparse arrays only: with dense rows scipy returns a sparse matrix.
            by_kind = sp.block_diag([sp.coo_array(row[None, :]) for row in slopes])
            above = sp.hstack([-by_kind, sp.eye_array(n_kinds)])
            constant = (plane.values - base) / scale - np.sum(slopes * plane.table, axis=1)
            constraints.append(LinearConstraint(above.tocsr(), constant, np.inf))
        free = np.full(n_kinds, np.inf)
        solution = _solve(
            np.concatenate([np.zeros(table.size), np.ones(n_kinds)]),
            constraints,
            np.concatenate([np.maximum(table.ravel() - radius, 0), -free]),
            np.concatenate([np.minimum(table.ravel() + radius, self._ceiling()), free]),
            n_whole=0,
        )
        if solution is None:  # pragma: no cover - the table itself is a solution
            return table, np.inf
        promised = base.sum() + scale * solution[table.size :].sum()
        return solution[: table.size].reshape(table.shape), float(promised)

    def _whole(self, wanted: np.ndarray) -> np.ndarray | None:
        """A table of whole persons near a fractional one, within the bounds if possible.

        Every cell is rounded down or up, or by up to two persons more if that is outside the
        bounds. None if HiGHS finds nothing within its limit.
        """
        low, high = np.floor(wanted + 1e-6).ravel(), np.ceil(wanted - 1e-6).ravel()
        best: np.ndarray | None = None
        for reach in (0, 2):
            bottom = np.maximum(low - reach, 0)
            table = self._round(wanted, bottom, np.minimum(high + reach, self._ceiling()))
            if table is not None and (best is None or self._outside(table) < self._outside(best)):
                best = table
            if best is not None and not self._outside(best):
                break
        return best

    def _round(self, wanted: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
        """The integer program.

        Unknowns: the persons in each cell above `low`, and those missing or too many in each
        group and cluster, which cost more than all cells together. As all tables have the same
        sum, costs of cells may be counted from zero, and the relative gap to the optimum means
        the same for all of them.
        """
        cells, groups = wanted.size, self._low.size
        distance = 1 + (low + high - 2 * wanted.ravel()) / np.maximum(high - low, 1)
        totals, group = self._table_rows()
        slack = sp.eye_array(groups)
        sums = self._totals() - totals @ low
        least, most = (np.ravel(bound) - group @ low for bound in (self._low, self._high))
        constraints = [
            _constraint(totals, sums, sums, 2 * groups),
            _constraint(sp.hstack([group, slack, -slack]), least, most, 0),
        ]
        solution = _solve(
            np.concatenate([distance, np.full(2 * groups, 2.0 * (high - low).sum() + 1)]),
            constraints,
            np.zeros(cells + 2 * groups),
            np.concatenate([high - low, np.full(2 * groups, np.inf)]),
            n_whole=cells,
        )
        if solution is None:
            return None
        return (low + np.rint(solution[:cells])).astype(np.int64).reshape(wanted.shape)

    def _table_rows(self) -> tuple[Any, Any]:
        """Matrices on the flattened table: its row and column sums, and its groups."""
        n_kinds, k = len(self._counts), len(self._sizes)
        one = sp.eye_array(k)
        rows = sp.kron(sp.eye_array(n_kinds), np.ones((1, k)))
        columns = sp.kron(np.ones((1, n_kinds)), one)
        return sp.vstack([rows, columns]), sp.kron(self._members, one)

    def _totals(self) -> np.ndarray:
        return np.concatenate([self._counts, self._sizes])

    def _ceiling(self) -> np.ndarray:
        return np.minimum(self._counts[:, None], self._sizes).ravel()


def _kind_bounds(
    rules: Sequence[FairnessRule], groups: list[np.ndarray], counts: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds on every kind that imply those on the groups, up to rounding to whole persons."""
    below, above = np.zeros(len(counts)), np.full(len(counts), np.inf)
    for rule, group in zip(rules, groups, strict=True):
        population = population_shares(rule.attribute.counts)
        below = np.maximum(below, (rule.lower / population)[group])
        above = np.minimum(above, (rule.upper / population)[group])
    n = counts.sum()
    return bounds_in_persons(below * counts / n, np.minimum(above * counts / n, 1), counts, sizes)


def _constraint(matrix: Any, low: Any, high: Any, n_more: int) -> LinearConstraint:
    """A constraint on the first unknowns, with ``n_more`` after them."""
    padded = sp.hstack([matrix, sp.csr_array((matrix.shape[0], n_more))], format="csr")
    return LinearConstraint(padded, np.ravel(low), np.ravel(high))


def _solve(
    costs: np.ndarray,
    constraints: list[LinearConstraint],
    low: np.ndarray,
    high: np.ndarray,
    *,
    n_whole: int,
) -> np.ndarray | None:
    """Minimise with the first ``n_whole`` unknowns whole; None if nothing was found."""
    whole = np.concatenate([np.ones(n_whole), np.zeros(len(costs) - n_whole)])
    options = {"node_limit": _NODES, "mip_rel_gap": _GAP}
    return milp(
        costs, constraints=constraints, bounds=Bounds(low, high), integrality=whole, options=options
    ).x
