"""Components too small to be a cluster: set aside before the embedding, placed after it, and said.

Every component has an eigenvector of its own with eigenvalue 1, the largest there is. A few
people without any affinity to the rest would take the place of the clusters in the embedding.
After the search each is where, all others staying, the cut is lowest: nowhere else would it keep
the bounds, make up at most half of the cluster with the other components, and lower the cut.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator
from fairspectral.affinity.fringe import Fringe, find_fringe
from fairspectral.rounding.plan import RoundingPlan


@dataclass(frozen=True)
class Trees:
    """Trees that hang on the graph by one edge each, which some starts of a search set aside.

    Attributes
    ----------
    persons, trees : int
        How many people are in how many of them; all have fewer than the floor.
    starts : int
        The starts that were embedded without them.
    """

    persons: int
    trees: int
    starts: int

    def __str__(self) -> str:
        starts = "1 start" if self.starts == 1 else f"{self.starts} starts"
        return (
            f"{self.persons:,} people in {self.trees:,} tree(s) that hang on the rest by one edge "
            f"were set aside in {starts} of the search and placed whole there; then the search "
            "moved them like everybody"
        )


@dataclass(frozen=True)
class SetAside:
    """Who was set aside before the embedding, and where they were placed; false if nobody.

    Attributes
    ----------
    indices : ndarray of shape (m,)
        These people.
    piece : ndarray of shape (m,)
        The component, numbered from 0, that each of them belongs to.
    clusters : ndarray of shape (m,)
        The cluster where each of them was placed.
    floor : int
        The fewest people that a cluster may have: all these components have fewer.
    trees : Trees or None
        Who was in the embedding, but not in those of some other starts of the search.
    """

    indices: np.ndarray
    piece: np.ndarray
    clusters: np.ndarray
    floor: int
    trees: Trees | None = None

    @classmethod
    def of(
        cls, fringe: Fringe, labels: np.ndarray, floor: int, trees: Trees | None = None
    ) -> SetAside:
        """What became of a fringe in a clustering of everybody."""
        indices = np.flatnonzero(fringe.piece >= 0)
        return cls(indices, fringe.piece[indices], labels[indices], floor, trees)

    def __bool__(self) -> bool:
        return len(self.indices) > 0

    @property
    def n_pieces(self) -> int:
        """Number of components."""
        return int(self.piece.max(initial=-1)) + 1

    @property
    def n_whole(self) -> int:
        """Number of components whose people are all in one cluster."""
        pairs = np.unique(np.stack([self.piece, self.clusters]), axis=1)
        return int(np.sum(np.bincount(pairs[0], minlength=self.n_pieces) == 1))

    @property
    def people(self) -> str:
        """Who was set aside, as a sentence without its full stop."""
        if not self:
            return "Nobody was set aside before the embedding"
        return (
            f"{len(self.indices):,} people in {self.n_pieces:,} component(s) of fewer than "
            f"{self.floor:,} people, too small to be a cluster, were set aside before the embedding"
        )

    @property
    def words(self) -> str:
        """All that there is to say, in sentences; empty if nobody was ever set aside."""
        return str(self) if self or self.trees else ""

    def __str__(self) -> str:
        return f"{self._placed} {self.trees}." if self.trees else self._placed

    @property
    def _placed(self) -> str:
        if not self:
            return f"{self.people}."
        split = self.n_pieces - self.n_whole
        placed = (
            "placed whole, each where the cut is lowest within the bounds, with at most half of a "
            "cluster from such components"
        )
        if split:
            why = "since whole they would break the bounds or raise the cut"
            placed = f"{self.n_whole:,} {placed}, and {split:,} in parts, {why}"
        return f"{self.people}; then {placed}."

    def summary(self) -> dict[str, Any]:
        """The numbers, for JSON."""
        return {
            "persons": len(self.indices),
            "components": self.n_pieces,
            "placed_whole": self.n_whole,
            "trees": self.trees and asdict(self.trees),
        }


def choose_aside(
    operator: AffinityOperator, plan: RoundingPlan | None, n_components: int
) -> Fringe:
    """The small components; nobody where these are most of the people, or too few are left.

    Parameters
    ----------
    operator : AffinityOperator
        The affinities of everybody.
    plan : RoundingPlan or None
        k and the floor; None, where k-means rounds, has no floor, and nobody is set aside. Nor
        is anybody where persons have weights or links.
    n_components : int
        Columns of the embedding.
    """
    if plan is None or plan.in_nodes:
        return Fringe.none(operator.shape[0])
    fringe = find_fringe(operator, plan.smallest)
    needed = n_components + sum(len(rule.target) for rule in plan.rules)
    if len(fringe.kept) < max(operator.shape[0] / 2, needed):
        return Fringe.none(operator.shape[0])
    return fringe
