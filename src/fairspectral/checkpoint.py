"""Long computations that survive: what is done is saved, and the same call goes on from there.

A computation is a sequence of sections, which are numbered in the order in which they begin. A
section that is finished is not computed again; one that is under way may have saved how far it
was. The library asks `section` for each and saves through it, which does nothing unless a
checkpoint was installed with `checkpointing`, as `FairSpectralClustering(checkpoint=...)` does.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.files import replacing

# Changes when an older file could no longer be read.
_FORMAT = "fairspectral checkpoint 1"
# Seconds between two saves at least, which a killed run loses at most.
SECONDS = 10.0
# And so many times as long as the last save took: saving takes at most a fiftieth of the run.
_TIMES = 50.0

# What a section saves: numbers, words, numpy arrays, CSR matrices, and lists and dicts of these.
State = Any


class Section:
    """One part of a computation; this one saves nothing."""

    def finished(self) -> State | None:
        """What `finish` saved, if this section was finished before."""
        return None

    def under_way(self) -> State | None:
        """What `advance` saved last, if this section was under way."""
        return None

    def finish(self, state: State) -> None:
        """Keep the result of this section; it must not change any more."""

    def advance(self, make_state: Callable[[], State]) -> None:
        """Save how far this section is, if it is time to; called often."""


def section(name: str) -> Section:
    """The next section of this name in the computation that is under way."""
    checkpoint = _current.get()
    return Section() if checkpoint is None else checkpoint.section(name)


def once(name: str, compute: Callable[[], Any]) -> Any:
    """The result of a section whose result can be saved as it is."""
    part = section(name)
    found = part.finished()
    if found is None:
        found = compute()
        part.finish(found)
    return found


@contextmanager
def checkpointing(path: Any, identity: Callable[[], Mapping[str, str]]) -> Iterator[None]:
    """Save the sections of the ``with`` block in a file, or go on with what it has.

    The file is removed where the block ends well, and stays where it does not.

    Parameters
    ----------
    path : path-like or None
        The file; None saves nothing.
    identity : callable
        Returns what the computation depends on, in words by name. A file with another identity
        is refused.
    """
    if path is None:
        yield
        return
    checkpoint = Checkpoint(check_path(path), identity())
    token = _current.set(checkpoint)
    try:
        yield
    finally:
        _current.reset(token)
    checkpoint.path.unlink(missing_ok=True)


def check_path(path: Any, option: str = "checkpoint=") -> Path:
    """Refuse a checkpoint that could not be written; `option` is how it was asked for."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise ValueError(
            f"{option}{path!r} is not a file name; pass one such as 'run.ckpt', or None."
        )
    file = Path(os.fsdecode(path))
    folder = file.resolve().parent
    if file.is_dir():
        raise ValueError(f"{option}{str(path)!r} is a folder; name a file in it.")
    if not folder.is_dir():
        raise ValueError(
            f"{option}{str(path)!r} is in the folder {folder}, which does not exist; make it, "
            "or name another file."
        )
    if not os.access(folder, os.W_OK):
        raise ValueError(
            f"{option}{str(path)!r} cannot be written to the folder {folder}; name another file."
        )
    _try_to_write(folder, f"{option}{str(path)!r}")
    return file


def _try_to_write(folder: Path, asked: str) -> None:
    """Permissions do not say all: some file systems, such as /proc, take no files, or are full."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"{asked} cannot be written to the folder {folder} ({error.strerror}); name another "
            "file."
        ) from None


class Checkpoint:
    """The sections of one computation, in one file.

    Parameters
    ----------
    path : Path
        The file. If it exists, it is read; it is written only when there is something to save.
    identity : mapping
        What the computation depends on, in words by name.
    """

    def __init__(self, path: Path, identity: Mapping[str, str]) -> None:
        self.path, self._identity = path, dict(identity)
        self._lock = threading.Lock()
        self._begun: dict[str, int] = {}
        # By the names of sections: results, and the last states of those under way.
        self._finished: dict[str, State] = {}
        self._under_way: dict[str, State] = {}
        self._saved, self._cost = time.monotonic(), 0.0
        if path.exists():
            self._finished, self._under_way = _read(path, self._identity)

    def section(self, name: str) -> Section:
        """The next section of this name."""
        number = self._begun.get(name, 0)
        self._begun[name] = number + 1
        return _SavedSection(self, f"{name} {number}")

    @property
    def _due(self) -> bool:
        return time.monotonic() - self._saved >= max(SECONDS, _TIMES * self._cost)

    def _save(self, under_way: dict[str, State]) -> None:
        begun = time.monotonic()
        _write(self.path, self._identity, self._finished, under_way)
        self._saved = time.monotonic()
        self._cost = self._saved - begun


class _SavedSection(Section):
    def __init__(self, checkpoint: Checkpoint, name: str) -> None:
        self._checkpoint, self._name = checkpoint, name

    def finished(self) -> State | None:
        return self._checkpoint._finished.get(self._name)

    def under_way(self) -> State | None:
        # Forgotten then: it may be large, and this section will save a later one.
        return self._checkpoint._under_way.pop(self._name, None)

    def finish(self, state: State) -> None:
        checkpoint = self._checkpoint
        with checkpoint._lock:
            checkpoint._finished[self._name] = state
            if checkpoint._due:
                checkpoint._save({})

    def advance(self, make_state: Callable[[], State]) -> None:
        checkpoint = self._checkpoint
        with checkpoint._lock:
            if checkpoint._due:
                checkpoint._save({self._name: make_state()})


_current: ContextVar[Checkpoint | None] = ContextVar("checkpoint", default=None)


def _write(
    path: Path, identity: Mapping[str, str], finished: dict[str, State], under_way: dict[str, State]
) -> None:
    """All in one ``.npz`` file without compression: the arrays, and the rest as JSON."""
    arrays: dict[str, np.ndarray] = {}
    header = {
        "format": _FORMAT,
        "identity": dict(identity),
        "finished": _encode(finished, arrays),
        "under way": _encode(under_way, arrays),
    }
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with replacing(path) as attempt, open(attempt, "wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type] # allow_pickle is not among the names
        file.flush()
        os.fsync(file.fileno())


def _encode(state: State, arrays: dict[str, np.ndarray]) -> Any:
    """A state as JSON; its arrays are put beside it, and numbered."""
    if isinstance(state, np.ndarray):
        name = f"array {len(arrays)}"
        arrays[name] = state
        return {"array": name}
    if sp.issparse(state):
        parts = [state.data, state.indices, state.indptr]
        return {"csr": [_encode(part, arrays) for part in parts], "shape": list(state.shape)}
    if isinstance(state, Mapping):
        return {"dict": [[key, _encode(value, arrays)] for key, value in state.items()]}
    if isinstance(state, list | tuple):
        return [_encode(value, arrays) for value in state]
    return state.item() if isinstance(state, np.generic) else state


def _decode(state: Any, arrays: Mapping[str, np.ndarray]) -> State:
    if isinstance(state, list):
        return [_decode(value, arrays) for value in state]
    if not isinstance(state, dict):
        return state
    if "array" in state:
        return arrays[state["array"]]
    if "csr" in state:
        parts = tuple(_decode(part, arrays) for part in state["csr"])
        return sp.csr_array(parts, shape=tuple(state["shape"]))
    return {key: _decode(value, arrays) for key, value in state["dict"]}


def _read(path: Path, identity: dict[str, str]) -> tuple[dict[str, State], ...]:
    """The finished sections and those under way, if the file is of this computation."""
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            header = json.loads(file["header"].tobytes())
            if header["format"] != _FORMAT:
                raise ValueError("another format")
            differ = _differences(header["identity"], identity)
            if not differ:
                # Of an array whose header was damaged a part may be read, without a check sum.
                if file.zip.testzip() is not None:
                    raise zipfile.BadZipFile("a wrong check sum")
                arrays = {name: file[name] for name in file.files}
                return tuple(_decode(header[name], arrays) for name in ("finished", "under way"))
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, SyntaxError,
            RuntimeError, MemoryError, OverflowError, struct.error, zipfile.BadZipFile,
            zlib.error) as error:  # fmt: skip
        if isinstance(error, PermissionError):
            raise
        raise ValueError(
            f"{path} is not a checkpoint of fairspectral, or is damaged; delete it to begin anew, "
            "or name another file."
        ) from None
    raise ValueError(
        f"{path} is the checkpoint of another run: {'; '.join(differ)}. Repeat that run to go on "
        "with it, delete the file to begin anew, or name another file."
    )


# Longer words, such as fingerprints, are not shown in errors.
_LONGEST = 30


def _differences(there: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """What differs between a file and this computation, in words."""
    found = []
    for name in dict.fromkeys([*here, *there]):
        old, new = there.get(name), here.get(name)
        if old == new:
            continue
        shown = old is not None and new is not None and max(len(old), len(new)) <= _LONGEST
        found.append(f"{name} is {old} there and {new} here" if shown else f"{name} differs")
    return found
