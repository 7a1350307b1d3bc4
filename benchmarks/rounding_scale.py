"""Fair assignment from given centroids at growing n, on one thread, each in its own process."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

SIZES = (100_000, 300_000, 1_000_000)
REPEATS = 3
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def scale():
    """The fastest of a few runs at each size, and the largest memory."""
    environment = os.environ | dict.fromkeys(_THREADS, "1")
    for n in SIZES:
        runs = []
        for _ in range(REPEATS):
            command = [sys.executable, __file__, str(n)]
            process = subprocess.run(command, env=environment, capture_output=True, check=True)
            runs.append(json.loads(process.stdout))
        row = min(runs, key=lambda run: run["seconds"])
        yield str(n), row | {"peak_gb": max(run["peak_gb"] for run in runs)}


def one(n, k=25, h=4):
    """A mixture of k Gaussians in k dimensions, in which half of everybody's group is a matter
    of the component: fairness binds nearly everywhere."""
    import numpy as np

    from fairspectral.rounding.fair import fair_assignment

    rng = np.random.default_rng(0)
    centroids = rng.standard_normal((k, k))
    component = rng.integers(0, k, n)
    rows = centroids[component] + 0.7 * rng.standard_normal((n, k))
    drawn = rng.choice(h, n, p=[0.4, 0.3, 0.2, 0.1])
    groups = np.where(rng.random(n) < 0.5, component % h, drawn)
    fair_assignment(rows[:500], groups[:500], centroids=centroids)  # loads the compiled kernels
    start = time.perf_counter()
    result = fair_assignment(rows, groups, centroids=centroids)
    return {
        "n": n,
        "seconds": time.perf_counter() - start,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "certified": result.certified,
    }


if __name__ == "__main__":
    print(json.dumps(one(int(sys.argv[1]))))
