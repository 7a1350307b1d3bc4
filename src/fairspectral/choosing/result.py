"""Numbers of clusters and their criteria: a table, a suggestion, HTML, and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.axes import axes_or_new
from fairspectral.resampling.result import Stability
from fairspectral.solvers.result import SolveResult
from fairspectral.text_table import aligned

if TYPE_CHECKING:
    import pandas

_HEADER = ["k", "eigenvalue", "eigengap", "cut / k", "silhouette", "smallest ratio", "fair"]


@dataclass(frozen=True)
class Candidate:
    """One number of clusters and its criteria.

    Attributes
    ----------
    k : int
        Clusters.
    eigenvalue : float
        The k-th of the fair affinity; 1 is perfectly separated.
    eigengap : float
        Position of the k-th eigenvalue between the (k+1)-th and 1,
        ``(l_k - l_k+1) / (1 - l_k+1)``.
    normalized_cut : float
        Cut of the fair clusters, divided by k: the mean share of a cluster's affinity that
        leaves it.
    silhouette : float
        In the embedding, on a sample.
    balance : float
        The smallest ratio of a group's share of a cluster to its share of everyone.
    certified : bool
        Whether every group is within the tolerance, up to whole persons.
    whole_persons : bool
        Whether a share is beyond the tolerance, by less than one person.
    set_aside : int
        People in components too small to be a cluster, who had no part in the embedding.
    stability : float or None
        The mean adjusted Rand index with clusterings of resamples: 1 is the same clusters, 0
        chance. None without resamples.
    weakest : float or None
        The mean overlap of the cluster that comes back least; see `Stability`.
    stopped : bool
        Whether its search was stopped early.
    """

    k: int
    eigenvalue: float
    eigengap: float
    normalized_cut: float
    silhouette: float
    balance: float
    certified: bool
    whole_persons: bool = False
    set_aside: int = 0
    stability: float | None = None
    weakest: float | None = None
    stopped: bool = False


def suggest(candidates: Sequence[Candidate]) -> Candidate:
    """The number with the largest eigengap; the smaller of two equal ones."""
    return max(candidates, key=lambda c: (c.eigengap, -c.k))


@dataclass(frozen=True)
class ChoiceOfK:
    """Several numbers of clusters, and the one to take; print it to read it.

    Attributes
    ----------
    candidates : tuple of Candidate
        One for each number, ascending.
    notes : tuple of str
        Who was set aside before the embedding, and what Ctrl-C or the time has ended early, in
        sentences.
    solve_result : SolveResult
        How the solver of the embedding ended.
    stability : tuple of Stability
        Of the clusters of each candidate; empty without resamples.
    affinity_choice : str
        Which affinity ``"auto"`` took and why; empty where it was given.
    """

    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...]
    solve_result: SolveResult
    stability: tuple[Stability, ...] = ()
    affinity_choice: str = ""

    @property
    def best(self) -> Candidate | None:
        """The suggested candidate: the largest eigengap, the smaller number of two equal ones.

        None where only one number of clusters was compared.
        """
        return suggest(self.candidates) if len(self.candidates) > 1 else None

    @property
    def suggestion(self) -> int | None:
        """The suggested number of clusters; None where only one was compared."""
        return None if self.best is None else self.best.k

    @property
    def words(self) -> str:
        """The suggestion in words, and whether the other criteria agree."""
        best = self.best
        if best is None:
            only = self.candidates[0].k
            return f"Only {only} clusters were compared, so there is no suggestion."
        compact = max(self.candidates, key=lambda c: c.silhouette)
        text = f"Suggestion: {best.k} clusters, where the eigengap is largest; the silhouette "
        text += "agrees" if compact is best else f"is best at {compact.k}"
        if best.stability is None:
            return f"{text}."
        steady = max(self.candidates, key=lambda c: c.stability or 0.0)
        text += "; resamples agree most " + ("there too" if steady is best else f"at {steady.k}")
        return f"{text}."

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each candidate, for a table or a DataFrame."""
        return [asdict(candidate) for candidate in self.candidates]

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def table(self) -> list[list[str]]:
        """The candidates as a table of text, with a header; the suggestion has a star."""
        steady = self.candidates[0].stability is not None
        table = [[*_HEADER, *(["stability", "weakest cluster"] if steady else [])]]
        for c in self.candidates:
            row = [
                f"{c.k}{' *' if c is self.best else ''}",
                f"{c.eigenvalue:.4f}",
                f"{c.eigengap:.1%}",
                f"{c.normalized_cut:.4f}",
                f"{c.silhouette:.3f}",
                f"{c.balance:.3f}",
                "no" if not c.certified else "up to a person" if c.whole_persons else "yes",
            ]
            if c.stability is not None and c.weakest is not None:
                row += [f"{c.stability:.2f}", f"{c.weakest:.0%}"]
            table.append(row)
        return table

    def __str__(self) -> str:
        return "\n".join([aligned(self.table(), left=1), "", self.words, *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        style = "text-align:right;padding:2px 10px"
        rows = []
        for i, row in enumerate(self.table()):
            tag = "td" if i else "th"
            weight = ";font-weight:bold" if i and self.candidates[i - 1] is self.best else ""
            cells = (f'<{tag} style="{style}{weight}">{escape(cell)}</{tag}>' for cell in row)
            rows.append(f"<tr>{''.join(cells)}</tr>")
        notes = "".join(f"<br><small>{escape(note)}</small>" for note in self.notes)
        return (
            f'<div><table style="border-collapse:collapse;margin:6px 0">{"".join(rows)}</table>'
            f"{escape(self.words)}{notes}</div>"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the criteria against the number of clusters; returns the matplotlib axes.

        The suggested number has a dotted line.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.
        """
        ax = axes_or_new(ax)
        numbers = [c.k for c in self.candidates]
        criteria = {"eigengap": "o-", "silhouette": "s--", "stability": "^-."}
        for name, style in criteria.items():
            values = [getattr(c, name) for c in self.candidates]
            if None not in values:
                ax.plot(numbers, np.array(values, dtype=float), style, label=name)
        if self.suggestion is not None:
            ax.axvline(self.suggestion, color="black", linestyle=":", linewidth=1.2)
        ax.set_xticks(numbers)
        ax.set_xlabel("number of clusters")
        ax.set_ylabel("criterion (higher is better)")
        ax.grid(axis="y", alpha=0.3)
        ax.legend(frameon=False)
        return ax
