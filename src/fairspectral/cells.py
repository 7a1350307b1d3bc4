"""Cells: how many persons of a group are in a cluster, how many may be, and which are outside.

Cells are counted and compared with their bounds only here; the rounding, its certificate, the
audit, the report, the command and the benchmarks use this module. Tables have shape (h, k), one
row for each group and one column for each cluster.

Fairness is requested as a band of shares ``[a_s, b_s]`` that each group s must have in every
cluster. The population's share ``z_s = n_s / n`` must lie in the band, because all clusters
together are the population. In a cluster of m persons the bounds on the cell are

    L = min(ceil(a_s m), floor(z_s m)),    U = max(floor(b_s m), ceil(z_s m)),

so the fractional table ``z_s m`` satisfies them. As the bounds are those of a flow, a table of
whole persons then satisfies them too. A cell can thus leave its band by less than one person, and
only where the band holds no suitable whole number.

Where persons have weights, everything is counted in whole units of weight, and a person of w units
moves all of them at once. With the largest of all persons, ``w``, the bounds are

    L = min(ceil(a_s m), floor(z_s m) - w + 1),    U = max(floor(b_s m), ceil(z_s m) + w - 1):

a cell can leave its band by less than the largest weight of a person. Whole persons are w = 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cells:
    """Persons in each cell, and the bounds on them in whole persons; or units of weight.

    Attributes
    ----------
    table, lower, upper : integer ndarray of shape (h, k)
    """

    table: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def beyond(self) -> np.ndarray:
        """How many persons each cell lacks or has too many, shape (h, k)."""
        return persons_beyond(self.table, self.lower, self.upper)

    @property
    def outside(self) -> np.ndarray:
        """Which cells are outside their bounds, shape (h, k)."""
        return self.beyond > 0

    @property
    def n_outside(self) -> int:
        """How many are."""
        return int(np.sum(self.outside))

    @classmethod
    def together(cls, parts: Sequence[Cells]) -> Cells:
        """The cells of several attributes, one below the other."""
        return cls(
            np.concatenate([part.table for part in parts]),
            np.concatenate([part.lower for part in parts]),
            np.concatenate([part.upper for part in parts]),
        )


def count_cells(
    groups: np.ndarray,
    labels: np.ndarray,
    n_groups: int,
    k: int,
    units: np.ndarray | None = None,
) -> np.ndarray:
    """Persons of each group in each cluster, or their units of weight, shape (h, k).

    Parameters
    ----------
    groups, labels : integer ndarray of shape (n,)
        The group, 0 to h - 1, and the cluster, 0 to k - 1, of each person.
    n_groups, k : int
        h and k.
    units : integer ndarray of shape (n,) or None
        The weight of each person.
    """
    # Sums of units are exact in float64.
    at = groups.astype(np.int64) * k + labels
    cells = np.bincount(at, weights=units, minlength=n_groups * k)
    return cells.reshape(n_groups, k).astype(np.int64)


def population_shares(counts: np.ndarray) -> np.ndarray:
    """Each group's share of everyone, from the persons in each group, shape (h,)."""
    return counts / counts.sum()


def tolerance_band(shares: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """The band ``(1 ± tolerance)`` times the given shares, within 0 and 1."""
    lower = np.maximum((1 - tolerance) * shares, 0.0)
    return lower, np.minimum((1 + tolerance) * shares, 1.0)


def cell_range(
    lower: float, upper: float, count: int, n: int, size: int, largest: int = 1
) -> tuple[int, int]:
    """Bounds on a cell: a group of ``count`` among ``n`` persons, a cluster of ``size``.

    All may be units of weight, of which a person has ``largest`` at most; without weights it is 1.
    Plain scalar code, because the refinement compiles this function.
    """
    # A product such as 0.8 * 5 may have a floating-point error, which must not move the bounds.
    slip = 1e-9 + 1e-15 * size
    low = min(math.ceil(lower * size - slip), count * size // n - (largest - 1))
    high = max(math.floor(upper * size + slip), -(-count * size // n) + (largest - 1))
    return max(low, 0), min(high, count, size)


def bounds_in_persons(
    lower: np.ndarray,
    upper: np.ndarray,
    counts: np.ndarray,
    sizes: np.ndarray,
    largest: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest number of persons of each group in clusters of these sizes.

    All may be counted in units of weight.

    Parameters
    ----------
    lower, upper : ndarray of shape (h,)
        The band of shares.
    counts : integer ndarray of shape (h,)
        Persons in each group.
    sizes : integer ndarray of shape (k,)
        Persons in each cluster.
    largest : int
        Units of the person who weighs most.

    Returns
    -------
    lower, upper : int64 ndarray of shape (h, k)
    """
    # `cell_range` for all cells at once.
    counts = np.asarray(counts, dtype=np.int64)[:, None]
    sizes = np.asarray(sizes, dtype=np.int64)[None, :]
    n, slip = int(counts.sum()), 1e-9 + 1e-15 * sizes
    low = np.ceil(np.asarray(lower)[:, None] * sizes - slip).astype(np.int64)
    high = np.floor(np.asarray(upper)[:, None] * sizes + slip).astype(np.int64)
    low = np.maximum(np.minimum(low, counts * sizes // n - (largest - 1)), 0)
    high = np.maximum(high, -(-counts * sizes // n) + (largest - 1))
    return low, np.minimum(np.minimum(high, counts), sizes)


def judge_cells(table: np.ndarray, lower: np.ndarray, upper: np.ndarray, largest: int = 1) -> Cells:
    """Put bounds on all cells of a clustering, from its band of shares (both of shape (h,))."""
    sums = table.sum(axis=1), table.sum(axis=0)
    return Cells(table, *bounds_in_persons(lower, upper, *sums, largest))


def judge_by_tolerance(table: np.ndarray, tolerance: float, largest: int = 1) -> Cells:
    """Put bounds on all cells of a clustering, ``(1 ± tolerance)`` around everyone's shares."""
    band = tolerance_band(population_shares(table.sum(axis=1)), tolerance)
    return judge_cells(table, *band, largest)


def persons_beyond(
    table: np.ndarray, lower: np.ndarray | int, upper: np.ndarray | int
) -> np.ndarray:
    """How many persons each cell lacks or has too many; 0 within the bounds, shape (h, k)."""
    return np.maximum(np.maximum(lower - table, table - upper), 0)
