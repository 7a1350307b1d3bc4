"""Labels of methods that know nothing of our floor or bounds, moved within them at least cost."""

from __future__ import annotations

import numpy as np

from fairspectral.rounding.flow import solve_flow
from fairspectral_benchmarks.cut.instances import Task


def repaired(task: Task, labels: np.ndarray) -> np.ndarray:
    """The exact flow to the nearest clustering within floor and bounds.

    Costs are the distances of weighted kernel k-means, whose objective is the normalised cut.
    Sizes stay as they are, but for clusters below the floor, which the largest ones fill.
    """
    sizes = np.bincount(labels, minlength=task.k)
    while sizes.min() < task.floor:
        sizes[np.argmin(sizes)] += 1
        sizes[np.argmax(sizes)] -= 1
    links, within, volumes = task.terms(labels)
    volumes = np.where(volumes > 0, volumes, np.inf)  # an empty cluster is equally far from all
    trials = []
    for shift in (0.0, 1.0):
        cost = -2 * links / volumes + task.degrees[:, None] * (
            within / volumes**2 + shift / volumes
        )
        cost[np.arange(task.n), labels] -= 2 * shift * task.degrees / volumes[labels]
        low, high = task.bounds(sizes)
        trials.append(solve_flow(cost, task.groups, low, high, sizes, sizes).labels)
    return min(trials, key=task.cut)


def within_bounds(task: Task, labels: np.ndarray) -> tuple[np.ndarray, bool]:
    """Valid labels as they are, others repaired, and whether they were."""
    labels = np.asarray(labels, dtype=np.int64)
    if task.judge(labels)["valid"]:
        return labels, False
    return repaired(task, labels), True
