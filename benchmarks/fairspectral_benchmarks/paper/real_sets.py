"""The four real data sets with k=25, which Tables 2, 3 and 4 and the minimum balance share."""

from __future__ import annotations

from fairspectral_benchmarks.paper.spec import Cell, grid
from fairspectral_benchmarks.problems import read_name

K = {"tiny": 4, "quick": 25, "paper": 25}
TRIALS = {"tiny": 1, "quick": 2, "paper": 5}
# At the tiny scale, data that need no files are used instead.
PROBLEMS = {
    "tiny": ("msbm-160x4", "diabetes@150"),
    "quick": ("lastfm", "thyroid@2000", "census@2000", "4area@2000"),
    "paper": ("lastfm", "thyroid", "census", "4area"),
}


ABOUT = (
    "RBF kernels with γ=1/d on standardised features, on Thyroid γ=0.01/d, as in the paper, which "
    "does not mention standardising; 4area is standardised because on the coordinates as "
    "published the balance was far from the paper's (0.13 against 0.38). Groups of Census: "
    "marital status."
)


def real_cells(methods: tuple[str, ...], scale: str) -> list[Cell]:
    """The cells of some methods on the data sets."""
    return grid(PROBLEMS[scale], methods, [K[scale]], TRIALS[scale])


def paper_number(table: dict[str, dict[str, str]], problem: str, column: str) -> str:
    """The paper's number for a data set, at full size only."""
    return table.get(read_name(problem).family, {}).get(column, "–")
