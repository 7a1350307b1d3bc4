"""Long work in a thread of its own: progress with the time left, stopping, giving up."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairspectral.anytime import stop_when
from fairspectral.app.sentences import sentence_of
from fairspectral.cli.bars import time_left
from fairspectral.progress import ROUNDING, compilation, listening
from fairspectral.rounder import FRONTIER


class GivenUp(BaseException):
    """The work is not wanted any more; like `KeyboardInterrupt`, not an error."""


@dataclass(frozen=True)
class Progress:
    """How far the work is.

    Attributes
    ----------
    words : str
        The stage, and what it has to say.
    done : float or None
        Fraction of the whole, where it is known.
    left : str
        The time left, in words.
    stopping : bool
        Whether it was asked to take the best so far.
    """

    words: str
    done: float | None
    left: str
    stopping: bool


class Job:
    """Runs `work` in a thread; the searches in it can be stopped.

    Parameters
    ----------
    work : callable
        Without arguments; its return value becomes `result`.
    searches : int
        How many searches it makes, each as long as the others: what the time left is judged by.
    """

    def __init__(self, work: Callable[[], Any], searches: int) -> None:
        self._work, self.searches = work, searches
        self._stop, self._give_up = threading.Event(), threading.Event()
        self._stage, self._note, self._compiling = "reading the table", "", False
        self._done: float | None = None
        self._finished_searches = 0.0
        self._begun: float | None = None
        self.result: Any = None
        self.error = ""
        self._thread = threading.Thread(target=self._run, name="fairspectral-job", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the searches with the best so far."""
        self._stop.set()

    def give_up(self) -> None:
        """End without a result, at the next sign of progress."""
        self._stop.set()
        self._give_up.set()

    def wait(self, seconds: float | None = None) -> None:
        """Until it has ended, or the time is over."""
        self._thread.join(seconds)

    @property
    def stopped(self) -> bool:
        """Whether it was asked to end early."""
        return self._stop.is_set()

    def progress(self) -> Progress:
        """For the page."""
        words = self._stage
        if self._compiling:
            words += " (compiling, once per machine)"
        elif self._note:
            words += f" ({self._note})"
        begun, done = self._begun, self._done
        known = begun is not None and done is not None
        left = time_left(done, time.monotonic() - begun) if known and begun is not None else ""
        return Progress(words, done, "" if left.startswith("-") else left, self._stop.is_set())

    def _run(self) -> None:
        try:
            with (
                listening(self._hear, self._hear_note),
                compilation(self._compile),
                stop_when(self._stop),
            ):
                result = self._work()
            self._check()
            self.result = result
        except GivenUp:
            self.error = "The run was given up."
        except MemoryError as error:
            self.error = sentence_of(error)
        except Exception as error:
            self.error = sentence_of(error, traceback.format_exc())

    def _check(self) -> None:
        if self._give_up.is_set():
            raise GivenUp

    def _hear(self, stage: str, done: float | None) -> None:
        self._check()
        if stage not in (ROUNDING, FRONTIER):
            self._stage, self._note = stage, f"{done:.0%}" if done else ""
            return
        if self._begun is None:
            self._begun = time.monotonic()
        if stage == FRONTIER:
            self._finished_searches = round((done or 0.0) * self.searches)
            return
        at = self._finished_searches
        self._stage = f"search {int(at) + 1} of {self.searches}"
        # The first stages of a later search report again from zero: the bar never goes back.
        self._done = max(self._done or 0.0, min(1.0, (at + (done or 0.0)) / self.searches))

    def _hear_note(self, stage: str, words: str) -> None:
        self._note = words

    def _compile(self, busy: bool) -> None:
        self._compiling = busy
