"""The runs: one instance, one method, one seed; kept as lines of a file."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral_benchmarks.bera import TimeLimitError
from fairspectral_benchmarks.cut.instances import Instance, Task
from fairspectral_benchmarks.cut.known import BestKnown
from fairspectral_benchmarks.cut.methods import Method


def measure(
    path: Path,
    instances: Sequence[Instance],
    methods: Sequence[Method],
    seeds: int,
    known: BestKnown | None = None,
) -> None:
    """Make all runs that are not in the file yet.

    Better labels are offered to `known`, if given. Seeds after one that ran out of time are
    skipped: they would too.
    """
    done = {key_of(row) for row in read(path)}
    with path.open("a", encoding="utf-8") as file:
        for count, instance in enumerate(instances):
            for method in methods:
                for seed in range(seeds):
                    row = {"instance": instance.name, "method": method.name, "seed": seed}
                    if not method.takes(instance) or key_of(row) in done:
                        continue
                    row |= run(instance.load(), method, seed, known)
                    file.write(json.dumps(row) + "\n")
                    file.flush()
                    if row.get("outside") or row.get("valid") is False:
                        print(f"  not allowed: {row}", flush=True)
                    if "cut" not in row:
                        break
            print(f"{count + 1}/{len(instances)} {instance.name}", flush=True)


def run(task: Task, method: Method, seed: int, known: BestKnown | None = None) -> dict[str, Any]:
    """One run: what is counted again from its labels, and its time."""
    _compile_for(method, sp.issparse(task.W), task.instance.tolerance is None)
    wall, processor = time.perf_counter(), time.process_time()
    try:
        labels, note = method.run(task, seed)
    except TimeLimitError:
        return {"note": "out of time"}
    seconds = {
        "seconds": round(time.perf_counter() - wall, 3),
        "processor_seconds": round(time.process_time() - processor, 3),
    }
    if known is not None:
        known.offer(task, labels, method.name)
    return task.judge(labels) | seconds | {"note": note}


@cache
def _compile_for(method: Method, sparse: bool, plain: bool) -> None:
    """Solve a tiny task that is stored alike, so that no measured time includes compiling."""
    rng = np.random.default_rng(0)
    W = rng.random((60, 60))
    W = W + W.T
    task = Task(
        Instance("tiny", 2, None if plain else 0.2),
        sp.csr_array(W) if sparse else W,
        rng.integers(0, 2, 60),
    )
    method.run(task, 0)


def key_of(row: dict[str, Any]) -> tuple[str, str, int]:
    """What makes a run the same run."""
    return row["instance"], row["method"], row["seed"]


def read(path: Path) -> list[dict[str, Any]]:
    """The runs in the file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
