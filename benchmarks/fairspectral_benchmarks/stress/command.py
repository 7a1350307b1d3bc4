"""The runs, their file, the table and the picture of ``python benchmarks/stress.py``."""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral_benchmarks.figures import new_figure, save_figure
from fairspectral_benchmarks.files import ROOT
from fairspectral_benchmarks.pages import fill_in

K = (2, 5, 12, 25, 50)
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
# Smaller gaps are drawn as this one.
FLOOR = 1e-9
# float32 products reach about 1e-6 and say so; asking for less than 1e-5 tests only that sentence.
DTYPES = {"float64": TOLERANCES, "float32": TOLERANCES[:4]}


def cases(quick: bool, seeds: int) -> Iterator[dict[str, Any]]:
    """All runs of one subject."""
    for dtype, tolerances in DTYPES.items():
        wanted = [tol for tol in tolerances if not quick or tol in (1e-2, 1e-3, 1e-5)]
        for k, tol, seed in itertools.product(K, wanted, range(seeds)):
            yield {"dtype": dtype, "k": k, "tol": tol, "seed": seed}


def run(problem: Any, eigenvalues: np.ndarray, tol: float, seed: int) -> dict[str, Any]:
    """One solve, and the truth."""
    from fairspectral.solvers.krylov import KrylovParams, KrylovSolver

    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = KrylovSolver(KrylovParams(tol=tol, max_iter=3000)).solve(
            problem, random_state=seed
        )
    seconds = time.perf_counter() - begin
    best = 1.0 + float(eigenvalues[: problem.n_clusters - 1].sum())
    # The vectors are feasible and orthonormal to float64; their objective too is computed so.
    vectors = result.vectors.astype(problem.dtype)
    image = np.asarray(problem.operator.matmat(vectors), dtype=np.float64)
    objective = float(np.sum(result.vectors * image))
    return {
        "converged": bool(result.converged),
        "claimed": float(result.gap or 0.0),
        "true": (best - objective) / abs(best),
        "passes": result.passes,
        "columns": result.columns,
        "seconds": round(seconds, 4),
        "dense": result.details.get("method") == "dense",
    }


def is_wrong(row: dict[str, Any]) -> bool:
    """Whether the solver says that it converged and did not."""
    accuracy = 1e-12 if row["dtype"] == "float64" else 2e-6
    return row["converged"] and row["true"] > max(row["claimed"], row["tol"]) + accuracy


def measure(path: Path, label: str, quick: bool, seeds: int, only: str) -> None:
    """Make all runs that are not in the file yet."""
    from fairspectral_benchmarks.stress.graphs import NAMES, Subject

    done = {key_of(row) for row in read(path)}
    names = [name for name in NAMES if only in name]
    with path.open("a") as file:
        for count, name in enumerate(names):
            subject = None
            for case in cases(quick, seeds):
                for storage in ("dense", "sparse"):
                    row = case | {"name": name, "label": label, "storage": storage}
                    if key_of(row) in done:
                        continue
                    subject = subject or Subject(name)
                    if storage not in subject.storages:
                        continue
                    problem = subject.problem(storage, case["dtype"], case["k"])
                    row |= run(problem, subject.eigenvalues, case["tol"], case["seed"])
                    file.write(json.dumps(row) + "\n")
                    file.flush()
                    if is_wrong(row):
                        print(f"  wrong: {row}", flush=True)
            print(f"{count + 1}/{len(names)} {name}", flush=True)


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """What makes a run the same run."""
    return tuple(row[name] for name in ("label", "name", "storage", "dtype", "k", "tol", "seed"))


def read(path: Path) -> list[dict[str, Any]]:
    """The runs in the file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summary(rows: list[dict[str, Any]]) -> str:
    """A table: for each version and subject the runs, wrong claims, and the work."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["name"], row["label"]].append(row)
        groups["all", row["label"]].append(row)
    lines = [
        "| graph or spectrum | version | runs | wrong claims | largest true / asked | converged | "
        "passes, median | columns | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (name, label), part in sorted(groups.items(), key=lambda group: group[0][0] == "all"):
        claimed = [row for row in part if row["converged"]]
        worst = max((row["true"] / row["tol"] for row in claimed), default=float("nan"))
        lines.append(
            f"| {name} | {label} | {len(part)} | {sum(map(is_wrong, part))} | {worst:.2g} | "
            f"{len(claimed)} | {np.median([row['passes'] for row in part]):.0f} | "
            f"{sum(row['columns'] for row in part)} | {sum(row['seconds'] for row in part):.1f} |"
        )
    return "\n".join(lines)


def compare_constant(name: str, values: list[float], seeds: int) -> None:
    """Wrong claims and work for several values of one constant of the solver."""
    module_name, constant = name.rsplit(".", 1)
    package = "linalg" if module_name == "block_krylov" else "solvers"
    modules = [importlib.import_module(f"fairspectral.{package}.{module_name}")]
    modules.append(importlib.import_module("fairspectral.solvers.krylov"))
    from fairspectral_benchmarks.stress.graphs import NAMES, Subject

    subjects = [Subject(name) for name in NAMES]
    print(f"| {name} | runs | wrong claims | largest true / asked | columns | seconds |")
    print("|---|---|---|---|---|---|")
    saved = {module: vars(module)[constant] for module in modules if constant in vars(module)}
    for value in values:
        for module, original in saved.items():
            setattr(module, constant, type(original)(value))
        rows = []
        for subject, case in itertools.product(subjects, cases(True, seeds)):
            storage = subject.storages[-1]
            problem = subject.problem(storage, case["dtype"], case["k"])
            rows.append(case | run(problem, subject.eigenvalues, case["tol"], case["seed"]))
        worst = max(row["true"] / row["tol"] for row in rows if row["converged"])
        print(
            f"| {value:g} | {len(rows)} | {sum(map(is_wrong, rows))} | {worst:.2g} | "
            f"{sum(row['columns'] for row in rows)} | {sum(row['seconds'] for row in rows):.1f} |",
            flush=True,
        )
    for module, original in saved.items():
        setattr(module, constant, original)


def measure_roundoff() -> None:
    """The true gap of float32 solves that are asked for more than they can reach."""
    from fairspectral_benchmarks.stress.graphs import NAMES, Subject

    print("| graph or spectrum | largest true gap, in units of roundoff |\n|---|---|")
    for subject in map(Subject, NAMES):
        problems = [subject.problem(subject.storages[-1], "float32", k) for k in K]
        worst = max(run(problem, subject.eigenvalues, FLOOR, 0)["true"] for problem in problems)
        print(f"| {subject.name} | {worst / np.finfo(np.float32).eps:.2g} |", flush=True)


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """True against claimed gaps: every point below the line is a true claim."""
    drawing, panels = new_figure(1, 1)
    axes = panels[0, 0]
    for label in dict.fromkeys(row["label"] for row in rows):
        part = [row for row in rows if row["label"] == label and row["converged"]]
        claimed = [max(row["claimed"], FLOOR) for row in part]
        true = [max(row["true"], FLOOR) for row in part]
        axes.scatter(claimed, true, s=6, alpha=0.4, linewidths=0, label=label, rasterized=True)
    axes.plot([FLOOR, 1], [FLOOR, 1], color="black", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="gap that the solver claims", ylabel="true gap")
    axes.set(xlim=(FLOOR, 2e-2), ylim=(0.7 * FLOOR, 2e-2), title="A claim is true below the line")
    axes.legend()
    save_figure(drawing, path, made_by="python benchmarks/stress.py --report")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Is every claim of the default solver true?")
    parser.add_argument("--runs", type=Path, default=Path("stress.jsonl"), help="file of the runs")
    parser.add_argument("--quick", action="store_true", help="three tolerances, one seed")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="", help="part of a name")
    parser.add_argument("--label", default="now", help="name of this version in the table")
    parser.add_argument("--constant", nargs="+", metavar="NAME", help="module.NAME VALUE ...")
    parser.add_argument("--roundoff", action="store_true", help="how exact float32 can be")
    parser.add_argument("--report", action="store_true", help="table and picture into docs/")
    arguments = parser.parse_args()
    seeds = 1 if arguments.quick else arguments.seeds
    if arguments.constant:
        name, *values = arguments.constant
        compare_constant(name, [float(value) for value in values], seeds)
        return
    if arguments.roundoff:
        measure_roundoff()
        return
    measure(arguments.runs, arguments.label, arguments.quick, seeds, arguments.only)
    rows = read(arguments.runs)
    print(summary(rows))
    if arguments.report:
        fill_in(ROOT / "docs" / "stress.md", {"stress": summary(rows)})
        plot(rows, ROOT / "docs" / "images" / "stress.png")


if __name__ == "__main__":
    main()
