"""FacebookNet: time, balance and spectral cost for k = 2, 25, 50 (a table of the appendix)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.methods import METHODS
from fairspectral_benchmarks.paper.results import NOTHING, Results
from fairspectral_benchmarks.paper.spec import Cell, Spec, grid

METHOD_NAMES = ("o-fsc", "s-fsc", "admm-paper", "admm", "ours", "ours-fair")
PROBLEM = {"tiny": "msbm-160x4", "quick": "facebook", "paper": "facebook"}
KS = {"tiny": (2, 4), "quick": (2, 25, 50), "paper": (2, 25, 50)}
TRIALS = {"tiny": 1, "quick": 2, "paper": 5}

# Time, balance, "SC cost"; "Ours" there is its ADMM.
PAPER = {
    (2, "o-fsc"): ("0.798", "1.00", "0.126"),
    (2, "s-fsc"): ("0.193", "1.00", "0.126"),
    (2, "admm-paper"): ("0.055", "1.00", "0.133"),
    (25, "o-fsc"): ("9.908", "0.84", "14.114"),
    (25, "s-fsc"): ("6.422", "0.84", "14.114"),
    (25, "admm-paper"): ("0.131", "0.84", "14.128"),
    (50, "o-fsc"): ("12.243", "0.58", "37.084"),
    (50, "s-fsc"): ("11.558", "0.58", "37.084"),
    (50, "admm-paper"): ("0.215", "0.58", "37.100"),
}


def cells(scale: str) -> list[Cell]:
    """Every method for every k."""
    return grid([PROBLEM[scale]], METHOD_NAMES, KS[scale], TRIALS[scale])


def table(records: Mapping[Cell, Any], scale: str) -> str:
    """Time, balance and cost, the paper's beside ours."""
    results, problem = Results(records), PROBLEM[scale]
    header = ["k", "method", "time, paper (s)", "time (s)", "balance, paper", "balance",
              "relative balance", "cost, paper", "k − tr(HᵀMH)", "normalised cut"]  # fmt: skip
    rows = []
    for k in KS[scale]:
        for method in METHOD_NAMES:
            paper = PAPER.get((k, method), (NOTHING,) * 3) if scale != "tiny" else (NOTHING,) * 3
            place = (problem, method, k)
            rows.append([
                str(k), METHODS[method].title, paper[0], results.text(*place, "seconds"),
                paper[1], results.text(*place, "balance"),
                results.text(*place, "relative_balance"), paper[2],
                results.text(*place, "spectral_cost", 4),
                results.text(*place, "normalized_cut", 4),
            ])  # fmt: skip
    return (
        "The spectral cost k − tr(HᵀMH) is that of the embedding, the normalised cut that of the "
        "labels. Time is that of the embedding. Relative balance is the balance divided by that "
        "of everyone.\n\n" + markdown_table(header, rows)
    )


SPEC = Spec("facebook", cells, table)
