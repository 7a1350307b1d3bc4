"""Ctrl-C ends the command at once, even inside compiled code.

Python turns the signal into `KeyboardInterrupt` only between two of its own steps, and one
product with a large matrix can take seconds. So a thread hears of the signal as well, gives
Python a moment to end in its own way, and then ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

INTERRUPTED = 130
_GRACE_SECONDS = 0.4
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Inside the ``with`` block, Ctrl-C ends the process within half a second."""
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(reader, over), daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    hook = sys.unraisablehook

    def quiet(unraisable: Any) -> None:
        # A callback that C calls cannot raise KeyboardInterrupt; the thread ends the process.
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            hook(unraisable)

    sys.unraisablehook = quiet
    try:
        yield
    finally:
        sys.unraisablehook = hook
        over.set()
        signal.set_wakeup_fd(before)
        os.close(writer)
        watcher.join()
        os.close(reader)


def _watch(reader: int, over: threading.Event) -> None:
    """Wait for signals until the other end of the pipe is closed."""
    while number := os.read(reader, 1):
        if number[0] == signal.SIGINT and not over.wait(_GRACE_SECONDS):
            end_now()


def end_now() -> None:
    """Leave no partial file and a tidy terminal, and end the process."""
    from fairspectral.tables import discard_unfinished

    discard_unfinished()
    cursor = _SHOW_CURSOR if sys.stderr.isatty() else ""
    os.write(2, f"{cursor}\nInterrupted; no partial file is left.\n".encode())
    os._exit(INTERRUPTED)
