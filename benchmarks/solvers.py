"""Solvers side by side at equal quality: the time to a relative objective gap of 1e-3.

    python benchmarks/solvers.py             # everything; resumes where it was interrupted
    python benchmarks/solvers.py --quick     # small problems, a minute
    python benchmarks/solvers.py --only randlaplace-10000 --solver krylov --force
    python benchmarks/solvers.py --report    # tables and plot from the stored results

Each cell (problem, solver) runs in a process of its own; its result is stored at once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from bench_cell import run_cell
from bench_peers import PEERS
from bench_problems import available_cases
from bench_report import describe_machine, measure_rates, write_report

ROOT = Path(__file__).resolve().parent.parent
ORDER = ("reference", *PEERS, "end-to-end", "sklearn")


def main() -> None:
    arguments = _parse()
    if arguments.cell:
        case, solver = arguments.cell
        result = run_cell(case, solver, arguments.best, arguments.limit)
        print(json.dumps(result))
        return
    out = Path(arguments.out or (ROOT / ("bench-quick" if arguments.quick else "docs")))
    out.mkdir(parents=True, exist_ok=True)
    store = out / "benchmarks.json"
    results = json.loads(store.read_text()) if store.exists() else {"cells": {}}
    if not arguments.report:
        _run_all(arguments, results, store)
    if results["cells"]:
        write_report(results, out)
        print(f"wrote {out / 'benchmarks.md'}")


def _run_all(arguments: argparse.Namespace, results: dict, store: Path) -> None:
    cells = results["cells"]
    if "rates" not in results:
        results["rates"] = measure_rates()
    for case in available_cases(arguments.quick):
        if arguments.only and case.name not in arguments.only:
            continue
        for solver in ORDER:
            chosen = not arguments.solver or solver in (*arguments.solver, "reference")
            key = f"{case.name}/{solver}"
            forced = arguments.force and (not arguments.solver or solver in arguments.solver)
            if not chosen or (key in cells and not forced):
                continue
            best = cells.get(f"{case.name}/reference", {}).get("objective")
            print(f"{key} ... ", end="", flush=True)
            begin = time.perf_counter()
            cells[key] = _spawn(case.name, solver, best, arguments.limit)
            print(_summary(cells[key]), f"[{time.perf_counter() - begin:.0f} s]")
            results["machine"] = describe_machine()
            store.write_text(json.dumps(results, indent=1))


def _spawn(case: str, solver: str, best: float | None, limit: float) -> dict:
    command = [sys.executable, __file__, "--cell", case, solver, "--limit", str(limit)]
    if best is not None:
        command += ["--best", repr(best)]
    try:
        # Tuning may need a last long run beyond the limit; nothing may need hours.
        done = subprocess.run(command, capture_output=True, text=True, timeout=10 * limit)
    except subprocess.TimeoutExpired:
        return {"error": f"over {10 * limit:.0f} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"ended with code {done.returncode}"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def _summary(cell: dict) -> str:
    for key in ("error", "skipped"):
        if cell.get(key):
            return cell[key]
    if "gap" not in cell:
        return ", ".join(f"{k}={v:.6g}" for k, v in cell.items() if isinstance(v, float))
    return f"{cell['seconds']:.3f} s, gap {cell['gap']:.1e}, {cell['passes']} passes"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small problems only")
    parser.add_argument("--only", nargs="+", help="problems by name")
    parser.add_argument("--solver", nargs="+", help="solvers by name")
    parser.add_argument("--force", action="store_true", help="run again what is stored")
    parser.add_argument("--report", action="store_true", help="only write the report")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of tuning per cell")
    parser.add_argument("--out", help="folder for the results")
    parser.add_argument("--cell", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--best", type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
