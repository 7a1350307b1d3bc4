"""Weights of persons, for surveys in which one person stands for several.

Weights are counted in whole units, so that cells are compared with their bounds exactly, as whole
persons are. They count people in shares; they do not change who is similar to whom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.feature_tables import refuse_masked
from fairspectral.row_order import check_same_rows
from fairspectral.tensors import on_host

# Units of all persons together: products of two such numbers fit in 64 bits, one in 32. A weight
# that is no whole number is rounded to a billionth of the sum of all.
_MOST_UNITS = 2**30


@dataclass(frozen=True)
class Weights:
    """The weight of every person.

    Attributes
    ----------
    units : int64 ndarray of shape (n,)
        The weights, in units.
    unit : float
        How much one unit is; 1 where all weights are whole numbers.
    """

    units: np.ndarray
    unit: float

    @property
    def largest(self) -> int:
        """Units of the person with the largest weight."""
        return int(self.units.max())

    @property
    def total(self) -> int:
        """Units of all persons together."""
        return int(self.units.sum())

    def of(self, people: np.ndarray) -> Weights:
        """The weights of some people."""
        return Weights(self.units[people], self.unit)

    def at_least(self, persons: int) -> int:
        """Units of so many persons of mean weight, and one at least."""
        return max(1, -(-persons * self.total // len(self.units)))

    def at_most(self, persons: int) -> int:
        """Units of so many persons of mean weight, rounded down."""
        return persons * self.total // len(self.units)

    def amount(self, units: Any) -> Any:
        """Units as a weight; arrays too."""
        return units * self.unit

    def __str__(self) -> str:
        whom = f"{len(self.units):,} persons stand for {shown(self.amount(self.total))}"
        return f"Weighted: {whom}, and shares count weight."


def shown(amount: Any) -> str:
    """A number of persons, or a weight with one digit after the point where it has any."""
    return f"{amount:,.1f}".removesuffix(".0")


def check_sample_weight(
    sample_weight: Any, n: int, rows: Any = None, rows_name: str = "X"
) -> Weights | None:
    """One weight for each person; None where all weigh the same, which is the same as no weights.

    Parameters
    ----------
    sample_weight : array-like of shape (n,)
        Numbers of at least 0. Who weighs 0 gets a cluster and counts nothing in its shares.
    n : int
        Persons.
    rows : any
        The data; where it and the weights have row labels, these must agree.
    rows_name : str
        Name of the data in messages.
    """
    weights = _read_weights(sample_weight, n, rows, rows_name)
    if not weights.any():
        raise ValueError("sample_weight is zero for everybody; give somebody a positive weight.")
    if (weights == weights[0]).all():
        return None
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not np.isfinite(total):
        raise ValueError(
            f"sample_weight has weights of up to {weights.max():.3g}, whose sum is too large for "
            "floating-point numbers; divide all of them by the largest, which changes no share."
        )
    whole = total <= _MOST_UNITS and bool((weights == np.rint(weights)).all())
    unit = 1.0 if whole else total / (_MOST_UNITS - n)
    return Weights(_in_units(weights, unit), unit)


def check_later_weights(
    sample_weight: Any, m: int, fitted: Weights, so_far: int, rows: Any = None
) -> Weights:
    """The weights of people who come later, in the units of those of a fit.

    Parameters
    ----------
    sample_weight : array-like of shape (m,)
        As in `check_sample_weight`; all may be equal, or 0.
    m : int
        The number of later people.
    fitted : Weights
        Those of the fit.
    so_far : int
        The units of everyone so far, later people included.
    rows : any
        The data; where it and the weights have row labels, these must agree.
    """
    weights = _read_weights(sample_weight, m, rows, "X")
    parts = weights != np.rint(weights)
    if fitted.unit == 1.0 and parts.any():
        row = int(np.argmax(parts))
        raise ValueError(
            f"sample_weight is {weights[row]:g} at row {row}, but the fit had whole weights, which "
            "are counted as they are; pass whole weights, or fit again with everyone."
        )
    if so_far + float(weights.sum()) / fitted.unit > 2 * _MOST_UNITS:
        weight = shown(float(weights.sum()))
        raise ValueError(
            f"the new people have a weight of {weight}, and with everyone so far that is more than "
            "the units of the fit can count; fit again with everyone."
        )
    return Weights(_in_units(weights, fitted.unit), fitted.unit)


def _in_units(weights: np.ndarray, unit: float) -> np.ndarray:
    """Weights in whole units; nobody with a weight may count nothing."""
    units = np.where(weights > 0, np.maximum(np.rint(weights / unit), 1), 0)
    return units.astype(np.int64)


def _read_weights(sample_weight: Any, n: int, rows: Any, rows_name: str) -> np.ndarray:
    """Finite numbers of at least 0, one for each person, shape (n,)."""
    check_same_rows(rows, sample_weight, rows_name, "sample_weight")
    refuse_masked(sample_weight, "sample_weight")
    try:
        weights = np.asarray(on_host(sample_weight))
        text = weights.dtype.kind in "USOb" and any(isinstance(w, str | bool) for w in weights.flat)
        text |= weights.dtype.kind == "c"
        weights = weights.astype(np.float64)
    except (TypeError, ValueError):
        weights, text = np.empty(0), True
    if text or weights.ndim != 1:
        raise ValueError("sample_weight must be a list of numbers, one for each person.")
    if len(weights) != n:
        raise ValueError(
            f"sample_weight has {len(weights)} values but the data has {n} samples; pass exactly "
            "one weight per sample, in the same order."
        )
    usable = np.isfinite(weights) & (weights >= 0)
    if not usable.all():
        row = int(np.argmin(usable))
        raise ValueError(
            f"sample_weight is {weights[row]:g} at row {row}; every weight must be a finite number "
            "of at least 0, so correct it or drop that row."
        )
    return weights
