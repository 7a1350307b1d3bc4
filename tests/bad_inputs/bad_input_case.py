"""A row of the tables of bad inputs, and the plain data that its input is made from."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

WORKS = "works"
N = 30
K = 2


@dataclass(frozen=True)
class Fit:
    """A fit of `FairSpectralClustering`.

    Attributes
    ----------
    name : str
        Of the case.
    X, groups : callable
        Make the data and the sensitive features; `params` are the estimator's.
    outcome : str or Pattern
        `WORKS`, or the sentence with which it is refused (a pattern matches all of it).
    same : bool
        Whether the partition must be as good as that of the plain input.
    warns : str
        Part of the warning that a case that works gives; "" for none.
    needs : str
        An optional package.
    """

    name: str
    X: Callable[[], Any]
    groups: Callable[[], Any]
    outcome: str | re.Pattern[str] = WORKS
    same: bool = True
    warns: str = ""
    needs: str = ""
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A call of a function; a case that works returns True where its result is right."""

    name: str
    call: Callable[[], Any]
    outcome: str | re.Pattern[str] = WORKS
    needs: str = ""


def sklearns(parameter: str, value: str = ".*") -> re.Pattern[str]:
    """scikit-learn's message about a parameter, which its checks of estimators require."""
    return re.compile(rf"The '{parameter}' parameter of \w+ must be .*\. Got {value} instead\.")


def plain() -> np.ndarray:
    """Whole numbers that every type holds exactly: two bunches, of which each group has half."""
    rng = np.random.default_rng(0)
    return (rng.integers(0, 12, (N, 3)) + 40 * (np.arange(N) // 2 % 2)[:, None]).astype(np.float64)


def kernel() -> np.ndarray:
    """Affinities of the plain data; exactly symmetric."""
    W = rbf_kernel(plain(), gamma=1e-3)
    return (W + W.T) / 2


def graph() -> np.ndarray:
    """A connected graph with two parts, 0 and 1 alone."""
    side = np.arange(N) // 2 % 2
    W = (side[:, None] == side).astype(np.float64)
    W[0, 2] = W[2, 0] = 1.0
    np.fill_diagonal(W, 0.0)
    return W


def two_groups() -> np.ndarray:
    """Alternating groups."""
    return np.where(np.arange(N) % 2, "m", "f")


def pandas() -> Any:
    return importlib.import_module("pandas")


def polars() -> Any:
    return importlib.import_module("polars")


def frame(**kinds: Any) -> Any:
    return pandas().DataFrame(plain(), columns=["a", "b", "c"]).astype(kinds or float)


def wide(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def twice(X: np.ndarray) -> Any:
    """Each value as two halves that add up."""
    rows, columns = np.indices(X.shape).reshape(2, -1)
    half = X.reshape(-1) / 2
    at = (np.r_[rows, rows], np.r_[columns, columns])
    return sp.coo_array((np.r_[half, half], at), shape=X.shape)


def broken(matrix: Any) -> Any:
    matrix.indices[5] = 10**6
    return matrix


def falling(matrix: Any) -> Any:
    matrix.indptr[3] = matrix.indptr[5]
    matrix.indptr[4] = 0
    return matrix
