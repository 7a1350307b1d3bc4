"""From stored results to Markdown tables and a log-log plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairspectral_benchmarks.figures import check_matplotlib, new_figure, save_figure, style
from fairspectral_benchmarks.files import write_text
from fairspectral_benchmarks.pages import fill_in, markdown_table, marks
from fairspectral_benchmarks.solvers.cases import CASES
from fairspectral_benchmarks.solvers.cell import GAP
from fairspectral_benchmarks.solvers.peers import PEERS
from fairspectral_benchmarks.solvers.store import MADE_BY
from fairspectral_benchmarks.solvers.summary import summary

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
# The plot ends here: smaller gaps are drawn at this one.
LOWEST = 1e-8


def write_report(results: dict[str, Any], out: Path) -> None:
    """The tables of ``benchmarks.md`` and ``benchmarks-tables.md``, with a picture each.

    They are written beside the stored results; the rest of the pages is not changed.
    """
    cells, rates = results["cells"], results.get("rates")
    names = [name for name in CASES if f"{name}/krylov" in cells]
    parts = [f"Machine: {results.get('machine', 'unknown')}. Made by `{MADE_BY}`."]
    parts += [_targets(cells), _end_to_end(cells, names)]
    if rates:
        parts.append(_roofline(cells, names, rates))
    parts += [_table(cells, name) for name in names]
    if _plot(cells, names, out / "benchmarks.svg"):
        parts.append("![time and gap of the solvers' best runs](benchmarks.svg)")
    _fill("Solvers side by side", out / "benchmarks.md", "summary", summary(cells, names, out))
    _fill(
        "Every solver on every problem", out / "benchmarks-tables.md", "solvers", "\n\n".join(parts)
    )


def _fill(title: str, page: Path, name: str, table: str) -> None:
    """Put a table into its page, which is begun where there is none."""
    if not page.exists():
        write_text(page, "\n".join([f"# {title}", "", *marks(name), ""]))
    fill_in(page, {name: table})


def _seconds(cells: dict[str, Any], name: str, solvers: tuple[str, ...]) -> tuple[float, str]:
    """The fastest of some solvers that reached the gap (of all if none did), and its name."""
    found = [(cells.get(f"{name}/{s}", {}), s) for s in solvers]
    timed = [(c["seconds"], s, c.get("reached", False)) for c, s in found if "seconds" in c]
    reached = [t for t in timed if t[2]] or timed
    return (min(reached)[0], min(reached)[1]) if reached else (float("nan"), "not run")


def _targets(cells: dict[str, Any]) -> str:
    rows = []
    for name, solvers, title, wanted in TARGETS:
        if f"{name}/krylov" not in cells:
            continue
        ours = cells[f"{name}/krylov"]["seconds"]
        theirs, which = _seconds(cells, name, solvers)
        ratio = theirs / ours
        mark = "yes" if ratio >= wanted else "**no**" if ratio == ratio else "not run"
        rows.append([
            CASES[name].title, f"{title} ({which})", f"{wanted}×", f"{ratio:.1f}× ({mark})",
            f"{ours:.3f} s", f"{theirs:.3f} s",
        ])  # fmt: skip
    header = ["problem", "against", "wanted", "measured", "ours", "theirs"]
    return f"## Against the targets\n\n{markdown_table(header, rows)}"


def _end_to_end(cells: dict[str, Any], names: list[str]) -> str:
    rows = []
    for name in names:
        ours, theirs = cells.get(f"{name}/end-to-end"), cells.get(f"{name}/sklearn")
        if ours is None or theirs is None or "seconds" not in ours:
            continue
        if "seconds" in theirs:
            other = f"{theirs['seconds']:.2f} s"
            ratio = f"{theirs['seconds'] / ours['seconds']:.1f}×"
        else:
            other, ratio = theirs.get("skipped") or theirs.get("error", ""), "—"
        rows.append([CASES[name].title, f"{ours['seconds']:.2f} s", other, ratio])
    header = ["problem", "fairspectral", "scikit-learn's unfair SpectralClustering", "ratio"]
    title = "## End to end, from a precomputed affinity to k-means labels"
    return f"{title}\n\n{markdown_table(header, rows)}"


def _roofline(cells: dict[str, Any], names: list[str], rates: dict[str, float]) -> str:
    words = (
        "## Where the default solver's time goes\n\n"
        f"This machine multiplies square float32 matrices at {rates['gflops']:.0f} GF/s and reads\n"
        f"a matrix, in products with one vector, at {rates['gbytes']:.0f} GB/s. *Floor* is the\n"
        "time of the solver's products at the slower of the two rates, with nothing else.\n\n"
    )
    rows = []
    for name in names:
        cell, reference = cells[f"{name}/krylov"], cells[f"{name}/reference"]
        inside, total = cell["product_seconds"], cell["seconds"]
        flops = 2 * reference["nonzeros"] * cell["columns"] / 1e9
        stored = 4 if reference["nonzeros"] == reference["n"] ** 2 else 8  # with the column's index
        read = stored * reference["nonzeros"] * cell["passes"] / 1e9
        floor = max(flops / rates["gflops"], read / rates["gbytes"])
        rows.append([
            CASES[name].title, cell["passes"], cell["columns"], f"{total:.3f} s",
            f"{inside:.3f} s", f"{100 * (1 - inside / total):.0f} %", f"{flops / inside:.0f} GF/s",
            f"{floor:.3f} s", f"{total / floor:.1f}",
        ])  # fmt: skip
    header = ["problem", "passes", "columns", "time", "in products", "outside", "rate", "floor",
              "time / floor"]  # fmt: skip
    return words + markdown_table(header, rows)


def _table(cells: dict[str, Any], name: str) -> str:
    reference = cells.get(f"{name}/reference", {})
    words = (
        f"## {CASES[name].title}\n\n"
        f"n={reference.get('n')}, optimum {reference.get('objective', float('nan')):.8g}; our "
        f"tight solve and ARPACK's agree to {reference.get('disagreement', float('nan')):.0e}.\n\n"
    )
    rows = []
    for solver, peer in PEERS.items():
        cell = cells.get(f"{name}/{solver}")
        if cell is None:
            continue
        if "seconds" not in cell:
            rows.append([peer.title, "—", *[""] * 6, cell.get("skipped") or cell.get("error")])
            continue
        setting = cell["family"] + (f", tol {cell['tol']:g}" if "tol" in cell else "")
        setting += "" if cell["reached"] else "; **gap not reached**"
        rows.append([
            peer.title, f"{cell['seconds']:.3f} s", f"{cell['gap']:.1e}", cell["passes"],
            cell["columns"], f"{cell['peak_mb']:.0f} MB", f"{cell['fairness']:.0e}",
            f"{cell['orthogonality']:.0e}", cell.get("error") or setting,
        ])  # fmt: skip
    header = ["solver", "time", "gap", "passes", "columns", "memory", "fairness", "orthogonality",
              "setting"]  # fmt: skip
    return words + markdown_table(header, rows)


def _plot(cells: dict[str, Any], names: list[str], path: Path) -> bool:
    try:
        check_matplotlib()
    except ImportError:
        return False
    columns = min(3, len(names))
    figure, axes = new_figure(-(-len(names) // columns), columns)
    for axis, name in zip(axes.flat, names, strict=False):
        for place, (solver, peer) in enumerate(PEERS.items()):
            series = cells.get(f"{name}/{solver}", {}).get("series", [])
            points = [(seconds, max(gap, LOWEST)) for seconds, gap in series if gap < 1]
            if points:
                look = style(place) | {"linestyle": ":", "markersize": 5, "markeredgewidth": 0}
                look |= {"marker": "*", "markersize": 14} if solver == "krylov" else {}
                axis.plot(*zip(*points, strict=True), label=peer.title, **look)
        axis.axhline(GAP, color="grey", linewidth=0.8)
        axis.set(xscale="log", yscale="log", xlabel="seconds")
        axis.set_title(CASES[name].title, fontsize="medium")
        # Few ticks with plain numbers; minor ones and powers make up most of an SVG.
        axis.minorticks_off()
        axis.xaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_major_formatter("{x:.0e}")
    for axis in axes[:, 0]:
        axis.set_ylabel("relative gap")
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    handles = {
        label: handle
        for axis in axes.flat
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3,
                  fontsize="small")  # fmt: skip
    save_figure(figure, path, MADE_BY)
    return True
