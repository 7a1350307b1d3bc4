"""Products with a narrow block, measured; ``python benchmarks/products.py`` runs it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from operator import matmul
from queue import SimpleQueue
from threading import Thread
from types import FunctionType
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_info

from fairspectral.linalg import product_kernels, products, threads
from fairspectral.linalg.small import eigh_decreasing
from fairspectral.solvers.registry import make_solver
from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.problems import Instance, read_name

_TURNS, _CALLS = 15, 3
_COLUMNS = (8, 16, 32, 56)
# Problems of the solver benchmark and their k; those with real data are left out if the data
# are missing.
_SOLVES = (
    ("lastfm", 25),
    ("thyroid-narrow", 25),
    ("randlaplace-5000x5", 25),
    ("randlaplace-10000x5", 50),
    ("msbm-groups-10000x50", 50),
)

Call = Callable[[], Any]


def main(words: list[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/products.py")
    parser.add_argument("--parts", action="store_true", help="beside simpler ways to write them")
    given = parser.parse_args(words)
    count = max(pool["num_threads"] for pool in threadpool_info())
    print(f"{count} threads, float32; medians over {_TURNS} turns\n")
    if given.parts:
        header = ["", "columns", "ours, ms", "queues", "numba's threads", "no prefetch"]
        print(markdown_table(header, _part_rows(count)), flush=True)
    else:
        header = ["affinities", "columns", "library, ms", "ours, ms", "library / ours"]
        print(markdown_table(header, _library_rows()), flush=True)
        header = ["Rayleigh-Ritz with m columns", "ms", "multiplications of a product / m³"]
        print("\n" + markdown_table(header, _ritz_rows()))


def _affinities(sizes: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray | sp.csr_array]]:
    for n in sizes:
        W = np.random.default_rng(0).random((n, n), dtype=np.float32)
        yield f"dense, n={n}", W + W.T
    for n, neighbours in ((10000, 400), (100000, 12), (5576, 7)):
        W = sp.random_array((n, n), density=neighbours / 2 / n, rng=0, dtype=np.float32)
        yield f"sparse, n={n}, {neighbours} neighbours", sp.csr_array(W + W.T)


def _product(W: np.ndarray | sp.csr_array, b: int) -> tuple[Call, np.ndarray]:
    own = products.sparse_product if sp.issparse(W) else products.dense_product
    block = np.random.default_rng(b).standard_normal((W.shape[0], b), dtype=np.float32)
    return (lambda: own(W, block)), block


def _library_rows() -> Iterator[list[str]]:
    for name, W in _affinities((5000, 10000)):
        for b in _COLUMNS:
            call, block = _product(W, b)
            ways: dict[str, Call] = {"library": partial(matmul, W, block)}
            ways["ours"] = _within(_as_in_a_solve, call)
            # BLAS keeps its threads spinning for a while, which must not slow down ours.
            seconds = _turns(ways, pause=0.2)
            ratio = np.median(seconds["library"] / seconds["ours"])
            library, own = (f"{1e3 * np.median(seconds[w]):.2f}" for w in ("library", "ours"))
            yield [name, str(b), library, own, f"{ratio:.1f}x"]


def _ritz_rows() -> Iterator[list[str]]:
    """How much of a large product could be done meanwhile; 16 times that is RITZ_WORK."""
    n, columns = 10000, 32
    _, W = next(_affinities((n,)))
    call, _ = _product(W, columns)
    ways: dict[int, Call] = {0: _within(_as_in_a_solve, call)}
    for m in (128, 256, 384):
        ways[m] = partial(eigh_decreasing, W[:m, :m].astype(np.float64))
    seconds = _turns(ways)
    rate = n * n * columns / np.median(seconds.pop(0))
    for m, found in seconds.items():
        took = float(np.median(found))
        yield [str(m), f"{1e3 * took:.2f}", f"{rate * took / m**3:.0f}"]


def _part_rows(count: int) -> Iterator[list[str]]:
    """Small and large products, and whole solves, in which each part is replaced in turn."""
    queues = _Queues(max(1, count - 1))
    for name, W in _affinities((500, 2000, 5000, 10000)):
        for b in _COLUMNS:
            call, _ = _product(W, b)
            ways = {"ours": call, "queues": _within(queues.in_place, call)}
            if sp.issparse(W):
                ways["numba's threads"] = _within(_numba_sparse, call)
            else:
                ways["numba's threads"] = _within(_numba_dense, call)
                ways["no prefetch"] = _within(_without_prefetch, call)
            with _as_in_a_solve():
                yield [name, str(b), *_ratios(_turns(ways))]
    for problem, k in _SOLVES:
        if not read_name(problem).local and not os.environ.get("FAIRSPECTRAL_DATA"):
            continue
        posed = Instance(problem).problem(np.float32, k)
        solve = partial(make_solver("krylov", None).solve, posed, random_state=0)
        ways = {
            "ours": solve,
            "queues": _within(queues.in_place, solve),
            "no prefetch": _within(_without_prefetch, solve),
        }
        yield [f"a solve of {problem}, k={k}", "", *_ratios(_turns(ways, calls=1))]


def _turns(ways: dict[Any, Call], pause: float = 0.0, calls: int = _CALLS) -> dict[Any, np.ndarray]:
    """Seconds of every variant in every turn; the best of a few calls, in changing order."""
    for call in ways.values():
        call()  # which may compile
    seconds: dict[Any, list[float]] = {name: [] for name in ways}
    for turn in range(_TURNS):
        order = list(ways) if turn % 2 else list(reversed(ways))
        for name in order:
            time.sleep(pause)
            seconds[name].append(min(_seconds(ways[name]) for _ in range(calls)))
    return {name: np.array(found) for name, found in seconds.items()}


def _seconds(call: Call) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _ratios(seconds: dict[str, np.ndarray]) -> list[str]:
    """Our milliseconds, and how many times as long the others take."""
    texts = [f"{1e3 * np.median(seconds['ours']):.2f}"]
    for name in ("queues", "numba's threads", "no prefetch"):
        found = seconds.get(name)
        texts.append("" if found is None else f"{np.median(found / seconds['ours']):.2f}")
    return texts


# --- the parts, replaced ---


def _within(change: Callable[[], Any], call: Call) -> Call:
    def changed() -> None:
        with change():
            call()

    return changed


@contextmanager
def _replaced(*places: tuple[Any, str, Any]) -> Iterator[None]:
    """Replace attributes of modules inside the ``with`` block."""
    before = [getattr(module, name) for module, name, _ in places]
    try:
        for module, name, value in places:
            setattr(module, name, value)
        yield
    finally:
        for (module, name, _), value in zip(places, before, strict=True):
            setattr(module, name, value)


@contextmanager
def _as_in_a_solve() -> Iterator[None]:
    """BLAS has one thread, and our kernels are also used for small products."""
    always = ((products, "_SMALL", 0), (products, "_SMALL_SPARSE", 0))
    with threads.threads_apart(), _replaced(*always):
        yield


class _Queues:
    """Daemon threads with a queue each way, in place of the pool of `concurrent.futures`."""

    def __init__(self, count: int) -> None:
        self._tasks: SimpleQueue = SimpleQueue()
        # Found once, since the search must not be timed.
        ours = [module for name, module in sys.modules.items() if name.startswith("fairspectral.")]
        self._users = [module for module in ours if hasattr(module, "in_threads")]
        for _ in range(count):
            Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        threads._granted.set(1)
        while True:
            work, part, answer = self._tasks.get()
            answer.put(work(*part))
            del work, part, answer

    def in_threads(self, work: Callable[[int, int], Any], bounds: Any) -> list[Any]:
        """As `fairspectral.linalg.threads.in_threads`."""
        parts = [(int(first), int(last)) for first, last in pairwise(bounds) if last > first]
        answers: list[SimpleQueue] = [SimpleQueue() for _ in parts[1:]]
        for part, answer in zip(parts[1:], answers, strict=True):
            self._tasks.put((work, part, answer))
        mine = work(*parts[0])
        return [mine, *(answer.get() for answer in answers)]

    def in_place(self) -> Any:
        """Context in which all products and block operations use them."""
        return _replaced(*((module, "in_threads", self.in_threads) for module in self._users))


@numba.njit
def _no_prefetch(array: Any, row: Any, column: Any) -> None:
    pass


def _compiled_without_prefetch() -> Any:
    source = product_kernels.dense_rows.py_func
    names = {**source.__globals__, "_prefetch": _no_prefetch}
    return numba.njit(nogil=True)(FunctionType(source.__code__, names))


_dense_rows_plain = _compiled_without_prefetch()


def _without_prefetch() -> Any:
    return _replaced((product_kernels, "dense_rows", _dense_rows_plain))


_dense_rows, _sparse_rows = product_kernels.dense_rows, product_kernels.sparse_rows


@numba.njit(parallel=True)
def _dense_parallel(W: Any, columns: Any, out: Any, bounds: Any) -> None:
    for i in numba.prange(len(bounds) - 1):
        _dense_rows(W, columns, out, bounds[i], bounds[i + 1])


@numba.njit(parallel=True)
def _sparse_parallel(
    indptr: Any, indices: Any, data: Any, block: Any, out: Any, bounds: Any
) -> None:
    for i in numba.prange(len(bounds) - 1):
        _sparse_rows(indptr, indices, data, block, out, bounds[i], bounds[i + 1])


def _numba_dense() -> Any:
    return _numba_threads("dense_rows", _dense_parallel)


def _numba_sparse() -> Any:
    return _numba_threads("sparse_rows", _sparse_parallel)


def _numba_threads(name: str, parallel: Any) -> Any:
    """The rows of all parts in one call, in the threads of numba."""

    def all_parts(work: Callable[[int, Any], Any], bounds: Any) -> None:
        numba.set_num_threads(max(1, len(bounds) - 1))
        work(0, np.asarray(bounds))  # all the parts, in place of the last row of one

    def rows(*arguments: Any) -> None:
        *arrays, _, bounds = arguments
        parallel(*arrays, bounds)

    return _replaced((products, "in_threads", all_parts), (product_kernels, name, rows))
