"""A search that shares no code with the library's, to find best known clusterings.

Pick a person and the cluster of a neighbour; move there, or swap with a member of it, as long as
all cells and the floor hold; accept by Metropolis. It is simple and slow, and how good it is
depends on the temperature, so several are tried.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from fairspectral import fair_assignment
from fairspectral_benchmarks.cut import anneal_kernels
from fairspectral_benchmarks.cut.instances import Task
from fairspectral_benchmarks.cut.known import BestKnown
from fairspectral_benchmarks.cut.methods import embedded_clusters
from fairspectral_benchmarks.cut.repair import within_bounds

# The hottest and the coldest temperature, in units of ``k / n``: what a person's move to another
# cluster changes is of that size.
HOT = (1.0, 0.3, 0.1, 1.0, 0.03)
COLD = 0.005
# Steps of the first try, which shows how fast they are.
_FIRST_STEPS = 1_000_000
# Tries in the time that is given.
_TRIES = 8


def annealed(task: Task, labels: np.ndarray, hot: float, steps: int, seed: int) -> np.ndarray:
    """Labels after annealing from labels that are within the bounds."""
    rows, state = _rows(task), _state(task, labels)
    low, high = task.bounds(np.arange(task.n + 1))
    unit = task.k / task.n
    cold = min(hot, COLD)
    anneal_kernels.anneal(
        rows, state, task.groups, low, high, task.floor, hot * unit, cold * unit, steps, seed
    )
    return state.labels


def improve(task: Task, known: BestKnown, seconds: float) -> Iterator[str]:
    """Anneal from embeddings and from the best known labels until the time is over.

    Yields a line about each try; what is better is kept at once.
    """
    name, begin, steps, tries = task.instance.name, time.process_time(), _FIRST_STEPS, 0
    annealed(task, _start(task, 0), HOT[-1], 1, seed=0)  # compile
    while (used := time.process_time() - begin) < seconds or tries < 2:
        hot, best = HOT[tries % len(HOT)], known.labels(name)
        # The hottest tries begin anew, and the others where the best known ended.
        labels = _start(task, tries) if best is None or hot == max(HOT) else best
        found = annealed(task, labels, hot, steps, seed=tries)
        took = time.process_time() - begin - used
        cut, improved = task.cut(found), known.offer(task, found, "annealing")
        verdict = " (best known)" if improved else ""
        yield f"{name} {steps:.0e} steps from {hot:g} k/n: {cut:.5f} in {took:.1f} s{verdict}"
        steps = max(_FIRST_STEPS, int(steps * seconds / _TRIES / max(took, 0.01)))
        tries += 1


def _start(task: Task, seed: int) -> np.ndarray:
    """Clusters of the fair embedding within the bounds; of the plain one if there are none."""
    fair = task.instance.tolerance is not None
    rows, labels = embedded_clusters(task, seed, fair=fair)
    if fair:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # small groups are part of the task
            labels = fair_assignment(
                rows,
                task.groups,
                task.k,
                fairness_tol=task.instance.tolerance,
                min_cluster_size=task.floor,
                random_state=seed,
            ).labels
    return within_bounds(task, labels)[0]


def _rows(task: Task) -> anneal_kernels.Rows:
    W, diagonal = task.W, np.array(task.W.diagonal(), dtype=np.float64)
    if sp.issparse(W):
        W = sp.csr_array(W)
        W.sort_indices()
        parts = W.indptr.astype(np.int32), W.indices.astype(np.int32), W.data.astype(np.float64)
        return anneal_kernels.Rows(*parts, np.zeros((0, 0)), diagonal, task.degrees)
    nothing = np.zeros(0, dtype=np.int32)
    return anneal_kernels.Rows(nothing, nothing, np.zeros(0), W, diagonal, task.degrees)


def _state(task: Task, labels: np.ndarray) -> anneal_kernels.State:
    labels = np.array(labels, dtype=np.int64)
    links, within, volumes = task.terms(labels)
    sizes = np.bincount(labels, minlength=task.k)
    members, places = np.zeros((task.k, task.n), dtype=np.int64), np.zeros(task.n, dtype=np.int64)
    for cluster in range(task.k):
        persons = np.flatnonzero(labels == cluster)
        members[cluster, : len(persons)] = persons
        places[persons] = np.arange(len(persons))
    table = task.cells(labels).table
    return anneal_kernels.State(
        labels, np.ascontiguousarray(links), within, volumes, table, sizes, members, places
    )
