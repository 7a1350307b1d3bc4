"""The clusterings that were found so far, which can be asked for the best within some bounds."""

from __future__ import annotations

import numpy as np

from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.result import FairAssignment, certify, keeps_all

# Costs that differ by less, relative to their size, are equal but for floating-point error.
_NOISE = 1e-9


class Archive:
    """Clusterings of the same people that were found so far, whatever their bounds were.

    What lies within tight bounds lies within looser ones, and what was found under loose bounds
    may lie within tighter ones, so every search counts for every tolerance.
    """

    def __init__(self) -> None:
        self._found: list[FairAssignment] = []
        self._partitions: list[np.ndarray] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, found: FairAssignment) -> None:
        """Keep a clustering, unless it is known already, if by other numbers of the clusters."""
        partition = numbered_by_appearance(found.labels)
        if not any(np.array_equal(partition, other) for other in self._partitions):
            self._found.append(found)
            self._partitions.append(partition)

    def best(
        self, plan: RoundingPlan, *, stopped: bool = False, searched: bool = True
    ) -> FairAssignment | None:
        """The clustering of the lowest cost within the plan's bounds, certified for these.

        Of equal ones it is the one that was found first; None if none is within the bounds. What
        is said of the search is given, since it is that of the plan, not of the clustering.
        """
        fitting = [
            one
            for one in self._found
            if len(one.sizes) == plan.n_clusters and keeps_all(plan, one.labels)
        ]
        if not fitting:
            return None
        lowest = min(one.cost for one in fitting)
        best = next(one for one in fitting if not is_lower(lowest, one.cost))
        about = {"stopped": stopped, "searched": searched}
        return certify(best.labels, plan, best.history, best.starts, **about)


def is_lower(cost: float, other: float) -> bool:
    """Whether a cost is lower than another by more than floating-point error."""
    return cost < other - _NOISE * max(1.0, abs(other))


def numbered_by_appearance(labels: np.ndarray) -> np.ndarray:
    """The same clusters, numbered in the order of their first members."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[codes.reshape(-1)]
