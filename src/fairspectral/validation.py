"""What input is accepted, and the words of every error.

Every message is one sentence that says what is wrong, where, and what to do.
Nothing here computes; everything here is called before the first computation.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array


class FairSpectralWarning(UserWarning):
    """Something about the input or the result that a user should know of."""


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
    """

    name: str
    codes: np.ndarray
    categories: tuple[Any, ...]

    @property
    def counts(self) -> np.ndarray:
        """Number of samples in each category, shape (h,)."""
        return np.bincount(self.codes, minlength=len(self.categories))


# --- sensitive attributes ---------------------------------------------------------------


def check_sensitive_features(
    sensitive_features: Any, n_samples: int, *, constrain: bool = True
) -> tuple[Attribute, ...]:
    """Read one or several sensitive attributes into codes and categories.

    Parameters
    ----------
    sensitive_features : list, ndarray, Series, Categorical, DataFrame, dict
        One value per sample (1-D), or one column per attribute (2-D, or a dict by name).
    n_samples : int
        The number of rows that the data has.
    constrain : bool
        A constraint needs at least two groups, and fewer than samples; metrics may look at any.
    """
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
        if len(attribute.categories) == n_samples > 2:
            raise ValueError(
                f"sensitive_features column {attribute.name!r} has a different value for every "
                f"one of the {n_samples} samples; bin it into a few groups first (for example "
                "with pandas.cut)."
            )
    return attributes


def _columns(sensitive_features: Any) -> Iterable[tuple[str, np.ndarray]]:
    """Split the input into named 1-D columns."""
    if isinstance(sensitive_features, Mapping):
        if not sensitive_features:
            raise ValueError("sensitive_features is empty; pass at least one attribute.")
        for name, values in sensitive_features.items():
            for _, column in _columns(values):
                yield str(name), column
        return
    if hasattr(sensitive_features, "columns"):  # a DataFrame of pandas, polars, ...
        if not len(sensitive_features.columns):
            raise ValueError("sensitive_features has no columns; pass at least one attribute.")
        for label in sensitive_features.columns:
            yield str(label), np.asarray(sensitive_features[label])
        return
    name = getattr(sensitive_features, "name", None)
    values = _as_array(sensitive_features)
    if values.ndim == 1:
        yield (str(name) if name is not None else "group"), values
    elif values.ndim == 2 and values.shape[1] > 0:
        for j in range(values.shape[1]):
            yield (f"attribute {j}" if values.shape[1] > 1 else "group"), values[:, j]
    else:
        raise ValueError(
            f"sensitive_features must be one value per sample or a table with one column per "
            f"attribute, but it has shape {values.shape}."
        )


def _as_array(values: Any) -> np.ndarray:
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
        What a message calls the values, and what it says they must be.

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
    missing = _missing(values)
    if missing.any():
        raise ValueError(
            f"{name} has {int(missing.sum())} missing value(s), the first at row "
            f"{int(np.argmax(missing))}; fill them with a category of their own or drop those rows."
        )
    try:
        categories, codes = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values})
        raise TypeError(
            f"{name} mixes values that cannot be compared ({', '.join(kinds)}); convert it to one "
            "type, for example with .astype(str)."
        ) from None
    return codes.reshape(-1).astype(np.intp), tuple(categories.tolist())


def _missing(values: np.ndarray) -> np.ndarray:
    """Where a value is None, NaN, NaT or pandas.NA."""
    if np.ma.isMaskedArray(values):
        return np.ma.getmaskarray(values)
    if values.dtype.kind == "U":
        return values == "nan"  # what numpy makes of a NaN among text
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    # pandas' own test where pandas is in use; importing it for this would be heavy.
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        return np.asarray(pandas.isna(values))
    return np.fromiter((v is None or v != v for v in values), dtype=bool, count=len(values))


# A degree's square and its inverse must be numbers with all their digits.
_SMALLEST_DEGREE = 1e-150


# --- features and affinities ------------------------------------------------------------


def check_table(X: Any) -> None:
    """Refuse what is not a two-dimensional table."""
    try:
        ndim = X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim
    except ValueError:
        raise ValueError("X has rows of different lengths; pass a rectangular table.") from None
    if ndim != 2:
        what = f"{ndim}-dimensional" if ndim else f"a single {type(X).__name__}"
        raise ValueError(
            f"X must be a table with one row per sample and one column per feature, but it is "
            f"{what}; for a single feature use X.reshape(-1, 1)."
        )


def check_data(X: Any, *, precomputed: bool, check: Callable[..., Any] = check_array) -> Any:
    """A table of finite numbers, or a matrix of affinities, as numpy or scipy hold it.

    `check` is scikit-learn's own check; an estimator passes one that remembers feature names.
    Affinities keep their format and type; their values are checked by the operators.
    """
    check_table(X)
    names = getattr(X, "columns", None)
    try:
        checked = check(
            X,
            accept_sparse=True if precomputed else "csr",
            dtype="numeric" if precomputed else [np.float64, np.float32],
            ensure_all_finite=False,  # said better below, and without a second pass
            ensure_min_samples=2,
        )
    except ValueError as error:
        if "could not convert string" in str(error):
            raise non_numeric_features(X, error) from None
        # scikit-learn's words without the printed array that may follow them.
        raise ValueError(str(error).splitlines()[0]) from None
    if not precomputed:
        check_finite_features(checked, names)
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


def check_finite_features(X: Any, feature_names: Any = None) -> None:
    """Refuse NaN and infinity in a dense or sparse feature table."""
    values = X.data if sp.issparse(X) else X
    if np.isfinite(values.sum()) or np.isfinite(values).all():
        return
    coo = X.tocoo() if sp.issparse(X) else None
    bad = ~np.isfinite(coo.data if coo is not None else X)
    if coo is not None:
        at = int(np.argmax(bad))
        row, column, value = int(coo.row[at]), int(coo.col[at]), coo.data[at]
    else:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = X[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    where = f"column {column}" if feature_names is None else f"column {feature_names[column]!r}"
    raise ValueError(
        f"X contains {what} at row {row}, {where}; fill or drop missing values "
        "(for example with sklearn.impute.SimpleImputer) before fitting."
    )


def non_numeric_features(X: Any, error: ValueError) -> ValueError:
    """Say where text stands in a table that should be numeric."""
    table = np.asarray(X, dtype=object)
    for row, column in np.ndindex(table.shape):
        value = table[row, column]
        if isinstance(value, str | bytes):
            try:
                float(value)
            except ValueError:
                names = getattr(X, "columns", None)
                where = f"column {column}" if names is None else f"column {names[column]!r}"
                return ValueError(
                    f"X contains text at row {row}, {where} ({value!r}); encode categories as "
                    "numbers first (for example with sklearn.preprocessing.OneHotEncoder)."
                )
    return error


def check_square(shape: tuple[int, ...], name: str) -> None:
    """Refuse an affinity that is not n×n."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be a square matrix of affinities, but it has shape {shape}; "
            "for a table of features use affinity='rbf' or 'nearest_neighbors'."
        )


def bad_weight(value: float, row: int, column: int, name: str) -> ValueError:
    """Say what is wrong with an affinity that is NaN, infinite or negative."""
    if value < 0:
        return ValueError(
            f"{name} has the negative weight {value:g} at row {row}, column {column}; affinities "
            "must be at least zero, so use a non-negative kernel (for example 'rbf') or shift it."
        )
    what = "NaN" if math.isnan(value) else "infinity"
    return ValueError(
        f"{name} contains {what} at row {row}, column {column}; "
        "replace it by a finite affinity (zero where there is no similarity)."
    )


def asymmetric(first: float, second: float, row: int, column: int, name: str) -> ValueError:
    """Say where a matrix is not symmetric."""
    return ValueError(
        f"{name} is not symmetric: entry ({row}, {column}) is {first:g} but entry "
        f"({column}, {row}) is {second:g}; use (W + W.T) / 2 if the direction does not matter."
    )


def check_degrees(degrees: np.ndarray, name: str) -> None:
    """Refuse a graph with an isolated node, whose row cannot be normalised, or out of range."""
    isolated = np.flatnonzero(~(degrees > 0))
    if len(isolated):
        shown = ", ".join(str(i) for i in isolated[:5]) + (", ..." if len(isolated) > 5 else "")
        raise ValueError(
            f"{name} has {len(isolated)} isolated node(s) without any affinity (index {shown}); "
            "remove them (keep the rows and columns where W.sum(axis=1) > 0) or connect them."
        )
    extreme = (degrees < _SMALLEST_DEGREE) | (degrees > 1 / _SMALLEST_DEGREE)
    if extreme.any():
        at = int(np.argmax(extreme))
        raise ValueError(
            f"{name} has affinities that sum to {degrees[at]:.3g} at node {at}, too "
            f"{'small' if degrees[at] < 1 else 'large'} to compute with; divide all of them by the "
            "largest, which changes no clustering."
        )


def check_n_clusters(
    n_clusters: int, n_samples: int, n_constraints: int, *, name: str = "n_clusters"
) -> None:
    """Refuse more vectors than the constrained space has dimensions."""
    largest = n_samples - n_constraints
    if n_clusters < 1:
        raise ValueError(f"{name}={n_clusters} must be at least 1; pass a positive number.")
    if n_clusters > largest:
        why = f" minus {n_constraints} fairness constraint(s)" if n_constraints else ""
        raise ValueError(
            f"{name}={n_clusters} is larger than {largest}, the {n_samples} samples{why}; "
            f"choose {name} of at most {largest}."
        )
