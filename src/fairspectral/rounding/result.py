"""The result of fair rounding: labels and a certificate counted from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairspectral.cells import Cells
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.sources import Source, in_words, winner_of
from fairspectral.weighting import shown

STOPPED = "The search for a low cut was stopped early, and the best so far was taken."
NOT_SEARCHED = "No search was made within these bounds, because the one before it was stopped."


@dataclass(frozen=True)
class Stage:
    """One step of the rounding: its name, the costs after it, and its time.

    `normalized_cut` is None where no affinity is known.
    """

    name: str
    embedding_cost: float
    normalized_cut: float | None
    seconds: float


@dataclass(frozen=True)
class FairAssignment:
    """A clustering with its guarantee.

    Groups of several attributes are listed one after another, H in all.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        The cluster of each person.
    sizes : ndarray of shape (k,)
        Persons in each cluster.
    groups : tuple of (str, value)
        Attribute and category of each row of the tables below.
    table, lower, upper : ndarray of shape (H, k)
        Persons in each cell, and the bounds on them; with weights, their weight.
    certified : bool
        Every cell is within its bounds, every cluster between the floor and the ceiling, and all
        links are kept.
    certificate : str
        The same in words and numbers.
    achieved_tol : float
        Largest relative deviation of any cell from its target share of its cluster.
    persons_outside : float
        By how many persons, fractions included, the worst cell is outside the requested band of
        shares; below one wherever `certified`. With weights it is a weight, and then below the
        largest of a person.
    min_cluster_size : int
        The floor; with weights, in persons of mean weight.
    max_cluster_size : int or None
        The ceiling, in the same; None if there is none.
    embedding_cost : float
        k-means cost of the labels on the rows that were clustered.
    normalized_cut : float or None
        Cut of the labels; None if the affinity is not known.
    history : tuple of Stage
        From the start to the result.
    notes : tuple of str
        Groups with fewer persons than clusters, and a search that was stopped early or not made,
        in words.
    starts : tuple of Source
        The clusterings that the search for a low cut began with, and what it made of each; empty
        where there was no such search.
    """

    labels: np.ndarray
    sizes: np.ndarray
    groups: tuple[tuple[str, Any], ...]
    table: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    certified: bool
    certificate: str
    achieved_tol: float
    persons_outside: float
    min_cluster_size: int
    embedding_cost: float
    normalized_cut: float | None
    history: tuple[Stage, ...]
    notes: tuple[str, ...]
    starts: tuple[Source, ...] = ()
    max_cluster_size: int | None = None

    @property
    def stopped(self) -> bool:
        """Whether the search within these bounds was stopped early."""
        return STOPPED in self.notes

    @property
    def searched(self) -> bool:
        """Whether there was a search within these bounds, rather than other ones before."""
        return NOT_SEARCHED not in self.notes

    @property
    def cost(self) -> float:
        """What was minimised: the normalised cut where it is known, else the embedding cost."""
        return self.embedding_cost if self.normalized_cut is None else self.normalized_cut

    @property
    def winner(self) -> str:
        """The start from which the labels come, or that they were combined from several."""
        return winner_of(self.starts)

    @property
    def search(self) -> str:
        """What each start gave, and which won, as a sentence; empty where there was no search."""
        return "" if self.normalized_cut is None else in_words(self.starts, self.normalized_cut)

    def search_summary(self) -> dict[str, Any]:
        """The winner, the starts, and whether the search was stopped early, for JSON."""
        starts = [asdict(one) for one in self.starts]
        return {"winner": self.winner, "starts": starts, "stopped": self.stopped}


def keeps_all(plan: RoundingPlan, labels: np.ndarray) -> bool:
    """Whether a clustering has all that was asked for: bounds, floor, ceiling and links."""
    k, (floor, ceiling) = plan.n_clusters, plan.limits
    sizes = plan.rules[0].count(labels, k).sum(axis=0)
    return (
        bool(sizes.min() >= floor and sizes.max() <= ceiling)
        and all_inside(plan.rules, labels, k)
        and (plan.links is None or plan.links.kept(labels))
    )


def all_inside(rules: Sequence[FairnessRule], labels: np.ndarray, k: int) -> bool:
    """Whether every cell is within its bounds, for the sizes that the clusters have."""
    return not any(rule.judge(labels, k).n_outside for rule in rules)


def certify(
    labels: np.ndarray,
    plan: RoundingPlan,
    stages: Sequence[Stage],
    starts: tuple[Source, ...] = (),
    *,
    stopped: bool = False,
    searched: bool = True,
) -> FairAssignment:
    """Count everything again from the labels, and write the certificate.

    `starts` and `stopped` are what the search says of itself; without one `searched` is False.
    """
    rules, k, notes = plan.rules, plan.n_clusters, plan.notes
    parts = [rule.judge(labels, k) for rule in rules]
    cells = Cells.together(parts)
    achieved = max(rule.achieved(part.table) for rule, part in zip(rules, parts, strict=True))
    outside = max(rule.persons_outside(part.table) for rule, part in zip(rules, parts, strict=True))
    certified = keeps_all(plan, labels)
    sizes = parts[0].table.sum(axis=0)
    verdict = _verdict(plan, cells, sizes, certified)
    certificate = f"{verdict}, {_size_words(plan, sizes)}"
    if len(cells.table) > 1:
        certificate += f", and the largest deviation from a target share is {achieved:.2%}"
    unit = 1 if plan.weights is None else plan.weights.unit
    if outside > 0:
        certificate += f"; {_band_words(plan, outside * unit)} outside the band of shares itself"
    certificate += "."
    if plan.weights is not None:
        certificate += f" {plan.weights}"
    if plan.links is not None:
        sentence = plan.links.sentence(labels)
        certificate += f" {sentence}"
        notes = notes if plan.links.kept(labels) else (*notes, sentence)
    if stopped or not searched:
        caution = STOPPED if searched else NOT_SEARCHED
        certificate, notes = f"{certificate} {caution}", (*notes, caution)
    return FairAssignment(
        labels=labels.astype(np.int32),
        sizes=np.bincount(labels, minlength=k),
        groups=tuple((r.attribute.name, value) for r in rules for value in r.attribute.categories),
        table=cells.table * unit,
        lower=cells.lower * unit,
        upper=cells.upper * unit,
        certified=certified,
        certificate=certificate,
        achieved_tol=achieved,
        persons_outside=outside * unit,
        min_cluster_size=plan.smallest,
        embedding_cost=stages[-1].embedding_cost,
        normalized_cut=stages[-1].normalized_cut,
        history=tuple(stages),
        notes=notes,
        starts=starts,
        max_cluster_size=plan.largest if plan.largest < len(labels) else None,
    )


def _verdict(plan: RoundingPlan, cells: Cells, sizes: np.ndarray, certified: bool) -> str:
    """Whether all is kept, and what is not."""
    wrong, total = cells.n_outside, cells.table.size
    if not certified and not wrong:
        shares = f"all {total} cells are within their bounds"
        shares = "there are no bounds on shares" if plan.is_free else shares
        return f"Not certified: {_broken(plan, sizes)}, though {shares}"
    if plan.is_free:
        return "No bounds on shares were asked for"
    if certified:
        shape = f"{len(cells.table)} groups × {plan.n_clusters} clusters"
        return f"Certified: all {total} cells ({shape}) are within their bounds"
    return f"Not certified: {wrong} of {total} cells are outside their bounds"


def _broken(plan: RoundingPlan, sizes: np.ndarray) -> str:
    """What is not kept where all cells are within their bounds: sizes, or else links."""
    floor, ceiling = plan.limits
    if sizes.min() < floor:
        return "the smallest cluster is below the floor on sizes (min_cluster_size)"
    if sizes.max() > ceiling:
        return "the largest cluster is above the ceiling on sizes (max_cluster_size)"
    return "not all links are kept"


def _size_words(plan: RoundingPlan, sizes: np.ndarray) -> str:
    """The sizes of the smallest and the largest cluster, with floor and ceiling."""
    numbers = [int(sizes.min()), plan.limits[0], int(sizes.max()), plan.limits[1]]
    texts, what = [str(number) for number in numbers], "{} persons"
    if plan.weights is not None:
        texts, what = [shown(plan.weights.amount(number)) for number in numbers], "a weight of {}"
    words = f"the smallest cluster has {what.format(texts[0])} (floor {texts[1]})"
    if plan.largest < len(plan.kinds):
        words += f", the largest {texts[2]} (ceiling {texts[3]})"
    return words


def _band_words(plan: RoundingPlan, outside: float) -> str:
    """What the bounds are up to, and by how much the worst cell is outside its band."""
    if plan.weights is None:
        return f"bounds are in whole persons, and the worst cell is {outside:.3g} person(s)"
    largest = shown(plan.weights.amount(plan.weights.largest))
    return (
        f"bounds are up to the largest weight of a person, {largest}, and the worst cell is "
        f"{outside:.3g}"
    )
