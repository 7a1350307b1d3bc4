"""Tables of features and matrices of affinities, before anything is computed with them."""

from __future__ import annotations

from collections.abc import Callable
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
    refuse_masked,
    reworded,
)
from fairspectral.parameters import check_whole_number
from fairspectral.row_order import check_same_sides
from fairspectral.sparse_structure import check_sparse_structure


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
