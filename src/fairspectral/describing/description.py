"""The description of a clustering: sentences, a table, HTML, and a picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.auditing import Audit, html_table
from fairspectral.axes import axes_or_new, plain_text
from fairspectral.describing.differences import Difference

if TYPE_CHECKING:
    import pandas

_HEADER = ["cluster", "size", "share", "differs in", "here", "elsewhere", "effect"]
_MOST_DRAWN = 20
_FRAME = (
    "cluster", "size", "share", "column", "category", "what", "measure", "here", "elsewhere",
    "effect", "ratio", "p_value", "sensitive",
)  # fmt: skip


@dataclass(frozen=True)
class ClusterDescription:
    """One cluster in words.

    Attributes
    ----------
    label : any
        The label of the cluster.
    size : int
        Its members.
    share : float
        Their share of everyone.
    differences : tuple of Difference
        What distinguishes it, the largest effect first; sensitive attributes come last.
    typical : tuple
        The names of a few typical members, the most typical first.
    inside : float or None
        The share of its members' connections that stay inside; None where no graph is known.
    otherwise : str
        Why there are no differences, as the end of a sentence; empty where there are some.
    """

    label: Any
    size: int
    share: float
    differences: tuple[Difference, ...]
    typical: tuple[Any, ...]
    inside: float | None = None
    otherwise: str = ""

    @property
    def head(self) -> str:
        """Its label, size and share."""
        members = f"{self.size:,} member{'s' * (self.size != 1)}"
        return f"Cluster {self.label} ({members}, {percent(self.share)})"

    @property
    def body(self) -> str:
        """What distinguishes it."""
        parts = [] if self.inside is None else [f"{self.inside:.0%} of its connections stay inside"]
        return "; ".join([*parts, *(map(str, self.differences or [self.otherwise]))])

    @property
    def sentence(self) -> str:
        """The cluster in one sentence."""
        return f"{self.head}: {self.body}."


@dataclass(frozen=True)
class Description:
    """What distinguishes the clusters of a clustering; print it to read it.

    Attributes
    ----------
    clusters : tuple of ClusterDescription
        One for each cluster, in the order of the labels.
    audit : Audit
        Sizes, and the shares of the sensitive attributes.
    names : tuple of str
        What was compared: columns, and the categories of columns.
    effects : ndarray of shape (len(names), k)
        How far each cluster is from everyone else, between -1 and 1; see `Difference`.
    beyond_chance : bool ndarray of shape (len(names), k)
        Which of them random clusters of these sizes would not have.
    columns : tuple of str
        The columns among them, without sensitive attributes; empty where no table is known.
    least_effect : float
        Smaller effects are not put into words.
    notes : tuple of str
        What was left out, as sentences.
    """

    clusters: tuple[ClusterDescription, ...]
    audit: Audit
    names: tuple[str, ...]
    effects: np.ndarray
    beyond_chance: np.ndarray
    columns: tuple[str, ...]
    least_effect: float
    notes: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each cluster."""
        return tuple(cluster.sentence for cluster in self.clusters)

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each cluster and difference; a cluster without any has one with None."""
        found = []
        for cluster in self.clusters:
            head = {"cluster": cluster.label, "size": cluster.size, "share": cluster.share}
            for d in cluster.differences or (None,):
                details = {name: getattr(d, name, None) for name in _FRAME[3:]}
                found.append({**head, **details})
        return found

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows(), columns=list(_FRAME))

    def table(self, size_format: str = "") -> list[list[str]]:
        """The differences as a table of text: a header, and rows grouped by cluster.

        Parameters
        ----------
        size_format : str
            How sizes are written: ``","`` sets thousands apart.
        """
        table = [_HEADER]
        for cluster in self.clusters:
            head = [str(cluster.label), f"{cluster.size:{size_format}}", percent(cluster.share)]
            for d in cluster.differences:
                sensitive = " (sensitive)" if d.sensitive else ""
                own = d.measure not in ("median", "share")
                what = f"{d.what}{sensitive}{f' ({d.measure})' if own else ''}"
                table.append([*head, what, *d.values, f"{d.effect:+.2f}"])
                head = ["", "", ""]
            if not cluster.differences:
                table.append([*head, cluster.otherwise.split(";")[0], "", "", ""])
        return table

    def typical_lines(self) -> list[str]:
        """The typical members of each cluster, a line for each."""
        told = [c for c in self.clusters if c.typical]
        return [f"Typical of cluster {c.label}: {', '.join(map(str, c.typical))}." for c in told]

    def summary(self) -> dict[str, Any]:
        """The description for JSON."""
        keys = _FRAME[3:]
        return {
            "clusters": [
                {
                    "label": c.label,
                    "size": c.size,
                    "share": c.share,
                    "inside": c.inside,
                    "sentence": c.sentence,
                    "differences": [{key: getattr(d, key) for key in keys} for d in c.differences],
                    "typical": list(c.typical),
                }
                for c in self.clusters
            ],
            "least_effect": self.least_effect,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        header, *body = self.table()
        widths = [max(map(len, column)) for column in zip(header, *body, strict=True)]

        def line(row: Iterable[str]) -> str:
            cells = zip(row, widths, range(len(widths)), strict=True)
            return "  ".join(
                cell.ljust(width) if j == 3 else cell.rjust(width) for cell, width, j in cells
            ).rstrip()

        rule = "  ".join("-" * width for width in widths)
        inside = [
            f"{c.inside:.0%} of the connections of cluster {c.label} stay inside."
            for c in self.clusters
            if c.inside is not None
        ]
        lines = [line(header), rule, *map(line, body), "", *inside, *self.typical_lines()]
        return "\n".join([*lines, *self.notes]).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        left = "text-align:left;padding:2px 10px"
        names = ("cluster", "size", "share", "what distinguishes it", "typical members")
        head = "".join(f'<th style="{left}">{name}</th>' for name in names)
        rows = []
        for c in self.clusters:
            inside = [] if c.inside is None else [f"{c.inside:.0%} of its connections stay inside"]
            words = "<br>".join(map(escape, [*inside, *(map(str, c.differences))]))
            if not c.differences:
                words += f"{'<br>' * bool(inside)}<i>{escape(c.otherwise)}</i>"
            cells = (
                escape(str(c.label)), f"{c.size:,}", percent(c.share), words,
                escape(", ".join(map(str, c.typical))),
            )  # fmt: skip
            rows.append("".join(f'<td style="{left}">{cell}</td>' for cell in cells))
        body = "".join(f"<tr>{row}</tr>" for row in (head, *rows))
        shares = "".join(html_table(self.audit, a) for a in self.audit.attributes)
        notes = "<br>".join(map(escape, self.notes))
        return f"<div><table>{body}</table>{shares}<small>{notes}</small></div>"

    def largest(self, most: int = _MOST_DRAWN) -> np.ndarray:
        """Indices of the names with the largest effects beyond chance, in order of the columns."""
        strongest = np.abs(self.effects).max(axis=1, initial=0.0)
        chance = ~self.beyond_chance.any(axis=1)
        return np.sort(np.lexsort((-strongest, chance))[:most])

    def plot(self, ax: Any = None) -> Any:
        """Draw the effects as a heat map of columns and clusters; returns the matplotlib axes.

        Numbers are shown where chance does not explain a difference. At most 20 columns and
        categories are drawn, those with the largest effects.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        """
        if not self.names:
            raise ValueError(
                "the description has no columns, so there is nothing to draw; describe with a "
                "table as X."
            )
        ax = axes_or_new(ax)
        drawn = self.largest()
        image = ax.imshow(self.effects[drawn], cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
        for i, j in np.argwhere(self.beyond_chance[drawn]):
            effect = self.effects[drawn[i], j]
            ink = "white" if abs(effect) > 0.6 else "black"
            ax.text(j, i, f"{effect:+.2f}", ha="center", va="center", color=ink, fontsize=8)
        ax.set_yticks(range(len(drawn)), [plain_text(self.names[i]) for i in drawn])
        ax.set_xticks(range(len(self.clusters)), [plain_text(c.label) for c in self.clusters])
        ax.set_xlabel("cluster")
        ax.figure.colorbar(image, ax=ax, label="effect: below (−1) or above (+1) everyone else")
        return ax


def percent(share: float) -> str:
    """12%, and 0.4% where that would be zero."""
    return f"{share:.0%}" if share >= 0.01 else f"{100 * share:.1g}%"
