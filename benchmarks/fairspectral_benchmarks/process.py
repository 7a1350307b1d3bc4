"""Computations in separate processes, which can be stopped at a time limit.

A worker (`work`) reads one request per line (JSON) from standard input and answers on standard
output with lines of ``{"event": ...}``: ``loaded`` or ``missing`` at first, then for each request
``clock`` and ``stopped`` around the part whose time is limited, and ``done`` or ``failed``. It ends
when its input ends, and so also when the requesting process is gone. `Child` is the other side.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from fairspectral_benchmarks.machine import context

_FOLDER = Path(__file__).resolve().parents[1]

DONE, OVER_TIME, FAILED = "done", "over time", "failed"

Say = Callable[..., None]
Compute = Callable[[dict[str, Any], Say], dict[str, Any]]


class MissingDataError(OSError):
    """A data set is missing; the message is the loader's."""


class Child:
    """A worker process, started when it is needed, and again if it has ended.

    Parameters
    ----------
    *words : str
        The arguments of ``python -m``: the worker's module and its arguments.
    environment : mapping or None
        Environment variables in addition to those of this process.
    """

    def __init__(self, *words: str, environment: Mapping[str, str] | None = None) -> None:
        self._words = words
        # Lets the worker import this package even if a script of the clone runs and it is not
        # installed.
        path = os.pathsep.join(filter(None, [str(_FOLDER), os.environ.get("PYTHONPATH")]))
        self._environment = {**os.environ, "PYTHONPATH": path, **(environment or {})}
        self._process: subprocess.Popen[str] | None = None
        self.context: dict[str, Any] = {}

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def ask(self, request: Mapping[str, Any], limit: float) -> tuple[str, dict[str, Any]]:
        """The outcome of a request, with its ``values``, or a ``note`` with the reason."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the worker has ended, and so will its answers
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        timeout = None  # only what is between "clock" and "stopped" counts
        while True:
            try:
                answer = self._answers.get(timeout=timeout)
            except queue.Empty:
                self.stop()
                return OVER_TIME, {"note": f"stopped after {limit:g} s"}
            if answer is None:
                return FAILED, {"note": self._exit_note()}
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
            [sys.executable, "-m", *self._words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=self._environment,
            # Ctrl-C is for this process, which ends the other one.
            start_new_session=True,
        )
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._listening = threading.Thread(
            target=_listen, args=(self._process.stdout, self._answers), daemon=True
        )
        self._listening.start()

    def _exit_note(self) -> str:
        """A note on how a process ended that did not answer."""
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


def work(load: Callable[[], Compute]) -> None:
    """Run a worker: answer the requests on standard input until they end.

    Parameters
    ----------
    load : callable
        Prepares what all requests need, and gives the function that computes the values of one
        from the request and `say`, which it may call with ``"clock"`` and ``"stopped"``.
    """
    # Output of libraries must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(load, Lines(sys.stdin), answers)  # type: ignore[arg-type]


def serve(load: Callable[[], Compute], requests: TextIO, answers: TextIO) -> None:
    """The worker's loop."""

    def say(event: str, **facts: Any) -> None:
        answers.write(json.dumps({"event": event, **facts}) + "\n")
        answers.flush()

    try:
        compute = load()
    except OSError as error:  # a data set is missing
        say("missing", note=str(error))
        return
    say("loaded", context=context())
    for line in requests:
        try:
            values = compute(json.loads(line), say)
        except Exception as error:  # a method that breaks down is a result too
            say("failed", note=f"{type(error).__name__}: {error}")
        else:
            say("done", values=values)


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
