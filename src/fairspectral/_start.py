"""While the command starts, Ctrl-C or a library that does not load gives one sentence.

Importing numpy, scipy and scikit-learn takes a second or more, before any code of the command
can run. So the package's first import is this one. In a program that only uses the library it
does nothing.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from contextlib import suppress
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from fairspectral.linalg.room import NoRoomError, address_space_left, check_room_to_import

FAILED, INTERRUPTED = 2, 130
_NAME, _MODULE = "fairspectral", "fairspectral.cli"
# Parts of the loader's, numba's and the threads' messages when memory is short.
_SHORT_OF_MEMORY = (
    "cannot allocate memory",
    "failed to map segment",
    "libllvmlite",
    "can't start new thread",
    "unable to allocate",
)


def is_command(argv: list[str], words: list[str]) -> bool:
    """Whether this process is the command, from ``sys.argv`` and ``sys.orig_argv``."""
    return PurePath(argv[0] if argv else "").stem == _NAME or ("-m", _MODULE) in pairwise(words)


def short_of_memory(error: BaseException) -> bool:
    """Whether an error of any type was caused by a lack of memory."""
    text = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or getattr(error, "errno", None) == errno.ENOMEM
        or any(words in text for words in _SHORT_OF_MEMORY)
    )


def end_quietly(*_: Any) -> None:
    """End at Ctrl-C, at once and without a traceback; nothing is being written yet."""
    _write("\nInterrupted; no partial file is left.\n")
    os._exit(INTERRUPTED)


def exit_with_a_sentence(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Print one sentence instead of a traceback, whose exit status 1 means "unfair" here."""
    if issubclass(kind, KeyboardInterrupt):
        end_quietly()
    if "--debug" in sys.argv:
        traceback.print_exception(kind, error, trace)
    text = " ".join(str(error).split())
    if issubclass(kind, NoRoomError):
        text = f"there is not enough memory: {text}"
    elif short_of_memory(error):
        text = "there is not enough memory to load the libraries; free some, or raise the limit."
    elif isinstance(error, OSError) and error.strerror:
        text = f"reading or writing failed ({error.strerror.lower()}); check the disk."
    elif issubclass(kind, ImportError):
        text = f"the libraries cannot be loaded ({text}); install the package again."
    else:
        text = f"unexpected error ({kind.__name__}: {text}); report it."
    _write(f"Error: {text}\n")
    os._exit(FAILED)


def _write(text: str) -> None:
    with suppress(OSError):  # standard error may be closed
        os.write(2, text.encode(errors="backslashreplace"))


def _guard() -> None:
    sys.excepthook = exit_with_a_sentence
    in_main = threading.current_thread() is threading.main_thread()
    # A process that was started to ignore Ctrl-C keeps ignoring it.
    if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_quietly)
    check_room_to_import()
    if address_space_left() is not None:
        # Otherwise pyarrow, which pandas reads text with, reserves a gigabyte of addresses.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


if is_command(sys.argv, sys.orig_argv):
    _guard()
