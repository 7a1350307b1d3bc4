"""From stored results to Markdown tables and a log-log plot."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench_peers import PEERS
from bench_problems import CASES

# (problem, what it is measured against, at least how many times faster)
TARGETS = (
    ("randlaplace-10000", ("s-fsc-published",), "s-FSC with the paper's shift, as published", 30),
    ("randlaplace-10000", ("s-fsc",), "s-FSC with the paper's shift, tuned", 30),
    ("randlaplace-10000", ("eigsh", "eigsh-f64", "lobpcg", "primme"), "best tuned peer", 5),
    ("randlaplace-10000", ("o-fsc",), "o-FSC", 100),
    ("randlaplace-10000", ("admm-paper",), "the paper's ADMM preset", 10),
    ("msbm-10000", ("s-fsc-published",), "s-FSC with the paper's shift, as published", 30),
    ("msbm-10000", ("s-fsc",), "s-FSC with the paper's shift, tuned", 30),
    ("lastfm", ("eigsh", "eigsh-f64"), "best tuned eigsh", 2),
    ("thyroid", ("eigsh", "eigsh-f64"), "best tuned eigsh", 3),
    ("4area", ("eigsh", "eigsh-f64"), "best tuned eigsh", 4),
)

# The tables of the page stand between these; the words around them are written by hand.
BEGIN, END = "<!-- begin: solvers -->", "<!-- end: solvers -->"


def describe_machine() -> dict[str, str]:
    """Processor, memory and the versions that matter for speed."""
    import scipy
    from threadpoolctl import threadpool_info

    processor = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        processor = names[0].split(":")[1].strip() if names else processor
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    blas = {f"{lib['internal_api']} {lib['version']}" for lib in threadpool_info()}
    return {
        "processor": f"{processor}, {os.cpu_count()} cores",
        "memory": f"{memory:.0f} GB",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "libraries": ", ".join(sorted(blas)),
    }


def measure_rates() -> dict[str, float]:
    """What the machine can do: float32 products of square matrices, and of one vector."""
    rng = np.random.default_rng(0)
    square = rng.random((4000, 4000), dtype=np.float32)
    tall = rng.random((20000, 10000), dtype=np.float32)
    vector = np.ones(10000, dtype=np.float32)
    return {
        "gflops": 2 * 4000**3 / _best_of(lambda: square @ square) / 1e9,
        "gbytes": tall.nbytes / _best_of(lambda: tall @ vector) / 1e9,
    }


def _best_of(work: Callable[[], Any], repeats: int = 5) -> float:
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def write_report(results: dict[str, Any], out: Path) -> None:
    """The tables of ``benchmarks.md``, and ``benchmarks.{png,svg}``, beside the stored results.

    What stands outside the marks in the page is left alone.
    """
    cells, rates = results["cells"], results.get("rates")
    names = [name for name in CASES if f"{name}/krylov" in cells]
    lines = [*_introduction(results), ""]
    lines += _targets(cells)
    lines += _end_to_end(cells, names)
    if rates:
        lines += _roofline(cells, names, rates)
    for name in names:
        lines += _table(cells, name)
    if _plot(cells, names, out):
        lines += ["", "![time and gap of every run](benchmarks.svg)"]
    page = out / "benchmarks.md"
    text = page.read_text() if page.exists() else f"# Solvers side by side\n\n{BEGIN}\n{END}\n"
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text("".join([before, BEGIN, "\n", "\n".join(lines), "\n", END, after]))


def _introduction(results: dict[str, Any]) -> list[str]:
    machine = "; ".join(f"{key}: {value}" for key, value in results.get("machine", {}).items())
    return [f"Machine: {machine}."]


def _seconds(cells: dict[str, Any], name: str, solvers: tuple[str, ...]) -> tuple[float, str]:
    """The fastest of some solvers that reached the gap (any, where none did), and its name."""
    found = [(cells.get(f"{name}/{s}", {}), s) for s in solvers]
    timed = [(c["seconds"], s, c.get("reached", False)) for c, s in found if "seconds" in c]
    reached = [t for t in timed if t[2]] or timed
    return (min(reached)[0], min(reached)[1]) if reached else (float("nan"), "not run")


def _targets(cells: dict[str, Any]) -> list[str]:
    lines = [
        "## Against the targets",
        "",
        "| problem | against | wanted | measured | ours | theirs |",
        "|---|---|---|---|---|---|",
    ]
    for name, solvers, title, wanted in TARGETS:
        if f"{name}/krylov" not in cells:
            continue
        ours = cells[f"{name}/krylov"]["seconds"]
        theirs, which = _seconds(cells, name, solvers)
        ratio = theirs / ours
        mark = "yes" if ratio >= wanted else "**no**" if ratio == ratio else "not run"
        lines.append(
            f"| {CASES[name].title} | {title} ({which}) | {wanted}× | {ratio:.1f}× ({mark}) "
            f"| {ours:.3f} s | {theirs:.3f} s |"
        )
    return [*lines, ""]


def _end_to_end(cells: dict[str, Any], names: list[str]) -> list[str]:
    lines = [
        "## End to end, from a precomputed affinity to k-means labels",
        "",
        "| problem | fairspectral | scikit-learn's unfair SpectralClustering | ratio |",
        "|---|---|---|---|",
    ]
    for name in names:
        ours, theirs = cells.get(f"{name}/end-to-end"), cells.get(f"{name}/sklearn")
        if ours is None or theirs is None or "seconds" not in ours:
            continue
        if "seconds" in theirs:
            other, ratio = f"{theirs['seconds']:.2f} s", theirs["seconds"] / ours["seconds"]
            shown = f"{ratio:.1f}×"
        else:
            other, shown = theirs.get("skipped") or theirs.get("error", ""), "—"
        lines.append(f"| {CASES[name].title} | {ours['seconds']:.2f} s | {other} | {shown} |")
    return [*lines, ""]


def _roofline(cells: dict[str, Any], names: list[str], rates: dict[str, float]) -> list[str]:
    lines = [
        "## Where the default solver's time goes",
        "",
        f"This machine multiplies square float32 matrices at {rates['gflops']:.0f} GF/s and reads",
        f"a matrix, in products with one vector, at {rates['gbytes']:.0f} GB/s. *Floor* is the",
        "time of the solver's products at the slower of the two rates, with nothing else.",
        "",
        "| problem | passes | columns | time | in products | outside | rate | floor "
        "| time / floor |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in names:
        cell, reference = cells[f"{name}/krylov"], cells[f"{name}/reference"]
        inside, total = cell["product_seconds"], cell["seconds"]
        flops = 2 * reference["nonzeros"] * cell["columns"] / 1e9
        stored = 4 if reference["nonzeros"] == reference["n"] ** 2 else 8  # with the column's index
        read = stored * reference["nonzeros"] * cell["passes"] / 1e9
        floor = max(flops / rates["gflops"], read / rates["gbytes"])
        lines.append(
            f"| {CASES[name].title} | {cell['passes']} | {cell['columns']} | {total:.3f} s "
            f"| {inside:.3f} s | {100 * (1 - inside / total):.0f} % | {flops / inside:.0f} GF/s "
            f"| {floor:.3f} s | {total / floor:.1f} |"
        )
    return [*lines, ""]


def _table(cells: dict[str, Any], name: str) -> list[str]:
    reference = cells.get(f"{name}/reference", {})
    lines = [
        f"## {CASES[name].title}",
        "",
        f"n={reference.get('n')}, optimum {reference.get('objective', float('nan')):.8g}; our "
        f"tight solve and ARPACK's agree to {reference.get('disagreement', float('nan')):.0e}.",
        "",
        "| solver | time | gap | passes | columns | memory | fairness | orthogonality | setting |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for solver, peer in PEERS.items():
        cell = cells.get(f"{name}/{solver}")
        if cell is None:
            continue
        if "seconds" not in cell:
            why = cell.get("skipped") or cell.get("error")
            lines.append(f"| {peer.title} | — | | | | | | | {why} |")
            continue
        setting = cell["family"] + ("" if cell["tol"] is None else f", tol {cell['tol']:g}")
        setting += "" if cell["reached"] else "; **gap not reached**"
        lines.append(
            f"| {peer.title} | {cell['seconds']:.3f} s | {cell['gap']:.1e} | {cell['passes']} "
            f"| {cell['columns']} | {cell['peak_mb']:.0f} MB | {cell['fairness']:.0e} "
            f"| {cell['orthogonality']:.0e} | {cell.get('error') or setting} |"
        )
    return [*lines, ""]


def _plot(cells: dict[str, Any], names: list[str], out: Path) -> bool:
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(5 * columns, 4 * rows), squeeze=False, layout="constrained"
    )
    colours = plt.get_cmap("tab20")
    for axis, name in zip(axes.flat, names, strict=False):
        for index, (solver, peer) in enumerate(PEERS.items()):
            cell = cells.get(f"{name}/{solver}", {})
            trials = [t for t in cell.get("trials", []) if t["gap"] < 10]
            points = sorted((t["seconds"], max(t["gap"], 1e-9)) for t in trials)
            if points:
                style = {"marker": "*", "markersize": 14} if solver == "krylov" else {"marker": "o"}
                axis.plot(*zip(*points, strict=True), linestyle="", color=colours(index),
                          label=peer.title, **style)  # fmt: skip
        axis.axhline(1e-3, color="grey", linewidth=0.8)
        axis.set(xscale="log", yscale="log", title=CASES[name].title)
        axis.set(xlabel="seconds", ylabel="relative gap of the objective")
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small")
    for suffix in ("png", "svg"):
        figure.savefig(out / f"benchmarks.{suffix}", dpi=110)
    plt.close(figure)
    return True
