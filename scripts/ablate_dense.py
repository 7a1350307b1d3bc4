"""What each stage of the rounding of dense kernels is worth: without it, or with one more.

Run ``python scripts/ablate_dense.py 4area 25 --rows 6000`` (data set, clusters); it prints a table
of the median and the worst cut over seeds, with the CPU seconds of the rounding.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from fairspectral import datasets
from fairspectral.affinity import make_operator
from fairspectral.embedding import fair_spectral_embedding
from fairspectral.rounding import dense_search, follow, refine, start
from fairspectral.rounding.assign import fair_flow
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.partition.evolve import EFFORTS


def _without_wider_bounds(*given: Any, **options: Any) -> Iterator[dense_search.Stage]:
    return dense_search.search_dense(*given, **{**options, "widen": False})


def _after_flow_steps(
    plan: Any, affinity: Any, state: Any, *given: Any, **options: Any
) -> Iterator[dense_search.Stage]:
    assign = fair_flow(plan, plan.rules, state.labels)
    state = refine.flow_steps(affinity, state, assign, max_passes=5)
    return dense_search.search_dense(plan, affinity, state, *given, **options)


AS_OF_SPARSE = {"default": EFFORTS["default"]}
# Name, arguments of the rounding, and what is replaced: module, name in it, substitute.
VARIANTS: tuple[tuple[str, dict[str, Any], tuple[tuple[Any, str, Any], ...]], ...] = (
    ("default", {}, ()),
    ("no multilevel search", {}, ((dense_search, "_MOST", 0),)),
    ("the multilevel search of sparse graphs", {}, ((dense_search, "_LEVELS", AS_OF_SPARSE),)),
    ("one start of k-means, not ten", {"n_init": 1}, ()),
    ("one fair flow, no Lloyd steps", {}, ((start, "_LLOYD_ROUNDS", 1),)),
    ("the sizes of k-means, not chosen", {}, ((start, "_RESIZE_ROUNDS", 0),)),
    ("five flow steps on the cut first", {}, ((follow, "search_dense", _after_flow_steps),)),
    ("no wider bounds", {}, ((follow, "search_dense", _without_wider_bounds),)),
    ("no perturbations", {"refine_rounds": 0}, ()),
    ("one perturbation at a time", {}, ((refine, "_TOGETHER", 1),)),
    ("four perturbations at a time", {}, ((refine, "_TOGETHER", 4),)),
)


def main() -> None:
    """Print cuts and CPU seconds of every variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=("thyroid", "census", "4area"))
    parser.add_argument("clusters", type=int)
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tolerance", type=float, default=0.2)
    given = parser.parse_args()
    data, k = getattr(datasets, f"fetch_{given.data}")(), given.clusters
    drawn = np.random.default_rng(0).permutation(data.n)[: given.rows]
    X, groups = data.X[drawn].astype(np.float32), data.sensitive_features[drawn]
    W = rbf_kernel(X, gamma=1 / X.shape[1])
    rows = fair_spectral_embedding(
        W, groups, n_components=k, affinity="precomputed", random_state=0
    )
    affinity = make_operator(W, "precomputed")

    def rounding(seed: int, **options: Any) -> float:
        result = fair_assignment(
            rows,
            groups,
            k,
            fairness_tol=given.tolerance,
            affinity=affinity,
            random_state=seed,
            **options,
        )
        return result.normalized_cut if result.certified else np.inf

    rounding(0, effort="fast")  # compile
    print("| variant | median cut | worst cut | CPU seconds |\n|---|---:|---:|---:|")
    for name, options, replaced in VARIANTS:
        patches = [patch.object(*one) for one in replaced]
        for one in patches:
            one.start()
        before = time.process_time()
        cuts = [rounding(seed, **options) for seed in range(given.seeds)]
        seconds = (time.process_time() - before) / given.seeds
        for one in patches:
            one.stop()
        print(f"| {name} | {np.median(cuts):.4f} | {max(cuts):.4f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
