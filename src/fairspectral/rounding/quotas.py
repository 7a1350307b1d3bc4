"""What was asked of each attribute by its name: tolerances, and shares of single groups.

`shares={"sex": {"f": (0.4, 0.6)}}` asks for 40 to 60 % of group f of the attribute sex in every
cluster; an open end is None, and a single number is a target with the tolerance around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from fairspectral.cells import population_shares, tolerance_band
from fairspectral.parameters import did_you_mean, is_boolean
from fairspectral.rounding.bounds import FairnessRule, check_fairness_tol
from fairspectral.validation import Attribute

# Shares that differ by less are equal, up to floating-point errors.
_EQUAL = 1e-12


def tolerance_of_each(fairness_tol: Any, attributes: Sequence[Attribute]) -> list[float | None]:
    """The tolerance of each attribute: one for all, or one for each name.

    Parameters
    ----------
    fairness_tol : float, None or mapping from attribute name to float or None
        A mapping must name every attribute; None is no bound.
    attributes : sequence of Attribute
        The attributes.
    """
    if not isinstance(fairness_tol, Mapping):
        check_fairness_tol(fairness_tol)
        return [fairness_tol] * len(attributes)
    names = [attribute.name for attribute in attributes]
    for name, tolerance in fairness_tol.items():
        _check_name(name, names, "fairness_tol")
        check_fairness_tol(tolerance, f"fairness_tol of {name!r}")
    for name in names:
        if name not in fairness_tol:
            raise ValueError(
                f"fairness_tol has no tolerance for the attribute {name!r}; give one for each "
                "attribute, or None for no bound on its shares."
            )
    return [fairness_tol[name] for name in names]


def shares_of_each(shares: Any, attributes: Sequence[Attribute]) -> list[Mapping[Any, Any]]:
    """The shares that were asked of each attribute's groups; empty where none were.

    Parameters
    ----------
    shares : mapping or None
        From attribute name to a mapping from group to bounds; of a single attribute also that
        mapping itself.
    attributes : sequence of Attribute
        The attributes.
    """
    if shares is None:
        return [{}] * len(attributes)
    example = 'for example shares={"sex": {"f": (0.4, 0.6)}}'
    if not isinstance(shares, Mapping) or not shares:
        raise ValueError(
            f"shares={shares!r} must map attributes to groups and their least and largest share, "
            f"{example}."
        )
    by_attribute = [isinstance(asked, Mapping) for asked in shares.values()]
    if len(attributes) == 1 and not any(by_attribute):
        return [shares]
    names = [attribute.name for attribute in attributes]
    for name, asked in shares.items():
        _check_name(name, names, "shares")
        if not isinstance(asked, Mapping):
            raise ValueError(
                f"shares of the attribute {name!r} is {asked!r}; it must map groups to their least "
                f"and largest share, {example}."
            )
    return [shares.get(name, {}) for name in names]


def with_shares(
    rule: FairnessRule,
    asked: Mapping[Any, Any],
    n_clusters: int,
    tolerance: float | None,
    *,
    refuse: bool = True,
) -> FairnessRule:
    """The rule with other bounds on the groups that were named.

    Groups that were not named keep the tolerance; where only one is left, it has what the others
    leave it.

    Parameters
    ----------
    rule : FairnessRule
        From the tolerance.
    asked : mapping from group to (least, largest), or to a target
        The shares.
    n_clusters : int
        The number of clusters.
    tolerance : float or None
        Around targets.
    refuse : bool
        Whether to refuse shares that all clusters together cannot have.
    """
    groups = rule.attribute.categories
    target, low, high = rule.target.copy(), rule.lower.copy(), rule.upper.copy()
    for group, wish in asked.items():
        if group not in groups:
            known = ", ".join(map(repr, groups[:10]))
            raise ValueError(
                f"shares names the unknown group {group!r} of {rule.attribute.name!r}; its groups "
                f"are {known}."
            )
        s = groups.index(group)
        if isinstance(wish, Sequence) and not isinstance(wish, str):
            low[s], high[s] = _ends(wish, rule.attribute, group)
        else:
            target[s] = _check_share(wish, rule.attribute, group)
            low[s], high[s] = _around(target[s], tolerance, rule, s, refuse)
        if refuse:
            _check_possible(rule.attribute, s, low[s], high[s], n_clusters)
    left = [s for s, group in enumerate(groups) if group not in asked]
    if len(left) == 1:
        others = np.arange(len(groups)) != left[0]
        low[left] = max(0.0, 1.0 - high[others].sum())
        high[left] = min(1.0, 1.0 - low[others].sum())
    return replace(rule, target=target, lower=low, upper=high)


def _check_name(name: Any, names: Sequence[str], argument: str) -> None:
    if name not in names:
        raise ValueError(
            f"{argument} names the unknown attribute {name!r}{did_you_mean(str(name), names)}; the "
            f"sensitive attributes are {', '.join(map(repr, names))}."
        )


def _ends(wish: Sequence[Any], attribute: Attribute, group: Any) -> tuple[float, float]:
    """The least and the largest share of a group; an open end is 0 or 1."""
    if len(wish) != 2 or all(end is None for end in wish):
        raise ValueError(
            f"shares of {attribute.name!r} {group!r} is {wish!r}; give the least and the largest "
            "share, such as (0.4, 0.6), or (0.4, None) for a least share."
        )
    low, high = (
        default if end is None else _check_share(end, attribute, group)
        for end, default in zip(wish, (0.0, 1.0), strict=True)
    )
    if low > high:
        raise ValueError(
            f"shares of {attribute.name!r} {group!r} has the least share {low:g} above the largest "
            f"{high:g}; swap them."
        )
    return low, high


def _check_share(share: Any, attribute: Attribute, group: Any) -> float:
    if is_boolean(share) or not isinstance(share, Real) or not 0 <= float(share) <= 1:
        shown = f"{share:g}" if isinstance(share, Real) else repr(share)
        raise ValueError(
            f"shares of {attribute.name!r} {group!r} has {shown}; a share is a number between 0 "
            "and 1."
        )
    return float(share)


def _around(
    target: float, tolerance: float | None, rule: FairnessRule, s: int, refuse: bool
) -> tuple[float, float]:
    """The band around a target, which should hold the population's share; no tolerance, no band."""
    if tolerance is None:
        return 0.0, 1.0
    name, group = rule.attribute.name, rule.attribute.categories[s]
    (low,), (high,) = tolerance_band(np.array([target]), tolerance)
    high = 1.0 if rule.lower_only else high
    own = population_shares(rule.attribute.counts)[s]
    if refuse and not low - _EQUAL <= own <= high + _EQUAL:
        nearest = min(own / (1 - tolerance) if tolerance < 1 else 1.0, 1.0)
        nearest = nearest if target > own else own / (1 + tolerance)
        raise ValueError(
            f"shares asks for a share of {target:g} of {name!r} {group!r} in every cluster, within "
            f"a tolerance of {tolerance:g}, but it is {own:.4g} of everyone; the nearest target "
            f"that is possible is {nearest:.4g}."
        )
    return low, high


def _check_possible(attribute: Attribute, s: int, low: float, high: float, k: int) -> None:
    """Refuse shares that all clusters together cannot have, with the nearest that they can."""
    count, n = int(attribute.persons[s]), len(attribute.codes)
    own = population_shares(attribute.counts)[s]
    who = f"of {attribute.name!r} {attribute.categories[s]!r} in every cluster"
    has = f"but it has {count} of {n} persons ({own:.4g})"
    if low > own + _EQUAL:
        raise ValueError(
            f"shares asks for at least {low:.4g} {who}, {has}; the largest least share that is "
            f"possible is {own:.4g}."
        )
    if high < own - _EQUAL:
        raise ValueError(
            f"shares allows at most {high:.4g} {who}, {has}; the smallest largest share that is "
            f"possible is {own:.4g}."
        )
    if low > 0 and count < k:
        raise ValueError(
            f"shares asks for at least {low:.4g} {who}, but it has only {count} person(s) for {k} "
            f"clusters; choose n_clusters of at most {count}, or leave the group out."
        )
