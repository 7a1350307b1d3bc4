"""Write tables: the input with one more column, and never over the input."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral.cli.tables.read import Table, split_rows
from fairspectral.cli.tables.standard import is_standard, write_standard_output
from fairspectral.cli.tables.text import kind_of
from fairspectral.files import linked_file, replacing

TEXT_KINDS = ("csv", "tsv", "tab", "txt")
LABEL_KINDS = (*TEXT_KINDS, "parquet", "pq", "npy")


def check_output(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Refuse a path that could not be written, before any work is done.

    Parameters
    ----------
    path : Path
        The file to write, or ``-`` for standard output.
    inputs : iterable of Path
        Files that must not be written over.
    """
    if is_standard(path):
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file to write.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is a device or a pipe and not a file; name a file to write.")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(f"{path} may not be written to; choose another name.")
    folder = linked_file(path).parent
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


def write_table(table: Table, path: Path, column: str, labels: np.ndarray) -> None:
    """Write a table's rows with one more column, in the format given by the name.

    ``.parquet`` and ``.npy`` (the labels alone); the other `LABEL_KINDS` are text with the
    delimiter and the encoding of the table it came from (``.tsv`` always has tabs). Rows of a
    text file with that delimiter are copied unchanged. On ``-``, standard output, they are text.
    """
    if is_standard(path):
        write_standard_output(labelled_text(table, column, labels).encode(table.encoding))
        return
    with replacing(path) as attempt:
        if kind_of(path) == "npy":
            content = io.BytesIO()  # numpy's error for a full disk does not name the file
            np.save(content, labels)
            attempt.write_bytes(content.getvalue())
            return
        delimiter = "\t" if kind_of(path) in ("tsv", "tab") else table.delimiter
        if table.text and kind_of(path) in TEXT_KINDS and delimiter == table.delimiter:
            with _open_text(attempt, path, table.encoding) as file:
                _append_labels(table, file, column, labels)
            return
        frame = table.frame.assign(**{column: labels})
        if kind_of(path) in ("parquet", "pq"):
            _write_parquet(frame, attempt)
            return
        write_delimited(
            frame, attempt, path,
            delimiter=table.delimiter, encoding=table.encoding, newline=table.newline,
        )  # fmt: skip


def labelled_text(table: Table, column: str, labels: np.ndarray) -> str:
    """The rows with one more field, with the delimiter of the table they came from."""
    file = io.StringIO(newline="")
    if table.text:
        _append_labels(table, file, column, labels)
    else:
        frame = table.frame.assign(**{column: labels})
        frame.to_csv(file, index=frame.index.names != [None], lineterminator="\n")
    return file.getvalue()


def _append_labels(table: Table, file: Any, column: str, labels: np.ndarray) -> None:
    """The rows of a text file byte for byte, each with one more field."""
    additions = iter(labels.tolist())
    delimiter, newline = table.delimiter, table.newline
    _check_encodable(table, column)
    heading = _quoted(column, delimiter)
    if not table.header:
        names = [_quoted(str(name), delimiter) for name in table.frame.columns]
        file.write(delimiter.join([*names, heading]) + newline)
    for number, (row, has_fields) in enumerate(split_rows(table)):
        body = row.rstrip("\r\n")
        if not has_fields:
            file.write(row)
        elif table.header and number == 0:
            file.write(f"{body}{delimiter}{heading}{row[len(body) :]}")
        else:
            file.write(f"{body}{delimiter}{next(additions)}{row[len(body) :]}")


def _check_encodable(table: Table, column: str) -> None:
    """Refuse a name that the table's encoding does not have."""
    try:
        column.encode(table.encoding)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{column!r} cannot be written in {table.encoding}, the encoding of {table.path}; "
            "choose another name with --label-column."
        ) from error


def _quoted(text: str, delimiter: str) -> str:
    """A field in CSV: in quotes if it needs them."""
    if any(sign in text for sign in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _open_text(attempt: Path, path: Path, encoding: str) -> Any:
    if path.suffix.lower() == ".gz":
        return gzip.open(attempt, "wt", encoding=encoding, newline="")
    return open(attempt, "w", encoding=encoding, newline="")


def write_delimited(
    frame: Any,
    attempt: Path,
    path: Path,
    *,
    delimiter: str = ",",
    encoding: str = "utf-8",
    newline: str = "\n",
) -> None:
    """Write text to `attempt` with the delimiter and packing that the name `path` asks for."""
    frame.to_csv(
        attempt,
        sep="\t" if kind_of(path) in ("tsv", "tab") else delimiter,
        index=frame.index.names != [None],  # the index of a Parquet file is often the person
        encoding=encoding,
        lineterminator=newline,
        compression="gzip" if path.suffix.lower() == ".gz" else None,
    )


def _write_parquet(frame: Any, path: Path) -> None:
    try:
        frame.to_parquet(path)  # with its index, unless that only counts the rows
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow; install it with pip install pyarrow, or write CSV."
        ) from None
