"""The table on the page: from an upload, a path, or the demo; and what each column looks like."""

from __future__ import annotations

import codecs
import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_diabetes

from fairspectral.app.limits import Limits
from fairspectral.cli.tables import Table, kind_of, numbers, read_table, why_unused
from fairspectral.cli.tables.columns import missing_values, stripped
from fairspectral.cli.tables.text import check_readable

if TYPE_CHECKING:
    import pandas

DEMO_NAME = "diabetes-patients.csv"
_EXAMPLES = 3
_LONGEST_EXAMPLE = 24
# What text that is not UTF-8 mostly is: Western European, as Excel on Windows saves CSV.
_WESTERN = "cp1252"


@dataclass(frozen=True)
class Column:
    """One column as the page shows it.

    Attributes
    ----------
    name : str
        Its name.
    about : str
        What it holds, in a few words with examples.
    numeric : bool
        Whether it holds numbers, which may be put into groups.
    unused : str
        Why the command would not compare the rows by it; empty where it would.
    """

    name: str
    about: str
    numeric: bool
    unused: str


@dataclass(frozen=True)
class Sheet:
    """A table in memory.

    Attributes
    ----------
    table : Table
        The rows. Its path is what a command would name.
    suggested : tuple of str
        Sensitive columns to begin with.
    """

    table: Table
    suggested: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.table.path.name

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.table.frame)

    @property
    def is_demo(self) -> bool:
        """Whether it comes with the library, so that the command needs a copy of it."""
        return bool(self.suggested)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in their order."""
        return tuple(_look_at(self.table, str(name)) for name in self.table.frame.columns)


def open_upload(name: str, content: bytes, limits: Limits) -> Sheet:
    """The table in a file that a browser sent; `name` may be anything."""
    # Browsers send the bare name, but nothing keeps another program from sending a path.
    name = PurePath(name.replace("\\", "/")).name or "table.csv"
    return _open(Path(name), content, limits)


def open_path(path: Path, limits: Limits) -> Sheet:
    """The table in a file of this machine."""
    if path.is_file() and path.stat().st_size > limits.file_bytes:
        raise ValueError(f"{path} {limits.too_large}")
    limits.check_kind(path)
    check_readable(path)
    return _open(path, path.read_bytes(), limits)


def open_demo(limits: Limits) -> Sheet:
    """The table that comes with the library."""
    return replace(_open(Path(DEMO_NAME), demo_file(), limits), suggested=("sex",))


def demo_file() -> bytes:
    """442 diabetes patients, from scikit-learn, in years and the units of the laboratory."""
    data = load_diabetes(scaled=False, as_frame=True).data
    data["sex"] = [f"sex {int(code)}" for code in data["sex"]]
    return data.to_csv(index=False, lineterminator="\n").encode()


def _open(path: Path, content: bytes, limits: Limits) -> Sheet:
    limits.check_kind(path)
    limits.check_file(path.name, content)
    encoding = _encoding_of(content)
    ending = ".tsv" if kind_of(path) in ("tsv", "tab") else ".csv"
    with tempfile.TemporaryDirectory(prefix="fairspectral-") as folder:
        copy = Path(folder) / f"table{ending}"
        copy.write_bytes(content)
        try:
            table = read_table(copy, encoding=encoding)
        except ValueError as error:
            words = str(error).replace(str(copy), path.name)
            # The page has no such option.
            raise ValueError(
                words.partition(", or pass its encoding")[0].rstrip(".") + "."
            ) from None
    if encoding is not None:
        note = f"{path.name} is not UTF-8 text, so it was read as Western European ({encoding}); "
        note += "if names look wrong, save it as UTF-8."
        table = replace(table, notes=(*table.notes, note))
    limits.check_table(replace(table, path=Path(path.name)))
    return Sheet(replace(table, path=path))


def _encoding_of(content: bytes) -> str | None:
    """The encoding of text that is neither UTF-8 nor marked, if it may be Western European."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if marked or _decodes(content, "utf-8"):
        return None
    return _WESTERN if _decodes(content, _WESTERN) else None


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _look_at(table: Table, name: str) -> Column:
    column = table.frame[name]
    values = numbers(column, table.decimal)
    numeric = values is not None
    missing = missing_values(column) if values is None else np.isnan(values)
    return Column(name, _about(column, numeric, missing), numeric, why_unused(table, name))


def _about(column: pandas.Series, numeric: bool, missing: np.ndarray) -> str:
    if missing.all():
        return "empty"
    distinct = stripped(column[~missing]).drop_duplicates()
    examples = ", ".join(_shortened(text) for text in distinct.iloc[:_EXAMPLES])
    more = ", …" if len(distinct) > _EXAMPLES else ""
    kind = "numbers" if numeric else "text"
    absent = f"; {int(missing.sum()):,} missing" if missing.any() else ""
    return f"{kind}, {len(distinct):,} distinct: {examples}{more}{absent}"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_EXAMPLE else f"{text[: _LONGEST_EXAMPLE - 1]}…"
