"""The last person: clusters brought into the band of shares itself, where that takes little.

The bounds on the cells are whole numbers that can be met whatever the sizes of the clusters, so
that a cluster of a few persons may be outside its band by a fraction of one. Often one person
more or less would bring it inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.start import WeightedRows


def into_band(points: WeightedRows, labels: np.ndarray, plan: RoundingPlan) -> np.ndarray:
    """Give to or take from each cluster outside the band the person that brings it inside.

    Of several such persons the one at which the k-means cost rises least; the other cluster
    must be inside as well afterwards, so that what was within the bounds stays within them.

    Parameters
    ----------
    points : WeightedRows
        The rows.
    labels : ndarray of shape (n,)
        A clustering.
    plan : RoundingPlan
        The band for each attribute, and the floor on the sizes.

    Returns
    -------
    ndarray of shape (n,)
    """
    labels = labels.copy()
    # A band without any width asks for the right share up to whole persons, which is there.
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
    """Whom to move where; None where the cluster is inside, or one person does not help."""
    k, kinds = plan.n_clusters, plan.kinds
    tables = [rule.count(labels, k) for rule in plan.rules]
    sizes = tables[0].sum(axis=0)
    example = dict(zip(kinds.tolist(), range(len(kinds)), strict=True))

    def inside(cluster: int, person: int = 0, change: int = 0) -> bool:
        """Whether a cluster is, once it has one more or one less like a person."""
        for rule, table in zip(plan.rules, tables, strict=True):
            column = table[:, cluster : cluster + 1].copy()
            column[rule.attribute.codes[person]] += change
            if rule.persons_outside(column) > 0.0:
                return False
        return True

    @cache  # persons of one kind are alike
    def helps(kind: int, source: int, target: int) -> bool:
        like = example[kind]
        return bool(sizes[source] > plan.smallest) and (
            inside(source, like, -1) and inside(target, like, +1)
        )

    if inside(cluster):
        return None
    for person, source, target in _cheapest_first(points, labels, k, cluster):
        if helps(int(kinds[person]), source, target):
            return person, target
    return None


def _cheapest_first(
    points: WeightedRows, labels: np.ndarray, k: int, cluster: int
) -> Iterator[tuple[int, int, int]]:
    """Person, source and target of all moves into a cluster or out of it, as the cost rises."""
    totals = np.bincount(labels, weights=points.weights, minlength=k)
    costs, weights = points.costs(points.centroids(labels, k)), points.weights[:, None]
    own = np.take_along_axis(costs, labels[:, None].astype(np.intp), axis=1)
    heavy = totals[labels][:, None]
    # Both centroids move along with the person; a cluster of one has nobody to give.
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = costs * totals / (totals + weights) - own * heavy / (heavy - weights)
    possible = (labels == cluster)[:, None] != (np.arange(k) == cluster)
    persons, targets = np.nonzero(possible)
    for i in np.argsort(rise[persons, targets], kind="stable"):
        yield int(persons[i]), int(labels[persons[i]]), int(targets[i])
