"""What each choice in the search on very large graphs is worth: without it, or with another.

Run ``python scripts/ablate_large.py`` (100,000 people, three seeds, ten minutes); it prints the
median and the worst cut over seeds, with the CPU seconds of the whole fit. The people are those of
``benchmarks/scaling.py``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
from fairspectral_benchmarks.problems import CLUSTERS, blobs

from fairspectral import FairSpectralClustering, starts
from fairspectral.rounding.partition import large
from fairspectral.rounding.partition.search import IMPROVE

# Name, and what is replaced: module, name in it, substitute.
VARIANTS: tuple[tuple[str, tuple[tuple[Any, str, Any], ...]], ...] = (
    ("default", ()),
    ("up as warm and cheap as in the population", ((large, "_UP", IMPROVE),)),
    ("one clustering comes up", ((large, "_CLIMBERS", 1),)),
    ("a population on 10,000 nodes", ((large, "POPULATED", 10_000),)),
    ("a population on 60,000 nodes", ((large, "POPULATED", 60_000),)),
    ("a third of the embeddings", ((starts, "_MANY", 0),)),
)


def main() -> None:
    """Print cuts and CPU seconds of every variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    _fit(3000, 0)  # compiles
    print("| variant | median cut | worst | CPU s |\n| --- | ---: | ---: | ---: |")
    for name, replaced in VARIANTS:
        with ExitStack() as stack:
            for module, what, substitute in replaced:
                stack.enter_context(patch.object(module, what, substitute))
            runs = np.array([_fit(arguments.people, seed) for seed in range(arguments.seeds)])
        cuts = runs[:, 0]
        print(
            f"| {name} | {np.median(cuts):.4f} | {cuts.max():.4f} | {np.median(runs[:, 1]):.1f} |",
            flush=True,
        )


def _fit(n: int, seed: int) -> tuple[float, float]:
    """The cut of the labels, and the seconds of the processor."""
    X, groups = blobs(n)
    model = FairSpectralClustering(CLUSTERS, affinity="nearest_neighbors", random_state=seed)
    begun = time.process_time()
    model.fit(X, sensitive_features=groups)
    assert model.fair_assignment_ is not None
    assert model.fair_assignment_.certified
    return float(model.fair_assignment_.normalized_cut), time.process_time() - begun


if __name__ == "__main__":
    main()
