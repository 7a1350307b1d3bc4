"""Later rows, checked and encoded as those of the fit were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.checks import refuse_complex
from fairspectral.affinity.mixed import MixedTable, read_later
from fairspectral.feature_tables import check_table
from fairspectral.graphs.door import as_graph
from fairspectral.later.training import PRECOMPUTED, Training
from fairspectral.validation import check_data, check_sparse_structure, refuse_masked

# scikit-learn's checks look for the first words of this sentence.
_NOBODY = "Found array with 0 sample(s) in X; pass at least one new person."


def read_rows(
    X: Any, training: Training, n: int, name: str, check: Callable[..., Any]
) -> np.ndarray | Any:
    """Numbers, codes or affinities of later people, an array or CSR of m rows.

    Parameters
    ----------
    X : any
        As the user gave it.
    training : Training
        What they are compared with.
    n : int
        The number of people of the fit.
    name : str
        Name of the model in messages.
    check : callable
        scikit-learn's check that the columns are those of the fit.
    """
    if getattr(X, "ndim", 2) == 1:
        # scikit-learn's checks look for the words after the semicolon.
        raise ValueError(
            "X must be a table with one row per new person, but it is one-dimensional; Reshape "
            "your data with X.reshape(1, -1) if it is one person."
        )
    if as_graph(X) is not None:
        raise TypeError(
            f"X is a graph; pass the edges from each new person to the {n} people of the fit, as a "
            f"matrix with {n} columns in their order."
        )
    check_table(X)
    if training.affinity == PRECOMPUTED:
        return _affinities(X, training, n, name)
    if isinstance(training.rows, MixedTable):
        check(X, skip_check_array=True)
        if not np.shape(X)[0]:
            raise ValueError(_NOBODY)
        return read_later(X, training.rows.columns)
    return check_data(X, precomputed=False, check=lambda X, **options: check(
        X, **(options | {"ensure_min_samples": 1})))  # fmt: skip


def _affinities(X: Any, training: Training, n: int, name: str) -> Any:
    if sp.issparse(X):
        check_sparse_structure(X)
    refuse_masked(X, "X")
    refuse_complex(X, "X")
    if np.shape(X)[1] != n:
        # scikit-learn's checks look for the first words of this sentence.
        raise ValueError(
            f"X has {np.shape(X)[1]} features, but {name} is expecting {n} features as input, the "
            "affinities of each new person to each of the people of the fit, in their order."
        )
    if not np.shape(X)[0]:
        raise ValueError(_NOBODY)
    kind = training.dtype  # in which equal affinities are recognised
    try:
        rows = sp.csr_array(X, dtype=kind) if sp.issparse(X) else np.asarray(X, dtype=kind)
    except (TypeError, ValueError):
        raise ValueError("X holds other values than numbers; pass affinities.") from None
    values: Any = rows.data if sp.issparse(rows) else rows
    if not ((values >= 0) & (values < np.inf)).all():
        raise ValueError(
            "X has affinities that are negative, infinite or NaN; pass numbers of at least 0."
        )
    return rows
