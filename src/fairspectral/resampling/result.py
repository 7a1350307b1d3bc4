"""Which clusters are real: a table, sentences, HTML, and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.axes import axes_or_new, legend_position
from fairspectral.resampling.agreement import Agreement
from fairspectral.resampling.one_cluster import (
    BACK,
    COLOURS,
    DISSOLVED,
    ClusterStability,
    resamples,
)
from fairspectral.text_table import aligned, listed

if TYPE_CHECKING:
    import pandas

_MOST_NAMED = 8
_HEADER = ["cluster", "size", "overlap", "by chance", "comes back", "changed", "dissolves"]


@dataclass(frozen=True)
class Stability:
    """Which clusters come back on resamples of the people; print it to read it.

    Attributes
    ----------
    sizes : ndarray of shape (k,)
        Members of each cluster.
    overlap : ndarray of shape (n_resamples, k)
        For each resample the overlap of each cluster with the most similar cluster found there:
        people in both over people in either (the Jaccard index). NaN where a cluster has no
        member in the resample.
    chance : ndarray of shape (k,)
        The mean overlap with shuffled labels.
    ari : ndarray of shape (n_resamples,)
        The adjusted Rand index of each resample with the clustering: 1 is the same, 0 chance.
    seed_overlap, seed_ari : ndarray of shape (n_seeds, k) and (n_seeds,)
        The same for everybody, with other seeds.
    fraction : float
        The part of the people in a resample.
    effort : str
        How long each clustering was searched for.
    asked : (int, int) or None
        How many resamples and seeds were asked for, where time or Ctrl-C ended it before.
    ended_by : str
        What ended it then: ``"Ctrl-C"`` or ``"The time budget"``; empty if it is not known.
    """

    sizes: np.ndarray
    overlap: np.ndarray
    chance: np.ndarray
    ari: np.ndarray
    seed_overlap: np.ndarray
    seed_ari: np.ndarray
    fraction: float
    effort: str
    asked: tuple[int, int] | None = None
    ended_by: str = ""

    @classmethod
    def of(
        cls,
        labels: np.ndarray,
        samples: Sequence[Agreement],
        seeds: Sequence[Agreement],
        *,
        fraction: float,
        effort: str,
        asked: tuple[int, int] | None,
        ended_by: str = "",
    ) -> Stability:
        """Put together what was found for a clustering."""
        sizes = np.bincount(labels)
        shape = (-1, len(sizes))
        return cls(
            sizes=sizes,
            overlap=np.array([a.overlap for a in samples]).reshape(shape),
            chance=_mean(np.array([a.chance for a in samples]).reshape(shape)),
            ari=np.array([a.ari for a in samples]),
            seed_overlap=np.array([a.overlap for a in seeds]).reshape(shape),
            seed_ari=np.array([a.ari for a in seeds]),
            fraction=fraction,
            effort=effort,
            asked=asked,
            ended_by=ended_by,
        )

    @property
    def n_resamples(self) -> int:
        """How many resamples were clustered."""
        return len(self.ari)

    @property
    def n_seeds(self) -> int:
        """How many other seeds were tried."""
        return len(self.seed_ari)

    @property
    def agreement(self) -> float:
        """The mean adjusted Rand index of the resamples: 1 is the same clustering, 0 chance."""
        return float(self.ari.mean())

    @property
    def weakest(self) -> float:
        """The mean overlap of the cluster that comes back least."""
        return float(np.nanmin(_mean(self.overlap)))

    @property
    def clusters(self) -> tuple[ClusterStability, ...]:
        """One for each cluster, in the order of the labels."""
        overlap, seeds = _mean(self.overlap), _mean(self.seed_overlap)
        found = []
        for i, size in enumerate(self.sizes.tolist()):
            own = self.overlap[:, i][~np.isnan(self.overlap[:, i])]
            back, dissolved = int(np.sum(own >= BACK)), int(np.sum(own <= DISSOLVED))
            found.append(
                ClusterStability(
                    cluster=i,
                    size=size,
                    overlap=float(overlap[i]),
                    chance=float(self.chance[i]),
                    back=back,
                    changed=len(own) - back - dissolved,
                    dissolved=dissolved,
                    seed_overlap=float(seeds[i]) if self.n_seeds else None,
                )
            )
        return tuple(found)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each cluster."""
        return tuple(cluster.sentence for cluster in self.clusters)

    @property
    def words(self) -> str:
        """All of it in one or two sentences."""
        return " ".join(filter(None, (self._of_resamples(), self._of_seeds(), self._of_the_end())))

    def _of_resamples(self) -> str:
        n, parts = self.n_resamples, []
        for verdict in ("stable", "blurred", "unstable"):
            these = [c for c in self.clusters if c.verdict == verdict]
            if len(these) == 1:
                text = these[0].sentence.rstrip(".")
                parts.append(f"{text[0].lower()}{text[1:]}")
            elif these:
                who = _named([c.cluster for c in these], len(self.sizes))
                parts.append(f"{who} {_together(verdict, these, n)}")
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}."

    def _of_seeds(self) -> str:
        """Whether the search itself finds them again."""
        if not self.n_seeds:
            return ""
        missed = [c.cluster for c in self.clusters if (c.seed_overlap or 0.0) < BACK]
        same = "On the same people, other seeds"
        if not missed:
            least = min(c.seed_overlap or 0.0 for c in self.clusters)
            if least > 0.99:
                return f"{same} find the same clusters."
            return f"{same} find much the same clusters, with an overlap of at least {least:.0%}."
        who = "these clusters"
        if len(missed) < len(self.sizes):
            who = _named(missed, len(self.sizes))
        return (
            f"{same} do not find {who} again: there are several clusterings about as good, and "
            "the search took one of them."
        )

    def _of_the_end(self) -> str:
        if self.asked is None:
            return ""
        how = f"{self.ended_by} ended it" if self.ended_by else "It was stopped"
        seeds = f" and {self.n_seeds} of {self.asked[1]} seeds" if self.asked[1] else ""
        return f"{how} after {self.n_resamples} of {self.asked[0]} resamples{seeds}."

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each cluster, for a table or a DataFrame."""
        return [
            {
                "cluster": c.cluster,
                "size": c.size,
                "overlap": c.overlap,
                "chance": c.chance,
                "back": c.back,
                "changed": c.changed,
                "dissolved": c.dissolved,
                "seed_overlap": c.seed_overlap,
                "verdict": c.verdict,
            }
            for c in self.clusters
        ]

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def table(self, size_format: str = "") -> list[list[str]]:
        """The rows as a table of text, with a header; `size_format` is that of the sizes."""
        seeds = ["other seeds"] if self.n_seeds else []
        table = [[*_HEADER, *seeds, "verdict"]]
        for c in self.clusters:
            counts = map(str, c.counts.values())
            cells = [f"{c.size:{size_format}}", _percent(c.overlap), _percent(c.chance), *counts]
            again = [] if c.seed_overlap is None else [_percent(c.seed_overlap)]
            table.append([str(c.cluster), *cells, *again, c.verdict])
        return table

    def summary(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {
            "resamples": self.n_resamples,
            "seeds": self.n_seeds,
            "fraction": self.fraction,
            "effort": self.effort,
            "agreement": self.agreement,
            "weakest": self.weakest,
            "clusters": self.rows(),
            "words": self.words,
            "stopped": self.asked is not None,
        }

    def __str__(self) -> str:
        return "\n".join([aligned(self.table()), "", self.basis, self.words])

    __repr__ = __str__

    @property
    def basis(self) -> str:
        """What was done, and the agreement of the whole clustering."""
        return (
            f"{resamples(self.n_resamples)} of {self.fraction:.0%} of the people; adjusted Rand "
            f"index {self.agreement:.2f} on average (1: the same clusters, 0: chance)."
        )

    def _repr_html_(self) -> str:
        style = "text-align:right;padding:2px 10px"
        header, *body = self.table(",")

        def row(cells: list[str], tag: str) -> str:
            return "".join(f'<{tag} style="{style}">{escape(cell)}</{tag}>' for cell in cells)

        rows = [row(header, "th"), *(row(cells, "td") for cells in body)]
        table = "".join(f"<tr>{cells}</tr>" for cells in rows)
        return (
            f'<div><table style="border-collapse:collapse;margin:6px 0">{table}</table>'
            f"{escape(self.words)}<br><small>{escape(self.basis)}</small></div>"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar for each cluster: in how many resamples it comes back; returns the axes.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        """
        ax = axes_or_new(ax)
        clusters = self.clusters
        places, left = np.arange(len(clusters)), np.zeros(len(clusters))
        for name, colour in COLOURS.items():
            counts = np.array([c.counts[name] for c in clusters])
            ax.barh(places, counts, left=left, color=colour, edgecolor="white", label=name)
            left += counts
        ax.set_yticks(places, [f"{c.cluster}  (n={c.size})" for c in clusters])
        ax.invert_yaxis()
        ax.set_xlim(0, max(1, self.n_resamples))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(f"resamples of {self.fraction:.0%} of the people")
        ax.set_ylabel("cluster")
        ax.legend(frameon=False, **legend_position())
        return ax


def _named(clusters: list[int], k: int) -> str:
    """Some of k clusters, by their numbers as long as these can be read."""
    if len(clusters) == 1:
        return f"cluster {clusters[0]}"
    if len(clusters) == k:
        return "all clusters"
    if len(clusters) > _MOST_NAMED:
        return f"{len(clusters)} of the {k} clusters"
    return f"clusters {listed([str(cluster) for cluster in clusters])}"


def _together(verdict: str, clusters: list[ClusterStability], n: int) -> str:
    """What became of several clusters with the same verdict."""
    if verdict == "blurred":
        low, high = min(c.overlap for c in clusters), max(c.overlap for c in clusters)
        return f"come back with other borders, with an overlap of {low:.0%} to {high:.0%}"
    stable = verdict == "stable"
    least = min(c.back if stable else c.dissolved for c in clusters)
    number = "all" if least == n else f"at least {least} of"
    return f"{'come back' if stable else 'dissolve'} in {number} {resamples(n)}"


def _mean(values: np.ndarray) -> np.ndarray:
    """The mean of each column without NaN; NaN where nothing else is."""
    known = ~np.isnan(values)
    counts = np.where(known.any(axis=0), known.sum(axis=0), np.nan)
    return np.where(known, values, 0.0).sum(axis=0) / counts


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{share:.0%}"
