"""Text files: their encoding, and messages about unreadable files."""

from __future__ import annotations

import codecs
import re
import zlib
from pathlib import Path

from fairspectral.cli.tables.limits import check_plain_file, unpack_gzip
from fairspectral.cli.tables.standard import GZIP, input_name, is_standard, read_standard_input

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class NotTextError(ValueError):
    """A file that is no text in its encoding; `wrong` is the message without the remedy."""

    def __init__(self, wrong: str, remedy: str) -> None:
        super().__init__(f"{wrong}; {remedy}")
        self.wrong = wrong


def first_sentence(error: Exception) -> str:
    """The first sentence of another package's error message, for use in parentheses."""
    return re.split(r"\n|\. ", str(error), maxsplit=1)[0].rstrip(".")


def check_readable(path: Path) -> None:
    """Refuse a path that is neither a file nor ``-``."""
    if is_standard(path):
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the path.")
    check_plain_file(path)


def kind_of(path: Path) -> str:
    """The format by the file's name: ``"csv"``, ``"parquet"``, ...; ``""`` if unknown."""
    suffixes = [suffix.lower().lstrip(".") for suffix in path.suffixes]
    if suffixes and suffixes[-1] == "gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def read_text(path: Path, encoding: str | None = None) -> tuple[str, str]:
    """The file's text, and the encoding it was read with.

    Parameters
    ----------
    path : Path
        The file, or ``-``; ``.gz`` is unpacked.
    encoding : str or None
        None is UTF-8, or that of the file's byte-order mark.
    """
    check_readable(path)
    try:
        content = read_standard_input() if is_standard(path) else path.read_bytes()
        packed = content.startswith(GZIP) if is_standard(path) else path.suffix.lower() == ".gz"
        path = input_name(path)
        if packed:
            content = unpack_gzip(path, content)
    except PermissionError:
        raise PermissionError(f"{path} may not be read; check its permissions.") from None
    except zlib.error:
        raise ValueError(f"{path} could not be unpacked with gzip; check the file.") from None
    except (OSError, EOFError) as error:
        raise ValueError(f"{path} could not be read ({error}); check the file.") from None
    if not content.strip():
        raise ValueError(f"{path} is empty; pass a file with a header line and rows.")
    if encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        marked = (name for mark, name in _MARKS.items() if content.startswith(mark))
        encoding = next(marked, encoding or "utf-8")
    return _decode(path, content, encoding), encoding


def _decode(path: Path, content: bytes, encoding: str) -> str:
    try:
        text = content.decode(encoding)
    except LookupError:
        raise ValueError(
            f"encoding {encoding!r} is unknown; pass one such as utf-8, latin-1 or utf-16."
        ) from None
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        line = content.count(b"\n", 0, at) + 1
        raise NotTextError(
            f"{path} is not {encoding.upper()} text (byte 0x{content[at]:02x} in line {line})",
            "save it as UTF-8, or pass its encoding, for example --encoding latin-1.",
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise NotTextError(
            f"{path} is not a text file (a zero byte in line {line})",
            "pass CSV, TSV, Parquet, .npy or .npz, or the encoding of the text, for example "
            "--encoding utf-16-le.",
        )
    return text
