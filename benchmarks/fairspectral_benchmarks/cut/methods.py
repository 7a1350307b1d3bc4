"""The methods: ours at every effort, and the peers on plain and on fair instances."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, SpectralClustering

from fairspectral import FairSpectralClustering, fair_spectral_embedding
from fairspectral.cells import tolerance_band
from fairspectral_benchmarks.bera import assign_by_program
from fairspectral_benchmarks.cut.instances import Instance, Task
from fairspectral_benchmarks.cut.partitioners import PARTITIONERS, installed
from fairspectral_benchmarks.cut.repair import repaired, within_bounds
from fairspectral_benchmarks.cut.vfc import PENALTIES, soft_labels

EFFORTS = ("fast", "default", "thorough")
# The library before it had efforts, if the path of Python begins with the ``src`` of its checkout.
BEFORE = "before"
# Seconds that a linear program may take.
PATIENCE = 120

Found = tuple[np.ndarray, str]  # labels, and a note on how they came


@dataclass(frozen=True)
class Method:
    """A way to labels.

    Attributes
    ----------
    name : str
        In tables.
    run : callable
        From a task and a seed to labels and a note.
    plain, fair : bool
        Whether it takes part where there is no bound, and where there is one.
    """

    name: str
    run: Callable[[Task, int], Found]
    plain: bool = True
    fair: bool = True

    def takes(self, instance: Instance) -> bool:
        """Whether it takes part in an instance."""
        return self.plain if instance.tolerance is None else self.fair


def ours(efforts: Iterable[str]) -> list[Method]:
    """The estimator at each effort; `BEFORE` for a version that has no efforts."""
    if "effort" not in inspect.signature(FairSpectralClustering).parameters:
        return [Method(BEFORE, partial(_estimator, {}))]
    return [Method(effort, partial(_estimator, {"effort": effort})) for effort in efforts]


def peers() -> list[Method]:
    """Scikit-learn and the partitioners that are installed, on plain; penalty and LP on fair."""
    found = [Method("scikit-learn", _scikit_learn, fair=False)]
    for name, (module, partition) in PARTITIONERS.items():
        if installed(module):
            found.append(Method(name, partial(_partitioner, partition), fair=False))
        else:
            print(f"{name} is left out: pip install {module} to have it in the table")
    found.append(Method("penalty (VFC)", _penalty, plain=False))
    found.append(Method("LP (Bera)", _program, plain=False))
    return found


def embedded_clusters(task: Task, seed: int, *, fair: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the embedding, of length one, and the labels of k-means on them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # components and small groups are part of the task
        rows = fair_spectral_embedding(
            task.operator,
            task.groups if fair else None,
            n_components=task.k,
            affinity="precomputed",
            random_state=seed,
        )
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(lengths > 0, lengths, 1.0)
    return rows, KMeans(task.k, n_init=10, random_state=seed).fit_predict(rows)


def _estimator(settings: dict[str, Any], task: Task, seed: int) -> Found:
    model = FairSpectralClustering(
        task.k,
        affinity="precomputed",
        fairness_tol=task.instance.tolerance,
        rounding_params={"min_cluster_size": task.floor},
        random_state=seed,
        **settings,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = model.fit_predict(task.W, sensitive_features=task.groups)
    return labels, ""


def _scikit_learn(task: Task, seed: int) -> Found:
    model = SpectralClustering(task.k, affinity="precomputed", random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _noted(task, model.fit_predict(with_short_indices(task.W)))


def with_short_indices(W: Any) -> Any:
    """A graph with 32-bit indices; scikit-learn refuses others."""
    if not sp.issparse(W):
        return W
    parts = W.data, W.indices.astype(np.int32), W.indptr.astype(np.int32)
    return sp.csr_array(parts, shape=W.shape)


def _partitioner(partition: Callable[..., Iterable[np.ndarray]], task: Task, seed: int) -> Found:
    return _best(task, list(partition(task, seed)))


def _penalty(task: Task, seed: int) -> Found:
    starts = [embedded_clusters(task, seed, fair=fair)[1] for fair in (False, True)]
    return _best(task, [soft_labels(task, at, weight) for at in starts for weight in PENALTIES])


def _program(task: Task, seed: int) -> Found:
    assert task.instance.tolerance is not None
    rows, labels = embedded_clusters(task, seed, fair=True)
    centroids = np.array([rows[labels == cluster].mean(axis=0) for cluster in range(task.k)])
    cost = ((rows[:, None] - centroids) ** 2).sum(axis=2)
    band = tolerance_band(task.counts / task.n, task.instance.tolerance)
    found = assign_by_program(cost, task.groups, *band, floor=task.floor, patience=PATIENCE)
    return _noted(task, found)


def _noted(task: Task, labels: np.ndarray) -> Found:
    found, changed = within_bounds(task, labels)
    return found, "repaired" if changed else ""


def _best(task: Task, trials: list[np.ndarray]) -> Found:
    """The lowest cut of the valid ones; if there is none, of all after repair."""
    valid = [labels for labels in trials if task.judge(labels)["valid"]]
    if valid:
        return min(valid, key=task.cut), ""
    return min((repaired(task, labels) for labels in trials), key=task.cut), "repaired"
