"""When a search must end: its time is over, somebody asked it to, or Ctrl-C was pressed."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

from fairspectral.anytime import Deadline
from fairspectral.progress import ROUNDING, note
from fairspectral.progress import report as show

# Called with the fraction done and the best cut so far; a true answer ends the search.
Report = Callable[[float, float], Any]


class Watch:
    """Counts the work of a search, shows its progress and tells it when to stop.

    Parameters
    ----------
    work : float
        The steps that the whole search will make.
    deadline : Deadline or None
        When it stops.
    report : callable or None
        Called now and then, in the thread that made the watch.
    progress : tuple of two floats
        Fractions of the whole rounding at which the search begins and ends.
    """

    def __init__(
        self,
        work: float,
        deadline: Deadline | None = None,
        report: Report | None = None,
        progress: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self._work, self._report, self._progress = max(work, 1.0), report, progress
        self._deadline = deadline or Deadline()
        self._owner, self._done = threading.get_ident(), 0.0
        self._lock = threading.Lock()
        self.best, self.interrupted = math.inf, False

    def stopped(self, steps: float = 0.0) -> bool:
        """Whether to stop, after so many more steps."""
        with self._lock:
            self._done += steps
        if threading.get_ident() == self._owner and not self.interrupted:
            done = min(self._done / self._work, 1.0)
            begin, end = self._progress
            show(ROUNDING, begin + (end - begin) * done)
            if self.best < math.inf:
                note(ROUNDING, f"cut {self.best:.4g}")
            if self._report is not None and self._report(done, self.best):
                self.interrupted = True
        if self._deadline.passed:
            self.interrupted = True
        return self.interrupted
