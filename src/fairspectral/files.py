"""Write files in one step: whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# Files that are being written; an abrupt end must remove them.
_unfinished: set[Path] = set()
# Files that were written whole since the command began; an abrupt end names them.
_finished: list[Path] = []


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` in one step if the ``with`` block ends well.

    After an error or an interrupt nothing of it is left, and an older `path` is as it was. An
    older file's permissions are kept, and a symbolic link stays one: the file it points to is
    replaced.
    """
    target = linked_file(path)
    # A unique number, because other threads, and processes elsewhere that share the folder, may
    # be writing the same file; and only a part of the name, since names have a largest length.
    attempt = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
    _unfinished.add(attempt)
    try:
        _create(attempt, target)
        yield attempt
        attempt.replace(target)
        if path not in _finished:
            _finished.append(path)
    except OSError as error:
        if error.strerror and error.filename in (None, str(attempt), os.fspath(attempt)):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        attempt.unlink(missing_ok=True)
        _unfinished.discard(attempt)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path) as attempt:
        attempt.write_text(text, encoding="utf-8")


def linked_file(path: Path) -> Path:
    """The file that a path refers to through its links, whether it exists or not."""
    return Path(os.path.realpath(path))


def _create(attempt: Path, target: Path) -> None:
    """An empty file with the permissions, and where possible the owner, of the older `target`.

    So the new content is never open to more people than the older file was.
    """
    try:
        before = target.stat()
    except FileNotFoundError:
        os.close(os.open(attempt, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        return
    os.close(os.open(attempt, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    # Only an administrator may give files away, and some systems have no owners.
    with suppress(OSError, AttributeError):
        os.chown(attempt, before.st_uid, before.st_gid)
    os.chmod(attempt, stat.S_IMODE(before.st_mode))


def discard_unfinished() -> None:
    """Remove unfinished files, for an exit that runs no ``finally`` or interrupts one."""
    for attempt in list(_unfinished):
        with suppress(OSError):
            attempt.unlink(missing_ok=True)


def forget_finished() -> None:
    """Begin anew to remember what is written."""
    _finished.clear()


def finished_files() -> list[Path]:
    """What was written whole, and is still there."""
    return [path for path in _finished if path.exists()]
