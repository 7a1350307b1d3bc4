"""Records summed up over trials, as numbers and as the text of a table's entry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairspectral_benchmarks.paper.spec import Cell
from fairspectral_benchmarks.paper.store import OVER_MEMORY, Record
from fairspectral_benchmarks.process import DONE, OVER_TIME

NOTHING = "–"


class Results:
    """The records of one spec, by problem, method and k.

    Parameters
    ----------
    records : mapping from Cell to Record
        Records of all trials; cells that were not run may be absent.
    """

    def __init__(self, records: Mapping[Cell, Record]) -> None:
        self._groups: dict[tuple[str, str, int], list[Record]] = {}
        for cell, record in records.items():
            self._groups.setdefault((cell.problem, cell.method, cell.k), []).append(record)

    def values(self, problem: str, method: str, k: int, field: str) -> list[float]:
        """One number per finished trial."""
        records = self._groups.get((problem, method, k), [])
        done = [record.values for record in records if record.outcome == DONE]
        return [float(values[field]) for values in done if values.get(field) is not None]

    def mean(self, problem: str, method: str, k: int, field: str) -> float | None:
        """Over the finished trials; None if there are none."""
        values = self.values(problem, method, k, field)
        return float(np.mean(values)) if values else None

    def text(self, problem: str, method: str, k: int, field: str, digits: int = 3) -> str:
        """``mean ± deviation``, or the reason for a missing number."""
        values = self.values(problem, method, k, field)
        if values:
            return spread(values, digits)
        for record in self._groups.get((problem, method, k), []):
            if record.outcome == OVER_TIME:
                return f"over {record.limit:g} s"
            if record.outcome == OVER_MEMORY:
                return "over memory"
            return NOTHING if record.outcome == DONE else "failed"
        return NOTHING

    def first(self, problem: str, method: str, k: int) -> dict[str, Any] | None:
        """All values of the first finished trial."""
        records = self._groups.get((problem, method, k), [])
        done = [record for record in records if record.outcome == DONE]
        return min(done, key=lambda record: record.cell.trial).values if done else None


def with_gaps(records: Mapping[Cell, Record]) -> dict[Cell, Record]:
    """The records with ``gap``: of the feasible objective to the best one known, relatively."""
    best: dict[tuple[str, int], float] = {}
    for cell, record in records.items():
        if record.outcome == DONE:
            place = (cell.problem, cell.k)
            found = record.values["feasible_objective"]
            best[place] = max(best.get(place, -math.inf), found)
    complete = {}
    for cell, record in records.items():
        values = record.values
        if record.outcome == DONE:
            top = best[cell.problem, cell.k]
            values = {**values, "gap": (top - values["feasible_objective"]) / top}
        complete[cell] = Record(**{**vars(record), "values": values})
    return complete


def spread(values: Sequence[float], digits: int = 3) -> str:
    """``mean ± deviation`` with this many significant digits of the mean; or one value."""
    mean = float(np.mean(values))
    deviation = f" ± {_number(float(np.std(values)), mean, digits)}" if len(values) > 1 else ""
    return _number(mean, mean, digits) + deviation


def _number(value: float, size: float, digits: int) -> str:
    """A number in the notation that suits numbers of a size."""
    size = abs(size)
    if not math.isfinite(size):
        return str(value)
    if 1e-3 <= size < 1e5:
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        return f"{value:.{decimals}f}"
    return f"{value:.{max(0, digits - 2)}e}" if value else "0"
