"""Table 3: clustering cost, balance and speed-up on the real data sets, k=25."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.methods import METHODS
from fairspectral_benchmarks.paper.real_sets import ABOUT, PROBLEMS, K, paper_number, real_cells
from fairspectral_benchmarks.paper.results import NOTHING, Results
from fairspectral_benchmarks.paper.spec import Cell, Spec
from fairspectral_benchmarks.problems import read_name

METHOD_NAMES = ("s-fsc", "admm-paper", "admm", "ours", "ours-fair")

COST = {
    "lastfm": {"s-fsc": "1.057 ± 0.063", "admm-paper": "1.086 ± 0.074"},
    "thyroid": {"s-fsc": "0.353 ± 0.020", "admm-paper": "0.353 ± 0.018"},
    "census": {"s-fsc": "134.539 ± 3.667", "admm-paper": "130.973 ± 14.371"},
    "4area": {"s-fsc": "235.268 ± 6.084", "admm-paper": "242.000 ± 10.303"},
}
BALANCE = {
    "lastfm": {"s-fsc": "0.0105 ± 0.0020", "admm-paper": "0.0093 ± 0.0015"},
    "thyroid": {"s-fsc": "0.0029 ± 0.0005", "admm-paper": "0.0030 ± 0.0004"},
    "census": {"s-fsc": "0.0004 ± 0.0001", "admm-paper": "0.0004 ± 0.0001"},
    "4area": {"s-fsc": "0.3884 ± 0.0150", "admm-paper": "0.3823 ± 0.0200"},
}
TIME = {
    "lastfm": {"s-fsc": "4.16×", "admm-paper": "1×"},
    "thyroid": {"s-fsc": "4.13×", "admm-paper": "1×"},
    "census": {"s-fsc": "8.65×", "admm-paper": "1×"},
    "4area": {"s-fsc": "6.45×", "admm-paper": "1×"},
}


def cells(scale: str) -> list[Cell]:
    """The methods of the paper's table, ours, and ours with fair rounding."""
    return real_cells(METHOD_NAMES, scale)


def table(records: Mapping[Cell, Any], scale: str) -> str:
    """Costs in every definition, balance, and the time in multiples of ours."""
    results, k = Results(records), K[scale]
    header = [
        "data set", "method", "cost, paper", "normalised cut", "ratio cut", "k − tr(HᵀMH)", "gap",
        "balance, paper", "balance", "time, paper", "time",
    ]  # fmt: skip
    rows = []
    for problem in PROBLEMS[scale]:
        for method in METHOD_NAMES:
            place = (problem, method, k)
            rows.append([
                read_name(problem).title, METHODS[method].title,
                paper_number(COST, problem, method),
                results.text(*place, "normalized_cut", 4), results.text(*place, "ratio_cut", 4),
                results.text(*place, "spectral_cost", 4), results.text(*place, "gap", 2),
                paper_number(BALANCE, problem, method), results.text(*place, "balance"),
                paper_number(TIME, problem, method), _multiple(results, problem, method, k),
            ])  # fmt: skip
    return (
        f"k={k}. {ABOUT}\n\n"
        "The normalised cut and the ratio cut are those of the labels. The spectral cost "
        "k − tr(HᵀMH) and the gap of tr(HᵀMH) to the best known, after H was made feasible, are "
        "those of the embedding. Time is that of the embedding in multiples of ours (in the "
        "paper: of its ADMM).\n\n" + markdown_table(header, rows)
    )


def _multiple(results: Results, problem: str, method: str, k: int) -> str:
    time, ours = (results.mean(problem, m, k, "seconds") for m in (method, "ours"))
    return NOTHING if time is None or ours is None else f"{time / ours:.2f}×"


SPEC = Spec("table3", cells, table)
