"""From a fairness rule in shares to whole numbers of persons in every cell (group, cluster).

A rule gives each group s a band of shares ``[a_s, b_s]`` that it must have in every cluster.
The population's own share ``z_s = n_s / n`` must lie in the band, for the clusters together
are the population. In a cluster of m persons the bounds on the cell are

    L = min(ceil(a_s m), floor(z_s m)),    U = max(floor(b_s m), ceil(z_s m)),

so that the fractional table ``z_s m`` satisfies them, and with it, the bounds being those of a
flow, a table of whole persons. A cell can thus leave its band by less than one person, and
only where the band holds no suitable whole number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from fairspectral.parameters import check_choice, is_boolean
from fairspectral.validation import Attribute

BOUNDS = ("two-sided", "lower")
# Groups too small for every cluster that are told one by one.
_NAMED = 3


@dataclass(frozen=True)
class FairnessRule:
    """The band of shares that each group must have in every cluster.

    Attributes
    ----------
    attribute : Attribute
        The groups, h of them.
    target : ndarray of shape (h,)
        The share at the middle of the band.
    lower, upper : ndarray of shape (h,)
        The band; ``lower <= population share <= upper``.
    lower_only : bool
        Whether too many of a group are nobody's concern.
    """

    attribute: Attribute
    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    lower_only: bool = False

    def cell_bounds(self, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest number of persons of each group in clusters of these sizes.

        Parameters
        ----------
        sizes : integer ndarray of shape (k,)

        Returns
        -------
        lower, upper : int64 ndarray of shape (h, k)
        """
        counts, n = self.attribute.counts, len(self.attribute.codes)
        low = np.empty((len(counts), len(sizes)), dtype=np.int64)
        high = np.empty_like(low)
        for s, count in enumerate(counts.tolist()):
            for cluster, size in enumerate(sizes.tolist()):
                low[s, cluster], high[s, cluster] = cell_range(
                    self.lower[s], self.upper[s], count, n, size
                )
        return low, high

    def relaxed(self, tolerance: float) -> FairnessRule:
        """The rule with a band that reaches at least so far around the population's shares."""
        shares = self.attribute.counts / len(self.attribute.codes)
        lower = np.minimum(self.lower, (1 - tolerance) * shares)
        upper = np.maximum(self.upper, np.minimum((1 + tolerance) * shares, 1.0))
        return replace(self, lower=lower, upper=upper)

    def achieved(self, table: np.ndarray) -> float:
        """Largest relative deviation of a cell from its target share.

        Too many of a group do not count where only too few are forbidden.

        Parameters
        ----------
        table : integer ndarray of shape (h, k)
            Persons of each group in each cluster.
        """
        wanted = self.target[:, None] * table.sum(axis=0)
        deviation = wanted - table if self.lower_only else np.abs(table - wanted)
        deviation = np.divide(deviation, wanted, where=wanted > 0, out=np.zeros_like(wanted))
        return float(np.max(deviation, initial=0.0))

    def persons_outside(self, table: np.ndarray) -> float:
        """By how many persons, fractions included, the worst cell is outside its band."""
        sizes = table.sum(axis=0)
        missing = self.lower[:, None] * sizes - table
        too_many = table - self.upper[:, None] * sizes
        # The band itself is known to rounding only.
        worst = float(max(missing.max(), too_many.max()))
        return worst if worst > 1e-9 * max(1, sizes.max()) else 0.0

    def shortages(self, n_clusters: int) -> tuple[str, ...]:
        """What whole persons make impossible, one sentence for each of the first groups too small.

        The groups after those are counted in a last sentence.
        """
        notes = []
        for s, count in enumerate(self.attribute.counts.tolist()):
            if count < n_clusters and self.lower[s] > 0:
                name = self.attribute.categories[s]
                notes.append(
                    f"group {name!r} has {count} person(s) for {n_clusters} clusters, so at least "
                    f"{n_clusters - count} cluster(s) have none of it; n_clusters of at most "
                    f"{count} would give it a share in each."
                )
        more = len(notes) - _NAMED
        if more > 1:
            few = f"{more} further groups of {self.attribute.name!r} have fewer persons than there"
            notes[_NAMED:] = [f"{few} are clusters; put small groups together."]
        return tuple(notes)


def cell_range(lower: float, upper: float, count: int, n: int, size: int) -> tuple[int, int]:
    """Bounds on a cell: a group of ``count`` among ``n`` persons, a cluster of ``size``.

    Plain scalar code, because the refinement compiles this very function.
    """
    # A product such as 0.8 * 5 may be off by rounding; no band is decided by that.
    slip = 1e-9 + 1e-15 * size
    low = min(math.ceil(lower * size - slip), count * size // n)
    high = max(math.floor(upper * size + slip), -(-count * size // n))
    return max(low, 0), min(high, count, size)


def cross_table(codes: np.ndarray, labels: np.ndarray, n_groups: int, k: int) -> np.ndarray:
    """Persons of each group in each cluster, shape (h, k)."""
    cells = np.bincount(codes.astype(np.int64) * k + labels, minlength=n_groups * k)
    return cells.reshape(n_groups, k).astype(np.int64)


def make_rule(
    attribute: Attribute,
    n_clusters: int,
    *,
    fairness_tol: float | None = 0.2,
    bounds: str = "two-sided",
    target_proportions: Any = None,
    lower: Any = None,
    upper: Any = None,
) -> FairnessRule:
    """Read the user's wish and refuse, in numbers, what cannot be.

    Parameters
    ----------
    attribute : Attribute
        The groups.
    n_clusters : int
        The number of clusters.
    fairness_tol : float or None
        The band is ``(1 ± fairness_tol)`` times the target share; None sets no band.
    bounds : {"two-sided", "lower"}
        ``"lower"`` guards against under-representation only.
    target_proportions : array of shape (h,), mapping from group to share, or None
        The target shares; None means the population's.
    lower, upper : array of shape (h,), mapping from group to share, or None
        Shares that replace the band's ends for the groups that are named.
    """
    check_choice(bounds, BOUNDS, "bounds")
    counts = attribute.counts
    population = counts / counts.sum()
    target = _target(target_proportions, attribute, population)
    low, high = np.zeros(len(counts)), np.ones(len(counts))
    if fairness_tol is not None:
        check_fairness_tol(fairness_tol)
        low = np.maximum((1 - fairness_tol) * target, 0.0)
        if bounds == "two-sided":
            high = np.minimum((1 + fairness_tol) * target, 1.0)
        _check_target(fairness_tol, attribute, target, low, high, population)
    _override(low, lower, "lower", attribute)
    _override(high, upper, "upper", attribute)
    _check_explicit(attribute, n_clusters, low, high, population, lower)
    return FairnessRule(attribute, target, low, high, lower_only=bounds == "lower")


def _target(given: Any, attribute: Attribute, population: np.ndarray) -> np.ndarray:
    if given is None:
        return population
    target = np.full(len(population), np.nan)
    _override(target, given, "target_proportions", attribute)
    if np.isnan(target).any():
        name = attribute.categories[int(np.argmax(np.isnan(target)))]
        raise ValueError(
            f"target_proportions has no share for group {name!r}; give one for each of the "
            f"{len(target)} groups."
        )
    if abs(target.sum() - 1) > 1e-6:
        raise ValueError(
            f"target_proportions sums to {target.sum():g}; the shares of all groups must sum to 1."
        )
    return target


def check_fairness_tol(fairness_tol: Any) -> None:
    """Refuse a tolerance that is no number, negative or infinite; None is no constraint."""
    if fairness_tol is None:
        return
    number = isinstance(fairness_tol, Real) and not is_boolean(fairness_tol)
    if not (number and 0 <= fairness_tol < math.inf):
        raise ValueError(
            f"fairness_tol={fairness_tol!r} must be a number of at least 0 (0.2 is the "
            "four-fifths rule), or None for no constraint."
        )


def _override(shares: np.ndarray, given: Any, name: str, attribute: Attribute) -> None:
    """Write the user's shares, by position or by the group's name, over the present ones."""
    if given is None:
        return
    if isinstance(given, Mapping):
        for group, share in given.items():
            if group not in attribute.categories:
                known = ", ".join(map(repr, attribute.categories[:10]))
                raise ValueError(
                    f"{name} names the unknown group {group!r}; the groups are {known}."
                )
            _check_share(share, name, group)
            shares[attribute.categories.index(group)] = share
    else:
        values = np.asarray(given, dtype=object)
        if values.shape != shares.shape:
            raise ValueError(
                f"{name} has shape {values.shape}; give one share for each of the "
                f"{len(shares)} groups, or a mapping from group to share."
            )
        for group, share in zip(attribute.categories, values.tolist(), strict=True):
            _check_share(share, name, group)
        shares[:] = values


def _check_share(share: Any, name: str, group: Any) -> None:
    if is_boolean(share) or not isinstance(share, Real) or not 0 <= float(share) <= 1:
        shown = f"{share:g}" if isinstance(share, Real) else repr(share)
        raise ValueError(
            f"{name} of group {group!r} is {shown}; a share is a number between 0 and 1."
        )


def _check_target(
    tolerance: float,
    attribute: Attribute,
    target: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    population: np.ndarray,
) -> None:
    """The population must lie in the band around the target: all clusters together are it."""
    outside = (population < low - 1e-12) | (population > high + 1e-12)
    if outside.any():
        worst = np.abs(population / np.maximum(target, 1e-300) - 1)[outside].max()
        unwanted = outside & (target == 0)  # no tolerance admits those
        at = int(np.argmax(unwanted if unwanted.any() else outside))
        closest = (
            f"the smallest fairness_tol that is possible is {worst:.4g}"
            if worst < 1e6
            else "give that group a positive target"
        )
        raise ValueError(
            f"target_proportions asks for a share of {low[at]:.4g} to {high[at]:.4g} of group "
            f"{attribute.categories[at]!r} in every cluster, but it is {population[at]:.4g} of the "
            f"whole population ({attribute.counts[at]} of {attribute.counts.sum()}), at tolerance "
            f"{tolerance:g}; {closest}."
        )


def _check_explicit(
    attribute: Attribute,
    n_clusters: int,
    low: np.ndarray,
    high: np.ndarray,
    population: np.ndarray,
    lower: Any,
) -> None:
    """What the user's own lower and upper shares make impossible."""
    if lower is None:
        named = ()
    else:
        named = tuple(lower) if isinstance(lower, Mapping) else attribute.categories
    for s, name in enumerate(attribute.categories):
        count, n = int(attribute.counts[s]), len(attribute.codes)
        has = f"but it has {count} of {n} persons ({population[s]:.4g})"
        if low[s] > population[s] + 1e-12:
            raise ValueError(
                f"lower asks for a share of {low[s]:.4g} of group {name!r} in every cluster, "
                f"{has}; the largest possible lower share is {population[s]:.4g}."
            )
        if high[s] < population[s] - 1e-12:
            raise ValueError(
                f"upper allows a share of {high[s]:.4g} of group {name!r} in every cluster, "
                f"{has}; the smallest possible upper share is {population[s]:.4g}."
            )
        if name in named and low[s] > 0 and count < n_clusters:
            raise ValueError(
                f"lower asks for a share of group {name!r} in each of {n_clusters} clusters, but "
                f"it has only {count} person(s); choose n_clusters of at most {count}, or leave "
                "the group out of lower, and it is spread as evenly as whole persons allow."
            )
