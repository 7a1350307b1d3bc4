"""Bring clusters into the band of shares where moving one person is enough.

The bounds on the cells are whole numbers that can be met for all sizes of the clusters, so a
small cluster may be outside its band by a fraction of a person. Often one person more or less
brings it inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.start import WeightedRows


def into_band(points: WeightedRows, labels: np.ndarray, plan: RoundingPlan) -> np.ndarray:
    """Move one person into or out of each cluster outside the band, if that brings it inside.

    Of several such persons, choose the one that raises the k-means cost least. The other cluster
    must be inside afterwards too, so cells within their bounds stay within them.

    Parameters
    ----------
    points : WeightedRows
        The rows.
    labels : ndarray of shape (n,)
        A clustering.
    plan : RoundingPlan
        The band for each attribute, and the floor and the ceiling on the sizes.

    Returns
    -------
    ndarray of shape (n,)
    """
    labels = labels.copy()
    # A band of zero width is met up to whole persons already.
    if any((rule.lower == rule.upper).any() for rule in plan.rules):
        return labels
    for cluster in range(plan.n_clusters):
        move = _best_move(points, labels, plan, cluster)
        if move is not None:
            person, target = move
            labels[person] = target
    return labels


def _best_move(
    points: WeightedRows, labels: np.ndarray, plan: RoundingPlan, cluster: int
) -> tuple[int, int] | None:
    """The person to move and the target; None if the cluster is inside or no move helps."""
    k, kinds = plan.n_clusters, plan.kinds
    tables = [rule.count(labels, k) for rule in plan.rules]
    sizes = tables[0].sum(axis=0)
    example = dict(zip(kinds.tolist(), range(len(kinds)), strict=True))

    def inside(cluster: int, person: int = 0, change: int = 0) -> bool:
        """Whether a cluster is inside with `change` more persons of this person's groups."""
        for rule, table in zip(plan.rules, tables, strict=True):
            column = table[:, cluster : cluster + 1].copy()
            column[rule.attribute.codes[person]] += change
            if rule.persons_outside(column) > 0.0:
                return False
        return True

    @cache  # persons of one kind are alike
    def helps(kind: int, source: int, target: int) -> bool:
        like = example[kind]
        room = sizes[source] > plan.smallest and sizes[target] < plan.largest
        return bool(room) and (inside(source, like, -1) and inside(target, like, +1))

    if inside(cluster):
        return None
    for person, source, target in _cheapest_first(points, labels, k, cluster):
        if helps(int(kinds[person]), source, target):
            return person, target
    return None


def _cheapest_first(
    points: WeightedRows, labels: np.ndarray, k: int, cluster: int
) -> Iterator[tuple[int, int, int]]:
    """Person, source and target of all moves into or out of a cluster, cheapest first."""
    totals = np.bincount(labels, weights=points.weights, minlength=k)
    costs, weights = points.costs(points.centroids(labels, k)), points.weights[:, None]
    own = np.take_along_axis(costs, labels[:, None].astype(np.intp), axis=1)
    heavy = totals[labels][:, None]
    # Both centroids move too. A cluster of one cannot give its person away: division by zero.
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = costs * totals / (totals + weights) - own * heavy / (heavy - weights)
    possible = (labels == cluster)[:, None] != (np.arange(k) == cluster)
    persons, targets = np.nonzero(possible)
    for i in np.argsort(rise[persons, targets], kind="stable"):
        yield int(persons[i]), int(labels[persons[i]]), int(targets[i])
