"""What the page accepts: it is for tables that one person looks at, not for production."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fairspectral.cli.tables import Table, kind_of

# Endings of text with delimiters; "" is a name without one.
_KINDS = ("csv", "tsv", "tab", "txt", "")


@dataclass(frozen=True)
class Limits:
    """Largest sizes of a table, and of a clustering that can still be looked at.

    Attributes
    ----------
    megabytes : int
        Of the file.
    rows, columns : int
        Of the table.
    clusters : int
        To draw.
    """

    megabytes: int = 25
    rows: int = 20_000
    columns: int = 200
    clusters: int = 50

    @property
    def file_bytes(self) -> int:
        """Of the file."""
        return self.megabytes * 1_000_000

    @property
    def request_bytes(self) -> int:
        """Of the body of a request: the file, and the form around it."""
        return self.file_bytes + 100_000

    def check_kind(self, path: Path) -> None:
        """Refuse what is not text, such as Parquet, which the command reads."""
        packed = path.suffix.lower() == ".gz"
        if packed or kind_of(path) not in _KINDS:
            raise ValueError(
                f"{path.name} ends in {path.suffix!r}; this page reads CSV and TSV, so save it as "
                "CSV, or use the command fairspectral cluster."
            )

    def check_file(self, table_name: str, content: bytes) -> None:
        """Refuse a file that is too large, or no text with delimiters, before it is read."""
        if len(content) > self.file_bytes:
            raise ValueError(f"{table_name} {self.too_large}")
        header = content.lstrip(b"\r\n").split(b"\n", 1)[0]
        # Delimiters within quotes count too, hence the margin; the exact check comes after reading.
        if max(map(header.count, (b",", b";", b"\t", b"|"))) > 10 * self.columns:
            raise ValueError(self._too_many_columns(table_name))

    @property
    def too_large(self) -> str:
        """The end of the sentence about a file that is too large."""
        return (
            f"has more than {self.megabytes} MB, too much for this page; "
            "use the command fairspectral cluster."
        )

    def check_table(self, table: Table) -> None:
        """Refuse a table with too many rows or columns."""
        n, columns = table.frame.shape
        if n > self.rows:
            raise ValueError(
                f"{table.path} has {n:,} rows; this page takes {self.rows:,} at most, so use the "
                "command fairspectral cluster, or a part of the rows."
            )
        if columns > self.columns:
            raise ValueError(self._too_many_columns(str(table.path)))

    def _too_many_columns(self, table_name: str) -> str:
        return (
            f"{table_name} has more than {self.columns} columns; this page takes that many at "
            "most, so use the command fairspectral cluster, or remove some."
        )
