"""The beginning of the page: one table and one picture of the fastest runs that reach the gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairspectral_benchmarks.figures import check_matplotlib, new_figure, save_figure, style
from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.solvers.cases import CASES
from fairspectral_benchmarks.solvers.store import MADE_BY

# Whom we are compared with, and which of the measured solvers they are.
OTHERS = {
    "best tuned eigensolver": ("eigsh", "eigsh-f64", "lobpcg", "primme"),
    "s-FSC, published": ("s-fsc-published",),
    "s-FSC, tuned": ("s-fsc", "s-fsc-f32"),
    "o-FSC": ("o-fsc",),
    "ADMM, the paper's": ("admm-paper",),
}
PICTURE = "benchmarks-summary.svg"


def fastest(cells: dict[str, Any], name: str, solvers: tuple[str, ...]) -> float | None:
    """The least seconds of some solvers; None where none of them reached the gap."""
    found = [cells.get(f"{name}/{solver}", {}) for solver in solvers]
    return min((c["seconds"] for c in found if c.get("reached")), default=None)


def summary(cells: dict[str, Any], names: list[str], out: Path) -> str:
    """The table (our seconds, the others in times of ours), and the picture with matplotlib."""
    rows = []
    for name in names:
        ours = cells[f"{name}/krylov"]["seconds"]
        row = [CASES[name].title, f"{cells[f'{name}/reference']['n']:,}", f"**{ours:.2f} s**"]
        for solvers in OTHERS.values():
            theirs = fastest(cells, name, solvers)
            row.append("—" if theirs is None else times(theirs / ours))
        rows.append(row)
    table = markdown_table(["problem", "people", "fairspectral", *OTHERS], rows)
    if not draw(cells, names, out / PICTURE):
        return table
    shown = "how many times as long as fairspectral the others take on each problem"
    return f"{table}\n\n![{shown}]({PICTURE})"


def times(ratio: float) -> str:
    """A ratio in two digits, or as many as it has before the point."""
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def draw(cells: dict[str, Any], names: list[str], path: Path) -> bool:
    """How many times as long as ours the others take, one line for each problem."""
    try:
        check_matplotlib()
    except ImportError:
        return False
    figure, axes = new_figure(1, 1)
    figure.set_size_inches(8, 0.42 * len(names) + 1.5)
    axis = axes[0, 0]
    axis.axvline(1, color=style(0)["color"], linewidth=3, label="fairspectral")
    for place, (title, solvers) in enumerate(OTHERS.items(), start=1):
        seconds = [fastest(cells, name, solvers) for name in names]
        points = [
            (theirs / cells[f"{name}/krylov"]["seconds"], row)
            for row, (name, theirs) in enumerate(zip(names, seconds, strict=True))
            if theirs is not None
        ]
        if points:
            look = style(place) | {"linestyle": "", "markersize": 9}
            axis.plot(*zip(*points, strict=True), label=title, **look)
    axis.set_xscale("log")
    axis.set_yticks(range(len(names)), [CASES[name].title for name in names])
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.grid(axis="y", alpha=0.3)
    axis.minorticks_off()
    axis.xaxis.set_major_formatter("{x:g}×")
    axis.set_xlabel("time to the same quality, in times of ours")
    figure.legend(loc="outside upper center", ncols=3, fontsize="small")
    save_figure(figure, path, MADE_BY)
    return True
