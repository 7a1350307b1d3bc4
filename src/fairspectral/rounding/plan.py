"""The request to fair rounding, validated before any work is done."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from fairspectral.anytime import check_time_budget
from fairspectral.links import Links
from fairspectral.parameters import check_choice, is_boolean
from fairspectral.rounding.bounds import FairnessRule, make_rule
from fairspectral.rounding.quotas import shares_of_each, tolerance_of_each, with_shares
from fairspectral.rounding.start import ROW_SCALINGS
from fairspectral.validation import Attribute, FairSpectralWarning
from fairspectral.weighting import Weights, shown

# How long to search for a low cut; the next one takes several times as long.
EFFORTS = ("fast", "default", "thorough")

# Without a floor shares mean nothing: one person is never proportional. A tenth of the mean
# size still lets sizes differ where the data do.
_FLOOR_SHARE = 0.1


@dataclass(frozen=True)
class RoundingPlan:
    """A validated rounding request; the arguments are those of `fair_assignment`.

    Attributes
    ----------
    n_clusters : int
        k.
    rules : list of FairnessRule
        One for each attribute.
    kinds : ndarray of shape (n,)
        The combination of groups that each person belongs to, numbered from 0.
    smallest : int
        Floor on the sizes of the clusters; with weights, in persons of mean weight.
    largest : int
        Ceiling on them; n is none.
    refine_rounds : int or None
        Rounds of the search for a low cut; None: chosen by the size of the problem.
    effort : str
        One of `EFFORTS`.
    time_budget : float or None
        Seconds for the whole rounding; None is no limit.
    row_scaling : str
        One of `ROW_SCALINGS`.
    notes : tuple of str
        Groups with fewer persons than clusters, in words.
    links : Links or None
        Who must be together, and who must not.
    """

    n_clusters: int
    rules: list[FairnessRule]
    kinds: np.ndarray
    smallest: int
    largest: int
    refine_rounds: int | None
    row_scaling: str
    notes: tuple[str, ...]
    effort: str = "default"
    time_budget: float | None = None
    links: Links | None = None

    @property
    def weights(self) -> Weights | None:
        """The weights of the persons; None where each counts as one."""
        return self.rules[0].attribute.weights

    @property
    def in_nodes(self) -> bool:
        """Whether the search moves nodes that count as more or less than one person."""
        return self.weights is not None or self.links is not None

    @property
    def is_free(self) -> bool:
        """Whether there are no bounds on shares, so that only sizes have them."""
        return all(not rule.lower.any() and (rule.upper >= 1).all() for rule in self.rules)

    @property
    def limits(self) -> tuple[int, int]:
        """Floor and ceiling in what the cells count: persons, or units of weight."""
        if self.weights is None:
            return self.smallest, self.largest
        return self.weights.at_least(self.smallest), self.weights.at_most(self.largest)

    def by_heads(self) -> RoundingPlan:
        """The same request to persons who each count as one and have no links."""
        return replace(self, rules=[rule.by_heads() for rule in self.rules], links=None)


def plan_rounding(
    attributes: tuple[Attribute, ...],
    n_clusters: int,
    *,
    fairness_tol: Any = 0.2,
    bounds: str = "two-sided",
    shares: Any = None,
    min_cluster_size: int | None = None,
    max_cluster_size: int | None = None,
    refine_rounds: int | None = None,
    row_scaling: str = "auto",
    effort: str = "default",
    time_budget: float | None = None,
    **proportions: Any,
) -> RoundingPlan:
    """Validate a request, and warn of groups with fewer persons than clusters.

    Parameters
    ----------
    attributes : tuple of Attribute
        The groups of each attribute.
    n_clusters, fairness_tol, bounds, shares, min_cluster_size, max_cluster_size, \
    refine_rounds, row_scaling, effort, time_budget
        As in `fair_assignment`.
    **proportions
        Its ``target_proportions``, ``lower`` and ``upper``.
    """
    check_choice(row_scaling, ROW_SCALINGS, "row_scaling")
    check_choice(effort, EFFORTS, "effort")
    check_time_budget(time_budget)
    if refine_rounds is not None and not (
        isinstance(refine_rounds, Integral) and not is_boolean(refine_rounds) and refine_rounds >= 0
    ):
        raise ValueError(
            f"refine_rounds={refine_rounds!r} must be a whole number of at least 0, or None to "
            "leave it to the size of the problem."
        )
    n = len(attributes[0].codes)
    smallest = _check_floor(min_cluster_size, n, n_clusters)
    largest = _check_ceiling(max_cluster_size, n, n_clusters)
    rules = make_rules(attributes, n_clusters, fairness_tol, bounds, shares, **proportions)
    notes = tuple(note for rule in rules for note in rule.shortages(n_clusters))
    if notes:
        warnings.warn(" ".join(notes), FairSpectralWarning, stacklevel=3)
    codes = np.stack([attribute.codes for attribute in attributes], axis=1)
    kinds = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    return RoundingPlan(
        n_clusters,
        rules,
        kinds,
        smallest,
        largest,
        refine_rounds,
        row_scaling,
        notes,
        effort,
        time_budget,
    )


def with_links(plan: RoundingPlan, links: Links | None) -> RoundingPlan:
    """The plan for people with links; who cannot be in a cluster below the ceiling is refused."""
    n = len(plan.kinds)
    if plan.largest < n:
        nodes = np.arange(n) if links is None else links.nodes
        units = None if plan.weights is None else plan.weights.units
        loads = np.bincount(nodes, weights=units)
        node = int(np.argmax(loads))
        if loads[node] > plan.limits[1]:
            raise _too_heavy(plan, np.flatnonzero(nodes == node), int(loads[node]))
    return replace(plan, links=links)


def _too_heavy(plan: RoundingPlan, people: np.ndarray, load: int) -> ValueError:
    """The error for people of one node who are more than the ceiling."""
    ceiling, out = f"max_cluster_size is {plan.largest}", "raise it"
    what = f"{len(people)} people"
    if plan.weights is not None:
        amounts = [shown(plan.weights.amount(units)) for units in (load, plan.limits[1])]
        what = f"a weight of {amounts[0]}"
        ceiling += f", which is a weight of {amounts[1]}"
    if len(people) == 1:
        where = f"sample_weight gives the person of row {people[0]} {what}"
        return ValueError(f"{where}, but {ceiling}; {out}, or lower that weight.")
    return ValueError(
        f"must_link keeps {what} together, but {ceiling}; {out}, or leave some pairs out."
    )


def default_floor(n: int, k: int) -> int:
    """The default floor on the sizes of clusters."""
    return max(1, int(_FLOOR_SHARE * n / k))


def _check_floor(min_cluster_size: int | None, n: int, k: int) -> int:
    if min_cluster_size is None:
        return default_floor(n, k)
    if is_boolean(min_cluster_size) or not isinstance(min_cluster_size, Integral):
        raise ValueError(
            f"min_cluster_size={min_cluster_size!r} must be a whole number between 1 and {n // k}."
        )
    if not 1 <= min_cluster_size <= n // k:
        raise ValueError(
            f"min_cluster_size={min_cluster_size} is not possible with {n} persons in {k} "
            f"clusters; it must lie between 1 and {n // k}."
        )
    return int(min_cluster_size)


def _check_ceiling(max_cluster_size: int | None, n: int, k: int) -> int:
    if max_cluster_size is None:
        return n
    least = -(-n // k)
    if is_boolean(max_cluster_size) or not isinstance(max_cluster_size, Integral):
        raise ValueError(
            f"max_cluster_size={max_cluster_size!r} must be a whole number of at least {least}, or "
            "None for no ceiling."
        )
    if max_cluster_size < least:
        raise ValueError(
            f"max_cluster_size={max_cluster_size} is not possible with {n} persons in {k} "
            f"clusters, of which one has at least {least}; pass at least {least}, or more clusters."
        )
    return min(int(max_cluster_size), n)


def make_rules(
    attributes: tuple[Attribute, ...],
    k: int,
    fairness_tol: Any,
    bounds: str = "two-sided",
    shares: Any = None,
    *,
    refuse: bool = True,
    **proportions: Any,
) -> list[FairnessRule]:
    """One rule for each attribute; the arguments are those of `plan_rounding` and `make_rule`."""
    tolerances = tolerance_of_each(fairness_tol, attributes)
    asked = shares_of_each(shares, attributes)
    by_name = _by_name(attributes, proportions)
    rules = []
    for attribute, tolerance, wishes, given in zip(
        attributes, tolerances, asked, by_name, strict=True
    ):
        twice = [argument for argument, value in given.items() if value is not None]
        if wishes and twice:
            raise ValueError(
                f"shares and {twice[0]} both bound the shares of {attribute.name!r}; write all of "
                "them in shares."
            )
        rule = make_rule(
            attribute, k, fairness_tol=tolerance, bounds=bounds, refuse=refuse, **given
        )
        if wishes:
            rule = with_shares(rule, wishes, k, tolerance, refuse=refuse)
        rules.append(rule)
    return rules


def _by_name(
    attributes: tuple[Attribute, ...], proportions: dict[str, Any]
) -> list[dict[str, Any]]:
    """The arguments of each attribute's rule; of several they come by the attribute's name."""
    if len(attributes) == 1:
        return [proportions]
    names = [attribute.name for attribute in attributes]
    for argument, given in proportions.items():
        if given is not None and not (isinstance(given, Mapping) and set(given) <= set(names)):
            raise ValueError(
                f"{argument} with several attributes must map their names ({', '.join(names)}) to "
                "shares, for example {name: {group: share}}."
            )
    return [
        {argument: given and given.get(name) for argument, given in proportions.items()}
        for name in names
    ]
