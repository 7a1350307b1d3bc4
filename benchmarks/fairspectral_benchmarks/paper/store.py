"""The finished cells on disk: one small JSON file each, so that stores merge by copying."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fairspectral_benchmarks.files import read_json, write_json
from fairspectral_benchmarks.paper.spec import Cell
from fairspectral_benchmarks.process import DONE, OVER_TIME

OVER_MEMORY = "over memory"


@dataclass(frozen=True)
class Record:
    """The outcome of a cell.

    Attributes
    ----------
    cell : Cell
        The cell.
    outcome : str
        ``"done"``, ``"over time"``, ``"over memory"`` or ``"failed"``.
    values : dict
        The numbers, if done.
    note : str
        Otherwise the reason, in a sentence.
    limit : float or None
        The seconds that were allowed.
    context : dict
        Seed, versions, machine, date.
    """

    cell: Cell
    outcome: str
    values: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    limit: float | None = None
    context: dict[str, Any] = field(default_factory=dict)

    def settled(self, limit: float) -> bool:
        """Whether another run under this time limit would have the same outcome."""
        if self.outcome == OVER_TIME:
            return self.limit is not None and self.limit >= limit
        return self.outcome in (DONE, OVER_MEMORY)


class Store:
    """The records in a folder.

    Parameters
    ----------
    folder : path-like
        Created if missing.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder) / "cells"
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, cell: Cell) -> Path:
        """The file of a cell."""
        return self.folder / f"{cell.key.replace('/', '__').replace(':', '--')}.json"

    def read(self, cell: Cell) -> Record | None:
        """The record of a cell, or None; a file that is not a record counts as none."""
        stored = read_json(self.path(cell))
        try:
            return Record(**{**stored, "cell": Cell(**stored["cell"])})
        except (TypeError, KeyError):
            return None

    def is_settled(self, cell: Cell, limit: float) -> bool:
        """Whether a cell need not be run under a time limit."""
        record = self.read(cell)
        return record is not None and record.settled(limit)

    def write(self, record: Record) -> None:
        """Keep a record, in one step."""
        write_json(self.path(record.cell), asdict(record))
