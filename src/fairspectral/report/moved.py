"""Who is in another cluster because of the bounds on shares, and why they cannot go back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from fairspectral.cells import count_cells, judge_by_tolerance
from fairspectral.cut import CutState
from fairspectral.report.collect import Judgement
from fairspectral.report.comparison import Comparison
from fairspectral.rounding.rows import can_search
from fairspectral.validation import Attribute

# How many lines the page shows of the ways between clusters; the file has everybody.
MOST_WAYS = 12


@dataclass(frozen=True)
class Moved:
    """People who are in another cluster than without bounds on the shares.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Their positions in the data.
    here, there : ndarray of shape (m,)
        Their cluster without bounds, and in the fair clustering.
    groups : tuple of list of str
        For each attribute, the group of each of them.
    by_group : list of (attribute, group, moved, all)
        How many of each group.
    rise : ndarray of shape (m,) or None
        Change of the normalised cut if that person alone went back; below zero, the cut would
        fall. None where the affinities are not in memory.
    reasons : list of str or None
        What would be broken if that person alone went back; empty where nothing would be. None
        where other bounds than a tolerance were asked for, or persons have weights or links.
    """

    rows: np.ndarray
    here: np.ndarray
    there: np.ndarray
    groups: tuple[list[str], ...]
    by_group: list[tuple[str, str, int, int]]
    rise: np.ndarray | None
    reasons: list[str] | None

    @property
    def ways(self) -> list[tuple[int, int, int]]:
        """Cluster without bounds, fair cluster and number of people, the most frequent first."""
        pairs, counts = np.unique(
            np.stack([self.here, self.there], axis=1), axis=0, return_counts=True
        )
        order = np.argsort(-counts, kind="stable")
        return [(int(pairs[i, 0]), int(pairs[i, 1]), int(counts[i])) for i in order]

    @property
    def n_held(self) -> int | None:
        """How many could not go back alone without breaking a bound."""
        return None if self.reasons is None else sum(bool(reason) for reason in self.reasons)

    def to_csv(self, names: list[str]) -> str:
        """Everybody who moved, as the text of a table; `names` are those of the attributes."""
        columns: dict[str, Iterable[Any]] = {"row": self.rows + 1}
        columns |= dict(zip(names, self.groups, strict=True))
        columns |= {"cluster_without_bounds": self.here, "fair_cluster": self.there}
        if self.rise is not None:
            columns["cut_change_if_back"] = [f"{change:.6g}" for change in self.rise]
        if self.reasons is not None:
            columns["broken_if_back"] = self.reasons
        return csv_text(columns)


def csv_text(columns: Mapping[str, Iterable[Any]]) -> str:
    """A table as the text of a file."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def find_moved(
    model: Any, attributes: tuple[Attribute, ...], found: Comparison, judgement: Judgement
) -> Moved:
    """The people who moved, with the price of going back for each of them."""
    rows = np.flatnonzero(found.moved)
    here, there = found.unbounded.labels[rows], model.labels_[rows]
    by_group = []
    for attribute in attributes:
        everyone = np.bincount(attribute.codes, minlength=len(attribute.categories))
        moved = np.bincount(attribute.codes[rows], minlength=len(attribute.categories))
        by_group += [
            (attribute.name, str(group), int(some), int(all_of_them))
            for group, some, all_of_them in zip(attribute.categories, moved, everyone, strict=True)
        ]
    groups = tuple(
        [str(attribute.categories[code]) for code in attribute.codes[rows]]
        for attribute in attributes
    )
    reasons = None
    if not judgement.custom and not model._moves_nodes:
        reasons = _reasons(model, attributes, judgement.tolerance, rows, here, there)
    return Moved(rows, here, there, groups, by_group, _rise(model, rows, here, there), reasons)


def _rise(model: Any, rows: np.ndarray, here: np.ndarray, there: np.ndarray) -> np.ndarray | None:
    operator = model.affinity_operator_
    if not can_search(operator):
        return None
    state = CutState.measure(operator, model.labels_, model.n_clusters)
    own, degrees = operator.stored_weights.diagonal()[rows], operator.degrees[rows]

    def kept(cluster: np.ndarray, sign: int) -> np.ndarray:
        """What a person's joining (1) or leaving (-1) changes in ``within / volume``."""
        links = state.links[rows, cluster]
        within = state.within[cluster] + sign * 2 * links + own
        volumes = state.volumes[cluster] + sign * degrees
        before = state.within[cluster] / state.volumes[cluster]
        return np.where(volumes > 0, within / np.where(volumes > 0, volumes, 1), 0) - before

    return -(kept(here, 1) + kept(there, -1))


def _reasons(
    model: Any,
    attributes: tuple[Attribute, ...],
    tolerance: float,
    rows: np.ndarray,
    here: np.ndarray,
    there: np.ndarray,
) -> list[str]:
    """What would be broken if a person alone went back; the same for all of the same groups."""
    k = model.n_clusters
    tables = [
        count_cells(attribute.codes, model.labels_, len(attribute.categories), k)
        for attribute in attributes
    ]

    @cache
    def reason(codes: tuple[int, ...], back: int, away: int) -> str:
        if model.fair_assignment_.sizes[away] <= model.fair_assignment_.min_cluster_size:
            return f"cluster {away} would be too small"
        for attribute, table, code in zip(attributes, tables, codes, strict=True):
            after = table.copy()
            after[code, away] -= 1
            after[code, back] += 1
            cells = judge_by_tolerance(after, tolerance)
            for group, cluster in np.argwhere(cells.outside):
                how = "few" if after[group, cluster] < cells.lower[group, cluster] else "many"
                who = f"{attribute.name} {attribute.categories[group]}"
                return f"too {how} of {who} in cluster {cluster}"
        return ""

    codes = np.stack([attribute.codes[rows] for attribute in attributes], axis=1)
    return [
        reason(tuple(map(int, own)), int(back), int(away))
        for own, back, away in zip(codes, here, there, strict=True)
    ]
