"""Pieces of a graph that were set aside are placed whole, where the cut suffers least.

A piece is a small component, or a tree that hangs on the rest by one edge. In order of size, each
goes to the cluster where the normalised cut ends lowest, among those where fewest persons end
outside the bounds. What still lies outside then is for the flow to repair, person by person. A
search moves the people of a piece as it moves everybody, so after it the pieces are settled again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fairspectral.affinity.fringe import Fringe
from fairspectral.anytime import Deadline
from fairspectral.cells import bounds_in_persons, persons_beyond, population_shares
from fairspectral.cut import kept_within
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.start import WeightedRows, floored_clusters
from fairspectral.validation import Attribute

# A change of the cut below this is floating-point error.
_GAIN = 1e-12
# Far more than it takes until all pieces are settled, which is two to five.
_PASSES = 100
# The largest part of a cluster that may come from small components: not most of it.
_MOST_ASIDE = 0.5
# Rows of affinities that are looked at together.
_ROWS = 64

# What persons without a cluster add to each cluster's ``within``, and to its volume.
Gain = tuple[np.ndarray, float]


def place_pieces(
    affinity: Any, labels: np.ndarray, fringe: Fringe, plan: RoundingPlan
) -> np.ndarray:
    """Labels for everybody, from those of the persons who were kept.

    Parameters
    ----------
    affinity : AffinityOperator
        The whole graph; it holds its weights in memory.
    labels : integer ndarray of shape (n,)
        The clusters of those who were kept; those of the others are not read.
    fringe : Fringe
        The pieces to place.
    plan : RoundingPlan
        k and the bounds.
    """
    places = _Places(affinity, np.where(fringe.piece < 0, labels, -1), plan)
    for members in _largest_first(fringe):
        places.put(members, places.best(members))
    return places.labels


def settle_pieces(
    affinity: Any, labels: np.ndarray, fringe: Fringe, plan: RoundingPlan
) -> np.ndarray:
    """Labels in which no whole piece can go elsewhere and lower the cut within the bounds.

    Pieces that a search has split are brought together where neither bounds nor cut suffer. Each
    move changes where the others are best, so all are looked at again until none moves, or the
    deadline has passed. Once they are looked at whatever the time, for that brings together what
    a search that was stopped has left split.
    """
    places, pieces = _Places(affinity, labels.copy(), plan), _largest_first(fringe)
    deadline = Deadline()
    for _ in range(_PASSES):
        moved = [places.settle(members) for members in pieces]
        if not any(moved) or deadline.passed:
            break
    return places.labels


def beside_fringe(plan: RoundingPlan, fringe: Fringe) -> RoundingPlan:
    """The plan of a search that makes no cluster out of small components.

    Together they would often have the lowest cut, since nothing links them to anybody, and mean
    nothing. So one rule more limits their part of every cluster.
    """
    aside = (fringe.piece >= 0).astype(np.int64)
    attribute = Attribute("set aside", aside, (False, True), plan.weights)
    rule = FairnessRule(
        attribute,
        population_shares(attribute.counts),
        np.array([1 - _MOST_ASIDE, 0.0]),
        np.array([1.0, _MOST_ASIDE]),
    )
    kinds = np.unique(2 * plan.kinds.astype(np.int64) + aside, return_inverse=True)[1]
    return replace(plan, rules=[*plan.rules, rule], kinds=kinds.reshape(-1))


def fringe_of_nodes(affinity: Any, plan: RoundingPlan) -> Fringe:
    """The components too small to be a cluster, where persons have weights or links.

    They count by their weight, and people who must be together make one component of theirs.
    Nobody where these are most of the people.
    """
    n, components = affinity.shape[0], affinity.component_labels()
    if components is None:
        return Fringe.none(n)
    if plan.links is not None:
        first = int(components.max()) + 1
        shape = (first + plan.links.n_nodes,) * 2
        ties = sp.coo_array((np.ones(n), (components, first + plan.links.nodes)), shape=shape)
        components = connected_components(ties, directed=False)[1][components]
    units = np.ones(n) if plan.weights is None else plan.weights.units
    small = np.bincount(components, units) < plan.limits[0]
    piece = np.where(small, np.cumsum(small) - 1, -1)[components]
    if 2 * np.count_nonzero(piece >= 0) > n:
        return Fringe.none(n)
    return Fringe(piece, np.full(int(small.sum()), -1, dtype=np.int64))


def start_beside_fringe(
    points: WeightedRows,
    affinity: Any,
    fringe: Fringe,
    plan: RoundingPlan,
    n_init: int,
    seed: int,
) -> tuple[np.ndarray, WeightedRows]:
    """k-means with a floor on those who were kept; then the pieces are placed.

    Returns
    -------
    labels : ndarray of shape (n,)
    points : WeightedRows
        The rows of small components, which have none of their own, are the centroids of the
        clusters where they were placed.
    """
    kept, k = fringe.kept, plan.n_clusters
    inner = WeightedRows(points.rows[kept], points.weights[kept], points.device)
    labels = np.zeros(len(fringe.piece), dtype=np.int32)
    floor = min(plan.smallest, len(kept) // k)
    labels[kept] = floored_clusters(inner, k, floor, n_init, seed, largest=plan.largest)
    labels = place_pieces(affinity, labels, fringe, plan)
    rows = complete_rows(points.rows, labels, fringe, k)
    return labels, WeightedRows(rows, points.weights, points.device)


def rows_of_all(rows: np.ndarray, fringe: Fringe) -> np.ndarray:
    """Rows of everybody from the rows of those who were kept; trees have that of their anchor.

    Components have none of their own: theirs are zero until `complete_rows`.
    """
    if not fringe:
        return rows
    everybody = np.zeros((len(fringe.piece), rows.shape[1]))
    everybody[fringe.kept] = rows
    aside = np.flatnonzero(fringe.piece >= 0)
    anchors = fringe.anchors[fringe.piece[aside]]
    everybody[aside[anchors >= 0]] = everybody[anchors[anchors >= 0]]
    return everybody


def complete_rows(rows: np.ndarray, labels: np.ndarray, fringe: Fringe, k: int) -> np.ndarray:
    """Rows of everybody, with the mean of its cluster for each component that was set aside.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        From `rows_of_all`.
    labels : ndarray of shape (n,)
        The clusters, which give the means.
    fringe : Fringe
        Who was set aside.
    k : int
        Number of clusters.
    """
    apart = np.flatnonzero(fringe.piece >= 0)
    apart = apart[fringe.anchors[fringe.piece[apart]] < 0]
    if not len(apart):
        return rows
    rows, kept = rows.copy(), fringe.kept
    means = WeightedRows(rows[kept], np.ones(len(kept))).centroids(labels[kept], k)
    rows[apart] = means[labels[apart]]
    return rows


def _largest_first(fringe: Fringe) -> list[np.ndarray]:
    pieces = fringe.members()
    return [pieces[at] for at in np.argsort(-fringe.sizes, kind="stable")]


class _Places:
    """Labels of the persons placed so far, the terms of their cut, and the counts of all cells."""

    def __init__(self, affinity: Any, labels: np.ndarray, plan: RoundingPlan) -> None:
        self._affinity, self._degrees = affinity, affinity.degrees
        self._plan, self.labels = plan, labels
        k, placed = plan.n_clusters, labels >= 0
        self._sizes = np.bincount(labels[placed], minlength=k)
        self._volumes = np.bincount(labels[placed], weights=self._degrees[placed], minlength=k)
        # Each is a count of everybody, which thousands of pieces cannot ask for anew.
        self._totals = [rule.attribute.counts for rule in plan.rules]
        self._tables = []
        for rule in plan.rules:
            cells = rule.attribute.codes[placed] * k + labels[placed]
            self._tables.append(np.bincount(cells, minlength=len(rule.target) * k).reshape(-1, k))
        indicator = np.zeros((len(labels), k), dtype=affinity.dtype)
        indicator[placed, labels[placed]] = np.sqrt(self._degrees[placed])
        links = affinity.matmat_on_host(indicator) * np.sqrt(self._degrees)[:, None]
        own = links[placed, labels[placed]]
        self._within = np.bincount(labels[placed], weights=own, minlength=k)

    def judge(self) -> tuple[int, float]:
        """Persons outside the bounds, and the normalised cut."""
        cut = len(self._sizes) - kept_within(self._within, self._volumes)
        return int(self._outside(self._tables, self._sizes).sum()), cut

    def best(self, members: np.ndarray, gain: Gain | None = None) -> int:
        """The cluster where a piece costs least; its gain, if it is known already."""
        within, volume = gain or self._gain(members)
        added = [
            table + self._counts(members, rule)[:, None]
            for table, rule in zip(self._tables, self._plan.rules, strict=True)
        ]
        rise = self._outside(added, self._sizes + len(members))
        rise -= self._outside(self._tables, self._sizes)
        old = np.divide(
            self._within, self._volumes, out=np.zeros(len(within)), where=self._volumes > 0
        )
        kept = (self._within + within) / (self._volumes + volume) - old
        return int(np.lexsort((-kept, rise))[0])

    def put(self, members: np.ndarray, cluster: int, gain: Gain | None = None) -> None:
        """Place persons who have no cluster."""
        self._change(members, cluster, +1, gain or self._gain(members))
        self.labels[members] = cluster

    def take(self, members: np.ndarray) -> None:
        """Take persons out of their clusters, which may differ."""
        clusters = self.labels[members]
        for cluster in np.unique(clusters):
            part = members[clusters == cluster]
            self.labels[part] = -1
            self._change(part, int(cluster), -1, self._gain(part))

    def settle(self, members: np.ndarray) -> bool:
        """Place a piece anew where that is better; whether it was.

        Better are fewer persons outside the bounds, or as many at a lower cut; for a piece in
        parts also at the same cut.
        """
        before = self.labels[members]
        whole = (before == before[0]).all()
        outside, cut = self.judge()
        self.take(members)
        gain = self._gain(members)
        best = self.best(members, gain)
        if not (whole and best == before[0]):
            self.put(members, best, gain)
            if self.judge() <= (outside, cut - _GAIN if whole else cut + _GAIN):
                return True
            self.take(members)
        for cluster in np.unique(before):
            self.put(members[before == cluster], int(cluster), gain if whole else None)
        return False

    def _change(self, members: np.ndarray, cluster: int, sign: int, gain: Gain) -> None:
        within, volume = gain
        self._within[cluster] += sign * within[cluster]
        self._volumes[cluster] += sign * volume
        self._sizes[cluster] += sign * len(members)
        for table, rule in zip(self._tables, self._plan.rules, strict=True):
            table[:, cluster] += sign * self._counts(members, rule)

    def _gain(self, members: np.ndarray) -> Gain:
        stored = self._affinity.stored_weights
        if sp.issparse(stored):
            rows = stored[members]
            others, weights = rows.indices, rows.data.astype(np.float64)
        else:
            others, weights = np.arange(len(self.labels)), np.zeros(len(self.labels))
            # Few at a time, for they may be computed when they are asked for.
            for first in range(0, len(members), _ROWS):
                rows = self._affinity.rows(members[first : first + _ROWS])
                weights += rows.sum(axis=0, dtype=np.float64)
        clusters, placed = self.labels[others], self.labels[others] >= 0
        links = np.bincount(clusters[placed], weights=weights[placed], minlength=len(self._sizes))
        inner = float(weights[np.isin(others, members)].sum())
        return inner + 2.0 * links, float(self._degrees[members].sum())

    @staticmethod
    def _counts(members: np.ndarray, rule: Any) -> np.ndarray:
        return np.bincount(rule.attribute.codes[members], minlength=len(rule.target))

    def _outside(self, tables: list[np.ndarray], sizes: np.ndarray) -> np.ndarray:
        """Persons outside the bounds, short of the floor or above the ceiling, per cluster."""
        outside = persons_beyond(sizes, self._plan.smallest, self._plan.largest)
        for table, rule, totals in zip(tables, self._plan.rules, self._totals, strict=True):
            low, high = bounds_in_persons(rule.lower, rule.upper, totals, sizes)
            outside = outside + persons_beyond(table, low, high).sum(axis=0)
        return outside
