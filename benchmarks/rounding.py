"""Fair rounding, measured: the 60 clusterings, the choice of defaults, the peers, the scaling.

    python benchmarks/rounding.py embed [--data NAME ...]
    python benchmarks/rounding.py clusterings [--data NAME ...] [--k K ...]
    python benchmarks/rounding.py defaults [--data NAME ...] [--k K ...] [--argument NAME]
    python benchmarks/rounding.py peers [--data NAME ...] [--k K ...]
    python benchmarks/rounding.py scale
    python benchmarks/rounding.py report

Each part writes what it measured to files of its own, one for each data set and k, in the folder
that ``--out`` names, so that several can run at once; ``report`` gathers them and writes the tables
of ``docs/fair-rounding.md``. Embeddings are kept in the same folder; ``embed`` does nothing else,
so that those that run at once need not each compute them. The real data are read from the folder
that FAIRSPECTRAL_DATA names.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from rounding_data import DATA, SYNTHETIC, load
from rounding_peers import compare
from rounding_report import write_report
from rounding_scale import scale

from fairspectral.constraints import encode_groups
from fairspectral.metrics import normalized_cut, relative_balance
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.validation import FairSpectralWarning

RESULTS = Path(__file__).parent / "results"
TOLERANCES = (0.0, 0.05, 0.2)
# The k of each part, unless --k says otherwise.
CLUSTERS = {"clusterings": (2, 5, 10, 25), "defaults": (5, 25), "peers": (5, 10)}


def judge(problem, k, tol, labels):
    """Stands outside the methods: everything anew from the labels."""
    (attribute,) = encode_groups(problem.groups, problem.n)
    rule = make_rule(attribute, k, fairness_tol=tol)
    cells = rule.judge(labels, k)
    sizes = cells.table.sum(axis=0)
    return {
        "cut": normalized_cut(labels, problem.operator),
        "balance": relative_balance(labels, problem.groups),
        "clusters": int(np.sum(sizes > 0)),
        "smallest": int(sizes.min()),
        "cells": cells.table.size,
        "cells_outside": cells.n_outside,
        "persons_outside": rule.persons_outside(cells.table),
        "achieved_tol": rule.achieved(cells.table),
    }


def clusterings(problem, k):
    """Fair rounding of the fair and of the plain embedding, beside k-means rounding."""
    fair, plain = problem.embedding(k), problem.embedding(k, fair=False)
    start = time.perf_counter()
    labels = kmeans_labels(fair, k, n_init=10, random_state=0)
    seconds = time.perf_counter() - start
    for tol in TOLERANCES:
        row = {"tol": tol, "kmeans": judge(problem, k, tol, labels) | {"seconds": seconds}}
        for kind, embedding in (("fair", fair), ("plain", plain)):
            row[kind] = rounded(problem, embedding, k, fairness_tol=tol)
        yield f"{tol}", row


def rounded(problem, embedding, k, fairness_tol=0.2, **params):
    start = time.perf_counter()
    result = fair_assignment(
        embedding,
        problem.groups,
        k,
        fairness_tol=fairness_tol,
        affinity=problem.operator,
        random_state=0,
        **params,
    )
    seconds = time.perf_counter() - start
    return judge(problem, k, fairness_tol, result.labels) | {
        "seconds": seconds,
        "floor": result.min_cluster_size,
        "stages": {stage.name: stage.normalized_cut for stage in result.history},
    }


# Floors are shares of n / k.
VARIANTS = {
    "row_scaling": ("none", "unit", "degree"),
    "min_cluster_size": (0.02, 0.05, 0.1, 0.25, 0.5),
    "refine_rounds": (0, 5, 20, 50),
}


def defaults(problem, k, argument):
    """Values of one argument, with everything else as it is by default."""
    for value in VARIANTS[argument]:
        given = value
        if argument == "min_cluster_size":
            given = max(1, int(value * problem.n / k))
        row = rounded(problem, problem.embedding(k), k, **{argument: given})
        yield f"{argument} {value}", row | {"argument": argument, "value": value}


def save(path, rows):
    """Write the rows as they come, so that an interrupted run loses one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    results = {}
    for key, row in rows:
        results[key] = row
        path.write_text(json.dumps(results, indent=1))
        print(path.stem, key, json.dumps(row), flush=True)


def gather(folder):
    """All rows of each part, from all its files."""
    results = {}
    for path in sorted(folder.glob("*.json")):
        part = path.stem.split("-")[0]
        results.setdefault(part, []).extend(json.loads(path.read_text()).values())
    return results


def run(part, problem, k, arguments, out):
    """One part for one data set and k, into its own file or files."""
    stem = f"{part}-{problem.name}-{k}"
    tagged = {"data": problem.name, "k": k}
    if part == "defaults":
        for argument in arguments:
            rows = defaults(problem, k, argument)
            save(out / f"{stem}-{argument}.json", ((key, tagged | row) for key, row in rows))
    else:
        rows = {"clusterings": clusterings, "peers": compare}[part](problem, k)
        save(out / f"{stem}.json", ((key, tagged | row) for key, row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["embed", *CLUSTERS, "scale", "report"])
    parser.add_argument("--data", nargs="*", choices=[*DATA, SYNTHETIC])
    parser.add_argument("--k", nargs="*", type=int)
    parser.add_argument("--argument", nargs="*", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    # A group smaller than the number of clusters (Census has one) is said once in the document.
    warnings.simplefilter("ignore", FairSpectralWarning)
    if given.part == "report":
        write_report(gather(given.out))
        return
    if given.part == "scale":
        save(given.out / "scale.json", scale())
        return
    for name in given.data or ([*DATA, SYNTHETIC] if given.part == "peers" else DATA):
        problem = load(name, given.out)
        if given.part == "embed":
            problem.embedding(1), problem.embedding(1, fair=False)
        else:
            for k in given.k or CLUSTERS[given.part]:
                run(given.part, problem, k, given.argument, given.out)


if __name__ == "__main__":
    main()
