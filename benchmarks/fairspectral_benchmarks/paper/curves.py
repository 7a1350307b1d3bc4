"""Figures: runtime and balance over k on the real data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral_benchmarks.figures import new_figure
from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.methods import METHODS, method_style
from fairspectral_benchmarks.paper.real_sets import ABOUT, PROBLEMS
from fairspectral_benchmarks.paper.results import Results
from fairspectral_benchmarks.paper.spec import Cell, Spec, grid
from fairspectral_benchmarks.problems import read_name

METHOD_NAMES = ("s-fsc", "admm-paper", "admm", "ours")
KS = {
    "tiny": (2, 4),
    "quick": (2, 10, 25, 50),
    "paper": (2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50),
}
TRIALS = {"tiny": 1, "quick": 1, "paper": 5}


def cells(scale: str) -> list[Cell]:
    """The methods over the grid of k; at k=25 they are cells of Table 2."""
    return grid(PROBLEMS[scale], METHOD_NAMES, KS[scale], TRIALS[scale])


def table(records: Mapping[Cell, Any], scale: str) -> str:
    """Seconds and average balance for each k."""
    results = Results(records)
    parts = [
        f"k in {', '.join(map(str, KS[scale]))} (the paper: every k from 2 to 50). The paper "
        "shows these as figures without numbers, except for k=25, which is in Tables 2 and 3. "
        f"{ABOUT}"
    ]
    titles = [METHODS[method].title for method in METHOD_NAMES]
    header = ["k", *(f"{t}, seconds" for t in titles), *(f"{t}, balance" for t in titles)]
    for problem in PROBLEMS[scale]:
        rows = [
            [
                str(k),
                *(results.text(problem, method, k, "seconds") for method in METHOD_NAMES),
                *(results.text(problem, method, k, "balance") for method in METHOD_NAMES),
            ]
            for k in KS[scale]
        ]
        parts.append(f"## {read_name(problem).title}\n\n{markdown_table(header, rows)}")
    return "\n\n".join(parts)


def figure(records: Mapping[Cell, Any], scale: str) -> Any:
    """A row for each data set: runtime on the left, average balance on the right."""
    results = Results(records)
    drawing, panels = new_figure(len(PROBLEMS[scale]), 2)
    for (left, right), problem in zip(panels, PROBLEMS[scale], strict=True):
        for method in METHOD_NAMES:
            for ax, field in ((left, "seconds"), (right, "balance")):
                points = [(k, results.mean(problem, method, k, field)) for k in KS[scale]]
                known = [(k, value) for k, value in points if value is not None]
                ax.plot(
                    [k for k, _ in known], [value for _, value in known],
                    markersize=4, **method_style(method), label=METHODS[method].title,
                )  # fmt: skip
        left.set_title(f"{read_name(problem).title}: seconds")
        left.set_yscale("log")
        right.set_title(f"{read_name(problem).title}: average balance")
        for ax in (left, right):
            ax.set_xlabel("k")
            ax.grid(alpha=0.3)
    panels[0][1].legend(frameon=False, fontsize="small")
    return drawing


SPEC = Spec("curves", cells, table, figure)
