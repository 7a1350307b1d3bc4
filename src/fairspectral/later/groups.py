"""The groups of later people, by the codes of the fit, and the cells of everyone so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairspectral.cells import count_cells
from fairspectral.parameters import did_you_mean
from fairspectral.validation import Attribute, check_sensitive_features
from fairspectral.weighting import Weights

# The name of values that came without one.
_UNNAMED = "group"


def read_groups(
    sensitive_features: Any, attributes: Sequence[Attribute], m: int, *, rows: Any = None
) -> np.ndarray:
    """The codes of later people, shape (m, a): one column for each attribute of the fit.

    Parameters
    ----------
    sensitive_features : any
        As in ``fit``; a table must have the columns of the fit, and may have others.
    attributes : sequence of Attribute
        Those of the fit; one attribute of combinations where it constrained these.
    m : int
        The number of later people.
    rows : any
        Their data; if both have row labels, these must agree.
    """
    found = check_sensitive_features(sensitive_features, m, constrain=False, rows=rows)
    if len(attributes) == 1 and len(found) > 1 and " × " in attributes[0].name:
        found = (_combined(found),)
    found = _in_order(found, attributes)
    return np.stack([_codes(new, old) for new, old in zip(found, attributes, strict=True)], axis=1)


def _combined(found: Sequence[Attribute]) -> Attribute:
    """All combinations as one attribute, named as in a fit."""
    values = [
        " × ".join(str(a.categories[c]) for a, c in zip(found, row, strict=True))
        for row in np.stack([a.codes for a in found], axis=1)
    ]
    categories, codes = np.unique(np.array(values, dtype=object), return_inverse=True)
    name = " × ".join(a.name for a in found)
    return Attribute(name, codes.reshape(-1), tuple(categories.tolist()))


def _in_order(found: Sequence[Attribute], attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes of the fit, by their names; by position where they came without names."""
    by_name = {attribute.name: attribute for attribute in found}
    wanted = [attribute.name for attribute in attributes]
    named = all(not _is_unnamed(name) for name in (*by_name, *wanted))
    if not named and len(found) == len(attributes):
        return tuple(found)
    missing = [name for name in wanted if name not in by_name]
    if missing:
        raise ValueError(
            f"sensitive_features has no column {missing[0]!r}{did_you_mean(missing[0], by_name)}; "
            f"the fit had {', '.join(map(repr, wanted))}, so pass these for the new people too."
        )
    return tuple(by_name[name] for name in wanted)


def _is_unnamed(name: str) -> bool:
    return name == _UNNAMED or name.startswith("attribute ")


def _codes(new: Attribute, old: Attribute) -> np.ndarray:
    places = {value: code for code, value in enumerate(old.categories)}
    unknown = [value for value in new.categories if value not in places]
    if unknown:
        known = ", ".join(map(repr, old.categories[:10]))
        raise ValueError(
            f"sensitive_features column {old.name!r} has the group {unknown[0]!r}, which nobody of "
            f"the fit belongs to; its groups are {known}: correct it, or fit again with everyone."
        )
    return np.array([places[value] for value in new.categories], dtype=np.intp)[new.codes]


def no_arrivals(attributes: Sequence[Attribute], k: int) -> tuple[np.ndarray, ...]:
    """Empty tables of cells, one of shape (h, k) for each attribute."""
    return tuple(np.zeros((len(a.categories), k), dtype=np.int64) for a in attributes)


def tables_of(attributes: Sequence[Attribute], labels: np.ndarray, k: int) -> list[np.ndarray]:
    """Persons of each group in each cluster, one table of shape (h, k) for each attribute.

    With weights, the tables have their units.
    """
    units = [None if a.weights is None else a.weights.units for a in attributes]
    return [
        count_cells(a.codes, labels, len(a.categories), k, each)
        for a, each in zip(attributes, units, strict=True)
    ]


def everyone(
    attributes: Sequence[Attribute],
    tables: Sequence[np.ndarray],
    codes: np.ndarray,
    weights: Weights | None = None,
    heaviest: int = 1,
) -> tuple[Attribute, ...]:
    """The groups of all people so far and of new ones; those so far in no order.

    Parameters
    ----------
    attributes : sequence of Attribute
        Those of the fit.
    tables : sequence of integer ndarray of shape (h, k)
        All people so far.
    codes : integer ndarray of shape (m, a)
        New people.
    weights : Weights or None
        Theirs, where people have weights; the tables are then in units of weight.
    heaviest : int
        Units of the heaviest person who came since the fit.
    """
    found = []
    for a, (attribute, table) in enumerate(zip(attributes, tables, strict=True)):
        counts, both = table.sum(axis=1), None
        if weights is not None:
            counts, units = _as_persons(counts, max(attribute.largest, weights.largest, heaviest))
            both = Weights(np.concatenate([units, weights.units]), weights.unit)
        so_far = np.repeat(np.arange(len(table)), counts)
        together = np.concatenate([so_far, codes[:, a]])
        found.append(Attribute(attribute.name, together, attribute.categories, both))
    return tuple(found)


def _as_persons(units: np.ndarray, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """How many persons of each group have so many units, if as many as can weigh most.

    Bounds need the units of each group and the largest weight, and not who has how much.

    Parameters
    ----------
    units : integer ndarray of shape (h,)
    largest : int

    Returns
    -------
    counts : integer ndarray of shape (h,)
    each : integer ndarray of shape (counts.sum(),)
        Their units, group by group.
    """
    counts = -(-units // largest)
    each = np.full(int(counts.sum()), largest, dtype=np.int64)
    some = counts > 0
    each[counts.cumsum()[some] - 1] -= (counts * largest - units)[some]  # the last of each group
    return counts, each
