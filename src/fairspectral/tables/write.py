"""Write files in one step: whole or not at all, and never over the input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral.tables.read import Table
from fairspectral.tables.text import kind_of

TEXT_KINDS = ("csv", "tsv", "tab", "txt")
LABEL_KINDS = (*TEXT_KINDS, "parquet", "pq", "npy")

# Files that are being written; an abrupt end must remove them.
_unfinished: set[Path] = set()


def check_output(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Refuse, before any work is done, what could not be written at the end.

    Parameters
    ----------
    path : Path
        To be written.
    inputs : iterable of Path
        Files that must not be written over.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file to write.")
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"the folder {folder} of {path.name} does not exist; make it first."
        )
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"the folder {folder} may not be written to; choose another one.")
    for given in inputs:
        if path.exists() and given.exists() and path.samefile(given):
            raise ValueError(f"{path} is the input and would be written over; choose another name.")


def check_kind(path: Path, kinds: Sequence[str]) -> None:
    """Refuse a name whose ending is not among `kinds`; text may be packed with gzip."""
    packed = path.suffix.lower() == ".gz"
    if kind_of(path) not in kinds or (packed and kind_of(path) not in TEXT_KINDS):
        known = ", ".join(f".{kind}" for kind in kinds)
        ending = "".join(path.suffixes[-2:] if packed else path.suffixes[-1:])
        has = f"ends in {ending!r}, which is not written" if ending else "has no ending"
        raise ValueError(f"{path} {has}; choose a name that ends in one of {known}.")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` in one step if the ``with`` block ends well.

    After an error or an interrupt nothing of it is left, and an older `path` is as it was.
    """
    attempt = path.with_name(f".{path.name}.{os.getpid()}.part")
    _unfinished.add(attempt)
    try:
        yield attempt
        attempt.replace(path)
    finally:
        attempt.unlink(missing_ok=True)
        _unfinished.discard(attempt)


def discard_unfinished() -> None:
    """Remove what is being written: for an end that runs no ``finally``."""
    for attempt in list(_unfinished):
        with suppress(OSError):
            attempt.unlink(missing_ok=True)


def write_table(table: Table, path: Path, column: str, labels: np.ndarray) -> None:
    """Write a table's rows with one more column, in the format that the name says.

    ``.parquet`` and ``.npy`` (the labels alone); the other `LABEL_KINDS` are text with the
    delimiter and the encoding of the table it came from (``.tsv`` always has tabs).
    """
    with replacing(path) as attempt:
        if kind_of(path) == "npy":
            with open(attempt, "wb") as file:
                np.save(file, labels)
            return
        frame = table.frame.assign(**{column: labels})
        if kind_of(path) in ("parquet", "pq"):
            _write_parquet(frame, attempt)
            return
        write_delimited(frame, attempt, path, delimiter=table.delimiter, encoding=table.encoding)


def write_delimited(
    frame: Any, attempt: Path, path: Path, *, delimiter: str = ",", encoding: str = "utf-8"
) -> None:
    """Write text to `attempt` with the delimiter and packing that the name `path` asks for."""
    frame.to_csv(
        attempt,
        sep="\t" if kind_of(path) in ("tsv", "tab") else delimiter,
        index=False,
        encoding=encoding,
        compression="gzip" if path.suffix.lower() == ".gz" else None,
    )


def _write_parquet(frame: Any, path: Path) -> None:
    try:
        frame.to_parquet(path, index=False)
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow; install it with pip install pyarrow, or write CSV."
        ) from None
