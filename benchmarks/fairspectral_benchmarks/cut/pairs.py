"""Four blocks, and four pairs of nodes with no edge but their own: do the blocks suffer?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.metrics import adjusted_rand_score

from fairspectral_benchmarks.cut.graphs import blocks
from fairspectral_benchmarks.cut.instances import Instance, Task
from fairspectral_benchmarks.cut.methods import ours
from fairspectral_benchmarks.pages import markdown_table

PLANTED = np.repeat(np.arange(4), 100)


def compare_pairs(draws: int, efforts: Iterable[str]) -> str:
    """A table: how much lower the agreement with the blocks is with the pairs, at each effort."""
    header = ("method", "draws", "largest loss of ARI", "lower by more than 0.03")
    lines = []
    for method in ours(efforts):
        losses = []
        for draw in range(draws):
            found = []
            for pairs in (0, 4):
                task = Task(Instance("blocks", 4, 0.2), *blocks(draw, pairs))
                labels, _ = method.run(task, 0)
                found.append(adjusted_rand_score(PLANTED, labels[: len(PLANTED)]))
            losses.append(found[0] - found[1])
        lines.append((method.name, draws, f"{max(losses):.3f}", sum(x > 0.03 for x in losses)))
    return markdown_table(header, lines)
