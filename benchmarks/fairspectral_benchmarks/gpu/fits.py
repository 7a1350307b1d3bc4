"""Whole fits on a device, with the time of each stage."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.embedding import embed
from fairspectral.progress import STAGES, listening
from fairspectral_benchmarks.gpu.device import wait
from fairspectral_benchmarks.problems import CLUSTERS, RECIPES, blobs

# People of the fit before the clock starts, which compiles what the other needs.
_WARM = 1000
# People of a trial, and a budget in which their kernel is recomputed as that of a million is.
_TRIAL, _TRIAL_BUDGET = 600, "500kB"
# The gap of the longer run that a fit's objective is compared with.
_LONGER = 1e-6


@dataclass(frozen=True)
class Fit:
    """A problem: its name in the table, its size, and the parameters of the estimator.

    `recipe` names a data set in place of the blobs.
    """

    name: str
    n: int
    params: dict[str, Any] = field(default_factory=dict)
    recipe: str = ""


_KERNEL = {"affinity": "rbf"}
FITS = (
    Fit("blobs, exact kernel", 1_000_000, _KERNEL),
    Fit("blobs, exact kernel", 200_000, _KERNEL),
    Fit("4area", 35_385, _KERNEL, "4area"),
    Fit("Census", 32_561, _KERNEL, "census"),
    Fit("blobs, neighbours", 1_000_000, {"affinity": "nearest_neighbors"}),
)


def measure_fits(device: torch.device, small: bool) -> Iterator[dict[str, Any]]:
    """One fit of each problem; a note where its data are not here."""
    seen = set()
    for fit in FITS:
        n = _TRIAL if small else fit.n
        if (fit.name, n) in seen:
            continue
        seen.add((fit.name, n))
        if fit.recipe and not os.environ.get("FAIRSPECTRAL_DATA"):
            note = "left out: FAIRSPECTRAL_DATA does not name the folder with its file"
            yield {"problem": fit.name, "n": fit.n, "note": note}
            continue
        X, groups, gamma = _load(fit, n)
        params = {**fit.params, "gamma": gamma} if fit.params["affinity"] == "rbf" else fit.params
        if small:
            params = {**params, "memory_budget": _TRIAL_BUDGET}
        yield {"problem": fit.name, **measure_fit(X, groups, params, device)}


def _load(fit: Fit, n: int) -> tuple[np.ndarray, np.ndarray, Any]:
    if not fit.recipe:
        X, groups = blobs(n)
        return X, groups, "scale"
    recipe = RECIPES[fit.recipe]
    data = recipe.load()
    assert recipe.gamma is not None
    X, groups = np.asarray(data.X), np.asarray(data.sensitive_features)
    if n < len(X):
        chosen = np.sort(np.random.default_rng(0).permutation(len(X))[:n])
        X, groups = X[chosen], groups[chosen]
    return X, groups, recipe.gamma(X.shape[1])


def measure_fit(
    X: np.ndarray, groups: np.ndarray, params: dict[str, Any], device: torch.device
) -> dict[str, Any]:
    """Seconds of each stage, passes, memory of the device, and what came out."""
    T = torch.from_numpy(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = slice(None, None, -(-len(X) // _WARM))
        small = {**params, "memory_budget": _TRIAL_BUDGET}
        model = FairSpectralClustering(CLUSTERS, random_state=0, **small)
        model.fit(T[few].to(device), sensitive_features=groups[few])
        T = T.to(device)
        wait(device)
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        model = FairSpectralClustering(CLUSTERS, random_state=0, **params)
        marks = dict.fromkeys(STAGES, 0.0)

        def note(stage: str, done: float | None) -> None:
            if done == 0.0 and stage in marks:
                wait(device)
                marks[stage] = time.perf_counter()

        with listening(note):
            begin = time.perf_counter()
            model.fit(T, sensitive_features=groups)
            wait(device)
            end = time.perf_counter()
        peak = torch.cuda.max_memory_allocated(device) / 1e9 if device.type == "cuda" else 0.0
        gap = _gap(model, T, groups, params)
    fair, result = model.fair_assignment_, model.solve_result_
    assert fair is not None
    affinity, embedding, rounding = (marks[stage] for stage in STAGES)
    return {
        "n": len(X),
        "seconds": end - begin,
        "affinity": embedding - max(begin, affinity),
        "embedding": rounding - embedding,
        "rounding": end - rounding,
        "passes": result.passes,
        "stages": {stage.name: stage.seconds for stage in fair.history},
        "peak_gb": peak,
        "gap": gap,
        "fairness_residual": result.fairness_residual,
        "certified": bool(fair.certified),
        "cut": model.audit_.normalized_cut,
    }


def _gap(
    model: FairSpectralClustering, T: Any, groups: np.ndarray, params: dict[str, Any]
) -> float:
    """How far the objective is from that of a longer run with products of float32."""
    operator = make_operator(T, dtype="float32", tol=_LONGER, **params)
    solved = embed(
        operator, model._attributes, CLUSTERS, solver_params={"tol": _LONGER}, random_state=1
    )[1]
    return (solved.objective - model.solve_result_.objective) / solved.objective
