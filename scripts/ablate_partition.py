"""What each ingredient of the search for a low cut is worth, at about equal numbers of steps.

Run ``python scripts/ablate_partition.py lastfm 10`` (data set, clusters, seeds); it prints a table.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import re
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from fairspectral import datasets
from fairspectral.affinity import make_operator
from fairspectral.constraints import encode_groups
from fairspectral.embedding import fair_spectral_embedding
from fairspectral.rounding.flow import load_kernels
from fairspectral.rounding.partition import anneal_kernels, apart, evolve, partition, search
from fairspectral.rounding.partition.evolve import EFFORTS
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.start import WeightedRows, floored_clusters

# Levels of LastFMNet, for equal steps where there is only one level.
_LEVELS = 6
_HARD = 1e6  # a price that no fall of the cut is worth

DEFAULT = EFFORTS["default"]
# Clusterings that it makes: its members, and each combined a few times.
_CLIMBS = DEFAULT.members * (1 + DEFAULT.generations)
LONG = replace(DEFAULT, steps=_CLIMBS * DEFAULT.steps, members=1, generations=0)


def _hard(schedule: search.Schedule) -> search.Schedule:
    return replace(schedule, cheap=_HARD, fair=_HARD, dear=_HARD)


ONE_LEVEL = {"_NODES_PER_CLUSTER": 10**9, "_MOST_PER_NODE": 10**9}

# Name, effort, and the constants of the four modules that are replaced.
VARIANTS = (
    ("descent only", DEFAULT.scaled(0), {}),
    # On one level from a start, as hot as from random labels: cooler ones end higher.
    (
        "annealing only",
        replace(LONG, steps=_LEVELS * LONG.steps),
        {**ONE_LEVEL, "IMPROVE": search.FRESH},
    ),
    (
        "annealing only, hard",
        replace(LONG, steps=_LEVELS * LONG.steps),
        {**ONE_LEVEL, "IMPROVE": _hard(search.FRESH)},
    ),
    ("annealing only, cooler", replace(LONG, steps=_LEVELS * LONG.steps), ONE_LEVEL),
    ("+ levels", LONG, {"_MOST_PER_NODE": 10**9}),
    ("+ levels, repeated", replace(DEFAULT, members=1, generations=_CLIMBS - 2), {}),
    ("+ population (default)", DEFAULT, {}),
    ("twice the generations", replace(DEFAULT, generations=2 * DEFAULT.generations), {}),
    ("wide population", replace(DEFAULT, members=6, generations=3), {}),
    ("one population", DEFAULT, {"_AGREEING": 1}),
    ("full climbs on small graphs", DEFAULT, {"_TINY_STEPS": 10**9}),
    ("full prices", DEFAULT, {"_FULL_PRICE": math.inf}),
    ("1 step in 16 anywhere", DEFAULT, {"_ANYWHERE": 16}),
    ("1 step in 4 anywhere", DEFAULT, {"_ANYWHERE": 4}),
    ("every step anywhere", DEFAULT, {"_ANYWHERE": 1}),
    ("1 in 16, 16 partners", DEFAULT, {"_ANYWHERE": 16, "_PARTNERS": 16}),
    ("16 partners", DEFAULT, {"_PARTNERS": 16}),
    ("200 partners", DEFAULT, {"_PARTNERS": 200}),
    ("children of one parent", DEFAULT, {"INHERITING": 0.0}),
    ("children of both", DEFAULT, {"INHERITING": 1.0}),
    (
        "default, hard bounds",
        DEFAULT,
        {"FRESH": _hard(search.FRESH), "IMPROVE": _hard(search.IMPROVE)},
    ),
)


def _annealing_with(constants: dict[str, Any], folder: Path) -> Any:
    """The compiled annealing with other constants, which are part of the compiled code."""
    text = Path(anneal_kernels.__file__).read_text(encoding="utf-8")
    for name, value in constants.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
    path = folder / ("_".join(f"{name}{value}" for name, value in constants.items()) + ".py")
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _replace(constants: dict[str, Any], replaced: ExitStack) -> None:
    """Put other constants into the modules that have them, until `replaced` is closed."""
    compiled = {name: constants[name] for name in constants if hasattr(anneal_kernels, name)}
    for name in constants.keys() - compiled.keys():
        module = next(m for m in (apart, evolve, search) if hasattr(m, name))
        replaced.enter_context(patch.object(module, name, constants[name]))
    if compiled:
        folder = Path(replaced.enter_context(tempfile.TemporaryDirectory()))
        module = _annealing_with(compiled, folder)

        def load(name: str) -> Any:
            return module if name == "partition.anneal_kernels" else load_kernels(name)

        replaced.enter_context(patch.object(search, "load_kernels", load))


def main() -> None:
    """Print cuts and CPU seconds of every variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=("lastfm", "facebook"))
    parser.add_argument("clusters", type=int)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=0.2)
    given = parser.parse_args()
    data, k = getattr(datasets, f"fetch_{given.data}")(), given.clusters
    affinity = make_operator(data.graph, "precomputed")
    groups = encode_groups(data.sensitive_features, data.n)
    plan = plan_rounding(groups, k, fairness_tol=given.tolerance)
    rows = fair_spectral_embedding(
        data.graph,
        data.sensitive_features,
        n_components=k,
        affinity="precomputed",
        random_state=0,
    )
    points = WeightedRows.scaled(rows, None, "auto", affinity)
    starts = [
        [("k-means", floored_clusters(points, k, plan.smallest, 10, seed))]
        for seed in range(given.seeds)
    ]
    for name, effort, constants in VARIANTS:
        cuts = []
        with ExitStack() as replaced:
            _replace(constants, replaced)
            partition(affinity, starts[0], plan, np.random.default_rng(0), "fast")  # compile
            before = time.process_time()
            for seed, start in enumerate(starts):
                found = partition(affinity, start, plan, np.random.default_rng(seed), effort)
                cuts.append(found.cut if found.fair else np.inf)
            seconds = (time.process_time() - before) / given.seeds
        listed = " ".join(f"{cut:.4f}" for cut in cuts)
        print(f"{name:28} median {np.median(cuts):.4f}  {seconds:5.1f} s  {listed}", flush=True)


if __name__ == "__main__":
    main()
