"""The labels of a certificate: clusters, cells and their bounds, as counted and as claimed."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.certificate import AttributeClaim, Certificate, LabelsClaim
from fairspectral.certificate.words import MEANS_NOT_COVERED, not_covered, sizes_words
from fairspectral.claims import sizes_kept
from fairspectral.verification import Check
from fairspectral.verify.comparing import close, close_lists, identical, is_number, shown, written

# The tables of cells: what is wrong, what they are of, and the words for a claimed and a true one.
_CELLS = {
    "members": ("cells", "members", "", "it is "),
    "least": ("parameters", "lower bounds", "a lower bound of ", "the parameters ask for "),
    "most": ("parameters", "upper bounds", "an upper bound of ", "the parameters ask for "),
}
# What was found of all cells and sizes.
_WITHIN = {
    True: "All cells and sizes are within their bounds",
    False: "Not all cells and sizes are within their bounds",
    None: "There are no bounds on shares or sizes",
}


def check_labels(certificate: Certificate, found: LabelsClaim) -> list[Check]:
    """Labels, sizes, cells and bounds that were counted again, beside those that are claimed."""
    claim = certificate.labels
    same = claim.sha256 == found.sha256
    words = "The labels are those of the certificate."
    if not same:
        words = "The labels are not those of the certificate: somebody is in another cluster."
    checks = [Check("labels", same, words)]
    if not identical(claim.sizes, found.sizes):
        words = f"The clusters have sizes {found.sizes}, not {claim.sizes}."
        checks.append(Check("cells", False, words))
    if not identical(claim.weights, found.weights) or not close(
        claim.unit, found.unit, 1e-9 * (found.unit or 0.0)
    ):
        words = f"The clusters have {_weights_words(found)}, not {_weights_words(claim)}."
        checks.append(Check("cells", False, words))
    names = [attribute.name for attribute in found.attributes]
    if not identical([attribute.name for attribute in claim.attributes], names):
        words = f"The cells of the certificate are not those of {', '.join(names) or 'no groups'}."
        return [*checks, Check("cells", False, words)]
    wrong = []
    for claimed, counted in zip(claim.attributes, found.attributes, strict=True):
        wrong += _wrong_cells(claimed, counted, found.unit)
    wrong += _wrong_bands(claim, found)
    if wrong:
        return [*checks, *wrong]
    kept = sizes_kept(found.sizes, found.weights, found.floor, found.ceiling)
    cells = sum(len(a.groups) for a in found.attributes) * certificate.n_clusters
    if cells:
        words = f"All {cells} cells were counted again, and agree with the certificate."
        if any(map(_outside, found.attributes)):
            words += " Not all of them are within their bounds, and the certificate says so."
        checks.append(Check("cells", True, words))
    words = f"The {certificate.n_clusters} clusters have the sizes of the certificate."
    if found.within_bounds is not None:
        words = f"Every cluster has {sizes_words(found)}, as claimed."
        if not kept:
            words = (
                f"Every cluster has {sizes_words(found)}; not all are within these bounds, and "
                "the certificate says so."
            )
    return [*checks, Check("sizes", True, words)]


def check_not_covered(certificate: Certificate, found: LabelsClaim) -> list[Check]:
    """What is said not to be claimed, if it is not what follows from the rest.

    Whether means were to be equal cannot be seen here, so that sentence may be there or not.
    """
    derived = not_covered(certificate.cut, found)
    if certificate.not_covered in (derived, [*derived, MEANS_NOT_COVERED]):
        return []
    said = " ".join(derived) or "nothing"
    words = f"not_covered should say {said}, and the certificate has other sentences there."
    return [Check("certificate", False, words)]


def _outside(found: AttributeClaim) -> bool:
    """Whether a cell of an attribute is outside its bounds."""
    if found.least is None or found.most is None:
        return False
    few, many = np.less(found.members, found.least), np.greater(found.members, found.most)
    return bool(few.any() or many.any())


def _weights_words(labels: LabelsClaim) -> str:
    """What the clusters weigh, where that can be said."""
    weights, unit = labels.weights, labels.unit
    if weights is None or unit is None:
        return "no weights"
    units = isinstance(weights, list) and all(type(w) is int and is_number(w) for w in weights)
    if not (units and is_number(unit)):
        return "weights that are not whole numbers of units"
    return f"weights of {' and '.join(f'{units * unit:.10g}' for units in weights)}"


def _wrong_cells(claim: AttributeClaim, found: AttributeClaim, unit: float | None) -> list[Check]:
    """The cells of one attribute, and their bounds, that are not as claimed."""
    if not identical(claim.groups, found.groups):
        words = f"The groups of {found.name} are {found.groups}, not {claim.groups}."
        return [Check("cells", False, words)]
    wrong = []
    for what, (kind, table, has, but) in _CELLS.items():
        claimed, counted = getattr(claim, what), getattr(found, what)
        if identical(claimed, counted):
            continue
        at = _first_difference(claimed, counted)
        words = f"The certificate has another table of the {table} of {found.name}."
        if at is not None:
            group, cluster = at
            here, there = (_amount(table[group][cluster], unit) for table in (claimed, counted))
            words = (
                f"{found.name} {found.groups[group]} in cluster {cluster}: the certificate has "
                f"{has}{here}, but {but}{there}."
            )
        wrong.append(Check(kind, False, words))
    return wrong


def _first_difference(claimed: Any, counted: Any) -> tuple[int, int] | None:
    """Where two tables differ first; None where they are not tables of the same shape."""
    if not (isinstance(claimed, list) and isinstance(counted, list)):
        return None
    if not all(isinstance(row, list) for row in claimed):
        return None
    if list(map(len, claimed)) != list(map(len, counted)):
        return None
    return next(
        (group, cluster)
        for group, (a, b) in enumerate(zip(claimed, counted, strict=True))
        for cluster in range(len(b))
        if not identical(a[cluster], b[cluster])
    )


def _amount(value: Any, unit: float | None) -> str:
    """What a cell has, in words; what is no count, as it was written."""
    if type(value) is not int or not is_number(value):
        return written(value)
    return f"{value} people" if unit is None else f"a weight of {value * unit:.10g}"


def _wrong_bands(claim: LabelsClaim, found: LabelsClaim) -> list[Check]:
    """The numbers about all cells that are not as claimed."""
    wrong = []
    for claimed, counted in zip(claim.attributes, found.attributes, strict=True):
        for what in ("shares", "lower", "upper"):
            if not close_lists(getattr(claimed, what), getattr(counted, what)):
                kind = "cells" if what == "shares" else "parameters"
                words = (
                    f"The {what} shares of {counted.name} are {getattr(counted, what)}, not "
                    f"{getattr(claimed, what)}."
                )
                wrong.append(Check(kind, False, words.replace("shares shares", "shares")))
    if claim.within_bounds is not found.within_bounds:
        words = f"{_WITHIN[found.within_bounds]}, but that is not what the certificate says."
        wrong.append(Check("cells", False, words))
    unit, what_is = (1.0, "number of people") if found.unit is None else (found.unit, "weight")
    for what, scale, words in (
        ("largest_deviation", 1.0, "The largest relative deviation from a target share"),
        ("persons_outside", unit, f"The {what_is} beyond a band of shares"),
    ):
        a, b = getattr(claim, what), getattr(found, what)
        if not (type(a) is float and close(a, b)):
            claimed_as = f"{a * scale:.10g}" if is_number(a) else shown(a)
            words += f" is {b * scale:.10g}, not {claimed_as}."
            wrong.append(Check("cells", False, words))
    return wrong
