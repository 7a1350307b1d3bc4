"""The rounding benchmark's command line, and its smaller parts."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

from fairspectral.constraints import encode_groups
from fairspectral.metrics import normalized_cut, relative_balance
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.validation import FairSpectralWarning
from fairspectral_benchmarks.files import ROOT, read_json, write_json
from fairspectral_benchmarks.rounding.data import DATA, SYNTHETIC, load
from fairspectral_benchmarks.rounding.peers import compare
from fairspectral_benchmarks.rounding.report import write_report
from fairspectral_benchmarks.rounding.scale import scale

RESULTS = ROOT / "benchmarks" / "results"
TOLERANCES = (0.0, 0.05, 0.2)
# The k of each part, unless --k says otherwise.
CLUSTERS = {"clusterings": (2, 5, 10, 25), "defaults": (5, 25), "peers": (5, 10)}


def judge(problem, k, tol, labels):
    """Measure labels independently of the method that made them."""
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
    """Values of one argument, with all others at their defaults."""
    for value in VARIANTS[argument]:
        given = value
        if argument == "min_cluster_size":
            given = max(1, int(value * problem.n / k))
        row = rounded(problem, problem.embedding(k), k, **{argument: given})
        yield f"{argument} {value}", row | {"argument": argument, "value": value}


def save(path, rows):
    """Write each row when it is computed, so that an interruption loses only one."""
    results = {}
    for key, row in rows:
        results[key] = row
        write_json(path, results)
        print(path.stem, key, json.dumps(row), flush=True)


def gather(folder):
    """All rows of each part, from all its files."""
    results: dict[str, list] = {}
    for path in sorted(folder.glob("*.json")):
        part = path.stem.split("-")[0]
        results.setdefault(part, []).extend(read_json(path).values())
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


def main(words=None):
    parser = argparse.ArgumentParser(
        prog="python benchmarks/rounding.py", description="Fair rounding, measured."
    )
    parser.add_argument("part", choices=["embed", *CLUSTERS, "scale", "report"])
    parser.add_argument("--data", nargs="*", choices=[*DATA, SYNTHETIC])
    parser.add_argument("--k", nargs="*", type=int)
    parser.add_argument("--argument", nargs="*", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args(words)
    # The page mentions the group of Census that is smaller than the number of clusters.
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
