"""The solver benchmark's command line: run what is not stored yet, then write the page."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from fairspectral_benchmarks import machine
from fairspectral_benchmarks.files import ROOT
from fairspectral_benchmarks.process import DONE, Child, MissingDataError
from fairspectral_benchmarks.solvers import store
from fairspectral_benchmarks.solvers.cases import CASES, available_cases
from fairspectral_benchmarks.solvers.peers import PEERS
from fairspectral_benchmarks.solvers.report import write_report

ORDER = ("reference", *PEERS, "end-to-end", "sklearn")


def main(words: list[str] | None = None) -> None:
    """Run the command."""
    given = _parse(words)
    out = given.out or ROOT / ("bench-quick" if given.quick else "docs")
    path = out / "benchmarks.json"
    results = store.read(path)
    if not given.report:
        _run_all(given, results, path)
    if results["cells"]:
        write_report(results, out)
        print(f"wrote {out / 'benchmarks.md'}")


def _run_all(given: argparse.Namespace, results: dict[str, Any], path: Path) -> None:
    cells = results["cells"]
    if "rates" not in results:
        results["rates"] = store.small(machine.measure_rates())
    for case in available_cases(given.quick):
        if given.only and case.name not in given.only:
            continue
        for solver in ORDER:
            chosen = not given.solver or solver in (*given.solver, "reference")
            key = f"{case.name}/{solver}"
            forced = given.force and (not given.solver or solver in given.solver)
            if not chosen or (key in cells and not forced):
                continue
            best = cells.get(f"{case.name}/reference", {}).get("objective")
            print(f"{key} ... ", end="", flush=True)
            begin = time.perf_counter()
            cells[key] = store.small(run_apart(case.name, solver, best, given.limit))
            print(_summary(cells[key]), f"[{time.perf_counter() - begin:.0f} s]", flush=True)
            results["machine"] = machine.in_words(machine.context())
            store.write(path, results)


def run_apart(case: str, solver: str, best: float | None, limit: float) -> dict[str, Any]:
    """One cell in a separate process: its values, or an ``error``."""
    request = {"case_name": case, "solver": solver, "best": best, "limit": limit}
    with Child("fairspectral_benchmarks.solvers.cell") as child:
        try:
            # Tuning may need a last long run beyond the limit, but not hours.
            outcome, facts = child.ask(request, 10 * limit)
        except MissingDataError as error:
            return {"error": str(error)}
    return facts["values"] if outcome == DONE else {"error": facts["note"]}


def _summary(cell: dict[str, Any]) -> str:
    for key in ("error", "skipped"):
        if cell.get(key):
            return cell[key]
    if "gap" not in cell:
        return ", ".join(f"{k}={v:.6g}" for k, v in cell.items() if isinstance(v, float))
    return f"{cell['seconds']:.3f} s, gap {cell['gap']:.1e}, {cell['passes']} passes"


def _parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python benchmarks/solvers.py",
        description="The time of every solver to a relative objective gap of 1e-3.",
    )
    parser.add_argument("--quick", action="store_true", help="small problems only")
    parser.add_argument("--only", nargs="+", choices=list(CASES), metavar="PROBLEM")
    parser.add_argument("--solver", nargs="+", choices=ORDER, metavar="SOLVER")
    parser.add_argument("--force", action="store_true", help="run again what is stored")
    parser.add_argument("--report", action="store_true", help="only write the report")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of tuning per cell")
    parser.add_argument("--out", type=Path, help="folder for the results")
    return parser.parse_args(words)
