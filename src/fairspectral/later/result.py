"""A batch of new people with their clusters, and the shares of everyone with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.cells import Cells, population_shares
from fairspectral.later.standing import Judgement, Standing
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.text_table import aligned
from fairspectral.weighting import shown

# Cells outside their bounds that are named one by one.
_NAMED = 5


@dataclass(frozen=True)
class BatchAssignment:
    """New people placed beside those who are placed already; print it to read it.

    Groups of several attributes are listed one after another, H in all.

    Attributes
    ----------
    labels : ndarray of shape (m,), int32
        The cluster of each new person.
    similar : ndarray of shape (m,), int32
        The cluster that each is most similar to, as `predict` has it.
    groups : tuple of (str, value)
        Attribute and category of each row of the tables below.
    table, lower, upper : ndarray of shape (H, k)
        Persons in each cell, everyone before and the new ones together, and the bounds on them;
        of a fit with weights, here and below, weight.
    arrivals : tuple of ndarray of shape (h, k)
        The new persons alone, for each attribute; with weights, in whole units of weight.
    achieved_tol : float
        Largest relative deviation of any cell from its target share of its cluster.
    beyond : int or float
        Persons beyond the bounds, summed over all cells, and above `ceiling`, summed over all
        clusters; 0 where the bounds hold.
    beyond_before : int or float
        Those of the people before, by the same bands of shares.
    ceiling : int, float or None
        The most persons in a cluster, the ``max_cluster_size`` of the fit; None where it had none.
    proved : bool
        Whether no placement of these people has fewer persons beyond the bounds. It says nothing
        of the cost.
    impossible : tuple of str
        Bounds of the fit that no placement can keep, by the shares of everyone, in words.
    nearly_cheapest : bool
        Whether the cost is nearly the least of all placements with so many beyond; false where the
        solver gave up the program that finds it, which the verdict then says.
    unit : float or None
        How much weight one unit is; None where the fit had no weights.
    """

    labels: np.ndarray
    similar: np.ndarray
    groups: tuple[tuple[str, Any], ...]
    table: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    arrivals: tuple[np.ndarray, ...]
    achieved_tol: float
    beyond: float
    beyond_before: float
    ceiling: float | None
    proved: bool
    impossible: tuple[str, ...] = ()
    nearly_cheapest: bool = True
    unit: float | None = None

    @classmethod
    def of(
        cls,
        labels: np.ndarray,
        similar: np.ndarray,
        found: Judgement,
        standing: Standing,
        *,
        beyond_before: int,
        proved: bool,
        nearly_cheapest: bool,
        unit: float | None = None,
    ) -> BatchAssignment:
        """Put the cells of all attributes together; units of weight become weights."""
        rules, cells = standing.rules, Cells.together(found.parts)
        one, ceiling = 1 if unit is None else unit, standing.ceiling
        return cls(
            labels.astype(np.int32),
            similar,
            tuple((r.attribute.name, value) for r in rules for value in r.attribute.categories),
            cells.table * one,
            cells.lower * one,
            cells.upper * one,
            found.arrivals,
            max(rule.achieved(part.table) for rule, part in zip(rules, found.parts, strict=True)),
            found.beyond * one,
            beyond_before * one,
            None if ceiling is None else ceiling * one,
            proved,
            tuple(words for rule in rules for words in _impossible(rule)),
            nearly_cheapest,
            unit,
        )

    @property
    def within_bounds(self) -> bool:
        """Whether every cell of everyone together is within its bounds, and every cluster."""
        return self.beyond == 0

    @property
    def n_moved(self) -> int:
        """People who are not in their most similar cluster, for the sake of the bounds."""
        return int(np.sum(self.labels != self.similar))

    @property
    def verdict(self) -> str:
        """Whether the bounds hold, and if not by how much they cannot, in a sentence."""
        h, k = self.table.shape
        cells = np.argwhere((self.table < self.lower) | (self.table > self.upper))
        sizes = self.sizes
        # A sum of weights has floating-point errors.
        ceiling = np.inf if self.ceiling is None else self.ceiling * (1 + 1e-12)
        large = np.flatnonzero(sizes > ceiling).tolist()
        if not len(cells) and not large:
            and_sizes = ""
            if self.ceiling is not None:
                and_sizes = f", no cluster has more than {self._amount(self.ceiling)}"
            return (
                f"Everyone so far together: all {h * k} cells ({h} groups × {k} clusters) are "
                f"within their bounds{and_sizes}, and the largest deviation from a target share is "
                f"{self.achieved_tol:.2%}.{self._cost_words}"
            )
        fewest = "the fewest possible" if self.proved else "the fewest that were found"
        people, allowed = " people" if self.unit is None else "", self._number(self.ceiling)
        named = [
            f"cluster {c} has {self._amount(sizes[c])}{people}, allowed {allowed}" for c in large
        ]
        named += [self._cell(s, c) for s, c in cells]
        more = f"; and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        already = ""
        if self.beyond_before:
            already = (
                " By the shares of everyone now, the people before were beyond them by "
                f"{self._persons(self.beyond_before)} already."
            )
        if self.impossible:
            already += (
                f" No placement keeps the shares of the fit ({'; '.join(self.impossible)}), so fit "
                "again with everyone."
            )
        too_large = (
            f" and {len(large)} of {k} clusters are above their largest size" if large else ""
        )
        return (
            f"Everyone so far together: {len(cells)} of {h * k} cells are outside their bounds"
            f"{too_large}, by {self._persons(self.beyond)} in all, {fewest} with nobody moved who "
            f"was placed before ({'; '.join(named[:_NAMED])}{more}).{already}{self._cost_words}"
        )

    @property
    def _cost_words(self) -> str:
        if self.nearly_cheapest:
            return ""
        return (
            " The solver gave up the search for the least cost, so people may be less similar to "
            "their clusters than the bounds need."
        )

    @property
    def sizes(self) -> np.ndarray:
        """Persons in each cluster, everyone before and the new ones together, shape (k,)."""
        first = [name == self.groups[0][0] for name, _ in self.groups]
        return self.table[first].sum(axis=0)

    def _cell(self, s: int, c: int) -> str:
        name, value = self.groups[s]
        allowed = f"{self._number(self.lower[s, c])} to {self._number(self.upper[s, c])}"
        has = self._amount(self.table[s, c])
        return f"cluster {c} has {has} of {name} {value!r}, allowed {allowed}"

    def _number(self, count: Any) -> str:
        return str(count) if self.unit is None or count is None else shown(count)

    def _amount(self, count: Any) -> str:
        return self._number(count) if self.unit is None else f"a weight of {shown(count)}"

    def _persons(self, count: Any) -> str:
        return f"{count} person(s)" if self.unit is None else f"a weight of {count:.4g}"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each cell: persons, or their weight, and the bounds."""
        counted, number = ("persons", int) if self.unit is None else ("weight", float)
        return [
            {
                "cluster": c,
                "attribute": name,
                "group": value,
                counted: number(self.table[s, c]),
                "least": number(self.lower[s, c]),
                "most": number(self.upper[s, c]),
            }
            for s, (name, value) in enumerate(self.groups)
            for c in range(self.table.shape[1])
        ]

    def __str__(self) -> str:
        m = len(self.labels)
        placed = (
            f"{m:,} new people placed: {m - self.n_moved:,} where they are most similar, "
            f"{self.n_moved:,} elsewhere for the bounds."
        )
        header = ["attribute", "group", *(f"cluster {c}" for c in range(self.table.shape[1]))]
        body = [
            [name, str(value), *("{} ({} to {})".format(*map(self._number, cell)) for cell in zip(
                self.table[s], self.lower[s], self.upper[s], strict=True))]
            for s, (name, value) in enumerate(self.groups)
        ]  # fmt: skip
        return "\n".join([placed, self.verdict, aligned([header, *body], left=2)])


def _impossible(rule: FairnessRule) -> Iterator[str]:
    """Each group whose share of everyone is outside its band, in words."""
    shares = population_shares(rule.attribute.counts)
    too_rare, too_common = rule.impossible
    for s in np.flatnonzero(too_rare | too_common).tolist():
        allowed = f"at least {rule.lower[s]:.2%}" if too_rare[s] else f"at most {rule.upper[s]:.2%}"
        who = f"{rule.attribute.name} {rule.attribute.categories[s]!r}"
        yield f"{who} is {shares[s]:.2%} of everyone now, allowed {allowed}"
