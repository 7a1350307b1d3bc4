"""METIS and KaHIP, which minimise the weight of cut edges under a limit on the largest part.

The limit that the floor allows (everything but the other clusters' floors) makes them cut off tiny
parts, since they do not divide by volumes. So several limits are tried, with persons counted once
or by their degree, and the lowest normalised cut counts. That is generous: ours have one try.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral_benchmarks.cut.instances import Task

# By how much the largest part may exceed the mean, beside what the floor allows.
_IMBALANCES = (0.1, 0.5, 2.0)
# Weights must be whole numbers; kernels are cut to this many levels.
_LEVELS = 1000


def installed(module: str) -> bool:
    """Whether a partitioner can be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def metis(task: Task, seed: int) -> Iterator[np.ndarray]:
    """Labels for every limit and both weights of persons."""
    import pymetis

    graph, degrees = _whole_numbers(task)
    for imbalance in (*_IMBALANCES, _most(task)):
        for weights in (None, degrees.tolist()):
            # METIS rejects limits beyond its integers; in thousandths.
            options = pymetis.Options(seed=seed, ufactor=int(1000 * imbalance), ncuts=4)
            with _silence():
                _, labels = pymetis.part_graph(
                    task.k,
                    pymetis.CSRAdjacency(graph.indptr.tolist(), graph.indices.tolist()),
                    eweights=graph.data.tolist(),
                    vweights=weights,
                    options=options,
                    recursive=False,
                )
            yield np.asarray(labels, dtype=np.int64)


def kahip(task: Task, seed: int) -> Iterator[np.ndarray]:
    """Labels for every limit and both weights of persons, in the mode for social networks."""
    import kahip as library

    graph, degrees = _whole_numbers(task)
    mode = library.ECOSOCIAL if graph.nnz < 200_000 else library.FASTSOCIAL
    pointers, indices, weights = (
        part.tolist() for part in (graph.indptr, graph.indices, graph.data)
    )
    for imbalance in (*_IMBALANCES, _most(task)):
        for persons in (np.ones(task.n, dtype=int), degrees):
            _, labels = library.kaffpa(
                persons.tolist(), pointers, weights, indices, task.k, imbalance, True, seed, mode
            )
            yield np.asarray(labels, dtype=np.int64)


PARTITIONERS: dict[str, tuple[str, Callable[[Task, int], Iterator[np.ndarray]]]] = {
    "METIS": ("pymetis", metis),
    "KaHIP": ("kahip", kahip),
}


@contextmanager
def _silence() -> Iterator[None]:
    """METIS writes to standard output where its limit leaves a part empty."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def _most(task: Task) -> float:
    """The imbalance if all clusters but one are at the floor."""
    return (task.n - (task.k - 1) * task.floor) * task.k / task.n - 1


def _whole_numbers(task: Task) -> tuple[Any, np.ndarray]:
    """Weights and degrees as whole numbers, without loops."""
    graph = sp.csr_array(task.W).copy()
    graph.setdiag(0)
    scale = 1.0 if (graph.data == np.rint(graph.data)).all() else _LEVELS / graph.data.max()
    graph.data = np.rint(graph.data * scale).astype(np.int64)
    graph.eliminate_zeros()
    return graph, np.maximum(1, np.rint(task.degrees * scale)).astype(np.int64)
