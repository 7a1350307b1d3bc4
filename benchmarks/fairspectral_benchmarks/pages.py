"""Tables in Markdown, and their places in the pages of the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from fairspectral_benchmarks.files import write_text

_TEXT_COLUMNS = ("method", "against", "setting", "findings")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; the first column and names are text, numbers are to the right."""
    rule = ["---" if j == 0 or name in _TEXT_COLUMNS else "---:" for j, name in enumerate(header)]
    return "\n".join(map(_line, [header, rule, *rows]))


def _line(entries: Sequence[object]) -> str:
    return "| " + " | ".join(map(str, entries)) + " |"


def fill_in(page: Path, tables: dict[str, str]) -> None:
    """Put each table between its marks in a page; the rest of the page is not changed.

    The marks are ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``, each once in the page.
    """
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        begin, end = marks(name)
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"{page} has no place for the table {name!r}: add {begin} and {end}.")
        before, after = text.split(begin)[0], text.split(end)[1]
        text = f"{before}{begin}\n{table.rstrip()}\n{end}{after}"
    write_text(page, text)


def marks(name: str) -> tuple[str, str]:
    """The comments around a table."""
    return f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
