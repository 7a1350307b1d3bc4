"""Read a table: CSV, TSV, Parquet, ``.npy`` or ``.npz``; every bad file gets a sentence."""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.cli.tables.limits import check_npy, check_npz
from fairspectral.cli.tables.standard import input_name
from fairspectral.cli.tables.text import check_readable, first_sentence, kind_of, read_text

if TYPE_CHECKING:
    import pandas

_DELIMITERS = (",", ";", "\t", "|")
# A longer field is probably the rest of a file after a quote that was never closed.
_LONGEST_FIELD = 100_000
# Exceptions of numpy for a broken file.
_NUMPY_ERRORS = (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)
# Formats that would be read as text, with an error that does not help.
_OTHER_FORMATS = (
    "xls", "xlsx", "ods", "numbers", "json", "jsonl", "feather", "arrow", "pkl", "pickle", "zip",
    "h5", "hdf5", "sav", "dta", "rds",
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A table, with all that is needed to write it back unchanged.

    Attributes
    ----------
    path : Path
        The file it was read from, as messages name it.
    frame : DataFrame of shape (n, c)
        From a text file every column is text, unchanged.
    delimiter, encoding : str
        Delimiter and encoding of a text file.
    text : str
        The whole text of a text file, so that its rows can be written back unchanged.
    header : bool
        Whether its first line names the columns.
    notes : tuple of str
        Assumptions made in reading, as sentences for the user.
    """

    path: Path
    frame: pandas.DataFrame
    delimiter: str = ","
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()
    text: str = field(default="", repr=False)
    header: bool = True

    @property
    def decimal(self) -> str:
        """The decimal sign: a comma where semicolons separate the fields."""
        return "," if self.delimiter == ";" else "."

    @property
    def newline(self) -> str:
        """How the first line of a text file ends."""
        return (re.search(r"\r\n|\n|\r", self.text) or ["\n"])[0]


def read_table(
    path: Path, *, encoding: str | None = None, header: bool = True, least_rows: int = 2
) -> Table:
    """Read a table of any supported format.

    Parameters
    ----------
    path : Path
        ``.parquet``, ``.npy``, ``.npz``; anything else is text with a delimiter, packed with
        gzip if it ends in ``.gz``. ``-`` is standard input.
    encoding : str or None
        Encoding of a text file; None is UTF-8, or that of the file's byte-order mark.
    header : bool
        Whether the first line of a text file names the columns.
    least_rows : int
        Fewer rows are refused.
    """
    check_readable(path)
    kind = kind_of(path)
    name = input_name(path)
    if kind in _OTHER_FORMATS:
        raise ValueError(f"{path} is a .{kind} file, which is not read; save it as CSV.")
    if kind in ("parquet", "pq"):
        table = Table(path, _read_parquet(path))
    elif kind in ("npy", "npz"):
        table = Table(path, _read_numpy(path, kind))
    else:
        table = _read_delimited(name, kind, *read_text(path, encoding), header)
    _check_names(name, [str(name) for name in table.frame.columns])
    n = len(table.frame)
    if n < least_rows:
        rows = "no rows" if n == 0 else f"{n} row" + "s" * (n > 1)
        needed = f"{least_rows} are" if least_rows > 1 else "1 is"
        raise ValueError(f"{name} has {rows} of data; at least {needed} needed.")
    return table


def import_pandas() -> Any:
    """Pandas, or an error that says how to install it."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "tables need pandas; install it with pip install 'fairspectral[cli]'."
        ) from None
    return pandas


# --- text -------------------------------------------------------------------------------------


def _read_delimited(path: Path, kind: str, text: str, encoding: str, header: bool) -> Table:
    pandas = import_pandas()
    text = text.lstrip("\r\n")
    try:
        delimiter = "\t" if kind in ("tsv", "tab") else _delimiter(text)
        names = [name.strip() for name in next(_lines(text, delimiter))]
    except csv.Error:
        raise _unclosed(path, 1) from None
    notes = []
    if not header:
        names = [f"column {j}" for j in range(1, len(names) + 1)]
    else:
        _check_names(path, names, hint=" or, if its first line is data, pass --no-header")
        if any(_is_number(name) for name in names):
            notes.append(
                "The first line was read as column names although it contains numbers; pass "
                "--no-header if it is data."
            )
    try:
        frame = pandas.read_csv(
            io.StringIO(text), sep=delimiter, names=names, header=0 if header else None,
            dtype=str, keep_default_na=False, na_values=[], index_col=False,
            skipinitialspace=_pads_quotes(text, delimiter),
        )  # fmt: skip
    except pandas.errors.ParserError as error:
        raise _unparsable(path, str(error)) from None
    check_fields(path, frame)
    _check_lines(path, text, delimiter, len(names), len(frame) + header)
    return Table(path, frame, delimiter, encoding, tuple(notes), text, header)


def split_rows(table: Table) -> Iterator[tuple[str, bool]]:
    """The rows of a text file unchanged, with line ends, and whether each has any field.

    The first is the header where there is one.
    """
    lines = io.StringIO(table.text, newline="")
    taken: list[str] = []

    def taking() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line

    padded = _pads_quotes(table.text, table.delimiter)
    for fields in csv.reader(taking(), delimiter=table.delimiter, skipinitialspace=padded):
        yield "".join(taken), bool(fields)
        taken.clear()


def _lines(text: str, delimiter: str) -> Any:
    """The fields of each line; a quoted field may span several lines of text."""
    lines = io.StringIO(text, newline="")  # lines end in any of the usual ways
    padded = _pads_quotes(text, delimiter)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=padded)


def _pads_quotes(text: str, delimiter: str) -> bool:
    """Whether there are blanks between a delimiter and a quote, which is then still a quote."""
    return re.search(rf"(?:^|{re.escape(delimiter)}) +\"", text, flags=re.MULTILINE) is not None


def _delimiter(text: str) -> str:
    """The delimiter that splits the first line into most fields; a comma if none does."""
    start = text[: 10 * _LONGEST_FIELD]
    return max(_DELIMITERS, key=lambda delimiter: len(next(_lines(start, delimiter))))


def _check_names(path: Path, names: list[str], hint: str = "") -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if not twice:
        return
    name = repr(twice[0]) if twice[0] else "the empty name"
    raise ValueError(
        f"{path} has {names.count(twice[0])} columns called {name}; give every column a name of "
        f"its own{hint}."
    )


def _check_lines(path: Path, text: str, delimiter: str, n_columns: int, n_rows: int) -> None:
    """Refuse a line that is too short, which pandas would fill up silently."""
    lines = _lines(text, delimiter)
    found = 0
    for fields in lines:
        found += bool(fields)
        if fields and len(fields) != n_columns:
            raise ValueError(
                f"{path} has {len(fields)} field(s) in line {lines.line_num} but {n_columns} "
                "columns; correct that line."
            )
    if found != n_rows:
        raise ValueError(
            f"{path} has lines of blanks only, which may be rows or not; remove them, or write "
            "NA where a value is missing."
        )


def check_fields(path: Path, frame: pandas.DataFrame) -> None:
    """Refuse a field that is too long to be a value."""
    for name in frame.columns:
        lengths = frame[name].str.len().to_numpy()
        if len(lengths) and lengths.max() > _LONGEST_FIELD:
            row = int(np.argmax(lengths))
            raise ValueError(
                f"{path} has a field of {lengths.max():,} characters in data row {row + 1}, column "
                f"{name!r}; probably a quote was not closed, or the column should be removed."
            )


def _unclosed(path: Path, line: int) -> ValueError:
    return ValueError(
        f"{path} has a quote that is never closed, or a field that is too long, from line {line} "
        "on; close the quote or remove the field."
    )


def _unparsable(path: Path, message: str) -> ValueError:
    fields = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if fields:
        expected, line, seen = fields.groups()
        return ValueError(
            f"{path} has {seen} fields in line {line} but {expected} columns; correct that line, "
            "or quote the text that contains the delimiter."
        )
    row = re.search(r"EOF inside string starting at row (\d+)", message)
    if row:
        return _unclosed(path, int(row[1]) + 1)
    return ValueError(f"{path} is not a table that can be read ({message}); check its format.")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- binary -----------------------------------------------------------------------------------


def _read_parquet(path: Path) -> pandas.DataFrame:
    pandas = import_pandas()
    try:
        import pyarrow.parquet

        names = pyarrow.parquet.read_schema(path).names
        twice = len(set(names)) < len(names)  # not possible in pandas; the caller refuses it
        frame = pandas.DataFrame(columns=names) if twice else pandas.read_parquet(path)
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow; install it with pip install pyarrow, or pass CSV."
        ) from None
    except MemoryError:
        raise
    except Exception as error:  # pyarrow has many error types of its own
        raise ValueError(
            f"{path} is not a Parquet file that can be read ({first_sentence(error)}); check the "
            "file."
        ) from None
    return frame.rename(columns=str)


def _read_numpy(path: Path, kind: str) -> pandas.DataFrame:
    pandas = import_pandas()
    _check_claims(path, kind)
    try:
        with open(path, "rb") as file:
            loaded = np.load(file, allow_pickle=False)
            arrays = {"": loaded} if kind == "npy" else {key: loaded[key] for key in loaded.files}
    except _NUMPY_ERRORS as error:
        objects = "pickle" in str(error) and _has_arrays(path, kind)
        why = "it holds Python objects" if objects else "numpy cannot read it"
        raise ValueError(
            f"{path} is not a .{kind} file of numbers or text ({why}); save plain arrays."
        ) from None
    columns: dict[str, np.ndarray] = {}
    for key, array in arrays.items():
        for name, values in _array_columns(path, key, array):
            columns[name] = values
    lengths = {len(values): name for name, values in columns.items()}
    if len(lengths) > 1:
        (m, a), (n, b), *_ = lengths.items()
        raise ValueError(
            f"{path} holds arrays of different lengths ({a!r} has {m} rows, {b!r} has {n}); save "
            "one row per sample in each."
        )
    return pandas.DataFrame(columns)


def _has_arrays(path: Path, kind: str) -> bool:
    """Whether a file begins like numpy's; numpy would read any other file as a pickle."""
    if kind == "npz":
        return zipfile.is_zipfile(path)
    with open(path, "rb") as file:
        return file.read(6) == b"\x93NUMPY"


def _check_claims(path: Path, kind: str) -> None:
    """Refuse impossible sizes; other errors are reported when the file is read."""
    try:
        if kind == "npz":
            check_npz(path)
        else:
            with open(path, "rb") as file:
                check_npy(path, file, path.stat().st_size)
    except _NUMPY_ERRORS as error:
        if str(error).startswith(str(path)):
            raise


def _array_columns(path: Path, key: str, array: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """A table has columns 0, 1, ...; in a ``.npz`` their names begin with the array's."""
    if array.dtype.names:
        return [(name, array[name]) for name in array.dtype.names]
    if array.ndim == 1:
        return [(key or "0", array)]
    if array.ndim == 2:
        columns = range(array.shape[1])
        return [(f"{key}[{j}]" if key else str(j), array[:, j]) for j in columns]
    where = f"array {key!r} of {path}" if key else str(path)
    raise ValueError(f"{where} has shape {array.shape}; save one row per sample.")
