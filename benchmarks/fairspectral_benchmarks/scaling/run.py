"""One fit of the blobs at one size, in a process of its own, with its stages and its memory."""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from fairspectral_benchmarks.problems import CLUSTERS, blobs
from fairspectral_benchmarks.process import DONE, Child, Compute, Say, work

# The paths by name, as parameters of the estimator. The budget is less than any kernel matrix here.
PATHS: dict[str, dict[str, Any]] = {
    "neighbours": {"affinity": "nearest_neighbors"},
    "neighbours, fast": {"affinity": "nearest_neighbors", "effort": "fast"},
    "kernel, stored": {"affinity": "rbf"},
    "kernel, recomputed": {"affinity": "rbf", "memory_budget": "200MB"},
}
# People of the fit before the clock starts, which compiles what the other needs.
_WARM = 3000
# Seconds that one fit may take.
PATIENCE = 3600.0


def run_apart(path: str, n: int, seed: int) -> dict[str, Any]:
    """One fit in a separate process, whose memory is its own."""
    with Child("fairspectral_benchmarks.scaling.run") as child:
        outcome, facts = child.ask({"path": path, "n": n, "seed": seed}, PATIENCE)
        values = facts["values"] if outcome == DONE else {"note": facts["note"]}
        return {"path": path, "n": n, "seed": seed, **values, "context": child.context}


def one(path: str, n: int, seed: int, started: Callable[[], Any] = lambda: None) -> dict[str, Any]:
    """Seconds of each stage, of the clock and of the processor, memory, cut and residual."""
    from fairspectral import FairSpectralClustering
    from fairspectral.progress import STAGES, listening

    model = FairSpectralClustering(CLUSTERS, random_state=seed, **PATHS[path])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few, their_groups = blobs(min(n, _WARM))
        model.fit(few, sensitive_features=their_groups)
        X, groups = blobs(n)
        started()
        begun = dict.fromkeys(STAGES, (0.0, 0.0))

        def note(stage: str, done: float | None) -> None:
            if done == 0.0 and stage in begun:
                begun[stage] = time.perf_counter(), time.process_time()

        with listening(note):
            first = time.perf_counter(), time.process_time()
            model.fit(X, sensitive_features=groups)
            last = time.perf_counter(), time.process_time()
    marks = [first, begun[STAGES[1]], begun[STAGES[2]], last]
    fair, cut = model.fair_assignment_, model.audit_.normalized_cut
    assert fair is not None
    assert cut is not None
    values: dict[str, Any] = {"seconds": last[0] - first[0], "processor": last[1] - first[1]}
    for at, stage in enumerate(STAGES):
        for which, name in enumerate(("seconds", "processor")):
            values[f"{stage} {name}"] = marks[at + 1][which] - marks[at][which]
    residuals = model.solve_result_.details.get("residuals")
    return values | {
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _unit() / 1e9,
        "cut": cut,
        "certified": bool(fair.certified),
        "residual": None if residuals is None else float(np.max(residuals)),
        "passes": model.solve_result_.passes,
        "components": model.affinity_operator_.count_components(),
    }


def _unit() -> int:
    """Bytes in the unit of ``ru_maxrss``."""
    return 1 if sys.platform == "darwin" else 1024


def load() -> Compute:
    """For the worker: one fit for each request."""

    def compute(request: dict[str, Any], say: Say) -> dict[str, Any]:
        return one(**request, started=lambda: say("clock"))

    return compute


if __name__ == "__main__":
    work(load)
