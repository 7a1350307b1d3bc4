"""Rules of fairness: the user's band of shares for each group, read and validated.

`fairspectral.cells` turns a band into whole persons and decides which cells are outside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from fairspectral.cells import (
    Cells,
    bounds_in_persons,
    count_cells,
    judge_cells,
    persons_beyond,
    population_shares,
    tolerance_band,
)
from fairspectral.parameters import check_choice, is_boolean
from fairspectral.validation import Attribute

BOUNDS = ("two-sided", "lower")
# Number of groups with fewer persons than clusters that are named one by one.
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
        The band; ``lower <= population share <= upper``, unless `make_rule` refused nothing.
    lower_only : bool
        Whether any number above the target is allowed.
    """

    attribute: Attribute
    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    lower_only: bool = False

    @property
    def impossible(self) -> tuple[np.ndarray, np.ndarray]:
        """Groups whose share of everyone is below the band, and those above it, shape (h,) each."""
        shares = population_shares(self.attribute.counts)
        return shares < self.lower - 1e-12, shares > self.upper + 1e-12

    def count(self, labels: np.ndarray, k: int) -> np.ndarray:
        """Persons of each group in each of k clusters, or units of weight, shape (h, k)."""
        weights = self.attribute.weights
        units = None if weights is None else weights.units
        return count_cells(self.attribute.codes, labels, len(self.target), k, units)

    def judge(self, labels: np.ndarray, k: int) -> Cells:
        """The cells of a clustering with their bounds, for the sizes that its clusters have."""
        return judge_cells(self.count(labels, k), self.lower, self.upper, self.attribute.largest)

    def cell_bounds(self, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest number of persons of each group in clusters of these sizes.

        Parameters
        ----------
        sizes : integer ndarray of shape (k,)

        Returns
        -------
        lower, upper : int64 ndarray of shape (h, k)
        """
        return bounds_in_persons(self.lower, self.upper, self.attribute.counts, sizes)

    def by_heads(self) -> FairnessRule:
        """The rule without weights, its band as wide at least as the shares of heads."""
        attribute = replace(self.attribute, weights=None)
        shares = population_shares(attribute.counts)
        lower, upper = np.minimum(self.lower, shares), np.maximum(self.upper, shares)
        return replace(self, attribute=attribute, lower=lower, upper=upper)

    def relaxed(self, tolerance: float) -> FairnessRule:
        """The rule with its band widened to at least this tolerance around the population."""
        lower, upper = tolerance_band(population_shares(self.attribute.counts), tolerance)
        lower, upper = np.minimum(self.lower, lower), np.maximum(self.upper, upper)
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
        lower, upper = self.lower[:, None] * sizes, self.upper[:, None] * sizes
        worst = float(persons_beyond(table, lower, upper).max())
        # The band has floating-point errors.
        return worst if worst > 1e-9 * max(1, sizes.max()) else 0.0

    def shortages(self, n_clusters: int) -> tuple[str, ...]:
        """Groups with fewer persons than clusters: a sentence for each of the first few.

        A last sentence counts the others.
        """
        notes = []
        for s, count in enumerate(self.attribute.persons.tolist()):
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


def make_rule(
    attribute: Attribute,
    n_clusters: int,
    *,
    fairness_tol: float | None = 0.2,
    bounds: str = "two-sided",
    target_proportions: Any = None,
    lower: Any = None,
    upper: Any = None,
    refuse: bool = True,
) -> FairnessRule:
    """Read the requested shares; refuse impossible ones, with the closest that are possible.

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
    refuse : bool
        Whether to refuse shares that all clusters together cannot have.
    """
    check_choice(bounds, BOUNDS, "bounds")
    counts = attribute.counts
    population = population_shares(counts)
    target = _target(target_proportions, attribute, population)
    low, high = np.zeros(len(counts)), np.ones(len(counts))
    if fairness_tol is not None:
        check_fairness_tol(fairness_tol)
        low, widest = tolerance_band(target, fairness_tol)
        if bounds == "two-sided":
            high = widest
        if refuse:
            _check_target(fairness_tol, attribute, target, low, high, population)
    _override(low, lower, "lower", attribute)
    _override(high, upper, "upper", attribute)
    if refuse:
        _check_explicit(attribute, n_clusters, low, high, population, lower)
    else:  # a share that was named goes before the band around everyone's
        asked_more = low > population
        low, high = (
            np.where(asked_more, low, np.minimum(low, high)),
            np.where(asked_more, np.maximum(low, high), high),
        )
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


def check_fairness_tol(fairness_tol: Any, name: str = "fairness_tol") -> None:
    """Refuse a tolerance that is not a number, negative or infinite; None means no constraint."""
    if fairness_tol is None:
        return
    number = isinstance(fairness_tol, Real) and not is_boolean(fairness_tol)
    if not (number and 0 <= fairness_tol < math.inf):
        raise ValueError(
            f"{name}={fairness_tol!r} must be a number of at least 0 (0.2 is the "
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
    """Refuse targets whose band excludes the population, which all clusters together are."""
    outside = (population < low - 1e-12) | (population > high + 1e-12)
    if outside.any():
        worst = np.abs(population / np.maximum(target, 1e-300) - 1)[outside].max()
        unwanted = outside & (target == 0)  # outside at every tolerance
        at = int(np.argmax(unwanted if unwanted.any() else outside))
        closest = (
            f"the smallest fairness_tol that is possible is {worst:.4g}"
            if worst < 1e6
            else "give that group a positive target"
        )
        raise ValueError(
            f"target_proportions asks for a share of {low[at]:.4g} to {high[at]:.4g} of group "
            f"{attribute.categories[at]!r} in every cluster, but it is {population[at]:.4g} of the "
            f"whole population ({attribute.persons[at]} of {len(attribute.codes)}), at tolerance "
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
    """Refuse lower and upper shares of the user that cannot be met."""
    if lower is None:
        named = ()
    else:
        named = tuple(lower) if isinstance(lower, Mapping) else attribute.categories
    for s, name in enumerate(attribute.categories):
        count, n = int(attribute.persons[s]), len(attribute.codes)
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
