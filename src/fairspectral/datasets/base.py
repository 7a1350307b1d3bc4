"""The data set that every generator and every loader returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples as a table or as a graph, with the group of each.

    Exactly one of `X` and `graph` is given.

    Attributes
    ----------
    name : str
        Name of the data set in tables and figures.
    sensitive_features : ndarray of shape (n,)
        The group of every sample.
    X : ndarray of shape (n, d), optional
        Features.
    graph : ndarray or csr_array of shape (n, n), optional
        Symmetric adjacency, without self-loops and without isolated nodes.
    clusters : ndarray of shape (n,), optional
        The planted clusters, where the data come from a model.
    feature_names : tuple of str
        One name per column of `X`.
    source, licence, citation : str
        Where real data come from, on which terms, and what to cite.
    """

    name: str
    sensitive_features: np.ndarray
    X: np.ndarray | None = None
    graph: Any = None
    clusters: np.ndarray | None = None
    feature_names: tuple[str, ...] = ()
    source: str = ""
    licence: str = ""
    citation: str = ""

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.sensitive_features)

    @property
    def h(self) -> int:
        """Number of groups."""
        return len(np.unique(self.sensitive_features))

    def __repr__(self) -> str:
        data = self.graph if self.X is None else self.X
        kind = "graph" if self.X is None else "X"
        return f"Dataset({self.name!r}, n={self.n}, h={self.h}, {kind}={type(data).__name__})"


def check_at_least(value: int, smallest: int, name: str, why: str) -> None:
    """Refuse a size that is too small."""
    if value < smallest:
        raise ValueError(f"{name}={value} is too small; pass at least {smallest}, {why}.")
