"""The base of every command: errors in one sentence, a prompt end on Ctrl-C, grouped options."""

from __future__ import annotations

import dataclasses
import errno
import functools
import inspect
import os
import signal
import sys
import traceback
import typing
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from fairspectral._start import FAILED, INTERRUPTED, short_of_memory
from fairspectral.anytime import Deadline, within
from fairspectral.cli.interrupt import Terminated, end_message, prompt_interrupts
from fairspectral.cli.visible import visible
from fairspectral.cli.wording import in_options
from fairspectral.linalg.room import NoRoomError, address_space_left

PIPE_CLOSED = 141  # the shell's status for commands that SIGPIPE ends
# Errors of the disk, or of a limit on its use, rather than of a file name.
_DISK = {getattr(errno, name, None) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS")} - {
    None
}

Debug = Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """Make a command of a function: its return value, if any, is the exit status.

    A parameter whose type is a dataclass becomes one option for each of its fields, so that
    commands share groups of options. Errors are printed as one sentence with exit status 2; the
    option ``--debug``, which is added here, also shows the traceback.
    """
    groups = _option_groups(function)
    signature = _flat_signature(function, groups)

    def speak(kind: str, text: str) -> None:
        say(f"{kind}: {in_options(text, signature.parameters)}")

    @functools.wraps(function)
    def run(*, debug: bool = False, **options: Any) -> None:
        for name, kind in groups.items():
            fields = [field.name for field in dataclasses.fields(kind)]
            options[name] = kind(**{field: options.pop(field) for field in fields})
        try:
            # One Ctrl-C in a search ends all searches of the command.
            with prompt_interrupts(), within(Deadline()), _printed_warnings(speak):
                status = function(**options)
                sys.stdout.flush()  # a full disk is said here, not when the interpreter exits
        except KeyboardInterrupt:
            say(end_message(signal.SIGINT))
            raise typer.Exit(INTERRUPTED) from None
        except Terminated as end:
            say(end_message(end.number))
            raise typer.Exit(end.status) from None
        except typer.Exit:
            raise
        except BrokenPipeError:
            silence(sys.stdout)
            raise typer.Exit(PIPE_CLOSED) from None
        except Exception as error:
            if isinstance(error, OSError):
                _flush_or_silence(sys.stdout)
            if debug:
                for line in traceback.format_exc().splitlines():
                    say(line)
            speak("Error", error_sentence(error, signature.parameters))
            raise typer.Exit(FAILED) from None
        if status:
            raise typer.Exit(status)

    # Rich would keep the line breaks of the source.
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    run.__doc__ = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    run.__signature__ = signature  # type: ignore[attr-defined]
    return run


def say(text: str) -> None:
    """Print one line on standard error."""
    try:
        sys.stderr.write(f"{visible(text)}\n")
        sys.stderr.flush()
    except OSError:  # the stream is closed, or the disk of the log is full
        silence(sys.stderr)


def silence(stream: Any) -> None:
    """Stop writing to a stream that cannot be written: its reader left, or its disk is full.

    Otherwise the interpreter would write again when it exits, and change the exit status.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _flush_or_silence(stream: Any) -> None:
    try:
        stream.flush()
    except OSError:
        silence(stream)


def error_sentence(error: Exception, parameters: Collection[str]) -> str:
    """The sentence for an error; `parameters` are those that it may advise to change."""
    text = " ".join(str(error).split())
    if isinstance(error, NoRoomError):
        return f"there is not enough memory: {text}"
    if short_of_memory(error):
        if address_space_left() is not None:
            return (
                "there is not enough memory within the limit on this process; raise it "
                "(ulimit -v), set OMP_NUM_THREADS=1, or pass fewer rows."
            )
        if "memory_budget" not in parameters:
            return "there is not enough memory; free some, or pass fewer rows."
        return (
            "there is not enough memory; pass --memory-budget (for example 2GB), or --affinity "
            "nearest_neighbors."
        )
    if "cannot cache function" in text:  # from numba, if it cannot write anywhere
        return (
            "compiled code cannot be kept, because neither the package's folder nor the user's "
            "cache is writable; set NUMBA_CACHE_DIR to a folder that is."
        )
    if isinstance(error, OSError) and error.filename and error.strerror:
        what = "disk" if error.errno in _DISK else "path"
        return f"{error.filename} cannot be used ({error.strerror.lower()}); check the {what}."
    if isinstance(error, OSError) and error.strerror:
        return f"reading or writing failed ({error.strerror.lower()}); check the disk."
    if isinstance(error, ValueError | TypeError | OSError | ImportError) and text:
        return text
    return (
        f"unexpected error ({type(error).__name__}: {text}); run again with "
        "--debug and report what it shows."
    )


@contextmanager
def _printed_warnings(speak: Callable[[str, str], None]) -> Iterator[None]:
    """Print this library's warnings as plain sentences; hide those of other packages."""
    from sklearn.exceptions import ConvergenceWarning

    from fairspectral.validation import FairSpectralWarning

    said = set()

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:
        text = str(message)
        if issubclass(category, FairSpectralWarning | ConvergenceWarning) and text not in said:
            said.add(text)
            speak("Note", text)

    with warnings.catch_warnings():
        for category in (FairSpectralWarning, ConvergenceWarning):
            warnings.simplefilter("default", category)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _option_groups(function: Callable[..., Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(function)
    return {name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)}


def _flat_signature(function: Callable[..., Any], groups: dict[str, Any]) -> inspect.Signature:
    """The function's parameters, a dataclass replaced by its fields, and ``debug``."""
    hints = typing.get_type_hints(function, include_extras=True)
    parameters: dict[str, inspect.Parameter] = {}
    keyword = inspect.Parameter.KEYWORD_ONLY
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in groups:
            parameters[name] = parameter.replace(kind=keyword, annotation=hints[name])
            continue
        field_hints = typing.get_type_hints(groups[name], include_extras=True)
        for field in dataclasses.fields(groups[name]):
            absent = field.default is dataclasses.MISSING
            default = inspect.Parameter.empty if absent else field.default
            parameters[field.name] = inspect.Parameter(
                field.name, keyword, default=default, annotation=field_hints[field.name]
            )
    parameters["debug"] = inspect.Parameter("debug", keyword, default=False, annotation=Debug)
    return inspect.Signature(list(parameters.values()), return_annotation=None)
