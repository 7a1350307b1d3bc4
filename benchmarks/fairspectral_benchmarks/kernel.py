"""Kernels that are recomputed in every pass, measured; ``python benchmarks/kernel.py`` runs it."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from fairspectral import FairSpectralClustering
from fairspectral.affinity import tile_kernels
from fairspectral.affinity.tiles import tiled_kernel
from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.problems import RECIPES, read_name

_TURNS = 15
_ROWS = 8192
_TILE = tile_kernels.TILE
# Metric, features, columns of the block.
_PASSES = (
    ("rbf", 8, 32), ("rbf", 8, 64), ("rbf", 30, 32), ("rbf", 100, 32), ("laplacian", 8, 32),
    ("laplacian", 100, 32), ("poly", 30, 32),
)  # fmt: skip
# Bytes for a fit without the matrix, or half of the matrix where that is less.
_BUDGET = 400_000_000
_CLUSTERS = 25


def main(words: list[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/kernel.py")
    parser.add_argument("--fits", nargs="*", metavar="NAME", help="whole fits of these problems")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "WAY"), help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.one:
        print(json.dumps(_fit(*given.one)))
    elif given.fits is not None:
        header = ["problem", "", "processor, s", "wall, s", "peak, GB", "objective", "cut"]
        print(markdown_table(header, _fit_rows(given.fits or ["thyroid", "census", "4area"])))
    else:
        with threadpool_limits(1):
            header = ["kernel", "features", "columns", "floor, ns a pair", "ours", "floor / ours"]
            print(markdown_table(header, _pass_rows()))


# --- passes ---


def _pass_rows() -> Iterator[list[str]]:
    """Time of a pass for each pair of rows, beside that of its exponentials and products alone."""
    exponential = _seconds(_exponentials) / _TILE**2
    for metric, d, columns in _PASSES:
        X = np.random.default_rng(0).random((_ROWS, d))
        params = {"gamma": 1 / d}
        tiles = tiled_kernel(X, metric, params, name=metric)
        assert tiles is not None
        block = np.ones((_ROWS, columns), dtype=np.float32)
        own = _seconds(partial(tiles.product, block)) / (_ROWS**2 / 2)
        # A pair's affinity is computed once and multiplied twice.
        multiply = _gemm(_TILE, columns)
        distance = _differences(d) if metric == "laplacian" else _gemm(d, _TILE)
        floor = distance + 2 * multiply + (0 if metric == "poly" else exponential)
        row = [metric, str(d), str(columns), f"{1e9 * floor:.2f}", f"{1e9 * own:.2f}"]
        yield [*row, f"{100 * floor / own:.0f} %"]


def _exponentials() -> None:
    """Exponentials of one tile that stays in the cache."""
    tile_kernels._exponentials(np.full(_TILE * _TILE, 0.5, dtype=np.float32))


@numba.njit
def _tile_of_differences(rows: Any, columns: Any, out: Any) -> None:
    for i in range(len(rows)):
        tile_kernels._absolute_differences(rows[i], columns, 0, columns.shape[1], out)


def _differences(d: int) -> float:
    """Seconds of one pair's sum of absolute differences."""
    rows, columns = (np.ones(shape, dtype=np.float32) for shape in ((_TILE, d), (d, _TILE)))
    out = np.empty(_TILE, dtype=np.float32)
    return _seconds(lambda: _tile_of_differences(rows, columns, out)) / _TILE**2


def _gemm(inner: int, columns: int) -> float:
    """Seconds of BLAS for one entry of a tile: its part of a product of 256 rows."""
    a = np.ones((_TILE, inner), dtype=np.float32)
    b = np.ones((inner, columns), dtype=np.float32)
    out = np.empty((_TILE, columns), dtype=np.float32)

    def call() -> None:
        for _ in range(16):
            np.matmul(a, b, out=out)

    return _seconds(call) / (16 * _TILE * _TILE)


def _seconds(call: Callable[[], Any]) -> float:
    """The least processor time of a call in one thread, which other processes hardly disturb."""
    call()  # which may compile
    took = []
    for _ in range(_TURNS):
        begin = time.thread_time()
        call()
        took.append(time.thread_time() - begin)
    return min(took)


# --- fits ---


def _fit_rows(names: list[str]) -> Iterator[list[str]]:
    for name in names:
        for words in ("stored", "recomputed"):
            done = subprocess.run(
                [sys.executable, __file__, "--one", name, words],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            found = json.loads(done.stdout)
            assert found["stored"] == (words == "stored")
            yield [
                name,
                words,
                f"{found['processor']:.1f}",
                f"{found['wall']:.1f}",
                f"{found['peak']:.2f}",
                f"{found['objective']:.6f}",
                f"{found['cut']:.5f}",
            ]


def _fit(name: str, way: str) -> dict[str, Any]:
    X, groups, gamma = _load(name)
    few = np.linspace(0, len(X) - 1, 2500).astype(int)  # loads the libraries and the compiled code
    for small in (None, 20_000_000):
        _model(gamma, small, effort="fast").fit(X[few], sensitive_features=groups[few])
    before = _peak()
    wall, processor = time.perf_counter(), time.process_time()
    budget = 4 * len(X) ** 2 if way == "stored" else min(_BUDGET, 2 * len(X) ** 2)
    model = _model(gamma, budget)
    model.fit(X, sensitive_features=groups)
    assert model.solve_result_ is not None
    return {
        "stored": model.affinity_operator_.stored_weights is not None,
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "peak": _peak() - before,
        "objective": float(model.eigenvalues_.sum()),
        "cut": model.audit_.normalized_cut,
    }


def _model(gamma: float, budget: int | None, **params: Any) -> FairSpectralClustering:
    return FairSpectralClustering(
        _CLUSTERS, affinity="rbf", gamma=gamma, memory_budget=budget, random_state=0, **params
    )


def _load(name: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Features, groups and width."""
    rng = np.random.default_rng(0)
    if name.startswith("blobs-"):
        n, d = (int(number) for number in name.removeprefix("blobs-").split("x"))
        X = rng.standard_normal((n, d)) + 2 * rng.integers(0, 3, (n, d))
        return X, rng.integers(0, 4, n), 1 / d
    read = read_name(name)
    recipe = RECIPES[read.family]
    data = recipe.load()
    X, groups = np.asarray(data.X), np.asarray(data.sensitive_features)
    if read.n < len(X):
        chosen = rng.choice(len(X), read.n, replace=False)
        X, groups = X[chosen], groups[chosen]
    assert recipe.gamma is not None
    return X, groups, recipe.gamma(X.shape[1])


def _peak() -> float:
    """The largest memory of this process so far, in GB."""
    unit = 2**10 if sys.platform == "linux" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


if __name__ == "__main__":
    main()
