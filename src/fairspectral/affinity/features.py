"""A user's table, checked as the affinity needs it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from fairspectral.affinity.mixed import MixedTable, is_mixed, read_mixed
from fairspectral.affinity.torch_table import read_tensor, symmetric_words
from fairspectral.tensors import is_tensor, on_host
from fairspectral.validation import FairSpectralWarning, check_data

# Affinities for which categories and missing values may be in a table.
MIXED_AFFINITIES = ("gower", "auto")


def takes_mixed(affinity: Any) -> bool:
    """Whether tables with categories and missing values are accepted."""
    return isinstance(affinity, str) and affinity in MIXED_AFFINITIES


def read_features(X: Any, affinity: Any, *, check: Callable[..., Any] = check_array) -> Any:
    """Numbers, affinities or a `MixedTable`, by `affinity`.

    `check` is scikit-learn's own check; an estimator passes one that remembers feature names.
    Dense tensors stay tensors, where they are.
    """
    precomputed = isinstance(affinity, str) and affinity == "precomputed"
    if is_tensor(X):
        X = read_tensor(X, precomputed=precomputed, missing=takes_mixed(affinity))
        if is_tensor(X) and affinity != "gower":
            return X
        X = on_host(X)
    if takes_mixed(affinity) and (affinity == "gower" or is_mixed(X)):
        table = read_mixed(X)
        if affinity == "auto":
            _warn_of_missing(table)
        return table
    otherwise = "" if precomputed or sp.issparse(X) else ", or pass affinity='gower'"
    checked = check_data(X, precomputed=precomputed, check=check, otherwise=otherwise)
    if not precomputed:
        _warn_of_affinities(checked)
    return checked


def _warn_of_affinities(X: Any) -> None:
    """Say that a square, symmetric matrix is compared row by row like any other table."""
    if len(getattr(X, "shape", ())) != 2 or X.shape[0] != X.shape[1] or X.shape[0] < 3:
        return
    values = X if sp.issparse(X) else np.asarray(X)
    if values.dtype.kind not in "biuf":
        return
    differs = values != values.T
    if (differs.nnz == 0) if sp.issparse(differs) else not differs.any():
        warnings.warn(symmetric_words(X.shape[0]), FairSpectralWarning, stacklevel=2)


def _warn_of_missing(table: MixedTable) -> None:
    """Say that "auto", the default, accepts the missing values of a table of numbers."""
    missing = np.isnan(table.values)
    if missing.any() and not table.categorical.any():  # for categories Gower's is no surprise
        warnings.warn(
            f"X has missing values (the first in row {int(np.argmax(missing.any(axis=1)))}; "
            f"{missing.mean():.1%} of all), so affinity='auto' compares rows by Gower's distance, "
            "in the columns that both have; fill them in, or pass affinity='gower' if that is what "
            "you want.",
            FairSpectralWarning,
            stacklevel=2,
        )
