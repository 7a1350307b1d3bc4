"""Gower's distance between rows of numbers, categories and missing values, as a kernel.

Two rows are compared in every column that both have: by the difference of two numbers over the
range of the column, or by whether two categories differ; the distance is the mean (Gower 1971, "A
general coefficient of similarity and some of its properties"). The kernel is ``exp(-gamma d)``.
A kernel and not a graph of neighbours: the nearest neighbours would be those with the same
categories, whatever their numbers (``benchmarks/affinities.py`` measures it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.affinity.kernel import read_gamma
from fairspectral.affinity.mixed import MixedTable

# Rows whose distances give the width of the kernel: 130,000 pairs, enough for a median.
_SAMPLE = 512
# The width is this part of the median distance (``benchmarks/affinities.py``).
WIDTH = 0.5


@dataclass(frozen=True)
class GowerKernel:
    """``exp(-gamma d)``, with the interface of `fairspectral.affinity.kernel.Kernel`.

    Attributes
    ----------
    categorical : bool ndarray of shape (d,)
        Which columns are codes of categories.
    gamma : float
        One over the width.
    """

    categorical: np.ndarray
    gamma: float

    name = "Gower's kernel"

    @property
    def remedy(self) -> str:
        """Advice in errors where there is no affinity between samples."""
        return f"gamma={self.gamma:.3g} is too large; pass a smaller gamma, or gamma='scale'"

    def prepare(self, values: np.ndarray) -> np.ndarray:
        """The rows as they are."""
        return values

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Affinities between the rows of A and the rows of B."""
        values = distances(A, B, self.categorical)
        values *= -self.gamma
        return np.exp(values, out=values)


def make_gower_kernel(
    table: MixedTable, gamma: Any, kernel_params: dict[str, Any] | None
) -> GowerKernel:
    """Fill in the width: ``"scale"`` is two over the median distance, ``"auto"`` is 1."""
    params = dict(kernel_params or {})
    gamma = params.pop("gamma", gamma)
    if params:
        raise ValueError(
            f"kernel_params has {min(params)!r}, which affinity='gower' does not take; it takes "
            "gamma."
        )
    if isinstance(gamma, str) and gamma == "scale":
        return GowerKernel(table.categorical, 1.0 / (WIDTH * typical_distance(table)))
    # Otherwise as of the Laplacian kernel, where "auto" is one over the number of columns.
    return GowerKernel(table.categorical, read_gamma(gamma, automatic=1.0))


def typical_distance(table: MixedTable) -> float:
    """The median distance of different people in a sample; their mean where that is zero."""
    n = table.shape[0]
    # The same people each time: a fit's own random numbers are not touched.
    rows = np.random.default_rng(0).choice(n, size=min(n, _SAMPLE), replace=False)
    sample = table.values[np.sort(rows)]
    pairs = distances(sample, sample, table.categorical)[np.triu_indices(len(sample), 1)]
    return float(np.median(pairs)) or float(pairs.mean()) or 1.0


def distances(A: np.ndarray, B: np.ndarray, categorical: np.ndarray) -> np.ndarray:
    """Gower's distances between two sets of rows, shape (a, b)."""
    from fairspectral.affinity.gower_kernels import gower_distances

    found: np.ndarray = gower_distances(
        np.ascontiguousarray(A), np.ascontiguousarray(B), categorical
    )
    return found
