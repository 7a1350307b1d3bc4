"""Progress of long computations: the library reports it, and listeners show it.

The library never prints. It calls `report`, which does nothing unless a listener was installed
with `listening`; the command does so, and a notebook can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["listening"]

# The stages of a clustering, in order.
AFFINITY, EMBEDDING, ROUNDING = "affinity", "embedding", "rounding"
STAGES = (AFFINITY, EMBEDDING, ROUNDING)

Listener = Callable[[str, float | None], Any]
NoteListener = Callable[[str, str], Any]

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())
_note_listeners: ContextVar[tuple[NoteListener, ...]] = ContextVar("note_listeners", default=())


def report(stage: str, done: float | None = None) -> None:
    """Report that `stage` is under way, and the fraction that is done where it is known.

    Parameters
    ----------
    stage : str
        One of `STAGES`, or another name that a listener may show.
    done : float or None
        Between 0 and 1; 1 ends the stage.
    """
    for listener in _listeners.get():
        listener(stage, done)


def note(stage: str, words: str) -> None:
    """Say in a few words how `stage` is doing, such as the best cut so far."""
    for listener in _note_listeners.get():
        listener(stage, words)


@contextmanager
def listening(listener: Listener, notes: NoteListener | None = None) -> Iterator[None]:
    """Call ``listener(stage, done)`` at every report made inside the ``with`` block.

    ``notes(stage, words)`` is called where a stage has something to say.

    Examples
    --------
    >>> from fairspectral.progress import listening, report
    >>> with listening(lambda stage, done: print(stage, done)):
    ...     report("affinity", 0.5)
    affinity 0.5
    """
    token = _listeners.set((*_listeners.get(), listener))
    added = () if notes is None else (notes,)
    note_token = _note_listeners.set((*_note_listeners.get(), *added))
    try:
        yield
    finally:
        _note_listeners.reset(note_token)
        _listeners.reset(token)


@contextmanager
def unheard() -> Iterator[None]:
    """No listener hears what is reported in the ``with`` block: the steps of a longer work."""
    tokens = _listeners.set(()), _note_listeners.set(())
    try:
        yield
    finally:
        _listeners.reset(tokens[0])
        _note_listeners.reset(tokens[1])


@contextmanager
def compilation(listener: Callable[[bool], Any]) -> Iterator[None]:
    """Call ``listener(True)`` when code is compiled inside the ``with`` block, False after it.

    The kernels of the rounding are compiled when they are first called, which takes ten
    seconds and more, and kept on disk for all later runs. Code that is found there is not
    compiled, and nothing is called.
    """
    from numba.core import event

    class Compilation(event.Listener):
        depth = 0  # kernels that call others compile them in the middle of their own

        def on_start(self, _: Any) -> None:
            self.depth += 1
            if self.depth == 1:
                listener(True)

        def on_end(self, _: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                listener(False)

    with event.install_listener("numba:compile", Compilation()):
        yield


class GapMeter:
    """Estimates the fraction done of an iteration from its gaps, which fall geometrically to `tol`.

    The logarithm of the gap is taken to fall in a straight line from the first known gap, so
    the fraction of the way down is the fraction of the iterations done.

    Parameters
    ----------
    tol : float
        The gap at which the iteration stops.
    """

    def __init__(self, tol: float) -> None:
        self._end = math.log(tol)
        self._start: float | None = None
        self._done = 0.0

    def read(self, gap: float | None) -> float | None:
        """The fraction done, never falling; None until a gap is known."""
        if gap is not None and 0 <= gap < math.inf:
            height = math.log(max(gap, 1e-300))
            if self._start is None:
                # The gap before the first iteration is not known; half a decade above the
                # first one is a fair guess.
                self._start = max(height, self._end) + math.log(10) / 2
            done = (self._start - height) / (self._start - self._end)
            self._done = max(self._done, min(done, 1.0))
        return None if self._start is None else self._done
