"""The RandLaplace grid (a table of the appendix): runtime over n and k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.methods import METHODS
from fairspectral_benchmarks.paper.results import NOTHING, Results
from fairspectral_benchmarks.paper.spec import Cell, Spec, grid

METHOD_NAMES = ("o-fsc", "s-fsc", "admm-paper", "admm", "ours")
SIZES = {"tiny": (120, 160), "quick": (1000, 2000), "paper": (5000, 7500, 10000)}
KS = {"tiny": (3,), "quick": (10, 25), "paper": (10, 25, 50)}
TRIALS = {"tiny": 2, "quick": 2, "paper": 5}
GROUPS = 5

# Seconds by (k, n); "Ours" there is its ADMM.
PAPER = {
    (10, 5000): {"o-fsc": "68.12 ± 2.48", "s-fsc": "4.00 ± 0.09", "admm-paper": "3.50 ± 0.10"},
    (10, 7500): {"o-fsc": "199.72 ± 3.20", "s-fsc": "11.22 ± 0.27", "admm-paper": "4.42 ± 0.12"},
    (10, 10000): {"o-fsc": "454.68 ± 5.50", "s-fsc": "23.99 ± 0.31", "admm-paper": "5.93 ± 0.23"},
    (25, 5000): {"o-fsc": "71.58 ± 2.0", "s-fsc": "8.73 ± 0.30", "admm-paper": "3.84 ± 0.09"},
    (25, 7500): {"o-fsc": "204.72 ± 4.62", "s-fsc": "28.10 ± 2.25", "admm-paper": "4.52 ± 0.16"},
    (25, 10000): {"o-fsc": "481.18 ± 6.91", "s-fsc": "42.93 ± 3.91", "admm-paper": "5.93 ± 0.10"},
    (50, 5000): {"o-fsc": "99.41 ± 3.0", "s-fsc": "32.52 ± 2.11", "admm-paper": "3.85 ± 0.09"},
    (50, 7500): {"o-fsc": "233.97 ± 8.35", "s-fsc": "43.66 ± 7.36", "admm-paper": "5.29 ± 0.11"},
    (50, 10000): {"o-fsc": "508.63 ± 9.78", "s-fsc": "74.94 ± 7.62", "admm-paper": "7.70 ± 0.16"},
}


def problem(n: int) -> str:
    """The name of the graph of a size."""
    return f"randlaplace-{n}x{GROUPS}"


def cells(scale: str) -> list[Cell]:
    """Every method on every graph with every k."""
    return grid([problem(n) for n in SIZES[scale]], METHOD_NAMES, KS[scale], TRIALS[scale])


def table(records: Mapping[Cell, Any], scale: str) -> str:
    """Seconds of the embedding, and the gap of the objective."""
    results = Results(records)
    header = ["k", "n", "o-FSC, paper", "o-FSC", "s-FSC, paper", "s-FSC", "paper's Ours",
              "ADMM (paper)", "ADMM", "ours"]  # fmt: skip
    gap_header = ["k", "n", *(METHODS[method].title for method in METHOD_NAMES)]
    rows, gaps = [], []
    for k in KS[scale]:
        for n in SIZES[scale]:
            row = [str(k), str(n)]
            for method in METHOD_NAMES:
                if method in PAPER[10, 5000]:
                    row.append(PAPER.get((k, n), {}).get(method, NOTHING))
                row.append(results.text(problem(n), method, k, "seconds"))
            rows.append(row)
            texts = [results.text(problem(n), m, k, "gap", 2) for m in METHOD_NAMES]
            gaps.append([str(k), str(n), *texts])
    return (
        f"Seconds of the embedding; h={GROUPS} as in the captions of the paper (its text says "
        f"h=2).\n\n{markdown_table(header, rows)}\n\nRelative gap of tr(HᵀMH) to the best known, "
        f"after H was made feasible:\n\n{markdown_table(gap_header, gaps)}"
    )


SPEC = Spec("randlaplace", cells, table)
