"""Labels of methods that know nothing of our floor or bounds, moved within them at least cost."""

from __future__ import annotations

import numpy as np

from fairspectral.rounding.flow import solve_flow
from fairspectral_benchmarks.cut.instances import Task

# Steps of kernel k-means after which the cut hardly falls any more.
_STEPS = 10


def repaired(task: Task, labels: np.ndarray) -> np.ndarray:
    """The nearest clustering within floor and bounds, and kernel k-means from there.

    Each step is the exact flow with the distances of weighted kernel k-means, whose objective is
    the normalised cut. The first one has to move labels within the bounds; later ones count if
    the cut falls.
    """
    best = _flow(task, labels)
    for _ in range(_STEPS):
        trial = _flow(task, best)
        if task.cut(trial) >= task.cut(best) * (1 - 1e-6):
            break
        best = trial
    return best


def _flow(task: Task, labels: np.ndarray) -> np.ndarray:
    """One flow: the better one of a bold and a careful step."""
    sizes = np.bincount(labels, minlength=task.k)
    if task.instance.tolerance is None:
        least, most = np.full(task.k, task.floor), np.full(task.k, task.n)
        low, high = task.bounds(most)
        low[:] = 0
    else:
        # Bounds depend on the sizes, so they stay, but for what the floor needs.
        while sizes.min() < task.floor:
            sizes[np.argmin(sizes)] += 1
            sizes[np.argmax(sizes)] -= 1
        least = most = sizes
        low, high = task.bounds(sizes)
    links, within, volumes = task.terms(labels)
    volumes = np.where(volumes > 0, volumes, np.inf)  # an empty cluster is equally far from all
    trials = []
    for shift in (0.0, 1.0):
        cost = -2 * links / volumes
        cost += task.degrees[:, None] * (within / volumes**2 + shift / volumes)
        cost[np.arange(task.n), labels] -= 2 * shift * task.degrees / volumes[labels]
        trials.append(solve_flow(cost, task.groups, low, high, least, most).labels)
    return min(trials, key=task.cut)


def within_bounds(task: Task, labels: np.ndarray) -> tuple[np.ndarray, bool]:
    """Valid labels as they are, others repaired, and whether they were."""
    labels = np.asarray(labels, dtype=np.int64)
    if task.judge(labels)["valid"]:
        return labels, False
    return repaired(task, labels), True
