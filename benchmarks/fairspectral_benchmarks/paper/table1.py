"""Table 1: runtime and balance on the fair block model (m-SBM), k=50, h=5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.methods import METHODS
from fairspectral_benchmarks.paper.results import NOTHING, Results
from fairspectral_benchmarks.paper.spec import Cell, Spec, grid
from fairspectral_benchmarks.problems import MSBM_PROBABILITIES, read_name

METHOD_NAMES = ("o-fsc", "s-fsc", "admm-paper", "admm", "ours")
SIZES = {"tiny": (160, 200), "quick": (1500, 2500), "paper": (5000, 7500, 10000)}
K = {"tiny": 4, "quick": 15, "paper": 50}
TRIALS = {"tiny": 1, "quick": 2, "paper": 5}

# (time, deviation from its Table of the appendix, balance); "Ours" there is its ADMM.
PAPER = {
    (5000, "o-fsc"): ("96.39 ± 3.62", "1.00"),
    (5000, "s-fsc"): ("75.61 ± 2.58", "1.00"),
    (5000, "admm-paper"): ("3.29 ± 0.11", "1.00"),
    (7500, "o-fsc"): ("235.62 ± 4.48", "1.0"),
    (7500, "s-fsc"): ("88.99 ± 4.35", "1.0"),
    (7500, "admm-paper"): ("5.29 ± 0.21", "1.0"),
    (10000, "o-fsc"): ("495.70 ± 9.49", "1.0"),
    (10000, "s-fsc"): ("107.94 ± 5.10", "1.0"),
    (10000, "admm-paper"): ("9.19 ± 0.36", "1.0"),
}


def problems(scale: str) -> list[str]:
    """The names of the graphs."""
    return [f"msbm-{n}x{K[scale]}" for n in SIZES[scale]]


def cells(scale: str) -> list[Cell]:
    """Every method on every graph."""
    return grid(problems(scale), METHOD_NAMES, [K[scale]], TRIALS[scale])


def table(records: Mapping[Cell, Any], scale: str) -> str:
    """Time and balance, the paper's beside ours."""
    results, k = Results(records), K[scale]
    header = ["n", "method", "time, paper (s)", "time (s)", "with k-means (s)",
              "balance, paper", "balance", "gap"]  # fmt: skip
    rows = []
    for problem in problems(scale):
        n = read_name(problem).n
        for method in METHOD_NAMES:
            paper = PAPER.get((n, method), (NOTHING, NOTHING))
            place = (problem, method, k)
            rows.append([
                str(n), METHODS[method].title, paper[0], results.text(*place, "seconds"),
                results.text(*place, "seconds_total"), paper[1],
                results.text(*place, "balance"), results.text(*place, "gap", 2),
            ])  # fmt: skip
    return (
        f"k={k}, h=5. The paper gives the scale (log n / n)^(1/10) of the edge probabilities but "
        "not the probabilities themselves; here they are "
        f"{', '.join(map(str, MSBM_PROBABILITIES))} times the scale (same cluster and group, "
        "same group, same cluster, neither), with which the planted clusters can be recovered.\n\n"
        + markdown_table(header, rows)
    )


SPEC = Spec("table1", cells, table)
