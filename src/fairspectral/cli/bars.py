"""Progress on standard error: one bar per stage with the time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from fairspectral.progress import compilation, listening


@contextmanager
def progress_bars() -> Iterator[None]:
    """Show what is reported inside the ``with`` block, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        _time_left_column(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bars = Bars(progress)
        with listening(bars.show, bars.note), compilation(bars.compile):
            yield
        bars.finish()


class Bars:
    """The bars of the stages, made as the stages begin."""

    def __init__(self, progress: Any) -> None:
        self._progress = progress
        self._tasks: dict[str, Any] = {}

    def show(self, stage: str, done: float | None) -> None:
        """Draw one report; a new stage ends those before it, which do not report any more."""
        if stage not in self._tasks:
            self.finish()
            self._tasks[stage] = self._progress.add_task(stage, total=None)
        if done and stage == next(reversed(self._tasks)):  # no fraction yet: the bar pulses
            self._progress.update(self._tasks[stage], total=1.0, completed=done)

    def note(self, stage: str, words: str) -> None:
        """Show a few words beside a stage, such as the best cut so far."""
        if stage in self._tasks:
            self._progress.update(self._tasks[stage], description=f"{stage}: {words}")

    def compile(self, busy: bool) -> None:
        """Show beside the current stage that code is being compiled."""
        for stage, task in list(self._tasks.items())[-1:]:
            words = f"{stage} (compiling, once per machine)" if busy else stage
            self._progress.update(task, description=words)

    def finish(self) -> None:
        """End all stages that have begun."""
        for task in self._tasks.values():
            self._progress.update(task, total=1.0, completed=1.0)


def time_left(done: float | None, elapsed: float | None) -> str:
    """The estimated time left, as text, if the rest runs at the same speed."""
    if not done or not elapsed:
        return "-:--:-- left"
    seconds = elapsed * (1 - done) / done
    return f"{timedelta(seconds=round(seconds))} left"


def _time_left_column() -> Any:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        # rich's column measures the recent speed, but a stage here reports in few steps.
        def render(self, task: Task) -> Text:
            if task.finished:
                return Text("done", style="green")
            done = task.completed / task.total if task.total else None
            return Text(time_left(done, task.elapsed), style="cyan")

    return TimeLeft()
