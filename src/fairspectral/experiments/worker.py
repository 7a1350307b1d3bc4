"""A process of its own for the cells of one problem: ``python -m ...worker PROBLEM``.

It loads the problem once, then reads one cell per line (JSON) from standard input and answers
on standard output with lines of ``{"event": ...}``: ``loaded`` or ``missing`` at first, then for
each cell ``clock`` and ``stopped`` around the timed part, and ``done`` or ``failed``. It ends with
its input, that is also when the process that asked is gone.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from contextlib import suppress
from typing import Any, TextIO

from fairspectral.experiments.compute import compute_cell
from fairspectral.experiments.machine import machine, versions
from fairspectral.experiments.problems import Instance
from fairspectral.experiments.spec import Cell


def serve(problem: str, requests: TextIO, answers: TextIO) -> None:
    """Answer requests about one problem until they end."""

    def say(event: str, **facts: Any) -> None:
        answers.write(json.dumps({"event": event, **facts}) + "\n")
        answers.flush()

    try:
        instance = Instance(problem)
    except OSError as error:  # a data set that is not here, in the loader's sentence
        say("missing", note=str(error))
        return
    say("loaded", context={"versions": versions(), "machine": machine()})
    warm: set[str] = set()
    for line in requests:
        cell = Cell(**json.loads(line))
        if cell.method not in warm:
            _warm_up(instance.small_kin, cell.method)
            warm.add(cell.method)
        try:
            values = compute_cell(instance, cell, tell=say)
        except Exception as error:  # a method that breaks down is a result too
            say("failed", note=f"{type(error).__name__}: {error}")
        else:
            say("done", values=values)


def _warm_up(problem: str, method: str) -> None:
    """Import and compile on a small problem, so that no measured time includes it."""
    with suppress(Exception):  # it will show in the cell itself
        compute_cell(Instance(problem), Cell(problem, method, 2, 0))


class Lines:
    """Lines of a stream, read ahead in a thread that ends the process when they end."""

    def __init__(self, stream: TextIO) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        self._stream = stream
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        for line in self._stream:
            self._lines.put(line)
        os._exit(0)

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        return self._lines.get()


if __name__ == "__main__":  # pragma: no cover - in a process of its own
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.argv[1], Lines(sys.stdin), answers)  # type: ignore[arg-type]
