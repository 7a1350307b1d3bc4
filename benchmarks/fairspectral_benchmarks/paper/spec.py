"""A table or figure of the paper: the cells to compute and how to show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from fairspectral_benchmarks.paper.items import ITEMS

SCALES = ("tiny", "quick", "paper")


@dataclass(frozen=True)
class Cell:
    """One measurement: a method on a problem with k clusters, repeated in trials.

    Specs that name the same cell share it: it is computed once.
    """

    problem: str
    method: str
    k: int
    trial: int

    @property
    def key(self) -> str:
        """Unique, and readable in ``--only`` and in the names of files."""
        return f"{self.problem}/{self.method}/k{self.k}/trial{self.trial}"


def grid(
    problems: Sequence[str], methods: Sequence[str], ks: Sequence[int], trials: int
) -> list[Cell]:
    """All combinations, problem by problem, trials last."""
    return [Cell(*values) for values in product(problems, methods, ks, range(trials))]


@dataclass(frozen=True)
class Spec:
    """One item that can be reproduced.

    Attributes
    ----------
    name : str
        A key of `ITEMS`; on the command line and of the files.
    cells : callable
        From a scale (one of `SCALES`) to the cells.
    table : callable
        From the records (by cell) and the scale to Markdown, the paper's numbers beside ours.
    figure : callable or None
        From the records and the scale to a matplotlib figure.
    """

    name: str
    cells: Callable[[str], list[Cell]]
    table: Callable[[Mapping[Cell, Any], str], str]
    figure: Callable[[Mapping[Cell, Any], str], Any] | None = None

    @property
    def title(self) -> str:
        """In one line."""
        return ITEMS[self.name]
