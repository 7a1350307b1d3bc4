"""What the constants of the starts are worth: the final cut with one of them changed at a time.

Run ``python scripts/ablate_starts.py lastfm 10`` (data set, clusters); it prints a table. With
``--persons 60`` a sample of the kernel of ``digits-rbf`` shows up to how many people the
multilevel search is the better one on dense affinities.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph

from fairspectral import FairSpectralClustering, datasets, starts
from fairspectral.rounding import rows

# Name, module, and its constants that are replaced.
SPARSE: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("default", starts, {}),
    ("one start (fair embedding)", starts, {"_COUNTS": {"default": 1}}),
    ("two starts", starts, {"_COUNTS": {"default": 2}}),
    ("five starts", starts, {"_COUNTS": {"default": 5}}),
    ("scaled rows only", starts, {"_SCALINGS": ("auto",)}),
    ("rows as they are only", starts, {"_SCALINGS": ("none",)}),
    ("one run of k-means", starts, {"_N_INIT": 1}),
    ("regulariser 0.01", starts, {"_REGULARISER": 0.01}),
    ("regulariser 1", starts, {"_REGULARISER": 1.0}),
    ("gap 0.1", starts, {"_GAP": 0.1}),
    ("gap 0.001", starts, {"_GAP": 1e-3}),
)
DENSE: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("search by moves", rows, {"_FEW": 0}),
    ("multilevel search", rows, {"_FEW": 10**9}),
)


def main() -> None:
    """Print cuts and CPU seconds of every variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=("lastfm", "facebook", "digits", "digits-rbf"))
    parser.add_argument("clusters", type=int)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--tolerance", default=0.2, type=_tolerance, help="a number, or none")
    parser.add_argument("--persons", type=int, default=60, help="of digits-rbf")
    given = parser.parse_args()
    W, groups = _load(given.data, given.persons)
    _fit(W, groups, given, 0)  # compile
    for name, module, constants in DENSE if given.data == "digits-rbf" else SPARSE:
        before = time.process_time()
        with patch.multiple(module, **constants) if constants else patch.dict({}):
            cuts = [_fit(W, groups, given, seed) for seed in range(given.seeds)]
        seconds = (time.process_time() - before) / given.seeds
        listed = " ".join(f"{cut:.4f}" for cut in cuts)
        print(f"{name:28} median {np.median(cuts):.4f}  {seconds:5.2f} s  {listed}", flush=True)


def _fit(W: Any, groups: np.ndarray, given: argparse.Namespace, seed: int) -> float:
    model = FairSpectralClustering(
        given.clusters,
        affinity="precomputed",
        fairness_tol=given.tolerance,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # components and small groups are part of the data
        model.fit(W, sensitive_features=groups)
    return float(model.audit_.normalized_cut)


def _load(name: str, persons: int) -> tuple[Any, Any]:
    if not name.startswith("digits"):
        data = getattr(datasets, f"fetch_{name}")()
        return data.graph, data.sensitive_features
    X, digit = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    groups = np.where(rng.random(len(X)) < 0.7, digit % 2, rng.integers(0, 2, len(X)))
    if name == "digits":
        graph = kneighbors_graph(X, 10)
        return graph.maximum(graph.T), groups
    some = rng.permutation(len(X))[:persons]
    return rbf_kernel(X[some], gamma=1e-3), groups[some]


def _tolerance(text: str) -> float | None:
    return None if text == "none" else float(text)


if __name__ == "__main__":
    main()
