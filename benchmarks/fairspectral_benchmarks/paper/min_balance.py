"""Minimum balance on the real data sets, k=25 (a table of the appendix)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral_benchmarks.pages import markdown_table
from fairspectral_benchmarks.paper.methods import METHODS
from fairspectral_benchmarks.paper.real_sets import ABOUT, PROBLEMS, K, paper_number, real_cells
from fairspectral_benchmarks.paper.results import Results
from fairspectral_benchmarks.paper.spec import Cell, Spec
from fairspectral_benchmarks.problems import read_name

METHOD_NAMES = ("s-fsc", "admm-paper", "admm", "ours", "ours-fair")

TIME = {
    "lastfm": {"s-fsc": "19.08", "admm-paper": "4.59"},
    "thyroid": {"s-fsc": "30.49", "admm-paper": "7.38"},
    "census": {"s-fsc": "136.60", "admm-paper": "15.78"},
    "4area": {"s-fsc": "166.92", "admm-paper": "25.85"},
}
MIN_BALANCE = {
    "lastfm": {"s-fsc": "0.0027", "admm-paper": "0.0029"},
    "thyroid": {"s-fsc": "0.0011", "admm-paper": "0.0012"},
    "census": {"s-fsc": "0.0001", "admm-paper": "0.0001"},
    "4area": {"s-fsc": "0.1582", "admm-paper": "0.1517"},
}


def cells(scale: str) -> list[Cell]:
    """The cells of Table 3."""
    return real_cells(METHOD_NAMES, scale)


def table(records: Mapping[Cell, Any], scale: str) -> str:
    """Time and the balance of the worst cluster."""
    results, k = Results(records), K[scale]
    header = [
        "data set", "method", "time, paper (s)", "time (s)", "minimum balance, paper",
        "minimum balance", "smallest above 0", "average balance",
    ]  # fmt: skip
    rows = [
        [
            read_name(problem).title,
            METHODS[method].title,
            paper_number(TIME, problem, method),
            results.text(problem, method, k, "seconds"),
            paper_number(MIN_BALANCE, problem, method),
            results.text(problem, method, k, "min_balance"),
            results.text(problem, method, k, "min_positive_balance"),
            results.text(problem, method, k, "balance"),
        ]
        for problem in PROBLEMS[scale]
        for method in METHOD_NAMES
    ]
    return (
        f"k={k}. {ABOUT}\n\nTime is that of the embedding. The balance of a cluster where a group "
        "is absent is 0. On Census the smallest group has 23 members, so that 25 clusters cannot "
        'all have one, and the minimum is 0 for any method; the column "smallest above 0" leaves '
        f"such clusters out.\n\n{markdown_table(header, rows)}"
    )


SPEC = Spec("min-balance", cells, table)
