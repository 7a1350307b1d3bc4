"""How many new persons of each kind go to each cluster, as programs for HiGHS in scipy.

A linear program in single people finds the numbers at the least cost, up to fractions of persons. A
mixed-integer program in the numbers alone, a few dozen, then finds the whole numbers next to these
of those with the fewest persons beyond the bounds, which is exact.

Few people move: the linear program begins with those who lose least by it, and its prices say who
else would gain by moving. When nobody would, its optimum is that of everyone.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from fairspectral.later.limits import Limits

# Seconds after which the best whole numbers so far are taken.
_SECONDS = 3.0
# Whole numbers are first looked for so many persons around the wanted ones, up to this part of the
# least distance from them.
_NEAR, _NEAR_GAP = 1, 0.1
# People who are added to the linear program at a time. Its time grows faster than their number;
# with fewer it is solved more often.
_STEP = 400
# How much more than all people one beyond the bounds costs where the program counts persons of mean
# weight: so that a thousandth of one is still worth any move.
_STEEP = 1000.0
# A smaller gain is a rounding error of the solver, whose own tolerance it is.
_GAIN = 1e-7


def cheapest_numbers(
    regret: np.ndarray, kind: np.ndarray, similar: np.ndarray, limits: Limits
) -> tuple[np.ndarray, bool]:
    """Persons of each kind in each cluster at the least cost, with fractions.

    Parameters
    ----------
    regret : ndarray of shape (m, k)
        Cost of each person in each cluster, from 0 in the most similar to 1.
    kind : integer ndarray of shape (m,)
        The kind of each person.
    similar : integer ndarray of shape (m,)
        The most similar cluster of each.
    limits : Limits
        The bounds; one person beyond them costs more than all people together.

    Returns
    -------
    numbers : ndarray of shape (q, k)
    solved : bool
        Whether they are at the least cost; otherwise the solver gave up, and the numbers are those
        of the most similar clusters, from which whole numbers within the bounds can be found too.
    """
    (m, k), (q, _) = regret.shape, limits.shape
    people = np.arange(m)
    others = np.arange(k) != similar[:, None]
    # A route is a kind with the clusters from which and to which it may move, as one number.
    routes = (kind * k + similar)[:, None] * k + np.arange(k)
    free = np.zeros(m, dtype=bool)
    free[_lowest(regret, routes, others)] = True
    while True:
        fixed = np.bincount((kind * k + similar)[~free], minlength=q * k).astype(np.float64)
        beyond = (m + 1.0) * (1.0 if limits.whole else _STEEP)
        found = _solve(regret[free], kind[free], fixed, limits, beyond)
        if found is None:
            stay = np.bincount(kind * k + similar, minlength=q * k).astype(np.float64)
            return stay.reshape(q, k), False
        numbers, prices = found
        paid = regret + prices[kind]
        gains = (paid[people, similar][:, None] - paid > _GAIN) & others & ~free[:, None]
        if not gains.any():
            return numbers, True
        free[_lowest(regret, routes, gains)] = True


def _lowest(regret: np.ndarray, routes: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The people who lose least by a move, in turn of every route.

    Parameters
    ----------
    regret : ndarray of shape (m, k)
        What a move costs.
    routes : integer ndarray of shape (m, k)
        The kind and both clusters of each move, as a number.
    allowed : bool ndarray of shape (m, k)
        The moves to look at.
    """
    person, to = np.nonzero(allowed)
    costs, route = regret[person, to], routes[person, to]
    order = np.lexsort((costs, route))
    _, first, count = np.unique(route[order], return_index=True, return_counts=True)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order)) - np.repeat(first, count)
    best = person[np.lexsort((costs, rank))]
    # Each person once, at the best rank.
    _, at = np.unique(best, return_index=True)
    return best[np.sort(at)[:_STEP]]


def _solve(
    regret: np.ndarray, kind: np.ndarray, fixed: np.ndarray, limits: Limits, beyond: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The linear program: persons of each kind in each cluster, and what one more would cost.

    Parameters
    ----------
    regret : ndarray of shape (f, k)
        Of the people who may move.
    kind : integer ndarray of shape (f,)
        Their kinds.
    fixed : ndarray of shape (q k,)
        Persons who stay, in each cell.
    limits : Limits
        The bounds.
    beyond : float
        The cost of one person beyond them.
    """
    (f, k), (q, _) = regret.shape, limits.shape
    places = np.arange(f * k)
    cell = np.repeat(kind, k) * k + np.tile(np.arange(k), f)
    count = sp.csr_array((np.ones(f * k), (cell, places)), shape=(q * k, f * k))
    once = sp.csr_array((np.ones(f * k), (places // k, places)), shape=(f, f * k))
    bounds, choices = limits.n_limits, limits.n_choices
    answer = linprog(
        np.concatenate([regret.ravel(), np.full(bounds, beyond), np.zeros(choices)]),
        A_ub=-sp.hstack([limits.of_cells @ count, limits.of_others], format="csr"),
        b_ub=limits.of_cells @ fixed - limits.least,
        A_eq=sp.hstack([once, sp.csr_array((f, bounds + choices))], format="csr"),
        b_eq=np.ones(f),
        bounds=[(0.0, 1.0)] * (f * k) + [(0.0, None)] * bounds + [(0.0, 1.0)] * choices,
        method="highs-ds",
    )
    if answer.x is None or answer.status != 0:
        return None
    prices = limits.of_cells.T @ answer.ineqlin.marginals
    return (fixed + count @ answer.x[: f * k]).reshape(q, k), prices.reshape(q, k)


def nearest_whole_numbers(wanted: np.ndarray, limits: Limits) -> tuple[np.ndarray, int | None]:
    """Whole numbers with the fewest persons beyond the bounds, of these the nearest to `wanted`.

    Parameters
    ----------
    wanted : ndarray of shape (q, k)
        From `cheapest_numbers`; its rows sum to whole numbers.
    limits : Limits
        The bounds.

    Returns
    -------
    persons : int64 ndarray of shape (q, k)
    fewest : int or None
        Their persons beyond the bounds, where no whole numbers have fewer; None where that is not
        proved.
    """
    (q, k), others = wanted.shape, limits.n_limits + limits.n_choices
    wanted = np.round(wanted, 6)
    totals = np.rint(wanted.sum(axis=1))
    price = 2.0 * float(totals.sum()) + 1.0  # of one person beyond, more than any distance
    price *= 1.0 if limits.whole else _STEEP
    # The variables are those of the limits, and then the distances from `wanted`.
    cells = sp.eye_array(q * k, format="csr")
    none = sp.csr_array((q * k, others))
    kinds = np.repeat(np.arange(q), k)
    sums = sp.csr_array((np.ones(q * k), (kinds, np.arange(q * k))), shape=(q, 2 * q * k + others))

    def box(least: np.ndarray, most: np.ndarray, beyond: float) -> Bounds:
        others = [np.full(limits.n_limits, beyond), np.ones(limits.n_choices)]
        low = np.concatenate([least, np.zeros(len(least) + sum(map(len, others)))])
        return Bounds(low, np.concatenate([most, *others, np.full(len(most), np.inf)]))

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
        integrality=np.concatenate([np.ones(q * k), np.full(limits.n_limits, limits.whole),
                                    np.ones(limits.n_choices), np.zeros(q * k)]),
    )  # fmt: skip
    options = {"time_limit": _SECONDS, "mip_rel_gap": 1e-9}
    # Mostly all bounds hold for whole numbers next to the wanted ones, which is a small program.
    near = wanted.ravel()
    answer = program(
        bounds=box(np.maximum(np.floor(near) - _NEAR, 0.0), np.ceil(near) + _NEAR, 0.0),
        options=options | {"mip_rel_gap": _NEAR_GAP},
    )
    if answer.x is None:
        anywhere = box(np.zeros(q * k), np.repeat(totals, k), np.inf)
        answer = program(bounds=anywhere, options=options)
        if answer.x is None:  # its presolve may fail by floating-point errors
            answer = program(bounds=anywhere, options=options | {"presolve": False})
    if answer.x is None:
        return _whole(wanted, totals), None
    persons = np.rint(answer.x[: q * k]).astype(np.int64).reshape(q, k)
    if not limits.whole:  # a count says whether all bounds hold; more the program does not prove
        return persons, None
    beyond = round(float(answer.x[q * k : q * k + limits.n_limits].sum()))
    bound = -np.inf if answer.mip_dual_bound is None else float(answer.mip_dual_bound)
    # At the time limit only the distance may be unsettled.
    proved = beyond == 0 or answer.status == 0 or bound > price * beyond - 1.0
    return persons, beyond if proved else None


def _whole(wanted: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Rounded so that the sums stay: the largest fractions are rounded up."""
    low = np.floor(wanted + 1e-9).astype(np.int64)
    for row, total, part in zip(low, totals, wanted - low, strict=True):
        row[np.argsort(-part, kind="stable")[: int(total) - int(row.sum())]] += 1
    return low
