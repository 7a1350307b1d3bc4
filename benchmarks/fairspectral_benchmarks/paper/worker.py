"""A separate process for the cells of one problem: ``python -m ...worker PROBLEM``."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import Any

from fairspectral_benchmarks.paper.compute import compute_cell
from fairspectral_benchmarks.paper.spec import Cell
from fairspectral_benchmarks.problems import Instance
from fairspectral_benchmarks.process import Compute, Say, work


def load(problem: str) -> Compute:
    """Load the problem once, for all its cells."""
    instance = Instance(problem)
    warm: set[str] = set()

    def compute(request: dict[str, Any], say: Say) -> dict[str, Any]:
        cell = Cell(**request)
        if cell.method not in warm:
            _warm_up(instance.warm_up_name, cell.method)
            warm.add(cell.method)
        return compute_cell(instance, cell, tell=say)

    return compute


def _warm_up(problem: str, method: str) -> None:
    """Import and compile on a small problem, so that no measured time includes it."""
    with suppress(Exception):  # the cell itself will fail too
        compute_cell(Instance(problem), Cell(problem, method, 2, 0))


if __name__ == "__main__":  # pragma: no cover - in a process of its own
    work(partial(load, sys.argv[1]))
