"""The state of the page: one table, and one run of it."""

from __future__ import annotations

import threading

from fairspectral.app.choices import Choices
from fairspectral.app.job import Job
from fairspectral.app.limits import Limits
from fairspectral.app.result import Result, compute
from fairspectral.app.sentences import Refused
from fairspectral.app.sheet import Sheet

_BUSY = "a run is under way; stop it first, or wait until it has ended."


class Session:
    """What all tabs of the page share.

    Parameters
    ----------
    limits : Limits
        Of tables.
    sheet : Sheet or None
        The table to begin with.

    Attributes
    ----------
    number : int
        Of the current run, so that an older tab does not export the labels of a newer run.
    """

    def __init__(self, limits: Limits, sheet: Sheet | None = None) -> None:
        self.limits, self.sheet = limits, sheet
        self.number = 0
        self._job: Job | None = None
        self._lock = threading.Lock()

    @property
    def job(self) -> Job | None:
        """The current run, under way or ended."""
        return self._job

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._job is not None and self._job.running

    def open(self, sheet: Sheet) -> None:
        """Put a table in the place of the one before."""
        with self._lock:
            if self.running:
                raise Refused(_BUSY, 409)
            self.sheet, self._job = sheet, None
            self.number += 1

    def start(self, sheet: Sheet, choices: Choices) -> None:
        """Begin a run."""
        with self._lock:
            if self.running:
                raise Refused(_BUSY, 409)
            job = Job(lambda: compute(sheet, choices, lambda: job.stopped), len(choices.tolerances))
            self._job = job
            self.number += 1
            job.start()

    def result(self, number: int | None = None) -> Result:
        """What the run found; refused if there is nothing, or only of another run."""
        with self._lock:
            job = self._job
            current = number in (None, self.number)
        if job is None or job.running or job.result is None or not current:
            raise Refused("this tab shows an older run; reload the page.", 409)
        return job.result

    def close(self) -> None:
        """End a run that is under way, and forget everything."""
        if self._job is not None:
            self._job.give_up()
            self._job.wait(2.0)
        self.sheet = self._job = None
