"""When a search ends early: the time is up, somebody asked, or Ctrl-C was pressed once.

A search that can stop at any moment asks `Deadline.passed` between two pieces of work and keeps the
best that it has found. Work is made of smaller work, such as a frontier of several searches: a
deadline that is made within another one passes with it, and one Ctrl-C ends them all.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from typing import Any

from fairspectral.parameters import is_boolean

# Searches under way that take the next Ctrl-C as "enough": the command must not end the process.
_listening = 0

# When a search took a Ctrl-C for the last time, as `time.monotonic` counts.
_taken = -math.inf

# Set by somebody outside, such as a page with a button, to end the searches of a thread.
_asked: ContextVar[threading.Event | None] = ContextVar("asked to stop", default=None)


# The deadline of the work under way, within which others are made.
_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class Deadline:
    """Says when to stop; one that is made within another passes no later than that.

    Parameters
    ----------
    seconds : float or None
        From now; None is no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self._asked, self._outer = _asked.get(), _current.get()
        self._interrupted = False

    def interrupt(self) -> None:
        """Ctrl-C was pressed: this work ends, and all that it is a part of."""
        self._interrupted = True
        if self._outer is not None:
            self._outer.interrupt()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed, which is more than that the time is over."""
        return self._interrupted or (self._outer is not None and self._outer.interrupted)

    @property
    def passed(self) -> bool:
        """Whether to stop."""
        asked = self._asked is not None and self._asked.is_set()
        over = self._interrupted or asked or time.monotonic() >= self._end
        return over or (self._outer is not None and self._outer.passed)

    @property
    def seconds_left(self) -> float:
        """Infinite without a limit."""
        left = max(0.0, self._end - time.monotonic())
        return left if self._outer is None else min(left, self._outer.seconds_left)


def check_time_budget(time_budget: Any) -> None:
    """Refuse a time budget that is not a positive, finite number of seconds; None is no limit."""
    if time_budget is None:
        return
    number = isinstance(time_budget, Real) and not is_boolean(time_budget)
    if not (number and 0 < time_budget < math.inf):
        raise ValueError(
            f"time_budget={time_budget!r} must be a positive, finite number of seconds, or None "
            "for no limit."
        )


@contextmanager
def within(deadline: Deadline) -> Iterator[None]:
    """Deadlines that are made in the ``with`` block pass no later than this one."""
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def stop_on_interrupt(deadline: Deadline) -> Iterator[None]:
    """In the ``with`` block the first Ctrl-C interrupts the deadline; the second raises.

    What was interrupted before does not listen again, so that the next Ctrl-C is the second one.
    Only in the main thread, where Python handles signals, and only where Ctrl-C would raise
    KeyboardInterrupt: a handler of somebody else is left alone.
    """
    global _listening
    before = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if deadline.interrupted or not in_main_thread or before is not signal.default_int_handler:
        with within(deadline):
            yield
        return

    def handle(number: int, frame: Any) -> None:
        global _taken
        _taken = time.monotonic()
        deadline.interrupt()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, handle)
    _listening += 1
    try:
        with within(deadline):
            yield
    finally:
        _listening -= 1
        if signal.getsignal(signal.SIGINT) is handle:
            signal.signal(signal.SIGINT, before)


@contextmanager
def searching(seconds: float | None = None) -> Iterator[Deadline]:
    """Work that one Ctrl-C ends, or the time: its parts have the same deadline."""
    deadline = Deadline(seconds)
    with stop_on_interrupt(deadline):
        yield deadline


@contextmanager
def stop_when(asked: threading.Event) -> Iterator[None]:
    """Once `asked` is set, searches that began in the ``with`` block end with the best so far."""
    token = _asked.set(asked)
    try:
        yield
    finally:
        _asked.reset(token)


class Enough(Exception):
    """Work that takes long is not wanted any more; whoever began it goes on without its result."""


def give_up_when(over: Callable[[], bool]) -> Callable[..., None]:
    """A callback, of a solver or for progress, that raises `Enough` once `over()` is true.

    For work that has no best so far: it is needed whole or not at all.
    """

    def ask(*_: Any) -> None:
        if over():
            raise Enough

    return ask


@contextmanager
def taking_interrupts() -> Iterator[None]:
    """In the ``with`` block Ctrl-C raises KeyboardInterrupt, and the caller has time to end."""
    global _listening
    _listening += 1
    try:
        yield
    finally:
        _listening -= 1


def takes_interrupt() -> bool:
    """Whether somebody deals with Ctrl-C, such as a search that ends with the best so far."""
    return _listening > 0


def took_interrupt(since: float) -> bool:
    """Whether a search, which may be over, took a Ctrl-C since then (`time.monotonic`)."""
    return _taken >= since
