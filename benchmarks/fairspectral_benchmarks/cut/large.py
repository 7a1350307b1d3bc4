"""A social network of 68,000 people, some of them outside the giant component: how long?"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fairspectral import FairSpectralClustering
from fairspectral_benchmarks.cut.graphs import Graph, communities
from fairspectral_benchmarks.cut.instances import Instance, Task

PEOPLE, PAIRS, CLUSTERS, TOLERANCE = 67_640, 180, 5, 0.2


def social_network() -> Graph:
    """Communities of 300 people and more, mean degree about 10, and pairs who know nobody else."""
    W, groups = communities(PEOPLE, 0.3, 3, 300, 12.0)
    pair = sp.coo_array([[0.0, 1.0], [1.0, 0.0]])
    W = sp.csr_array(sp.block_diag([W, *[pair] * PAIRS]))
    return W, np.append(groups, np.random.default_rng(1).integers(0, 3, 2 * PAIRS))


def time_large(efforts: Iterable[str]) -> Iterator[str]:
    """What came of each effort: seconds in all and of the stages, the cut and the sizes."""
    task = Task(Instance("large", CLUSTERS, TOLERANCE), *social_network())
    outside = task.n - np.bincount(connected_components(task.W)[1]).max()
    yield f"{task.n:,} people, {task.W.nnz // 2:,} ties, {outside} outside the giant component"
    for effort in efforts:
        model = FairSpectralClustering(
            CLUSTERS,
            affinity="precomputed",
            fairness_tol=TOLERANCE,
            effort=effort,
            random_state=0,
        )
        before, spent = time.perf_counter(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # components are part of the task
            model.fit(task.W, sensitive_features=task.groups)
        seconds, spent = time.perf_counter() - before, time.process_time() - spent
        judged = task.judge(model.labels_)
        cells = f"{judged['outside']} cells outside their bounds"
        sizes = ", ".join(f"{size:,}" for size in sorted(np.bincount(model.labels_)))
        yield f"{effort}: {seconds:.1f} s ({spent:.1f} s CPU), cut {judged['cut']:.4f}, {cells}"
        yield f"  sizes {sizes}"
        assert model.fair_assignment_ is not None
        for stage in model.fair_assignment_.history:
            yield f"  {stage.name}: {stage.seconds:.1f} s, cut {stage.normalized_cut:.4f}"
