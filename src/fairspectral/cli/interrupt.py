"""Ctrl-C and other requests to end take effect at once, even inside compiled code.

Python turns a signal into an exception only between two bytecodes, and one product with a large
matrix can take seconds. So a thread waits for the signal too, gives Python a moment to end
normally, and then ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from fairspectral._start import end_quietly
from fairspectral.anytime import takes_interrupt, took_interrupt
from fairspectral.files import discard_unfinished, finished_files, forget_finished

_GRACE_SECONDS = 0.4
_SHOW_CURSOR = "\x1b[?25h"
# Signals that ask a process to end, besides Ctrl-C; not all systems have all of them.
_ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(BaseException):
    """A signal asked the process to end; like `KeyboardInterrupt`, not an error."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status that shells use for this signal."""
        return 128 + self.number


def end_message(number: int) -> str:
    """The message of a process that a signal ends, with the files that it had written whole."""
    word = "Interrupted" if number == signal.SIGINT else "Terminated"
    written = ", ".join(map(str, finished_files()))
    return f"{word}; no partial file is left." + (f" Written before: {written}." if written else "")


@contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Inside the ``with`` block, a signal to end ends the process within half a second."""
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return
    forget_finished()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(reader, over), daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    handlers: dict[int, Any] = {}
    hook = sys.unraisablehook

    def quiet(unraisable: Any) -> None:
        # A callback called from C cannot raise an exception; the thread ends the process.
        if not issubclass(unraisable.exc_type, KeyboardInterrupt | Terminated):
            hook(unraisable)

    try:
        sys.unraisablehook = quiet
        _listen(handlers)
        yield
    finally:
        discard_unfinished()  # a second signal may have interrupted the removal of a file
        sys.unraisablehook = hook
        over.set()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        os.close(writer)
        watcher.join()
        os.close(reader)


def _listen(before: dict[int, Any]) -> None:
    """Make the signals raise exceptions, and keep their previous handlers in `before`.

    A signal that the process was started to ignore, as ``nohup`` does, stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is end_quietly:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in _ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, _terminate)


def _terminate(number: int, _: Any) -> None:
    raise Terminated(number)


def _watch(reader: int, over: threading.Event) -> None:
    """Wait for signals until the other end of the pipe is closed."""
    while number := os.read(reader, 1):
        interrupt, begun = number[0] == signal.SIGINT, time.monotonic()
        if interrupt and takes_interrupt():
            continue  # the search ends with the best so far, and the command goes on
        ends = interrupt or number[0] in _ENDINGS
        if not ends or over.wait(_GRACE_SECONDS):
            continue
        # A search that took it may have ended before this thread had its turn.
        if not (interrupt and took_interrupt(since=begun - _GRACE_SECONDS)):
            end_now(number[0])


def end_now(number: int = signal.SIGINT) -> None:
    """Remove partial files, restore the terminal, and end the process."""
    discard_unfinished()
    cursor = _SHOW_CURSOR if sys.stderr.isatty() else ""
    with suppress(OSError):
        os.write(2, f"{cursor}\n{end_message(number)}\n".encode())
    os._exit(128 + number)
