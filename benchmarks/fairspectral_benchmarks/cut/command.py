"""``python benchmarks/cut.py``: what it is asked for."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairspectral_benchmarks.cut import runs, small
from fairspectral_benchmarks.cut.anneal import improve
from fairspectral_benchmarks.cut.beside import time_beside
from fairspectral_benchmarks.cut.instances import chosen
from fairspectral_benchmarks.cut.known import PATH, BestKnown
from fairspectral_benchmarks.cut.large import time_large
from fairspectral_benchmarks.cut.methods import BEFORE, EFFORTS, ours, peers
from fairspectral_benchmarks.cut.pairs import compare_pairs
from fairspectral_benchmarks.files import ROOT
from fairspectral_benchmarks.pages import fill_in

SEEDS, QUICK_SEEDS = 10, 2


def main() -> None:
    """The command."""
    arguments = _parser().parse_args()
    known = BestKnown(arguments.known)
    if arguments.exact:
        print(small.compare(arguments.exact, arguments.effort))
    elif arguments.pairs:
        print(compare_pairs(arguments.pairs, arguments.effort))
    elif arguments.large:
        for line in time_large(arguments.effort):
            print(line, flush=True)
    elif arguments.beside:
        for line in time_beside():
            print(line, flush=True)
    elif arguments.improve:
        for instance in chosen(arguments.improve, quick=False):
            for line in improve(instance.load(), known, arguments.seconds):
                print(line, flush=True)
    else:
        _measure(arguments, known)


def _measure(arguments: argparse.Namespace, known: BestKnown) -> None:
    methods = ours(arguments.effort) + (peers() if arguments.peers else [])
    seeds = QUICK_SEEDS if arguments.quick else arguments.seeds
    instances = chosen(arguments.only, arguments.quick)
    runs.measure(arguments.runs, instances, methods, seeds, known if arguments.update else None)
    if methods and methods[0].name == BEFORE:
        return  # to be reported by this version: that one has not what the picture needs
    from fairspectral_benchmarks.cut.report import Results

    results = Results(runs.read(arguments.runs), known)
    print(results.table())
    print(results.summary())
    if arguments.report:
        docs = ROOT / "docs"
        fill_in(docs / "cut.md", {"summary": results.summary()})
        fill_in(docs / "cut-tables.md", {"cut": results.table()})
        results.plot(docs / "images" / "cut.png")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="How low are the cuts of our clusterings?")
    parser.add_argument("--runs", type=Path, default=Path("cut.jsonl"), help="file of the runs")
    parser.add_argument("--known", type=Path, default=PATH, help="file of the best known")
    parser.add_argument("--quick", action="store_true", help="five small instances, two seeds")
    parser.add_argument("--only", default="", metavar="NAME", help="part of an instance's name")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--effort", nargs="*", default=EFFORTS, choices=EFFORTS)
    parser.add_argument("--peers", action="store_true", help="other methods too")
    parser.add_argument("--update", action="store_true", help="improve the file of the best known")
    parser.add_argument("--improve", metavar="NAME", help="look for better labels of instances")
    parser.add_argument("--seconds", type=float, default=60, help="for each, with --improve")
    parser.add_argument("--exact", type=int, metavar="N", help="N small problems with optimum")
    parser.add_argument("--pairs", type=int, metavar="N", help="N graphs with detached pairs")
    parser.add_argument("--large", action="store_true", help="time a graph of 68,000 people")
    parser.add_argument("--beside", action="store_true", help="time fast beside scikit-learn")
    parser.add_argument("--report", action="store_true", help="tables and picture into docs/")
    return parser
