"""The exact minimum-cost assignment of points to clusters under bounds on every cell.

Points -> cells (group, cluster) -> clusters is a minimum-cost flow, so its optimum is
integral. It is solved by successive shortest paths on the small graph of cells
(`fairspectral.rounding.flow_kernels`); the work grows with the number of persons that the
starting potentials put into the wrong cell. Good potentials come from an earlier solve, or
from the same problem on a sample of the points.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.linalg.blocks import row_bounds
from fairspectral.linalg.threads import in_threads

# A sample of one point in eight leaves an error in the potentials that shifts only a few
# per cent of the points; below a few thousand points sampling costs more than it saves.
_SAMPLE_ONE_IN = 8
_SAMPLE_ABOVE = 8_000


class InfeasibleFlowError(ValueError):
    """No assignment satisfies the bounds."""


@dataclass(frozen=True)
class FlowResult:
    """An optimal assignment.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        The cluster of each point.
    cost : float
        Sum of the chosen entries of the cost matrix.
    potentials : ndarray of shape (h k + k + 1,), float64
        Prices of cells, clusters and root, in units of the cost; pass them to a next solve.
    augmentations : int
        Shortest paths that were needed.
    """

    labels: np.ndarray
    cost: float
    potentials: np.ndarray
    augmentations: int


def solve_flow(
    cost: np.ndarray,
    groups: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    size_lower: np.ndarray,
    size_upper: np.ndarray,
    *,
    potentials: np.ndarray | None = None,
) -> FlowResult:
    """Assign every point to one cluster at the least total cost, within all bounds.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        Cost of point i in cluster l; any finite numbers.
    groups : ndarray of shape (n,)
        The group of each point, 0 to h - 1.
    lower, upper : integer ndarray of shape (h, k)
        Bounds on the number of persons of each group in each cluster.
    size_lower, size_upper : integer ndarray of shape (k,)
        Bounds on the sizes of the clusters; equal where the sizes are fixed.
    potentials : ndarray of shape (h k + k + 1,) or None
        From the result of a similar problem. They change the time, never the cost.

    Raises
    ------
    InfeasibleFlowError
        If no assignment is within the bounds.
    """
    h, k = lower.shape
    low = np.concatenate([lower.ravel(), size_lower]).astype(np.int64)
    high = np.concatenate([upper.ravel(), size_upper]).astype(np.int64)
    groups = np.ascontiguousarray(groups, dtype=np.int32)
    scaled, factor = _to_integers(cost, h)
    if potentials is None:
        prices = _sampled_potentials(scaled, groups, low, high)
    else:
        prices = _bounded(potentials * factor)
    labels, status, augmentations = load_kernels("flow_kernels").solve(
        scaled, groups, low, high, prices
    )
    if status:
        raise InfeasibleFlowError(
            f"no assignment of {len(groups)} points in {h} group(s) to {k} clusters satisfies the "
            "lower and upper bounds; widen the bounds or change the cluster sizes."
        )
    total = float(np.take_along_axis(cost, labels[:, None], axis=1).sum(dtype=np.float64))
    # Potentials are defined up to a constant: set the root's to zero.
    return FlowResult(labels, total, (prices - prices[-1]) / factor, augmentations)


def load_kernels(module: str) -> Any:
    """A module of compiled kernels; numba is imported here and nowhere earlier."""
    try:
        return importlib.import_module(f"fairspectral.rounding.{module}")
    except ImportError as error:
        raise ImportError(
            "fair assignment needs numba, which is not installed; run 'pip install numba', or use "
            "assign_labels='kmeans', which gives no guarantee on the labels."
        ) from error


def _to_integers(cost: np.ndarray, n_groups: int) -> tuple[np.ndarray, float]:
    """Costs as int64, each row from zero, and the factor between the two.

    Only differences within a row matter, so a far outlier does not reduce the precision of the
    others unless its own differences are large. The factor is a power of two: integer costs
    stay exact. A path visits each of the h k + k + 1 nodes once at most, and its length must
    fit in 62 bits.
    """
    n, k = cost.shape
    bits = 60 - int(np.ceil(np.log2(n_groups * k + k + 1)))
    bounds = row_bounds(cost, k)

    def spread_of(first: int, last: int) -> float:
        return float(np.ptp(cost[first:last], axis=1).max())

    spread = float(np.max(in_threads(spread_of, bounds)))
    if not np.isfinite(spread):
        raise ValueError("the cost matrix contains NaN or infinity; every cost must be finite.")
    # float64 has 53 bits; more would be meaningless.
    exponent = min(bits, 52) - int(np.ceil(np.log2(spread))) - 1 if spread > 0 else 0
    factor = float(np.ldexp(1.0, min(max(exponent, -1000), 1000)))
    scaled = np.empty((n, k), dtype=np.int64)
    step = max(1, 2**20 // k)

    def convert(first: int, last: int) -> None:
        for at in range(first, last, step):
            rows = slice(at, min(at + step, last))
            part = cost[rows].astype(np.float64)
            part -= part.min(axis=1, keepdims=True)
            part *= factor
            np.rint(part, out=part)
            scaled[rows] = part

    in_threads(convert, bounds)
    return scaled, factor


def _bounded(potentials: np.ndarray) -> np.ndarray:
    """Potentials as integers, small enough that sums with costs cannot overflow."""
    return np.rint(np.clip(potentials, -(2.0**57), 2.0**57)).astype(np.int64)


def _sampled_potentials(
    scaled: np.ndarray, groups: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Potentials from the same problem on a sample, itself started from a smaller one.

    Any potentials are a valid start, so the sample's bounds need not be feasible: where they
    cannot be met, its solve ends early.
    """
    n, k = scaled.shape
    if n < _SAMPLE_ABOVE:
        return np.zeros(len(low) + 1, dtype=np.int64)
    chosen = np.random.default_rng(0).permutation(n)[: n // _SAMPLE_ONE_IN]
    chosen.sort()
    share = len(chosen) / n
    sample_low, sample_high = np.floor(low * share), np.ceil(high * share)
    cells = len(low) - k
    if np.array_equal(low[cells:], high[cells:]):
        # Fixed sizes stay fixed, up to one person, so that the sample's prices mean the same.
        sample_high[cells:] = np.maximum(sample_low[cells:] + 1, sample_high[cells:])
    small = np.ascontiguousarray(scaled[chosen])
    sample_low, sample_high = sample_low.astype(np.int64), sample_high.astype(np.int64)
    prices = _sampled_potentials(small, groups[chosen], sample_low, sample_high)
    load_kernels("flow_kernels").solve(small, groups[chosen], sample_low, sample_high, prices)
    return prices
