"""The scalability figure: the RandLaplace grid as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairspectral_benchmarks.figures import new_figure
from fairspectral_benchmarks.paper.methods import METHODS, method_style
from fairspectral_benchmarks.paper.randlaplace import (
    KS,
    METHOD_NAMES,
    SIZES,
    cells,
    problem,
    table,
)
from fairspectral_benchmarks.paper.results import Results
from fairspectral_benchmarks.paper.spec import Cell, Spec


def figure(records: Mapping[Cell, Any], scale: str) -> Any:
    """One panel for each k; bars over n, on a logarithmic scale."""
    results, sizes = Results(records), SIZES[scale]
    drawing, panels = new_figure(1, len(KS[scale]), sharey=True)
    width = 0.8 / len(METHOD_NAMES)
    places = np.arange(len(sizes))
    shortest = np.inf
    for ax, k in zip(panels.flat, KS[scale], strict=True):
        for j, method in enumerate(METHOD_NAMES):
            times = [results.mean(problem(n), method, k, "seconds") for n in sizes]
            heights = [np.nan if time is None else time for time in times]
            shortest = np.nanmin([shortest, *heights])
            ax.bar(
                places + (j - (len(METHOD_NAMES) - 1) / 2) * width, heights, width,
                color=method_style(method)["color"], label=METHODS[method].title,
            )  # fmt: skip
        ax.set_yscale("log")
        ax.set_xticks(places, [str(n) for n in sizes])
        ax.set_title(f"k = {k}")
        ax.set_xlabel("n")
    panels.flat[0].set_ylabel("seconds")
    if np.isfinite(shortest):  # the shortest bar is seen too
        panels.flat[0].set_ylim(bottom=shortest / 2)
    panels.flat[-1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return drawing


SPEC = Spec("scalability", cells, table, figure)
