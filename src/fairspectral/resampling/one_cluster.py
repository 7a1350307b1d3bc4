"""How well one cluster comes back, in numbers and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from fairspectral.text_table import listed

# Hennig's limits for the overlap: from the first on a cluster has come back, up to the second it
# is dissolved, since then no more than half of the people in either are in both.
BACK, DISSOLVED = 0.75, 0.5
# The part of the way from chance to 1 that a cluster needs to be called stable: a cluster of nearly
# everybody overlaps with any large one.
_ABOVE_CHANCE = 0.5
# Okabe and Ito's colours, for the colour-blind too.
COLOURS = {"comes back": "#009e73", "changed": "#f0c75e", "dissolves": "#d55e00"}


@dataclass(frozen=True)
class ClusterStability:
    """One cluster.

    Attributes
    ----------
    cluster : int
        Its label.
    size : int
        Its members.
    overlap : float
        With the most similar cluster of a resample, on average: people in both over people in
        either (the Jaccard index).
    chance : float
        The same with shuffled labels.
    back, changed, dissolved : int
        In how many resamples the overlap is at least 0.75, in between, and at most 0.5.
    seed_overlap : float or None
        The mean overlap on the same people with other seeds; None where none was tried.
    """

    cluster: int
    size: int
    overlap: float
    chance: float
    back: int
    changed: int
    dissolved: int
    seed_overlap: float | None

    @property
    def counts(self) -> dict[str, int]:
        """In how many resamples it comes back, is changed, and dissolves."""
        return dict(zip(COLOURS, (self.back, self.changed, self.dissolved), strict=True))

    @property
    def n_resamples(self) -> int:
        """The resamples in which it has members."""
        return sum(self.counts.values())

    @property
    def verdict(self) -> str:
        """``"stable"``, ``"blurred"`` (its borders move) or ``"unstable"`` (it often dissolves)."""
        if self.overlap <= DISSOLVED or 2 * self.dissolved >= self.n_resamples:
            return "unstable"
        return "stable" if self.overlap >= BACK and not self.large else "blurred"

    @property
    def large(self) -> bool:
        """Whether chance explains most of the overlap, since the cluster has most people."""
        above_chance = self.overlap - self.chance >= _ABOVE_CHANCE * (1 - self.chance)
        return self.overlap >= BACK and not above_chance

    @property
    def sentence(self) -> str:
        """What became of it."""
        said = {
            "comes back": "comes back in {}",
            "changed": "comes back changed in {}",
            "dissolves": "dissolves in {}",
        }
        parts = [said[name].format(count) for name, count in self.counts.items() if count]
        if not parts:
            return f"Cluster {self.cluster} has no members in any resample."
        parts[0] += f" of {resamples(self.n_resamples)}"
        text = f"Cluster {self.cluster} {listed(parts)}"
        if self.large:
            text += f", but it is so large that chance gives an overlap of {self.chance:.0%}"
        return f"{text}."


def resamples(n: int) -> str:
    """``"10 resamples"``."""
    return f"{n} resample{'s' * (n != 1)}"
