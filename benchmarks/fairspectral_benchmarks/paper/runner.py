"""Run the cells that are not settled yet, in processes that can be stopped at a time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from fairspectral_benchmarks import machine
from fairspectral_benchmarks.paper.compute import compute_cell
from fairspectral_benchmarks.paper.methods import get_method
from fairspectral_benchmarks.paper.spec import Cell
from fairspectral_benchmarks.paper.store import OVER_MEMORY, Record, Store
from fairspectral_benchmarks.problems import Instance, read_name
from fairspectral_benchmarks.process import DONE, FAILED, OVER_TIME, Child, MissingDataError

Listener = Callable[[Record], Any]


def run_cells(
    cells: Iterable[Cell],
    store: Store,
    *,
    limit: float,
    isolated: bool = True,
    listener: Listener = lambda record: None,
) -> list[MissingDataError]:
    """Compute the cells that are not settled, one problem after the other.

    Parameters
    ----------
    cells : iterable of Cell
        The cells to compute.
    store : Store
        The store of finished cells.
    limit : float
        Seconds that embedding and rounding of one cell may take.
    isolated : bool
        Use separate processes; otherwise this one, where `limit` is applied afterwards.
    listener : callable
        Called with every new record.

    Returns
    -------
    list of MissingDataError
        One for every missing data set; the cells of the others are done.
    """

    def keep(record: Record) -> None:
        store.write(record)
        listener(record)

    missing: list[MissingDataError] = []
    overruns: list[Record] = []
    todo = []
    for cell in sorted(cells, key=_order):
        record = store.read(cell)
        if record is not None and record.settled(limit):
            if record.outcome == OVER_TIME:
                overruns.append(record)
        else:
            todo.append(cell)
    for problem, group in groupby(todo, key=lambda cell: cell.problem):
        worker = (_isolated if isolated else _in_process)(problem, limit)
        try:
            with worker as compute:
                for cell in group:
                    record = _known_failure(cell, overruns, limit) or compute(cell)
                    if record.outcome == OVER_TIME:
                        overruns.append(record)
                    keep(record)
        except MissingDataError as error:
            missing.append(error)
    return missing


def _order(cell: Cell) -> tuple[Any, ...]:
    """Problem by problem, small ones first; in a problem, small k and first trials first."""
    name = read_name(cell.problem)
    return name.n, cell.problem, cell.method, cell.k, cell.trial


def _known_failure(cell: Cell, overruns: Iterable[Record], limit: float) -> Record | None:
    """The record of a cell whose failure is known without running it, or None."""
    method, name = get_method(cell.method), read_name(cell.problem)
    if method.largest_n is not None and name.n > method.largest_n:
        note = f"{method.title} holds several n×n arrays, which do not fit in 16 GB at n={name.n}"
        return Record(cell, OVER_MEMORY, note=note, context=_context(cell, {}))
    for overrun in overruns:
        other = overrun.cell
        if other.method != cell.method:
            continue
        same = (other.problem, other.k) == (cell.problem, cell.k)
        if same or (method.grows and _at_least_as_large(cell, other)):
            note = f"not run: {other.key} took more than {limit:g} s"
            return Record(cell, OVER_TIME, note=note, limit=limit, context=_context(cell, {}))
    return None


def _at_least_as_large(cell: Cell, other: Cell) -> bool:
    name, smaller = read_name(cell.problem), read_name(other.problem)
    return name.family == smaller.family and name.n >= smaller.n and cell.k >= other.k


def _context(cell: Cell, facts: dict[str, Any]) -> dict[str, Any]:
    return {"seed": cell.trial, "date": datetime.now(UTC).isoformat(timespec="seconds"), **facts}


@contextmanager
def _in_process(problem: str, limit: float) -> Iterator[Callable[[Cell], Record]]:
    try:
        instance = Instance(problem)
    except OSError as error:
        raise MissingDataError(str(error)) from error

    def compute(cell: Cell) -> Record:
        facts: dict[str, Any]
        try:
            outcome, facts = DONE, {"values": compute_cell(instance, cell)}
        except Exception as error:
            outcome, facts = FAILED, {"note": f"{type(error).__name__}: {error}"}
        return _record(cell, outcome, facts, limit, machine.context())

    yield compute


@contextmanager
def _isolated(problem: str, limit: float) -> Iterator[Callable[[Cell], Record]]:
    with child_of(problem) as child:

        def compute(cell: Cell) -> Record:
            outcome, facts = child.ask(asdict(cell), limit)
            return _record(cell, outcome, facts, limit, child.context)

        yield compute


def child_of(problem: str) -> Child:
    """The worker process of one problem."""
    return Child("fairspectral_benchmarks.paper.worker", problem)


def _record(
    cell: Cell, outcome: str, facts: dict[str, Any], limit: float, context: dict[str, Any]
) -> Record:
    """The record of a cell that was run; without numbers if it exceeded the limit."""
    if outcome == DONE and facts["values"]["seconds_total"] > limit:
        note = f"took {facts['values']['seconds_total']:.3g} s"
        outcome, facts = OVER_TIME, {"note": note}
    return Record(cell, outcome, limit=limit, context=_context(cell, context), **facts)
