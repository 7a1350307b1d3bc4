"""Covariates: numbers of each person, such as an age, whose means are to be equal in all clusters.

A clustering has equal means of a column ``c`` exactly where ``(c - mean(c))^T y = 0`` for the
indicator ``y`` of every cluster. So centred columns ``C`` are linear constraints on the embedding,
``C^T D^-1/2 H = 0``, as the groups are. They are held in the embedding and audited in the labels.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.feature_tables import column_names, refuse_masked
from fairspectral.row_order import check_same_rows
from fairspectral.tensors import on_host
from fairspectral.validation import FairSpectralWarning, find_missing

# Of a column whose numbers differ by less, relatively, floating-point errors are all that is left.
_CONSTANT = 1e-12
# Relative size of a singular value below which a column follows from the others.
_DEPENDENT = 1e-10
# Binary exponents up to which squares, and sums of as many as there are people, do not overflow.
_ORDINARY = 400


@dataclass(frozen=True)
class Covariate:
    """One column of numbers.

    Attributes
    ----------
    name : str
        Column name, or ``"covariate"`` where the input has none.
    values : ndarray of shape (n,), float64
        The number of every sample.
    """

    name: str
    values: np.ndarray

    @property
    def exponent(self) -> int:
        """The power of two that the values are divided by; 0 unless their squares would overflow.

        A constraint is the same in any unit.
        """
        exponent = int(np.frexp(np.abs(self.values).max(initial=0.0))[1])
        return exponent if abs(exponent) > _ORDINARY else 0

    @property
    def scaled(self) -> np.ndarray:
        """The values in a unit in which they can be squared and summed, shape (n,)."""
        return np.ldexp(self.values, -self.exponent)

    @property
    def centred(self) -> np.ndarray:
        """The values in that unit less their mean, shape (n,)."""
        return self.scaled - self.scaled.mean()

    @property
    def is_constant(self) -> bool:
        """Whether everyone has the same number, up to floating-point errors."""
        values = self.scaled
        return bool(np.ptp(values) <= _CONSTANT * np.abs(values).max(initial=0.0))


@dataclass(frozen=True)
class CovariateAudit:
    """The means of one covariate in the clusters.

    Attributes
    ----------
    name : str
        Its name.
    means : ndarray of shape (k,)
        The mean of each cluster.
    mean, deviation : float
        Mean and standard deviation of everyone.
    """

    name: str
    means: np.ndarray
    mean: float
    deviation: float

    @property
    def differences(self) -> np.ndarray:
        """How far each cluster's mean is above everyone's, in the covariate's unit, shape (k,)."""
        return self.means - self.mean

    @property
    def standardized(self) -> np.ndarray:
        """The same in standard deviations of everyone, shape (k,)."""
        return self.differences / (self.deviation or 1.0)

    @property
    def largest(self) -> float:
        """The largest difference, in standard deviations, whatever its sign."""
        return float(np.abs(self.standardized).max())

    def table(
        self, clusters: tuple[Any, ...], sizes: np.ndarray, size: str = ""
    ) -> list[list[str]]:
        """A header, a row for each cluster and one for everyone, as text."""
        header = ["cluster", "size", "mean", "difference", "in standard deviations"]
        rows = [
            [str(cluster), f"{n:{size}}", f"{mean:.4g}", f"{difference:+.3g}", f"{part:+.3f}"]
            for cluster, n, mean, difference, part in zip(
                clusters, sizes, self.means, self.differences, self.standardized, strict=True
            )
        ]
        return [header, *rows, ["everyone", f"{sizes.sum():{size}}", f"{self.mean:.4g}", "", ""]]

    def __str__(self) -> str:
        at = int(np.argmax(np.abs(self.standardized)))
        return (
            f"the largest difference from everyone's mean is {abs(self.differences[at]):.3g}, or "
            f"{self.largest:.3f} standard deviations"
        )


def check_constraints(
    constraints: Any, n_samples: int, *, rows: Any = None, rows_name: str = "X"
) -> tuple[Covariate, ...]:
    """Read the matrix of constraints, one covariate for each column.

    Parameters
    ----------
    constraints : array of shape (n,) or (n, m), Series, DataFrame, or mapping from name to column
        Finite numbers.
    n_samples : int
        The number of rows that the data has.
    rows : any
        The data that they belong to; if both have row labels, they must agree.
    rows_name : str
        Name of the data in messages.
    """
    check_same_rows(rows, constraints, rows_name, "constraints")
    constraints = on_host(constraints)
    found = tuple(_read(name, values, n_samples) for name, values in _columns(constraints))
    for covariate in found:
        if covariate.is_constant:
            raise ValueError(
                f"constraints column {covariate.name!r} has the same number for everyone, so its "
                "mean is equal in all clusters anyway; leave it out."
            )
    unit = centred_matrix(found)
    singular = np.linalg.svd(unit / np.linalg.norm(unit, axis=0), compute_uv=False)
    rank = int(np.sum(singular > _DEPENDENT * singular[0]))
    if rank < len(found):
        warnings.warn(
            f"constraints has {len(found)} columns of which only {rank} are independent; the "
            "others follow from these and add nothing, so leave them out.",
            FairSpectralWarning,
            stacklevel=3,
        )
    return found


def centred_matrix(covariates: Iterable[Covariate]) -> np.ndarray:
    """``C``: the centred columns side by side, shape (n, m)."""
    return np.stack([covariate.centred for covariate in covariates], axis=1)


def covariates_of(covariates: tuple[Covariate, ...], kept: np.ndarray) -> tuple[Covariate, ...]:
    """The numbers of some people, without columns in which all of them agree."""
    if covariates and len(kept) == len(covariates[0].values):
        return covariates
    found = (Covariate(one.name, one.values[kept]) for one in covariates)
    return tuple(one for one in found if not one.is_constant)


def audit_covariates(
    covariates: Iterable[Covariate], labels: np.ndarray, k: int
) -> tuple[CovariateAudit, ...]:
    """The means of every covariate in each of k clusters."""
    sizes = np.bincount(labels, minlength=k)
    return tuple(
        CovariateAudit(
            one.name,
            np.ldexp(
                np.bincount(labels, weights=one.scaled, minlength=k) / np.maximum(sizes, 1),
                one.exponent,
            ),
            float(np.ldexp(one.scaled.mean(), one.exponent)),
            float(np.ldexp(one.scaled.std(), one.exponent)),
        )
        for one in covariates
    )


def _columns(constraints: Any) -> Iterable[tuple[str, Any]]:
    """Split the input into named columns."""
    if isinstance(constraints, Mapping):
        pairs = list(constraints.items())
    elif (labels := column_names(constraints)) is not None:
        pairs = [(label, constraints[label]) for label in labels]
    else:
        refuse_masked(constraints, "constraints")
        values = _as_array(constraints)
        if values.ndim == 1:
            name = getattr(constraints, "name", None)
            pairs = [("covariate" if name in (None, "") else name, values)]
        elif values.ndim == 2:
            pairs = [(f"covariate {j}", column) for j, column in enumerate(values.T)]
        else:
            raise ValueError(
                f"constraints has shape {values.shape}; pass one number for each sample, or a "
                "table with a row for each sample."
            )
    if not pairs:
        raise ValueError("constraints has no columns; pass at least one, or None.")
    return [(str(name), values) for name, values in pairs]


def _as_array(values: Any) -> np.ndarray:
    if sp.issparse(values):
        raise TypeError("constraints is sparse; pass constraints.toarray().")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError("constraints has rows of different lengths; pass a table.") from None


def _read(name: str, values: Any, n_samples: int) -> Covariate:
    where = f"constraints column {name!r}"
    given = _as_array(values)
    if given.ndim != 1:
        raise ValueError(f"{where} has shape {given.shape}; pass one number for each sample.")
    if len(given) != n_samples:
        raise ValueError(
            f"{where} has {len(given)} values but the data has {n_samples} samples; pass exactly "
            "one number per sample, in the same order."
        )
    missing = find_missing(given)
    try:
        numbers = np.where(missing, np.nan, given).astype(np.float64)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or given.dtype.kind in "USmMc":
        raise ValueError(
            f"{where} has values that are not numbers; pass groups as sensitive_features, and here "
            "numbers whose means are to be equal in all clusters."
        )
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        raise ValueError(
            f"{where} has a missing or infinite number at row {int(np.argmax(wrong))}; fill it, "
            "for example with the mean, or drop the row."
        )
    return Covariate(name, numbers)
