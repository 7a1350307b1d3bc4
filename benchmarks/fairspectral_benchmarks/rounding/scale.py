"""Fair assignment from given centroids at growing n, on one thread, each in its own process."""

from __future__ import annotations

import resource
import time

from fairspectral_benchmarks.process import DONE, Child, work

SIZES = (100_000, 300_000, 1_000_000)
REPEATS = 3
# Seconds that one run may take.
PATIENCE = 3600
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def scale():
    """The fastest of a few runs at each size, and the largest memory."""
    for n in SIZES:
        runs = [_apart(n) for _ in range(REPEATS)]
        row = min(runs, key=lambda run: run["seconds"])
        yield str(n), row | {"peak_gb": max(run["peak_gb"] for run in runs)}


def _apart(n):
    """One run in a separate process, whose memory is measured."""
    single = dict.fromkeys(_THREADS, "1")
    with Child("fairspectral_benchmarks.rounding.scale", environment=single) as child:
        outcome, facts = child.ask({"n": n}, PATIENCE)
    if outcome != DONE:
        raise RuntimeError(f"n={n}: {facts['note']}")
    return facts["values"]


def one(n, k=25, h=4):
    """A mixture of k Gaussians in k dimensions; half of the persons have a group that depends on
    their component, so that nearly all bounds are active.
    """
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


def load():
    """For the worker: one run for each request."""

    def compute(request, say):
        say("clock")
        return one(**request)

    return compute


if __name__ == "__main__":
    work(load)
