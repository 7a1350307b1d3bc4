"""The sentences of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairspectral.report.collect import Cell, Judgement, Plain


@dataclass(frozen=True)
class Verdict:
    """What the page says first.

    Attributes
    ----------
    kind : {"fair", "unfair", "none"}
    headline : str
        One line.
    details : tuple of str
        A few sentences.
    """

    kind: str
    headline: str
    details: tuple[str, ...]


def verdict(model: Any, judgement: Judgement | None, plain: Plain | None) -> Verdict:
    """The verdict in plain words."""
    k = model.n_clusters
    if judgement is None:
        return Verdict(
            "none",
            f"Plain spectral clustering into {k} clusters: no fairness was asked for.",
            ("Fit the model with sensitive_features to give every group its share.",),
        )
    if judgement.custom:
        band = "within the bounds asked for"
    else:
        band = f"within {percent(judgement.tolerance)}"
    if judgement.fair:
        headline = f"Fair {band}: every group has its share of each of the {k} clusters"
    else:
        headline = (
            f"Not fair {band}: {judgement.n_outside} of {judgement.n_cells} shares are outside"
        )
    headline += f", {cost(model, plain)}." if plain is not None else "."
    return Verdict(
        "fair" if judgement.fair else "unfair", headline, _details(model, judgement)
    )


def cost(model: Any, plain: Plain) -> str:
    """What fairness did to the normalised cut, as the end of a sentence."""
    fair_cut, plain_cut = model.audit_.normalized_cut, plain.audit.normalized_cut
    if plain_cut < 1e-6:
        return f"for a normalised cut of {fair_cut:.3g} in place of none"
    rise = fair_cut / plain_cut - 1
    if abs(rise) < 0.0005:
        return "at no cost in normalised cut"
    if rise < 0:
        return f"at no cost: the normalised cut is {-rise:.1%} below plain clustering’s"
    return f"for a normalised cut {rise:.1%} above plain clustering’s"


def describe(cell: Cell) -> str:
    """The worst cell, as a sentence."""
    return (
        f"The largest departure is in cluster {cell.cluster}, where {cell.attribute} “{cell.group}” "
        f"makes up {cell.share:.1%}, against {cell.expected:.1%} of everyone "
        f"({signed(cell.deviation)})."
    )


def percent(share: float) -> str:
    """20%, 12.5%."""
    return f"{100 * share:.4g}%"


def signed(change: float) -> str:
    """A relative change with its sign, and a true minus."""
    return f"{change:+.1%}".replace("-", "−")


def _details(model: Any, judgement: Judgement) -> tuple[str, ...]:
    details = [describe(judgement.worst)]
    if not judgement.custom:
        which = "" if judgement.asked else " (no tolerance was asked for; this is the four-fifths rule)"
        details.append(
            f"Within {percent(judgement.tolerance)}{which} means: a group that makes up 30% of "
            f"everyone makes up between {30 * (1 - judgement.tolerance):.3g}% and "
            f"{30 * (1 + judgement.tolerance):.3g}% of every cluster, rounded to whole persons."
        )
    assignment = model.fair_assignment_
    if assignment is not None:
        details += [assignment.certificate, *assignment.notes]
    elif not judgement.fair:
        details.append(
            "These labels come from k-means, which guarantees no shares; "
            'assign_labels="fair" does.'
        )
    return tuple(details)
