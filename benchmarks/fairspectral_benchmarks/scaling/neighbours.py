"""The searches for neighbours side by side: seconds, processor seconds, recall."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np
from sklearn.neighbors import NearestNeighbors

from fairspectral.affinity.nearest import find_neighbours
from fairspectral_benchmarks.problems import blobs

COUNT = 10
# Rows whose neighbours are compared with the exact ones.
_COMPARED = 500

Search = Callable[[np.ndarray], np.ndarray]


def compare(n: int) -> Iterator[str]:
    """A line for each search in the blobs, of those that are installed."""
    X = blobs(n)[0]
    sample = np.random.default_rng(0).choice(n, min(n, _COMPARED), replace=False)
    exact = NearestNeighbors(n_neighbors=COUNT + 1).fit(X).kneighbors(X[sample])[1]
    for name, search in _searches().items():
        search(X[:2000])  # compiles
        before = time.perf_counter(), time.process_time()
        found = search(X)
        seconds, spent = time.perf_counter() - before[0], time.process_time() - before[1]
        recall = np.mean(
            [len(np.intersect1d(a, b[b != row][:COUNT])) / COUNT
             for row, a, b in zip(sample, found[sample], exact, strict=True)]
        )  # fmt: skip
        yield f"{name}: {seconds:.1f} s ({spent:.1f} s of the processor), recall {recall:.4f}"


def _searches() -> dict[str, Search]:
    searches: dict[str, Search] = {
        "ours": lambda X: find_neighbours(X, COUNT).indices,
        "scikit-learn": lambda X: (
            NearestNeighbors(n_neighbors=COUNT, n_jobs=-1).fit(X).kneighbors(return_distance=False)
        ),
    }
    if find_spec("pynndescent"):
        searches["pynndescent"] = _pynndescent
    if find_spec("faiss"):
        searches["faiss"] = _faiss
    return searches


def _pynndescent(X: np.ndarray) -> np.ndarray:
    from pynndescent import NNDescent

    index = NNDescent(X.astype(np.float32), n_neighbors=COUNT + 1, random_state=0, n_jobs=-1)
    return index.neighbor_graph[0][:, 1:]


def _faiss(X: np.ndarray) -> np.ndarray:
    """An inverted file with a list for every few hundred rows, of which sixteen are looked at."""
    import faiss

    X = X.astype(np.float32)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], 4 * int(len(X) ** 0.5))
    index.train(X[:200_000])
    index.add(X)
    index.nprobe = 16
    return index.search(X, COUNT + 1)[1][:, 1:]
