"""The table and the picture of the runs, with the exponents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from fairspectral_benchmarks.figures import new_figure, save_figure, style
from fairspectral_benchmarks.machine import in_words
from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.scaling.run import PATHS

Run = Mapping[str, Any]

HEADER = (
    "path", "people", "seconds", "affinity", "embedding", "rounding", "processor", "GB", "cut",
    "residual", "exponent",
)  # fmt: skip


def table(runs: Sequence[Run]) -> str:
    """A row for each path and size: medians over the seeds, and the exponent from the row above."""
    rows = []
    for path in PATHS:
        before: tuple[int, float] | None = None
        for n, some in _by_size(runs, path):
            if any("note" in run for run in some):
                rows.append([path, f"{n:,}", some[0]["note"], *[""] * (len(HEADER) - 3)])
                continue
            values = {name: median(run[name] for run in some) for name in _NUMBERS}
            residual = median(run["residual"] or 0.0 for run in some)
            exponent = "" if before is None else f"{_exponent(before, (n, values['seconds'])):.2f}"
            before = n, values["seconds"]
            numbers = [f"{values[name]:.1f}" for name in _NUMBERS[:5]]
            rows.append(
                [path, f"{n:,}", *numbers, f"{values['peak_gb']:.2f}", f"{values['cut']:.4f}",
                 f"{residual:.0e}", exponent]
            )  # fmt: skip
    return markdown_table(HEADER, rows)


_NUMBERS = (
    "seconds", "affinity seconds", "embedding seconds", "rounding seconds", "processor", "peak_gb",
    "cut",
)  # fmt: skip


def sentence(runs: Sequence[Run]) -> str:
    """On which machine, and whether every cell was within its bounds."""
    done = [run for run in runs if "note" not in run]
    kept = sum(bool(run["certified"]) for run in done)
    return (
        f"{in_words(done[-1]['context'])}. In {kept} of {len(done)} runs every share is within its "
        "bounds."
    )


def draw(runs: Sequence[Run], path: Path) -> None:
    """Seconds and memory over the number of people, on logarithmic scales."""
    drawing, panels = new_figure(1, 2)
    for place, name in enumerate(PATHS):
        sizes = [
            (n, [run for run in some if "note" not in run]) for n, some in _by_size(runs, name)
        ]
        sizes = [(n, some) for n, some in sizes if some]
        for ax, value in zip(panels.flat, ("seconds", "peak_gb"), strict=True):
            heights = [median(run[value] for run in some) for _, some in sizes]
            ax.plot([n for n, _ in sizes], heights, label=name, **style(place))
    for ax, title in zip(panels.flat, ("seconds", "peak memory in GB"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel="people", title=title)
    panels.flat[0].legend(frameon=False, fontsize=8)
    save_figure(drawing, path, "python benchmarks/scaling.py --report")


def _by_size(runs: Iterable[Run], path: str) -> list[tuple[int, list[Run]]]:
    found: dict[int, list[Run]] = {}
    for run in runs:
        if run["path"] == path:
            found.setdefault(run["n"], []).append(run)
    return sorted(found.items())


def _exponent(before: tuple[int, float], now: tuple[int, float]) -> float:
    """The power of n with which the seconds grew."""
    return float(np.log(now[1] / before[1]) / np.log(now[0] / before[0]))
