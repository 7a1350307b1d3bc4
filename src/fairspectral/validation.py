"""Validation of input, and its error messages.

Every message is one sentence that says what is wrong, where, and what to do.
Nothing here computes; everything here is called before the first computation.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from fairspectral.feature_tables import (
    check_column_names,
    check_table,
    column_names,
    non_numeric_features,
    refuse_dates,
    refuse_filled_sparse,
    reworded,
)
from fairspectral.feature_tables import refuse_masked as refuse_masked
from fairspectral.parameters import check_whole_number
from fairspectral.row_order import check_same_rows, check_same_sides
from fairspectral.sparse_structure import check_sparse_structure as check_sparse_structure
from fairspectral.tensors import on_host
from fairspectral.weighting import Weights


class FairSpectralWarning(UserWarning):
    """A warning about the input or the result."""


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


# --- sensitive attributes ---------------------------------------------------------------

# Distinct numbers from which on an attribute is taken for a quantity, such as an age, and not for
# codes of groups. There are hardly more codes than this in use (regions, occupations).
MANY_GROUPS = 20


def warn_of_ignored_y(y: Any, sensitive_features: Any) -> None:
    """Warn that groups are not passed as `y`; called by a `fit` without groups.

    A warning and not an error, because scikit-learn's pipelines and checks always pass a `y`.
    """
    if y is not None and sensitive_features is None:
        warnings.warn(
            "fit was given y but no sensitive_features; y is ignored, and the clustering is not "
            "constrained by any group: pass groups as fit(X, sensitive_features=groups).",
            FairSpectralWarning,
            stacklevel=4,  # over scikit-learn's wrapper of fit
        )


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
    values = _as_array(sensitive_features)
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


def _as_array(values: Any) -> np.ndarray:
    values = on_host(values)
    if isinstance(values, np.ndarray):
        return values
    # A list of mixed types must not be turned into strings by numpy.
    return np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)


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


def encode_values(
    values: Any, name: str, shape: str = "one value per sample"
) -> tuple[np.ndarray, tuple[Any, ...]]:
    """One value per sample as codes, shape (n,), and the distinct values, sorted.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers, text or anything that can be sorted; none may be missing.
    name, shape : str
        Name of the values in messages, and the shape that messages ask for.

    Returns
    -------
    codes : ndarray of shape (n,), intp
        Index of each value among the distinct ones.
    categories : tuple
        The distinct values.
    """
    values = _as_array(values)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"{name} must be {shape}, but has shape {values.shape}.")
    missing = find_missing(values)
    if missing.any():
        raise ValueError(
            f"{name} has {int(missing.sum())} missing value(s), the first at row "
            f"{int(np.argmax(missing))}; fill them with a category of their own or drop those rows."
        )
    if values.dtype.kind in "OV":
        _refuse_containers(values, name)
    try:
        categories, codes = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values})
        raise TypeError(
            f"{name} mixes values that cannot be compared ({', '.join(kinds)}); convert it to one "
            "type, for example with .astype(str)."
        ) from None
    return codes.reshape(-1).astype(np.intp), tuple(categories.tolist())


def _refuse_containers(values: np.ndarray, name: str) -> None:
    """Refuse lists and other containers, which do not sort or compare like names."""
    for row, value in enumerate(values):
        if isinstance(value, list | dict | set | np.ndarray | np.void):
            raise TypeError(
                f"{name} has a {type(value).__name__} at row {row}; pass one text or number for "
                "each sample."
            )


def find_missing(values: np.ndarray) -> np.ndarray:
    """Where a value is None, NaN, NaT or pandas.NA, shape (n,)."""
    if np.ma.isMaskedArray(values):
        return np.ma.getmaskarray(values)
    if values.dtype.kind == "U":
        return values == "nan"  # numpy turns a NaN among text into this
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    # Use pandas' test if pandas is loaded; importing it only for this would be slow.
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        return np.asarray(pandas.isna(values))
    return np.fromiter((v is None or v != v for v in values), dtype=bool, count=len(values))


# --- features ---------------------------------------------------------------------------


def check_data(
    X: Any, *, precomputed: bool, check: Callable[..., Any] = check_array, otherwise: str = ""
) -> Any:
    """A table of finite numbers, or a matrix of affinities, as numpy or scipy hold it.

    `check` is scikit-learn's own check; an estimator passes one that remembers feature names.
    `otherwise` is what else to do with categories and missing values, at the end of a message.
    Affinities keep their format and type; their values are checked by the operators.
    """
    if sp.issparse(X):
        check_sparse_structure(X)
    check_table(X)
    refuse_masked(X, "X")
    check_column_names(X)
    refuse_dates(X)
    refuse_filled_sparse(X)
    if isinstance(X, np.matrix):
        X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "US":
        X = X.astype(object)  # text that reads as numbers is accepted, in affinities too
    if precomputed:
        check_same_sides(X, "X")
    names = column_names(X)
    try:
        with np.errstate(over="ignore"):  # infinite values are found below
            checked = check(
                X,
                accept_sparse=True if precomputed else "csr",
                dtype="numeric" if precomputed else [np.float64, np.float32],
                ensure_all_finite=False,  # checked below with a better message, in one pass
                ensure_min_samples=2,
            )
    except (ValueError, TypeError, OverflowError) as error:
        found = non_numeric_features(X, otherwise)
        if found is not None:
            raise found from None
        raise ValueError(reworded(error)) from None
    if not precomputed:
        check_finite_features(checked, names, otherwise)
    return checked


def check_dtype(dtype: Any) -> np.dtype:
    """A floating dtype in which products can be computed."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if found not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype!r} is not supported; use 'float32' or 'float64'.")
    return found


def all_finite(values: np.ndarray) -> bool:
    """Whether there is no NaN and no infinity; one sum decides unless it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())


def check_finite_features(X: Any, feature_names: Any = None, otherwise: str = "") -> None:
    """Refuse NaN and infinity in a dense or sparse feature table."""
    values = X.data if sp.issparse(X) else X
    if all_finite(values):
        return
    coo = X.tocoo() if sp.issparse(X) else None
    bad = ~np.isfinite(coo.data if coo is not None else X)
    if coo is not None:
        at = int(np.argmax(bad))
        row, column, value = int(coo.row[at]), int(coo.col[at]), coo.data[at]
    else:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = X[row, column]
    where = f"column {column}" if feature_names is None else f"column {feature_names[column]!r}"
    raise not_finite(float(value), row, where, otherwise)


def not_finite(value: float, row: int, where: str, otherwise: str = "") -> ValueError:
    """The error for a feature that is NaN or infinite."""
    what = "NaN" if np.isnan(value) else "infinity"
    otherwise = otherwise if what == "NaN" else ""
    return ValueError(
        f"X contains {what} at row {row}, {where}; fill or drop missing values "
        f"(for example with sklearn.impute.SimpleImputer) before fitting{otherwise}."
    )


def check_n_clusters(
    n_clusters: int, n_samples: int, n_constraints: int, *, name: str = "n_clusters"
) -> None:
    """Refuse more vectors than the constrained space has dimensions."""
    largest = n_samples - n_constraints
    check_whole_number(n_clusters, name)
    if n_clusters > largest:
        why = f" minus {n_constraints} fairness constraint(s)" if n_constraints else ""
        raise ValueError(
            f"{name}={n_clusters} is larger than {largest}, the {n_samples} samples{why}; "
            f"choose {name} of at most {largest}."
        )
