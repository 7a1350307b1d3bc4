"""Fair rounding, measured: the 60 clusterings, the choice of defaults, the peers, the scaling.

    python benchmarks/rounding.py clusterings [--data NAME ...]
    python benchmarks/rounding.py defaults [--data NAME ...]
    python benchmarks/rounding.py peers
    python benchmarks/rounding.py scale
    python benchmarks/rounding.py report

Each part adds what it measured to ``benchmarks/results/rounding.json``; ``report`` writes the
tables of ``docs/fair-rounding.md`` from that file. The real data are read from the folder that
FAIRSPECTRAL_DATA names.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from rounding_data import DATA, load
from rounding_peers import compare
from rounding_report import write_report
from rounding_scale import scale

from fairspectral.metrics import normalized_cut, relative_balance
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.validation import FairSpectralWarning

RESULTS = Path(__file__).parent / "results" / "rounding.json"
CLUSTERS = (2, 5, 10, 25)
TOLERANCES = (0.0, 0.05, 0.2)


def measure(problem, labels):
    return {
        "cut": normalized_cut(labels, problem.operator),
        "balance": relative_balance(labels, problem.groups),
        "smallest": int(np.bincount(labels).min()),
    }


def clusterings(names):
    """Fair rounding of the fair and of the plain embedding, beside k-means rounding."""
    for name in names:
        problem = load(name)
        for k in CLUSTERS:
            fair, plain = problem.embedding(k), problem.embedding(k, fair=False)
            start = time.perf_counter()
            labels = kmeans_labels(fair, k, n_init=10, random_state=0)
            kmeans = measure(problem, labels) | {"seconds": time.perf_counter() - start}
            for tol in TOLERANCES:
                row = {"data": name, "k": k, "tol": tol, "kmeans": kmeans}
                for kind, embedding in (("fair", fair), ("plain", plain)):
                    row[kind] = rounded(problem, embedding, k, fairness_tol=tol)
                yield f"{name} {k} {tol}", row


def rounded(problem, embedding, k, **params):
    start = time.perf_counter()
    result = fair_assignment(
        embedding, problem.groups, k, affinity=problem.operator, random_state=0, **params
    )
    seconds = time.perf_counter() - start
    outside = int(np.sum((result.table < result.lower) | (result.table > result.upper)))
    return measure(problem, result.labels) | {
        "seconds": seconds,
        "cells_outside": outside,
        "clusters": len(np.unique(result.labels)),
        "floor": result.min_cluster_size,
        "persons_outside": result.persons_outside,
        "stages": {stage.name: stage.normalized_cut for stage in result.history},
    }


def defaults(names):
    """Row scaling and the floor, each with everything else as it is by default."""
    variants = [("row_scaling", value) for value in ("none", "unit", "degree")]
    variants += [("min_cluster_size", share) for share in (0.02, 0.05, 0.1, 0.25, 0.5)]
    variants += [("refine_rounds", rounds) for rounds in (0, 5, 20, 50)]
    for name in names:
        problem = load(name)
        for k in (5, 25):
            for argument, value in variants:
                given = value
                if argument == "min_cluster_size":
                    given = max(1, int(value * problem.n / k))
                row = rounded(problem, problem.embedding(k), k, **{argument: given})
                row |= {"data": name, "k": k, "argument": argument, "value": value}
                yield f"{name} {k} {argument} {value}", row


def save(part, rows):
    """Add rows to the results as they come, so that an interrupted run loses one."""
    RESULTS.parent.mkdir(exist_ok=True)
    for key, row in rows:
        results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        results.setdefault(part, {})[key] = row
        RESULTS.write_text(json.dumps(results, indent=1))
        print(part, key, json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["clusterings", "defaults", "peers", "scale", "report"])
    parser.add_argument("--data", nargs="*", choices=list(DATA), default=list(DATA))
    arguments = parser.parse_args()
    # A group smaller than the number of clusters (Census has one) is said once in the document.
    warnings.simplefilter("ignore", FairSpectralWarning)
    if arguments.part == "report":
        write_report(json.loads(RESULTS.read_text()))
    elif arguments.part == "scale":
        save("scale", scale())
    elif arguments.part == "peers":
        save("peers", compare())
    else:
        rows = {"clusterings": clusterings, "defaults": defaults}[arguments.part]
        save(arguments.part, rows(arguments.data))


if __name__ == "__main__":
    main()
