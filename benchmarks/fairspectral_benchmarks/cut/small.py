"""Random problems so small that their optimum is known: how often do our labels reach it?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp

from fairspectral_benchmarks.cut.anneal import HOT, annealed
from fairspectral_benchmarks.cut.exact import optimum
from fairspectral_benchmarks.cut.instances import Instance, Task
from fairspectral_benchmarks.cut.methods import ours
from fairspectral_benchmarks.cut.repair import repaired
from fairspectral_benchmarks.pages import markdown_table

TOLERANCES = (0.0, 0.05, 0.2, 0.5, None)
# A cut within this of the optimum counts as the optimum.
CLOSE = 0.005


def random_task(seed: int, n: int | None = None, k: int | None = None) -> Task:
    """A graph or a kernel of 8 to 20 persons in 2 or 3 groups, for 2 to 4 clusters."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 21)) if n is None else n
    k = int(rng.integers(2, 5)) if k is None else k
    groups = rng.permutation(np.arange(n) % rng.integers(2, 4))
    points = rng.standard_normal((n, 2)) + 2 * rng.standard_normal((k, 2))[rng.integers(0, k, n)]
    distances = ((points[:, None] - points) ** 2).sum(axis=2)
    W = np.exp(-distances * 10 ** rng.uniform(-1.5, 0))
    if rng.random() < 0.5:
        # Friends: the nearer, the likelier, and everybody has one.
        W = np.triu(rng.random((n, n)) < 0.05 + 0.9 * W, 1).astype(float)
        order = rng.permutation(n)
        W[order, np.roll(order, 1)] = 1.0
        W = sp.csr_array(np.maximum(W, W.T))
    tolerance = TOLERANCES[rng.integers(len(TOLERANCES))]
    return Task(Instance("small", k, tolerance), W, groups)


def good_start(task: Task) -> np.ndarray:
    """Allowed labels with a low cut, from the annealer."""
    start = repaired(task, np.arange(task.n) % task.k)
    trials = [annealed(task, start, hot, 50_000, seed) for hot in HOT for seed in range(4)]
    return min(trials, key=task.cut)


def compare(count: int, efforts: Iterable[str]) -> str:
    """A table: in how many of the problems each effort reaches the optimum."""
    methods = ours(efforts)
    above: dict[str, list[float]] = {method.name: [] for method in methods}
    proven = 0
    for seed in range(count):
        task = random_task(seed)
        best = optimum(task, good_start(task))
        proven += best.proven
        for method in methods:
            labels, _ = method.run(task, 0)
            if not task.judge(labels)["valid"]:
                raise AssertionError(f"{method.name} broke a bound in small problem {seed}.")
            # Where the optimum is 0, count from a thousandth.
            above[method.name].append((task.cut(labels) - best.cut) / max(best.cut, 1e-3))
    lines = [
        (name, count, proven, sum(x <= CLOSE for x in found), f"{100 * max(found):.1f} %")
        for name, found in above.items()
    ]
    header = ("method", "problems", "optimum proven", "within 0.5 %", "worst above")
    return markdown_table(header, lines)
