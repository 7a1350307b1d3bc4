"""What a pass costs on a Dask cluster of processes here: python benchmarks/dask_cluster.py

Prints, for 1, 2 and 4 workers, the seconds of a pass with 32 columns over a kernel that is
recomputed and over a graph of neighbours, the seconds to send the block alone, and those of a task
without work. The model in docs/distributed.md is made of these.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from fairspectral.affinity.build import make_operator
from fairspectral.affinity.dask_table import WorkerTable
from fairspectral.affinity.dask_workers import Workers

COLUMNS, FEATURES = 32, 8
KERNEL_ROWS, GRAPH_ROWS = 20_000, 200_000


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least of a few runs, after one to warm up."""
    work()
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        took.append(time.perf_counter() - begin)
    return min(took)


def table(n: int) -> WorkerTable:
    rng = np.random.default_rng(0)
    X = 3 * rng.normal(size=(50, FEATURES))[rng.integers(0, 50, n)] + rng.normal(size=(n, FEATURES))
    return WorkerTable(da.from_array(X))


def measure(n_workers: int) -> list[str]:
    options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        workers, rng = Workers(client), np.random.default_rng(1)
        found = [str(n_workers)]
        for affinity, n in (("rbf", KERNEL_ROWS), ("nearest_neighbors", GRAPH_ROWS)):
            operator = make_operator(table(n), affinity)
            block = rng.normal(size=(n, COLUMNS)).astype(np.float32)
            found.append(f"{seconds(lambda: operator.matmat(block)):.2f}")  # noqa: B023
        found.append(f"{seconds(lambda: client.gather(workers.broadcast(block))):.2f}")
        tasks = 200

        def nothing() -> object:
            return workers.results(lambda: [workers.submit(int) for _ in range(tasks)])

        found.append(f"{1000 * seconds(nothing) / tasks:.1f}")
        return found


def main() -> None:
    megabytes = GRAPH_ROWS * COLUMNS * 4 / 1e6
    head = [
        "workers",
        f"kernel, n = {KERNEL_ROWS:,} (s)",
        f"graph, n = {GRAPH_ROWS:,} (s)",
        f"block of {megabytes:.0f} MB there and back (s)",
        "one task (ms)",
    ]
    print("|", " | ".join(head), "|\n|", " | ".join("---" for _ in head), "|")
    for n_workers in (1, 2, 4):
        print("|", " | ".join(measure(n_workers)), "|", flush=True)


if __name__ == "__main__":
    main()
