"""Run the cells that are not settled yet, in processes that can be stopped at a time limit."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from fairspectral.experiments.compute import compute_cell
from fairspectral.experiments.machine import machine, versions
from fairspectral.experiments.methods import get_method
from fairspectral.experiments.problems import Instance, read_name
from fairspectral.experiments.spec import Cell
from fairspectral.experiments.store import DONE, FAILED, OVER_MEMORY, OVER_TIME, Record, Store

Listener = Callable[[Record], Any]


class MissingDataError(OSError):
    """A data set is not here; the loader's own sentence."""


def run_cells(
    cells: Iterable[Cell],
    store: Store,
    *,
    limit: float,
    isolated: bool = True,
    listener: Listener = lambda record: None,
) -> list[MissingDataError]:
    """Compute what is not settled, one problem after the other.

    Parameters
    ----------
    cells : iterable of Cell
        What is wanted.
    store : Store
        Where finished cells are, and go.
    limit : float
        Seconds that embedding and rounding of one cell may take.
    isolated : bool
        In processes of their own; otherwise here, and `limit` only shows afterwards.
    listener : callable
        Called with every new record.

    Returns
    -------
    list of MissingDataError
        One for every data set that is not here; the cells of the others are done.
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
                    record = _foregone(cell, overruns, limit) or compute(cell)
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


def _foregone(cell: Cell, overruns: Iterable[Record], limit: float) -> Record | None:
    """The record of a cell whose end is known without running it."""
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
        context = _context(cell, {"versions": versions(), "machine": machine()})
        try:
            values = compute_cell(instance, cell)
        except Exception as error:
            note = f"{type(error).__name__}: {error}"
            return Record(cell, FAILED, note=note, context=context)
        if values["seconds_total"] > limit:
            note = f"took {values['seconds_total']:.3g} s"
            return Record(cell, OVER_TIME, note=note, limit=limit, context=context)
        return Record(cell, DONE, values, limit=limit, context=context)

    yield compute


@contextmanager
def _isolated(problem: str, limit: float) -> Iterator[Callable[[Cell], Record]]:
    child = _Child(problem)

    def compute(cell: Cell) -> Record:
        outcome, facts = child.ask(cell, limit)
        context = _context(cell, child.context)
        return Record(cell, outcome, limit=limit, context=context, **facts)

    try:
        yield compute
    finally:
        child.stop()


class _Child:
    """The worker process of one problem, started when it is needed and again after its end."""

    def __init__(self, problem: str) -> None:
        self._problem = problem
        self._process: subprocess.Popen[str] | None = None
        self.context: dict[str, Any] = {}

    def ask(self, cell: Cell, limit: float) -> tuple[str, dict[str, Any]]:
        """The outcome of a cell, and ``values`` or a ``note``."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # then it has ended, and so do its answers
            self._process.stdin.write(json.dumps(asdict(cell)) + "\n")
            self._process.stdin.flush()
        timeout = None  # preparing an affinity and scoring do not count
        while True:
            try:
                answer = self._answers.get(timeout=timeout)
            except queue.Empty:
                self.stop()
                return OVER_TIME, {"note": f"stopped after {limit:g} s"}
            if answer is None:
                return FAILED, {"note": self._last_words()}
            match answer.pop("event"):
                case "loaded":
                    self.context = answer["context"]
                case "missing":
                    raise MissingDataError(answer["note"])
                case "clock":
                    timeout = limit
                case "stopped":
                    timeout = None
                case "failed":
                    return FAILED, answer
                case "done" if answer["values"]["seconds_total"] > limit:
                    return OVER_TIME, {"note": f"took {answer['values']['seconds_total']:.3g} s"}
                case "done":
                    return DONE, answer

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._listening.join()
            for stream in (self._process.stdin, self._process.stdout, self._errors):
                if stream is not None:
                    with suppress(BrokenPipeError):  # a request that was not read
                        stream.close()
            self._process = None

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile(  # noqa: SIM115 - closed by `stop`
            mode="w+", encoding="utf-8", errors="replace"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fairspectral.experiments.worker", self._problem],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            # Ctrl-C is for this process, which ends the other one.
            start_new_session=True,
        )
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._listening = threading.Thread(
            target=_listen, args=(self._process.stdout, self._answers), daemon=True
        )
        self._listening.start()

    def _last_words(self) -> str:
        """How a process ended that did not answer."""
        assert self._process is not None
        status = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().split("\n")
        self.stop()
        said = next((line for line in reversed(lines) if line.strip()), "")
        killed = " (often for want of memory)" if status == -9 else ""
        return f"ended with status {status}{killed} {said}".strip()


def _listen(stream: Any, answers: queue.Queue[dict[str, Any] | None]) -> None:
    """Pass the answers on, and None when they end."""
    for line in stream:
        answers.put(json.loads(line))
    answers.put(None)
