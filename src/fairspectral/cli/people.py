"""Weights of persons, and who must be together or apart: the options, and what their files say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from fairspectral.cli.tables import Table, check_columns, numbers, read_names, read_table
from fairspectral.cli.tables.almost_numeric import unread_number

_PANEL = "Weights and links"


def weight_option(panel: str | None = None) -> Any:
    """The option ``--weight``, for all commands whose shares can count weight."""
    return typer.Option(
        "--weight", metavar="COLUMN", show_default=False, rich_help_panel=panel,
        help="Column with how many people each row stands for: shares count weight, not heads.",
    )  # fmt: skip


def _pairs_option(name: str, where: str) -> Any:
    return typer.Option(
        name, metavar="FILE", show_default=False, rich_help_panel=_PANEL,
        help=f"Table of two columns: pairs who must be in {where}, by data row from 1, by --id, or "
        "by the names of a graph's nodes.",
    )  # fmt: skip


@dataclass(frozen=True)
class PeopleOptions:
    """How much each person counts, and who must be together or apart."""

    weight: Annotated[str | None, weight_option(_PANEL)] = None
    must_link: Annotated[Path | None, _pairs_option("--must-link", "one cluster")] = None
    cannot_link: Annotated[Path | None, _pairs_option("--cannot-link", "two clusters")] = None
    id: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="COLUMN", show_default=False, rich_help_panel=_PANEL,
            help="Column with the names by which pairs are given; not compared.",
        ),
    ] = None  # fmt: skip

    def check(self) -> None:
        """Refuse names of rows that nothing uses."""
        if self.id is not None and self.must_link is None and self.cannot_link is None:
            raise ValueError(
                "--id names the rows for pairs; pass --must-link or --cannot-link too, or leave "
                "out an id with --drop."
            )

    def refuse(self, option: str, given: Any) -> None:
        """Refuse an option that knows neither weights nor links, before any work."""
        if given and (self.weight or self.must_link or self.cannot_link):
            raise ValueError(
                f"{option} does not go together with --weight, --must-link and --cannot-link; "
                f"leave out {option}, or these."
            )

    def columns(self, table: Table, sensitive: Sequence[str]) -> list[str]:
        """The columns that are not compared; one that is sensitive too cannot be a weight."""
        if self.weight is not None and self.weight in sensitive:
            raise ValueError(
                f"the column {self.weight!r} is named by --weight and by --sensitive; leave out "
                "one of them."
            )
        weight = [] if self.weight is None else [self.weight]
        ids = [] if self.id is None else [self.id]
        return [
            *check_columns(table.frame, weight, table.path, "--weight"),
            *check_columns(table.frame, ids, table.path, "--id"),
        ]

    def read(self, table: Table, *, graph: bool, encoding: str | None) -> People:
        """The weights and the pairs."""
        weights = None if self.weight is None else read_weights(table, self.weight)
        if self.must_link is None and self.cannot_link is None:
            return People(weights)
        names = self._names(table, graph)
        together, apart = (
            None if path is None else _read_pairs(path, names, encoding)
            for path in (self.must_link, self.cannot_link)
        )
        return People(weights, together, apart, names)

    def _names(self, table: Table, graph: bool) -> Sequence[Any]:
        """The names of the rows or nodes; numbers from 1 where they have none."""
        rows = range(1, len(table.frame) + 1)
        if graph:
            nodes = list(map(str, read_names(table.frame.iloc[:, 0], table.path)))
            return nodes if len(set(nodes)) == len(nodes) else rows
        if self.id is None:
            return rows
        names = list(map(str, read_names(table.frame[self.id], table.path)))
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise ValueError(
                f"{table.path} has the name {twice!r} twice in column {self.id!r}; --id needs a "
                "column in which every row has a name of its own."
            )
        return names


@dataclass(frozen=True)
class People:
    """How much each row counts, and pairs of rows.

    Attributes
    ----------
    weights : float64 ndarray of shape (n,) or None
        None where each counts as one.
    together, apart : list of pairs of names, or None
        Who must be in one cluster, and who must not.
    names : sequence of length n
        The rows by name.
    """

    weights: np.ndarray | None = None
    together: list[tuple[Any, Any]] | None = None
    apart: list[tuple[Any, Any]] | None = None
    names: Sequence[Any] = ()

    def for_fit(self, k: int) -> dict[str, Any]:
        """Arguments of the estimator's fit; links that k clusters cannot keep are refused."""
        from fairspectral.links import read_links

        links = read_links(self.together, self.apart, self.names, k)
        return {"sample_weight": self.weights, "must_link": links}

    def link_summary(self, labels: np.ndarray, k: int) -> dict[str, Any] | None:
        """The links for machines; None where there are none."""
        links = self.for_fit(k)["must_link"]
        if links is None:
            return None
        return {
            "must_link": len(self.together or ()),
            "cannot_link": len(self.apart or ()),
            "kept": links.kept(labels),
            "not_kept": [[self.names[i], self.names[j]] for i, j in links.joined(labels)],
        }


def read_weights(table: Table, name: str) -> np.ndarray:
    """A column of weights, shape (n,); others than finite numbers of at least 0 are refused."""
    column = table.frame[name]
    values = numbers(column, table.decimal)
    if values is None:
        row, text = unread_number(column, table.decimal)
        wrong = f"{text!r} in data row {row + 1} of the weights {name!r}, which is no finite number"
    elif np.isnan(values).any():
        wrong = f"no weight in data row {int(np.argmax(np.isnan(values))) + 1} of column {name!r}"
    elif (values < 0).any():
        row = int(np.argmax(values < 0))
        wrong = f"the negative weight {values[row]:g} in data row {row + 1} of column {name!r}"
    else:
        return values
    raise ValueError(f"{table.path} has {wrong}; correct it, or drop that row.")


def _read_pairs(path: Path, names: Sequence[Any], encoding: str | None) -> list[tuple[Any, Any]]:
    """Pairs of names; the first line is a header if neither of its fields can be a name."""
    table = read_table(path, encoding=encoding, header=False, least_rows=1)
    if table.frame.shape[1] != 2:
        raise ValueError(
            f"{path} has {table.frame.shape[1]} column(s); write two names per line, a pair."
        )
    numbered = isinstance(names, range)
    known = {str(name): name for name in names}
    fields = [list(map(str, read_names(table.frame[name], path))) for name in table.frame]
    pairs = list(zip(*fields, strict=True))
    # Whole numbers are no header: out of range, they are a mistake.
    if table.text and not any(f in known or (numbered and f.isdecimal()) for f in pairs[0]):
        pairs = pairs[1:]
    for number, pair in enumerate(pairs, start=1):
        for field in pair:
            if field not in known:
                say = f"data rows are numbered 1 to {len(names)}" if numbered else "correct it"
                raise ValueError(
                    f"{path} has {field!r} in pair {number}, but there is no such row; {say}."
                )
        if pair[0] == pair[1]:
            raise ValueError(
                f"{path} has {pair[0]!r} twice in pair {number}; a pair is of two people."
            )
    return [(known[first], known[second]) for first, second in pairs]
