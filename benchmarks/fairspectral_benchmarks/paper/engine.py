"""Reproduce items of the paper: compute the missing cells, and write complete items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fairspectral.parameters import check_choice
from fairspectral.progress import report
from fairspectral_benchmarks.figures import check_matplotlib
from fairspectral_benchmarks.paper.catalogue import SPECS
from fairspectral_benchmarks.paper.documents import write_item
from fairspectral_benchmarks.paper.items import ALL
from fairspectral_benchmarks.paper.runner import run_cells
from fairspectral_benchmarks.paper.spec import SCALES, Cell, Spec
from fairspectral_benchmarks.paper.store import Record, Store
from fairspectral_benchmarks.problems import read_name

LIMITS = {"tiny": 60.0, "quick": 20.0, "paper": 300.0}
STAGE = "cells"


def reproduce(
    name: str,
    *,
    scale: str = "quick",
    out: str | Path | None = None,
    limit: float | None = None,
    only: str = "",
    trials: int | None = None,
    figures: bool = True,
    isolated: bool = True,
    listener: Callable[[Record], Any] = lambda record: None,
) -> list[Path]:
    """Reproduce one item, or ``"all"``.

    Parameters
    ----------
    name : str
        A key of `SPECS`, or ``"all"``.
    scale : {"quick", "paper", "tiny"}
        Sizes and trials; ``"tiny"`` is for tests and needs no data files.
    out : path-like or None
        Folder for results, and for finished cells, which are not computed again; None is
        ``reproduction/<scale>``.
    limit : float or None
        Seconds that one cell may take; None is 20 at the quick scale, 300 at the paper's.
    only : str
        Compute only cells whose key contains it; tables show all that the folder has.
    trials : int or None
        Largest number of trials to compute.
    figures : bool
        Also draw the figures, which needs matplotlib.
    isolated : bool
        Compute in separate processes, which can be stopped at the limit.
    listener : callable
        Called with the record of each cell that was computed.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    FileNotFoundError
        If a data set is missing, after everything else is done; the message is the loader's.
    """
    check_choice(name, [*SPECS, ALL], "table")
    check_choice(scale, SCALES, "scale")
    specs = list(SPECS.values()) if name == ALL else [SPECS[name]]
    if figures and any(spec.figure for spec in specs):
        check_matplotlib()  # before hours of computing
    # A cell that several items share is computed once.
    cells = [
        cell
        for cell in dict.fromkeys(cell for spec in specs for cell in spec.cells(scale))
        if only in cell.key and (trials is None or cell.trial < trials)
    ]
    if only and not cells:
        example = specs[0].cells(scale)[0].key
        raise ValueError(f"no cell has {only!r} in its key; keys look like {example!r}.")
    folder = Path("reproduction", scale) if out is None else Path(out)
    store = Store(folder)
    limit = LIMITS[scale] if limit is None else limit
    unsettled = [cell for cell in cells if not store.is_settled(cell, limit)]
    waiting = {spec.name: set(unsettled) & set(spec.cells(scale)) for spec in specs}
    meter = _Meter(unsettled)
    written: list[Path] = []

    def write(spec: Spec) -> None:
        records = {c: r for c in spec.cells(scale) if (r := store.read(c)) is not None}
        written.extend(write_item(spec, records, scale, folder, figures=figures))

    def on_record(record: Record) -> None:
        meter.add(record.cell)
        listener(record)
        for spec in specs:
            if waiting[spec.name] == {record.cell}:  # its last one
                write(spec)
            waiting[spec.name].discard(record.cell)

    for spec in specs:
        if not waiting[spec.name]:
            write(spec)
    missing = run_cells(cells, store, limit=limit, isolated=isolated, listener=on_record)
    for spec in specs:
        if waiting[spec.name]:  # some data are missing: show what there is
            write(spec)
    if missing:
        raise FileNotFoundError(str(missing[0]))
    return written


class _Meter:
    """Progress over the cells, by a rough measure of their cost, ``n² k``."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._total = sum(map(_cost, cells))
        self._done = 0.0
        report(STAGE, 0.0)

    def add(self, cell: Cell) -> None:
        """Count a cell as done."""
        self._done += _cost(cell)
        report(STAGE, self._done / self._total)


def _cost(cell: Cell) -> float:
    return float(read_name(cell.problem).n) ** 2 * cell.k
