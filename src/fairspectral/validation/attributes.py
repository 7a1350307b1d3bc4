"""Sensitive attributes: the group of every sample, read and validated."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from fairspectral.feature_tables import column_names
from fairspectral.row_order import check_same_rows
from fairspectral.validation.values import as_array, encode_values
from fairspectral.validation.warning import FairSpectralWarning
from fairspectral.weighting import Weights

# Distinct numbers from which on an attribute is taken for a quantity, such as an age, and not for
# codes of groups. There are hardly more codes than this in use (regions, occupations).
MANY_GROUPS = 20


@dataclass(frozen=True)
class Attribute:
    """One sensitive attribute: the group of every sample.

    Attributes
    ----------
    name : str
        Column name, or ``"group"`` where the input has none.
    codes : ndarray of shape (n,)
        Index of each sample's category.
    categories : tuple
        The distinct values, sorted; ``categories[codes[i]]`` is sample i's.
    weights : Weights or None
        The weight of every sample; None where each counts as one.
    """

    name: str
    codes: np.ndarray
    categories: tuple[Any, ...]
    weights: Weights | None = None

    @property
    def persons(self) -> np.ndarray:
        """Number of samples in each category, shape (h,)."""
        return np.bincount(self.codes, minlength=len(self.categories))

    @property
    def counts(self) -> np.ndarray:
        """The same; with weights, their units in each category, shape (h,)."""
        if self.weights is None:
            return self.persons
        units = np.bincount(self.codes, self.weights.units, minlength=len(self.categories))
        return units.astype(np.int64)

    @property
    def largest(self) -> int:
        """Units of the sample that weighs most; 1 without weights."""
        return 1 if self.weights is None else self.weights.largest

    def weighted(self, weights: Weights | None) -> Attribute:
        """The same groups with a weight for every sample."""
        if weights is None:
            return self
        found = replace(self, weights=weights)
        if not found.counts.all():
            group = self.categories[int(np.argmin(found.counts))]
            raise ValueError(
                f"sample_weight is 0 for everybody in group {group!r} of {self.name!r}, so it has "
                "no share to mirror; give somebody there a weight, or drop these rows."
            )
        return found


def check_sensitive_features(
    sensitive_features: Any,
    n_samples: int,
    *,
    constrain: bool = True,
    rows: Any = None,
    rows_name: str = "X",
) -> tuple[Attribute, ...]:
    """Read one or several sensitive attributes into codes and categories.

    Parameters
    ----------
    sensitive_features : list, ndarray, Series, Categorical, DataFrame, dict
        One value per sample (1-D), or one column per attribute (2-D, or a dict by name).
    n_samples : int
        The number of rows that the data has.
    constrain : bool
        A constraint needs at least two groups, and fewer than samples; metrics take any number.
    rows : any
        The data that the values belong to; if both have row labels, they must agree.
    rows_name : str
        Name of the data in messages.
    """
    check_same_rows(rows, sensitive_features, rows_name, "sensitive_features")
    attributes = tuple(
        _encode_attribute(name, values, n_samples) for name, values in _columns(sensitive_features)
    )
    for attribute in attributes if constrain else ():
        if len(attribute.categories) < 2:
            raise ValueError(
                f"sensitive_features column {attribute.name!r} has the single group "
                f"{attribute.categories[0]!r}; fairness needs at least two groups, so pass "
                "another attribute, or sensitive_features=None for plain spectral clustering."
            )
        _check_number_of_groups(attribute, n_samples)
    return attributes


def _check_number_of_groups(attribute: Attribute, n_samples: int) -> None:
    """Refuse almost unique values; warn of numbers that look like a quantity."""
    name, values = attribute.name, attribute.categories
    h = len(values)
    numeric = all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
    bins = (
        f"bin it into a few groups with fairspectral.bin_numeric(values, n_bins=5) (on the "
        f"command line --bin {name}=5)"
    )
    remedy = bins if numeric else "put its values together into a few groups first"
    if h == n_samples > 2:
        raise ValueError(
            f"sensitive_features column {name!r} has a different value for every one of the "
            f"{n_samples} samples; {remedy}."
        )
    if h <= MANY_GROUPS:
        return
    if 2 * h > n_samples:  # shares of such small groups exclude nothing in whole persons
        raise ValueError(
            f"sensitive_features column {name!r} has {h} different values for {n_samples} "
            f"samples, fewer than two samples for each; {remedy}."
        )
    if not numeric:
        return
    warnings.warn(
        f"sensitive_features column {name!r} has {h} different numbers, and each is a group of its "
        f"own; {remedy}, or pass it as text if the numbers are codes.",
        FairSpectralWarning,
        stacklevel=2,
    )


def _columns(sensitive_features: Any) -> Iterable[tuple[str, np.ndarray]]:
    """Split the input into named 1-D columns."""
    if isinstance(sensitive_features, Mapping):
        if not sensitive_features:
            raise ValueError("sensitive_features is empty; pass at least one attribute.")
        for name, values in sensitive_features.items():
            for _, column in _columns(values):
                yield str(name), column
        return
    labels = column_names(sensitive_features)
    if labels is not None:  # a table of pandas, polars, pyarrow, ...
        if not len(labels):
            raise ValueError("sensitive_features has no columns; pass at least one attribute.")
        names = [str(label) for label in labels]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(
                f"sensitive_features has {names.count(twice)} columns called {twice!r}; give every "
                "column a name of its own."
            )
        for label in labels:
            yield str(label), np.asarray(sensitive_features[label])
        return
    name = getattr(sensitive_features, "name", None)
    values = as_array(sensitive_features)
    if values.ndim == 1:
        yield (str(name) if name not in (None, "") else "group"), values
    elif values.ndim == 2 and values.shape[1] > 0:
        for j in range(values.shape[1]):
            yield (f"attribute {j}" if values.shape[1] > 1 else "group"), values[:, j]
    else:
        kind = type(sensitive_features).__name__
        what = f"has shape {values.shape}" if values.ndim else f"is a single {kind}"
        raise ValueError(
            f"sensitive_features must be one value per sample or a table with one column per "
            f"attribute, but it {what}."
        )


def _encode_attribute(name: str, values: np.ndarray, n_samples: int) -> Attribute:
    if values.ndim != 1:
        raise ValueError(f"sensitive_features column {name!r} is not one-dimensional; pass values.")
    if len(values) != n_samples:
        raise ValueError(
            f"sensitive_features has {len(values)} values but the data has {n_samples} samples; "
            "pass exactly one value per sample, in the same order."
        )
    codes, categories = encode_values(values, f"sensitive_features column {name!r}")
    return Attribute(name, codes, categories)
