"""When a search must end: its time is over, somebody asked it to, or Ctrl-C was pressed."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

from fairspectral.progress import ROUNDING
from fairspectral.progress import report as show

# Called with the fraction done and the best cut so far; a true answer ends the search.
Report = Callable[[float, float], Any]


class Watch:
    """Counts the work of a search, shows its progress and tells it when to stop.

    Parameters
    ----------
    work : float
        The steps that the whole search will make.
    time_budget : float or None
        Seconds from now after which it stops.
    report : callable or None
        Called now and then, in the thread that made the watch.
    progress : tuple of two floats
        Fractions of the whole rounding at which the search begins and ends.
    """

    def __init__(
        self,
        work: float,
        time_budget: float | None = None,
        report: Report | None = None,
        progress: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self._work, self._report, self._progress = max(work, 1.0), report, progress
        self._end = math.inf if time_budget is None else time.monotonic() + time_budget
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
            if self._report is not None and self._report(done, self.best):
                self.interrupted = True
        if time.monotonic() > self._end:
            self.interrupted = True
        return self.interrupted
