"""``python benchmarks/scaling.py``: what it is asked for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fairspectral_benchmarks.files import ROOT, read_json, write_json
from fairspectral_benchmarks.pages import fill_in
from fairspectral_benchmarks.scaling import neighbours, report
from fairspectral_benchmarks.scaling.run import PATHS, run_apart

# A stored kernel takes n² × 4 bytes, and a recomputed one the time for n² of them in every pass.
SIZES = {
    "neighbours": (10_000, 100_000, 1_000_000),
    "neighbours, fast": (10_000, 100_000, 1_000_000),
    "kernel, stored": (10_000, 30_000),
    "kernel, recomputed": (10_000, 30_000, 100_000),
}


def main() -> None:
    """The command."""
    arguments = _parser().parse_args()
    if arguments.neighbours:
        for line in neighbours.compare(arguments.neighbours):
            print(line, flush=True)
        return
    runs: list[dict[str, Any]] = read_json(arguments.runs) or []
    for path in arguments.path:
        for n in arguments.sizes or SIZES[path]:
            for seed in range(arguments.seeds):
                wanted = {"path": path, "n": n, "seed": seed}
                if any(wanted.items() <= run.items() for run in runs):
                    continue
                runs.append(run_apart(**wanted))
                write_json(arguments.runs, runs)
                shown = {key: value for key, value in runs[-1].items() if key != "context"}
                print(shown, flush=True)
    print(report.table(runs))
    if arguments.report:
        words = f"{report.table(runs)}\n\n{report.sentence(runs)}"
        fill_in(ROOT / "docs" / "scaling.md", {"scaling": words})
        report.draw(runs, ROOT / "docs" / "images" / "scaling.png")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="How do time and memory grow with n?")
    parser.add_argument("--runs", type=Path, default=Path("scaling.json"), help="file of the runs")
    parser.add_argument("--path", nargs="*", default=list(PATHS), choices=list(PATHS))
    parser.add_argument("--sizes", nargs="*", type=int, help="people; each path has its own sizes")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--neighbours", type=int, metavar="N", help="compare searches for N rows")
    parser.add_argument("--report", action="store_true", help="table and picture into docs/")
    return parser
