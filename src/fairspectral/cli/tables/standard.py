"""Standard input and output, which ``-`` names in place of a file."""

from __future__ import annotations

import sys
from pathlib import Path

_DASH = Path("-")
# How files begin that are not text; they are read by their name only.
_BINARY = {
    b"PAR1": "a Parquet file",
    b"\x93NUMPY": "a .npy file",
    b"PK\x03\x04": "a .npz or another packed file",
}
GZIP = b"\x1f\x8b"


def is_standard(path: Path | None) -> bool:
    """Whether a path is ``-``."""
    return path == _DASH


def input_name(path: Path) -> Path:
    """The name of an input in messages and titles."""
    return Path("standard input") if is_standard(path) else path


def read_standard_input() -> bytes:
    """All of standard input; a file of another kind than text is refused."""
    if sys.stdin is None:
        raise ValueError("standard input is closed; name a file, or send the table to it.")
    if sys.stdin.isatty():
        sys.stderr.write("Reading from the terminal until Ctrl-D.\n")
    content = sys.stdin.buffer.read()
    for start, what in _BINARY.items():
        if content.startswith(start):
            raise ValueError(
                f"standard input is {what}, but only text is read from there; name the file, or "
                "send CSV."
            )
    return content


def write_standard_output(content: bytes) -> None:
    """Write all of it, and know that it was written."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
