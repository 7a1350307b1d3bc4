"""Products of the affinities with a narrow block: our kernels beside the libraries'.

    OMP_NUM_THREADS=2 python benchmarks/products.py

Both have the same number of threads, as far as they use them: BLAS does, scipy's sparse product
has one. They take turns of a few calls, and the median time of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_info

from fairspectral.linalg import products
from fairspectral.linalg.threads import threads_apart

_TURNS, _CALLS = 3, 5
_COLUMNS = (8, 16, 32, 56)


def main() -> None:
    """Print a table."""
    threads = max(pool["num_threads"] for pool in threadpool_info())
    products._SMALL = products._SMALL_SPARSE = 0  # also where loading would not pay off
    print(f"{threads} threads, float32, milliseconds for one product\n")
    print(f"{'affinities':32} {'columns':>7} {'library':>9} {'ours':>9} {'ratio':>6}")
    for name, W in _affinities():
        for b in _COLUMNS:
            block = np.random.default_rng(b).standard_normal((W.shape[0], b), dtype=np.float32)
            library, ours = _medians(W, block)
            ratio = f"{library / ours:.1f}x"
            print(f"{name:32} {b:7} {1e3 * library:9.2f} {1e3 * ours:9.2f} {ratio:>6}")


def _affinities() -> Iterator[tuple[str, np.ndarray | sp.csr_array]]:
    for n in (5000, 10000):
        W = np.random.default_rng(0).random((n, n), dtype=np.float32)
        yield f"dense, n={n}", W + W.T
    for n, neighbours in ((10000, 400), (100000, 12), (5576, 7)):
        W = sp.random_array((n, n), density=neighbours / 2 / n, rng=0, dtype=np.float32)
        yield f"sparse, n={n}, {neighbours} neighbours", sp.csr_array(W + W.T)


def _medians(W: np.ndarray | sp.csr_array, block: np.ndarray) -> tuple[float, float]:
    own = products.sparse_product if sp.issparse(W) else products.dense_product
    library: list[float] = []
    ours: list[float] = []
    for _ in range(_TURNS):
        library += _times(lambda: W @ block)
        with threads_apart():  # as in a solve
            ours += _times(lambda: own(W, block))
    return float(np.median(library)), float(np.median(ours))


def _times(call: Callable[[], np.ndarray]) -> list[float]:
    time.sleep(0.2)  # until the threads of BLAS have stopped spinning
    call()  # which may compile
    seconds = []
    for _ in range(_CALLS):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return seconds


if __name__ == "__main__":
    main()
