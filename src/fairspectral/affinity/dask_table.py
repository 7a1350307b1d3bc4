"""A table whose rows only the workers of a Dask cluster hold, and what must be known of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from fairspectral.affinity.dask_workers import WorkerRows, Workers, active_client
from fairspectral.affinity.units import Units
from fairspectral.fingerprints import fingerprint

# Rows in a part: between these, such that there are about so many parts. Few parts would leave
# workers idle, and each costs the scheduler about a millisecond in every pass.
_FEWEST_ROWS, _MOST_ROWS = 1024, 65_536
_PARTS = 32


def is_dask(X: Any) -> bool:
    """Whether an object is a Dask collection; does not import Dask."""
    dask = sys.modules.get("dask")
    return dask is not None and bool(dask.is_dask_collection(X))


class WorkerTable:
    """The rows of a Dask array or DataFrame of numbers.

    Parameters
    ----------
    X : dask array of shape (n, d)
        Real numbers; chunks along the rows may have unknown lengths.
    names : ndarray of d words, or None
        Names of the columns.

    Attributes
    ----------
    shape : tuple of int
        ``(n, d)``.
    rows : WorkerRows
        The parts, as float arrays; of a matrix with sparse chunks, as CSR.
    """

    def __init__(self, X: Any, names: Any = None) -> None:
        self.names = names
        workers = Workers(active_client())
        X = _in_row_parts(X)
        self.shape = X.shape
        futures = workers.client.compute(list(X.to_delayed().ravel()))
        self.rows = WorkerRows(workers, futures, X.chunks[0]).map(_as_floats)

    def check_finite(self) -> None:
        """Refuse NaN and infinity."""
        for first, found in zip(self.rows.bounds, self.rows.ask(_first_bad), strict=False):
            if found is not None:
                row, column, value = found
                name = column if self.names is None else repr(self.names[column])
                raise ValueError(
                    f"X contains {value} in row {first + row}, column {name}; fill or remove "
                    "such rows before they are clustered on a cluster."
                )

    def units(self) -> tuple[Units, np.ndarray]:
        """The scale and the variance of the features, and the mean of each in that scale."""
        exponent = max(self.rows.ask(_exponent))
        sums = np.sum(self.rows.ask(_sums, exponent), axis=0)
        mean = sums.sum() / np.prod(self.shape)
        squares = sum(self.rows.ask(_squares, exponent, mean))
        return Units(exponent, float(squares / np.prod(self.shape))), sums / self.shape[0]

    def fingerprint(self) -> str:
        """Of all rows, computed where they are."""
        return fingerprint([list(self.shape), self.rows.ask(fingerprint)])


def read_dask(X: Any, sensitive_features: Any, affinity: Any) -> tuple[WorkerTable, Any]:
    """A Dask array or DataFrame on the workers, and the groups on the client.

    Parameters
    ----------
    X : dask array or DataFrame
        The rows.
    sensitive_features : name or names of columns of X, dask collection, array, dict or None
        The groups; a dict has those of each attribute. Columns that are named are not used to
        compare the rows.
    affinity : str or callable
        ``"precomputed"``: X holds the affinities, whose chunks may be sparse.
    """
    import dask.array as da

    names = None
    if _is_frame(X):
        X, sensitive_features = _without_groups(X, sensitive_features)
        names = np.array([str(name) for name in X.columns], dtype=object)
        _check_columns(X)
        X = X.astype("float64").to_dask_array()
    if not isinstance(X, da.Array) or X.ndim != 2:
        raise ValueError(
            f"X is a Dask {type(X).__name__}, which is no table; pass a Dask array of two "
            "dimensions or a Dask DataFrame."
        )
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X has numbers of type {X.dtype}; pass real numbers.")
    sensitive_features = _on_client(sensitive_features)
    table = WorkerTable(X, names)
    n, d = table.shape
    if not n or not d:
        raise ValueError(f"X has {n} row(s) and {d} column(s); pass rows with features.")
    if not (isinstance(affinity, str) and affinity == "precomputed"):
        table.check_finite()
    return table, sensitive_features


def _on_client(groups: Any) -> Any:
    """Groups in memory: a Dask collection, or a dict with one for each attribute."""
    if isinstance(groups, Mapping):
        return {name: _on_client(values) for name, values in groups.items()}
    return groups.compute() if is_dask(groups) else groups


def _is_frame(X: Any) -> bool:
    frames = sys.modules.get("dask.dataframe")
    return frames is not None and isinstance(X, frames.DataFrame)


def _without_groups(X: Any, sensitive_features: Any) -> tuple[Any, Any]:
    """The other columns, and the groups on the client, if columns are named."""
    named = [sensitive_features] if isinstance(sensitive_features, str) else sensitive_features
    if not (isinstance(named, list | tuple) and named and all(isinstance(n, str) for n in named)):
        return X, sensitive_features
    for name in named:
        if name not in X.columns:
            raise ValueError(
                f"sensitive_features names {name!r}, which is not a column of X; it has "
                f"{', '.join(map(str, X.columns))}."
            )
    groups = X[list(named)].compute().reset_index(drop=True)
    one = groups[sensitive_features] if isinstance(sensitive_features, str) else groups
    return X.drop(columns=list(named)), one


def _check_columns(X: Any) -> None:
    if not len(X.columns):
        raise ValueError("X has no column besides the groups; pass features to compare rows by.")
    for name, dtype in X.dtypes.items():
        if getattr(dtype, "kind", "O") not in "fiub":
            raise ValueError(
                f"the column {name!r} of X has values of type {dtype}; on a cluster rows are "
                "compared by numbers only, so encode it as numbers or leave it out."
            )


def _in_row_parts(X: Any) -> Any:
    """Chunks of whole rows, whose lengths are known and suit the workers."""
    if np.isnan(X.shape[0]):
        X = X.compute_chunk_sizes()
    n = X.shape[0]
    length = int(np.clip(-(-n // _PARTS), _FEWEST_ROWS, _MOST_ROWS))
    return X.rechunk({0: length, 1: -1})


# --- on the workers -----------------------------------------------------------------------


def _as_floats(part: Any) -> Any:
    return part if part.dtype.kind == "f" else part.astype(np.float64)


def _first_bad(part: np.ndarray) -> tuple[int, int, str] | None:
    bad = ~np.isfinite(part)
    if not bad.any():
        return None
    row, column = np.unravel_index(int(np.argmax(bad)), bad.shape)
    return int(row), int(column), "NaN" if np.isnan(part[row, column]) else "infinity"


def _exponent(part: np.ndarray) -> int:
    return int(np.frexp(np.abs(part).max(initial=0))[1])


def _sums(part: np.ndarray, exponent: int) -> np.ndarray:
    return np.ldexp(part, -exponent).sum(axis=0, dtype=np.float64)


def _squares(part: np.ndarray, exponent: int, mean: float) -> float:
    return float(np.square(np.ldexp(part, -exponent).astype(np.float64) - mean).sum())


def scaled_and_centred_part(part: np.ndarray, units: Units, means: np.ndarray) -> np.ndarray:
    """Rows in the units of the table, each column centred at its mean."""
    return np.ldexp(part, -units.exponent) - means.astype(part.dtype)
