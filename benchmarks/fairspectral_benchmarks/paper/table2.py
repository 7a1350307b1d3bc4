"""Table 2: runtimes on the four real data sets, k=25."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.real_sets import ABOUT, PROBLEMS, K, paper_number, real_cells
from fairspectral_benchmarks.paper.results import Results
from fairspectral_benchmarks.paper.spec import Cell, Spec
from fairspectral_benchmarks.problems import read_name

METHOD_NAMES = ("o-fsc", "s-fsc", "admm-paper", "admm", "ours")

# Means and deviations of its table in the appendix; "Ours" there is its ADMM.
PAPER = {
    "lastfm": {"o-fsc": "103.82 ± 2.87", "s-fsc": "19.08 ± 1.96", "admm-paper": "4.59 ± 0.30"},
    "thyroid": {"o-fsc": "279.03 ± 4.21", "s-fsc": "30.49 ± 3.17", "admm-paper": "7.38 ± 0.16"},
    "census": {"o-fsc": "over 500", "s-fsc": "136.60 ± 0.69", "admm-paper": "15.78 ± 1.06"},
    "4area": {"o-fsc": "over 500", "s-fsc": "166.92 ± 0.73", "admm-paper": "25.85 ± 1.4"},
}


def cells(scale: str) -> list[Cell]:
    """Every method on every data set."""
    return real_cells(METHOD_NAMES, scale)


def table(records: Mapping[Cell, Any], scale: str) -> str:
    """Seconds of the embedding, and below with the rounding."""
    results, k = Results(records), K[scale]
    parts = [ABOUT]
    for title, field in (
        ("Seconds of the embedding", "seconds"),
        ("Seconds of the embedding and k-means", "seconds_total"),
    ):
        header = ["data set", "n", "o-FSC, paper", "o-FSC", "s-FSC, paper", "s-FSC",
                  "paper's Ours", "ADMM (paper)", "ADMM", "ours"]  # fmt: skip
        rows = []
        for problem in PROBLEMS[scale]:
            name = read_name(problem)
            row = [name.title, str(name.n)]
            for method in METHOD_NAMES:
                if method in PAPER["lastfm"]:
                    row.append(paper_number(PAPER, problem, method))
                row.append(results.text(problem, method, k, field))
            rows.append(row)
        parts.append(f"{title}, k={k}:\n\n{markdown_table(header, rows)}")
    return "\n\n".join(parts)


SPEC = Spec("table2", cells, table)
