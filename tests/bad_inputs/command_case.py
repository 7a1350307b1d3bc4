"""A row of the tables of the command's bad inputs, and its plain table as CSV."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bad_input_case import WORKS, plain, two_groups

QUICK = ("--effort", "fast", "--json")
CLUSTER = (
    "cluster", "{in}", "-s", "sex", "-k", "2", "--affinity", "rbf", "-o", "{out}", *QUICK,
)  # fmt: skip
AUDIT = ("audit", "{in}", "-s", "sex", "-l", "label", "--json")
GRAPH = (
    "cluster", "{in}", "--graph", "--groups", "{groups}", "-s", "side", "-k", "2", "-o", "{out}",
    *QUICK,
)  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A call of the command.

    Attributes
    ----------
    name : str
        Of the case.
    content : bytes or callable
        Of the input; a callable writes it to a path.
    words : tuple of str
        ``{in}``, ``{out}``, ``{groups}`` and ``{pairs}`` stand for files.
    outcome : str or Pattern
        `WORKS`, or the sentence, in which ``{in}`` stands for the input's path; a pattern where
        it repeats another package's words.
    same : bool
        Whether the partition must be as good as that of the plain input.
    file : str
        The name of the input.
    status : int
        Of a case that works; 1 is an audit that found it unfair.
    note : str
        Part of what is noted on the way; "" for nothing.
    needs : str
        An optional package.
    pairs : str
        Of the table of links, ``{pairs}``.
    """

    name: str
    content: bytes | Callable[[Path], None]
    words: tuple[str, ...] = CLUSTER
    outcome: str | re.Pattern[str] = WORKS
    same: bool = True
    file: str = "people.csv"
    status: int = 0
    note: str = ""
    needs: str = ""
    pairs: str = ""


def text(
    rows: Any = None,
    header: str = "a,b,c,sex",
    *,
    groups: Any = None,
    newline: str = "\n",
    delimiter: str = ",",
) -> str:
    """The plain data and its groups as CSV."""
    rows = plain().astype(int).astype(str) if rows is None else rows
    groups = two_groups() if groups is None else groups
    lines = [delimiter.join([*row, str(group)]) for row, group in zip(rows, groups, strict=True)]
    return newline.join([header.replace(",", delimiter), *lines]) + newline


def csv(**options: Any) -> bytes:
    return text(**options).encode()


def cell(value: str, row: int = 4, column: int = 1) -> bytes:
    """The plain data with one other cell."""
    rows = plain().astype(int).astype(str).astype(object)
    rows[row, column] = value
    return csv(rows=rows)


def column(values: Any, name: str = "d") -> bytes:
    """The plain data with one more column."""
    rows = np.column_stack([plain().astype(int).astype(str).astype(object), list(values)])
    return csv(rows=rows, header=f"a,b,c,{name},sex")


def line(number: int, words: str) -> bytes:
    """The plain data with another line."""
    lines = text().splitlines()
    lines[number] = words
    return ("\n".join(lines) + "\n").encode()
