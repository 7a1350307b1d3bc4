"""Checks of affinities: square, finite, non-negative, symmetric, with usable degrees.

As in `fairspectral.validation`, a message is one sentence that says what is wrong and what to do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# A degree's square and its inverse must not overflow or underflow.
_SMALLEST_DEGREE = 1e-150
# The volume of a cluster is a sum of degrees, in which those this many times smaller than the
# largest are lost. That is acceptable for a few weakly linked nodes, but not for most.
_WIDEST_RANGE = 1e14
# Error of a sum of affinities, in units of roundoff.
_ROUNDOFF_UNITS = 64


def check_square(shape: tuple[int, ...], name: str) -> None:
    """Refuse an affinity that is not n×n."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be a square matrix of affinities, but it has shape {shape}; "
            "for a table of features use affinity='rbf' or 'nearest_neighbors'."
        )


def refuse_complex(W: Any, name: str) -> None:
    """Refuse complex numbers, whose imaginary parts numpy would drop."""
    if np.iscomplexobj(W):
        raise ValueError(
            f"{name} has complex affinities; pass real numbers of at least zero, for example "
            "their absolute values."
        )


def bad_weight(value: float, row: int, column: int, name: str) -> ValueError:
    """The error for an affinity that is NaN, infinite or negative."""
    if value < 0:
        return ValueError(
            f"{name} has the negative weight {value:g} at row {row}, column {column}; affinities "
            "must be at least zero, so use a non-negative kernel (for example 'rbf') or shift it."
        )
    what = "NaN" if math.isnan(value) else "infinity"
    return ValueError(
        f"{name} contains {what} at row {row}, column {column}; "
        "replace it by a finite affinity (zero where there is no similarity)."
    )


def asymmetric(first: float, second: float, row: int, column: int, name: str) -> ValueError:
    """The error for a matrix that is not symmetric."""
    return ValueError(
        f"{name} is not symmetric: entry ({row}, {column}) is {first:g} but entry "
        f"({column}, {row}) is {second:g}; use (W + W.T) / 2 if the direction does not matter."
    )


_CONNECT = "remove them (keep the rows and columns where W.sum(axis=1) > 0) or connect them"


def check_degrees(
    degrees: np.ndarray,
    name: str,
    *,
    diagonal: np.ndarray | None = None,
    dtype: Any = np.float64,
    remedy: str = "",
) -> None:
    """Refuse degrees that are zero, too small, too large or too unequal.

    Parameters
    ----------
    degrees : ndarray of shape (n,)
        Sums of each node's affinities.
    name : str
        Name of the affinities in the message.
    diagonal : ndarray of shape (n,) or None
        Affinity of each node to itself, where it is known.
    dtype : numpy dtype
        Type of the affinities.
    remedy : str
        Advice where a node has no affinity to others; by default the advice for a graph.
    """
    isolated = np.flatnonzero(~(degrees > 0))
    if len(isolated):
        shown = ", ".join(str(i) for i in isolated[:5]) + (", ..." if len(isolated) > 5 else "")
        raise ValueError(
            f"{name} has {len(isolated)} isolated node(s) without any affinity (index {shown}); "
            f"{remedy or _CONNECT}."
        )
    extreme = (degrees < _SMALLEST_DEGREE) | (degrees > 1 / _SMALLEST_DEGREE)
    if extreme.any():
        at = int(np.argmax(extreme))
        raise ValueError(
            f"{name} has affinities that sum to {degrees[at]:.3g} at node {at}, too "
            f"{'small' if degrees[at] < 1 else 'large'} to compute with; divide all of them by the "
            "largest, which changes no clustering."
        )
    largest, usual = int(np.argmax(degrees)), float(np.median(degrees))
    if degrees[largest] > _WIDEST_RANGE * usual:
        raise ValueError(
            f"{name} has affinities that sum to {degrees[largest]:.3g} at node {largest}, beside "
            f"which those of most nodes, about {usual:.3g}, are lost in floating-point error; "
            "check the largest affinity of that node, or cap it."
        )
    if diagonal is not None:
        # Up to floating-point error there is no affinity between nodes: nothing to cluster by.
        others = np.max((degrees - diagonal) / degrees)
        if others <= _ROUNDOFF_UNITS * np.finfo(dtype).eps:
            raise ValueError(
                f"{name} gives no affinity between different nodes beyond floating-point error, so "
                f"there is nothing to cluster by; "
                f"{remedy or 'check how it was computed, or set its diagonal to zero'}."
            )
