"""The sentences of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.frontier import FairnessFrontier
from fairspectral.prices import clipped_cut, negligible_cut, relative_price, tolerance_in_words
from fairspectral.report.collect import Judgement
from fairspectral.report.comparison import Comparison
from fairspectral.report.price import better_cut
from fairspectral.rounding.result import NOT_SEARCHED, STOPPED, FairAssignment
from fairspectral.weighting import shown


@dataclass(frozen=True)
class Verdict:
    """The first statement of the page.

    Attributes
    ----------
    kind : {"fair", "unfair", "none"}
    headline : str
        One line.
    details, small_print : tuple of str
        A few sentences.
    shortages : tuple of str
        Groups with fewer persons than clusters, up to one sentence for each group.
    caution : str
        If the diagnosis found something: that the verdict is only about shares.
    """

    kind: str
    headline: str
    details: tuple[str, ...]
    small_print: tuple[str, ...] = ()
    shortages: tuple[str, ...] = ()
    caution: str = ""


def verdict(model: Any, judgement: Judgement | None, comparison: Comparison | None) -> Verdict:
    """The verdict in plain words."""
    if judgement is None:
        return Verdict(
            "none",
            f"Plain clustering into {model.n_clusters} clusters: no fairness was asked for.",
            ("Fit the model with sensitive_features to give every group its share.",),
            caution="These findings say that the clusters may mean little.",
        )
    headline = f"Fair within {bounds(judgement)}"
    if judgement.whole_persons:
        headline += f" up to {judgement.up_to}"
    if not judgement.fair:
        outside = f"{judgement.n_outside} of {judgement.n_cells} shares are outside"
        headline = f"Not fair within {bounds(judgement)}: {outside}"
    if comparison is not None and comparison.complete:
        headline += f", {cost(model, comparison)}"
    assignment = model.fair_assignment_
    return Verdict(
        "fair" if judgement.fair else "unfair",
        f"{headline}.",
        (*_details(model, judgement), *_incomplete(comparison)),
        _small_print(model, judgement),
        _shortages(assignment),
        "The verdict is about shares only; these findings say that the clusters may mean little.",
    )


def bounds(judgement: Judgement) -> str:
    """The name of the bounds on the shares."""
    return "the bounds asked for" if judgement.custom else percent(judgement.tolerance)


def cost(model: Any, comparison: Comparison) -> str:
    """The effect of fairness on the normalised cut, as the end of a sentence."""
    fair_cut, other_cut = model.audit_.normalized_cut, comparison.unbounded.normalized_cut
    than = "without bounds"
    if comparison.unbounded is comparison.plain:
        than = "of plain clustering"
    if fair_cut <= max(other_cut * 1.0005, negligible_cut(model.n_clusters)):
        return "at no cost in normalised cut"
    # Of a cut that is nearly zero, percentages are absurd.
    if fair_cut >= 2 * other_cut:
        shown_cut = clipped_cut(other_cut, model.n_clusters)
        return f"for a normalised cut of {fair_cut:.3g} instead of {shown_cut:.3g} {than}"
    return f"for a normalised cut {fair_cut / other_cut - 1:.1%} above that {than}"


def price(frontier: FairnessFrontier, model: Any) -> str:
    """The price of the model's tolerance; empty where it is not on the frontier."""
    tolerance = model.fairness_tol
    if model.fair_assignment_ is None or tolerance not in frontier.tolerances:
        return ""
    said = (_own_price, _better, _effort)
    return " ".join(filter(None, [*(part(frontier, model) for part in said), frontier.caution]))


def _own_price(frontier: FairnessFrontier, model: Any) -> str:
    """What the run costs; empty where it has no bound, or that is not known."""
    tolerance = model.fairness_tol
    searched = frontier.searched[frontier.tolerances.index(tolerance)] and frontier.searched[-1]
    if tolerance is None or not searched:
        return ""
    loosest, name = frontier.tolerances[-1], frontier.cost_name
    than = "without any bound" if loosest is None else f"at {tolerance_in_words(loosest)}"
    # Where the point at this tolerance is other clusters, the number is the run's all the same.
    other = better_cut(frontier, model) is not None
    cost = model.fair_assignment_.cost if other else _cost_at(frontier, tolerance)
    at, who = tolerance_in_words(tolerance), "this run" if other else "it"
    if frontier.loosest_is_zero:
        return f"At {at} {who} has a {name} of {cost:.4g}, {than} it is 0."
    return f"At {at} {who} costs {_rise(frontier, cost)} in {name} over the same rounding {than}."


def _cost_at(frontier: FairnessFrontier, tolerance: Any) -> float:
    return float(frontier.cost[frontier.tolerances.index(tolerance)])


def _rise(frontier: FairnessFrontier, cost: float) -> str:
    """By how much a cost is above the loosest one, in words; empty where that is zero."""
    rise = relative_price(cost, frontier.cost[-1], frontier.negligible) - 1
    if np.isnan(rise):
        return ""
    return signed(rise) if rise >= 0.0005 else "nothing"


def _better(frontier: FairnessFrontier, model: Any) -> str:
    """That the frontier has a lower cut than the run within the run's own bounds, if it has."""
    cut = better_cut(frontier, model)
    if cut is None:
        return ""
    rise = _rise(frontier, cut) if model.fairness_tol is not None and frontier.searched[-1] else ""
    costs = f" These other clusters cost {rise}." if rise else ""
    return (
        f"The searches for this chart found a lower normalised cut within this run’s bounds, "
        f"{cut:.4g} against {model.fair_assignment_.cost:.4g}.{costs} Only the Python session that "
        "wrote this report has their labels: "
        f"fairness_frontier(model, tolerances=[{model.fairness_tol}])."
    )


def _effort(frontier: FairnessFrontier, model: Any) -> str:
    """That the other points were searched with another effort than the run, if they were."""
    own = frontier.tolerances.index(model.fairness_tol)
    others = np.delete(frontier.searched, own)
    if frontier.effort in (None, model.effort) or (len(others) and not others.any()):
        return ""
    return (
        f"Most other tolerances were searched with effort “{frontier.effort}”, this run with "
        f"“{model.effort}”."
    )


def describe(judgement: Judgement) -> str:
    """The worst cell, as a sentence."""
    cell = judgement.worst
    text = (
        f"The largest departure in proportion is in cluster {cell.cluster}, where "
        f"{cell.attribute} “{cell.group}” makes up {cell.share:.1%} ({shown(cell.count)} of "
        f"{shown(cell.size)}), against {cell.expected:.1%} of everyone ({signed(cell.deviation)})"
    )
    if judgement.whole_persons:
        one = judgement.up_to.replace("whole persons", "one person")
        return f"{text}: less than {one} from that share."
    return f"{text}."


def percent(share: float) -> str:
    """20%, 12.5%."""
    return f"{100 * share:.4g}%"


def signed(change: float) -> str:
    """A relative change with its sign, and a typographic minus."""
    return f"{change:+.1%}".replace("-", "−")


def _details(model: Any, judgement: Judgement) -> tuple[str, ...]:
    details = [describe(judgement)]
    if judgement.fair:
        of = "" if judgement.custom else f" of its share of everyone, up to {judgement.up_to}"
        details.insert(
            0,
            f"In each of the {model.n_clusters} clusters every group’s share is within "
            f"{bounds(judgement)}{of}.",
        )
    elif model.fair_assignment_ is None:
        details.append(
            'These labels come from k-means, which guarantees no shares; assign_labels="fair" does.'
        )
    return tuple(details)


def _incomplete(comparison: Comparison | None) -> tuple[str, ...]:
    """That what fairness cost is not known well, where its search was stopped early."""
    if comparison is None or comparison.complete:
        return ()
    return (
        "The search without bounds on the shares was stopped early, so what fairness costs is not "
        "known: a whole one may find a lower cut.",
    )


def _shortages(assignment: FairAssignment | None) -> tuple[str, ...]:
    notes = () if assignment is None else assignment.notes
    return tuple(note for note in notes if note not in (STOPPED, NOT_SEARCHED))


def _small_print(model: Any, judgement: Judgement) -> tuple[str, ...]:
    sentences: list[str] = []
    if not judgement.custom:
        which = "" if judgement.asked else " (the four-fifths rule, since none was asked for)"
        low, high = (30 * max(0.0, 1 + sign * judgement.tolerance) for sign in (-1, 1))
        sentences.append(
            f"Within {percent(judgement.tolerance)}{which} means: a group that makes up 30% of "
            f"everyone makes up between {low:.3g}% and {min(high, 100):.3g}% of every cluster."
        )
    if model.fair_assignment_ is not None:
        sentences.append(model.fair_assignment_.certificate)
        sentences.append(model.fair_assignment_.search)
    sentences.append(model.set_aside_.words)
    return tuple(filter(None, sentences))
