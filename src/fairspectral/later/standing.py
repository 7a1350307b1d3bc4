"""Who is placed already, and the bounds on everyone together: people so far and new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairspectral.cells import Cells, count_cells, judge_cells
from fairspectral.rounding.bounds import FairnessRule


@dataclass(frozen=True)
class Judgement:
    """A placement of new people beside those who are placed already.

    Attributes
    ----------
    arrivals : tuple of integer ndarray of shape (h, k)
        The new persons in each cell, for each attribute.
    parts : tuple of Cells
        Everyone together with the bounds, for each attribute.
    above_ceiling : int
        Persons above the most that a cluster may have, of all clusters.
    """

    arrivals: tuple[np.ndarray, ...]
    parts: tuple[Cells, ...]
    above_ceiling: int

    @property
    def beyond(self) -> int:
        """Persons beyond the bounds of all cells, and above the ceiling of all clusters."""
        return sum(int(part.beyond.sum()) for part in self.parts) + self.above_ceiling


@dataclass(frozen=True)
class Standing:
    """The people so far, and what everyone together must keep.

    With weights, everything that counts persons here counts units of weight.

    Attributes
    ----------
    before : sequence of integer ndarray of shape (h, k)
        Persons who are placed already, for each attribute.
    rules : sequence of FairnessRule
        The bands of shares of everyone, the new people included; they may be impossible.
    ceiling : int or None
        The most persons in a cluster.
    """

    before: Sequence[np.ndarray]
    rules: Sequence[FairnessRule]
    ceiling: int | None = None

    @property
    def n_clusters(self) -> int:
        """Clusters, k."""
        return self.before[0].shape[1]

    def judge(
        self, labels: np.ndarray, codes: np.ndarray, units: np.ndarray | None = None
    ) -> Judgement:
        """Judge everyone together, with new people in these clusters.

        Parameters
        ----------
        labels : integer ndarray of shape (m,)
            The clusters of the new people; of nobody, for the people so far alone.
        codes : integer ndarray of shape (m, a)
            Their groups.
        units : integer ndarray of shape (m,) or None
            Their weights.
        """
        arrivals = tuple(
            count_cells(codes[:, a], labels, len(table), self.n_clusters, units)
            for a, table in enumerate(self.before)
        )
        parts = tuple(
            judge(table + new, rule)
            for table, new, rule in zip(self.before, arrivals, self.rules, strict=True)
        )
        too_many = 0
        if self.ceiling is not None:
            sizes = parts[0].table.sum(axis=0)
            too_many = int(np.maximum(sizes - self.ceiling, 0).sum())
        return Judgement(arrivals, parts, too_many)


def judge(table: np.ndarray, rule: FairnessRule) -> Cells:
    """Put bounds on all cells: those of a fit, and for shares that cannot hold the band alone.

    In a fit the share of everyone is always allowed, which would excuse such a share in silence.
    """
    cells = judge_cells(table, rule.lower, rule.upper, rule.attribute.largest)
    too_rare, too_common = (np.broadcast_to(s[:, None], table.shape) for s in rule.impossible)
    sizes = table.sum(axis=0)
    slip = 1e-9 + 1e-15 * sizes
    least = np.ceil(rule.lower[:, None] * sizes - slip).astype(np.int64)
    most = np.floor(rule.upper[:, None] * sizes + slip).astype(np.int64)
    lower = np.where(too_rare, least, cells.lower)
    upper = np.where(too_common, most, cells.upper)
    # The bounds of a fit are at most the persons of the group; a least share may ask for more.
    return Cells(table, lower, np.where(too_rare, np.maximum(upper, lower), upper))
