"""How many new persons of each kind go to each cluster, as programs for HiGHS in scipy.

A kind is a combination of groups. The bounds of a cell depend on the size of its cluster, which the
new people change; as conditions on persons of each kind in each cluster they are linear. A linear
program in single people finds the numbers at the least cost, up to fractions of persons. A
mixed-integer program in the numbers alone, a few dozen, then finds the whole numbers next to these
of those with the fewest persons beyond the bounds, which is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from fairspectral.rounding.bounds import FairnessRule

# Seconds after which the best whole numbers so far are taken.
_SECONDS = 3.0


@dataclass(frozen=True)
class _Limit:
    """One side of a cell's bounds: ``sign (T - slope m) + y >= offset`` in one of its forms.

    T persons of the cell in a cluster of m have y persons beyond it. Either form is enough where
    there are two: the band of shares, or whole persons around the share of everyone.
    """

    sign: int
    attribute: int
    group: int
    cluster: int
    forms: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Limits:
    """All limits as ``matrix @ (t, y, z) >= least``.

    Attributes
    ----------
    matrix : csr_array of shape (r, q k + l + d)
        t are the new persons of q kinds in k clusters, row by row; y the persons beyond each of l
        limits; z, for each of d limits with two forms, which of them holds.
    least : ndarray of shape (r,)
    shape : tuple of int
        (q, k).
    n_limits, n_choices : int
        l and d.
    """

    matrix: sp.csr_array
    least: np.ndarray
    shape: tuple[int, int]
    n_limits: int
    n_choices: int

    @classmethod
    def of(
        cls,
        kinds: np.ndarray,
        m: int,
        before: Sequence[np.ndarray],
        rules: Sequence[FairnessRule],
    ) -> Limits:
        """The limits for m new people.

        Parameters
        ----------
        kinds : integer ndarray of shape (q, a)
            The group of each kind, for each attribute.
        m : int
            The number of new people.
        before : sequence of integer ndarray of shape (h, k)
            Persons who are placed already, for each attribute.
        rules : sequence of FairnessRule
            The bands of shares of everyone, the new people included.
        """
        q, k = len(kinds), before[0].shape[1]
        limits = _limits(before, rules, m)
        large = float(before[0].sum() + m)
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        least: list[float] = []
        choices = 0
        for i, limit in enumerate(limits):
            table = before[limit.attribute]
            member = kinds[:, limit.attribute] == limit.group
            held, size = table[limit.group, limit.cluster], table[:, limit.cluster].sum()
            for form, (slope, offset) in enumerate(limit.forms):
                own = [*(np.arange(q) * k + limit.cluster), q * k + i]
                factors = [*(limit.sign * (member - slope)), 1.0]
                bound = offset - limit.sign * (held - slope * size)
                if len(limit.forms) > 1:  # the first form holds where z = 0, the other where z = 1
                    own.append(q * k + len(limits) + choices)
                    factors.append(-large if form else large)
                    bound -= large if form else 0.0
                rows += [len(least)] * len(own)
                columns += own
                values += factors
                least.append(float(bound))
            choices += len(limit.forms) > 1
        shape = (len(least), q * k + len(limits) + choices)
        matrix = sp.csr_array((values, (rows, columns)), shape=shape)
        return cls(matrix, np.array(least), (q, k), len(limits), choices)


def _limits(before: Sequence[np.ndarray], rules: Sequence[FairnessRule], m: int) -> list[_Limit]:
    """The bounds of `fairspectral.cells.cell_range`, which have a band and whole persons."""
    found = []
    for a, (table, rule) in enumerate(zip(before, rules, strict=True)):
        counts = rule.attribute.counts
        n = int(counts.sum())
        for s, share in enumerate((counts / n).tolist()):
            for sign, end in ((1, float(rule.lower[s])), (-1, float(rule.upper[s]))):
                if end == (0.0 if sign > 0 else 1.0):
                    continue  # no limit
                band, persons = (end, -1e-9), (share, 1.0 / n - 1.0)
                for c, size in enumerate(table.sum(axis=0).tolist()):
                    # From some size on the band is the wider of the two.
                    wider = [abs(end - share) * x >= 1.0 - 1.0 / n for x in (size, size + m)]
                    forms = (band,) if all(wider) else (band, persons) if any(wider) else (persons,)
                    found.append(_Limit(sign, a, s, c, forms))
    return found


def cheapest(costs: np.ndarray, kind: np.ndarray, limits: Limits) -> np.ndarray:
    """Persons of each kind in each cluster at the least cost, with fractions, shape (q, k).

    Parameters
    ----------
    costs : ndarray of shape (m, k)
        Cost of each person in each cluster.
    kind : integer ndarray of shape (m,)
        The kind of each person.
    limits : Limits
        The bounds; one person beyond them costs more than all people together.
    """
    (m, k), (q, _) = costs.shape, limits.shape
    regret = costs - costs.min(axis=1, keepdims=True)
    regret = regret / max(float(regret.max()), 1e-300)
    places = np.arange(m * k)
    cell = np.repeat(kind, k) * k + np.tile(np.arange(k), m)
    count = sp.csr_array((np.ones(m * k), (cell, places)), shape=(q * k, m * k))
    once = sp.csr_array((np.ones(m * k), (places // k, places)), shape=(m, m * k))
    others = limits.n_limits + limits.n_choices
    free = limits.matrix[:, q * k :]
    answer = linprog(
        np.concatenate([regret.ravel(), np.full(limits.n_limits, m + 1.0),
                        np.zeros(limits.n_choices)]),
        A_ub=-sp.hstack([limits.matrix[:, : q * k] @ count, free], format="csr"),
        b_ub=-limits.least,
        A_eq=sp.hstack([once, sp.csr_array((m, others))], format="csr"),
        b_eq=np.ones(m),
        bounds=[(0.0, 1.0)] * (m * k) + [(0.0, None)] * limits.n_limits
        + [(0.0, 1.0)] * limits.n_choices,
        method="highs-ds",
    )  # fmt: skip
    if answer.x is None:  # a limit of the solver; the nearest clusters are a start too
        return np.asarray(count @ (regret == 0).astype(np.float64).ravel()).reshape(q, k)
    return np.asarray(count @ answer.x[: m * k]).reshape(q, k)


def in_persons(wanted: np.ndarray, limits: Limits) -> tuple[np.ndarray, bool]:
    """Whole numbers with the fewest persons beyond the bounds, of these the nearest to `wanted`.

    Parameters
    ----------
    wanted : ndarray of shape (q, k)
        From `cheapest`; its rows sum to whole numbers.
    limits : Limits
        The bounds.

    Returns
    -------
    persons : int64 ndarray of shape (q, k)
    proved : bool
        Whether no whole numbers have fewer persons beyond the bounds.
    """
    (q, k), others = wanted.shape, limits.n_limits + limits.n_choices
    wanted = np.round(wanted, 6)
    totals = np.rint(wanted.sum(axis=1))
    price = 2.0 * float(totals.sum()) + 1.0  # of one person beyond, more than any distance
    # The variables are those of the limits, and then the distances from `wanted`.
    cells = sp.eye_array(q * k, format="csr")
    none = sp.csr_array((q * k, others))
    kinds = np.repeat(np.arange(q), k)
    sums = sp.csr_array((np.ones(q * k), (kinds, np.arange(q * k))), shape=(q, 2 * q * k + others))
    program = partial(
        milp,
        np.concatenate([np.zeros(q * k), np.full(limits.n_limits, price),
                        np.zeros(limits.n_choices), np.ones(q * k)]),
        constraints=[
            LinearConstraint(sums, totals, totals),
            LinearConstraint(sp.hstack([limits.matrix, sp.csr_array((len(limits.least), q * k))]),
                             limits.least, np.inf),
            LinearConstraint(sp.hstack([cells, none, cells]), wanted.ravel(), np.inf),
            LinearConstraint(sp.hstack([-cells, none, cells]), -wanted.ravel(), np.inf),
        ],
        bounds=Bounds(0.0, np.concatenate([np.repeat(totals, k), np.full(limits.n_limits, np.inf),
                                           np.ones(limits.n_choices), np.full(q * k, np.inf)])),
        integrality=np.concatenate([np.ones(q * k + others), np.zeros(q * k)]),
    )  # fmt: skip
    options = {"time_limit": _SECONDS, "mip_rel_gap": 1e-9}
    answer = program(options=options)
    if answer.x is None:  # its presolve may fail by floating-point errors
        answer = program(options=options | {"presolve": False})
    if answer.x is None:
        return _whole(wanted, totals), False
    persons = np.rint(answer.x[: q * k]).astype(np.int64).reshape(q, k)
    beyond = round(float(answer.x[q * k : q * k + limits.n_limits].sum()))
    bound = -np.inf if answer.mip_dual_bound is None else float(answer.mip_dual_bound)
    # At the time limit only the distance may be unsettled.
    return persons, beyond == 0 or answer.status == 0 or bound > price * beyond - 1.0


def _whole(wanted: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Rounded so that the sums stay: the largest fractions are rounded up."""
    low = np.floor(wanted + 1e-9).astype(np.int64)
    for row, total, part in zip(low, totals, wanted - low, strict=True):
        row[np.argsort(-part, kind="stable")[: int(total) - int(row.sum())]] += 1
    return low
