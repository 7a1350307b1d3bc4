"""A user's table, checked as the affinity needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp
from sklearn.utils import check_array

from fairspectral.affinity.mixed import is_mixed, read_mixed
from fairspectral.validation import check_data

# Affinities for which categories and missing values may be in a table.
MIXED_AFFINITIES = ("gower", "auto")


def takes_mixed(affinity: Any) -> bool:
    """Whether tables with categories and missing values are accepted."""
    return isinstance(affinity, str) and affinity in MIXED_AFFINITIES


def read_features(X: Any, affinity: Any, *, check: Callable[..., Any] = check_array) -> Any:
    """Numbers, affinities or a `MixedTable`, by `affinity`.

    `check` is scikit-learn's own check; an estimator passes one that remembers feature names.
    """
    if takes_mixed(affinity) and (affinity == "gower" or is_mixed(X)):
        return read_mixed(X)
    precomputed = isinstance(affinity, str) and affinity == "precomputed"
    otherwise = "" if precomputed or sp.issparse(X) else ", or pass affinity='gower'"
    return check_data(X, precomputed=precomputed, check=check, otherwise=otherwise)
