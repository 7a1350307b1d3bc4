"""``fairspectral datasets``: list the data sets, and write them as files."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairspectral.cli.command import Json, command, say

if TYPE_CHECKING:
    from fairspectral.datasets import Dataset
    from fairspectral.datasets._fetch import Source

datasets_app = typer.Typer(invoke_without_command=True, rich_markup_mode="rich")


@dataclass(frozen=True)
class Entry:
    """A data set as the list shows it.

    Attributes
    ----------
    loader : str
        Function of `fairspectral.datasets`.
    module : str
        Module of `fairspectral.datasets` with its source.
    n, h : int
        Samples and groups.
    kind, group : str
        ``"table"`` or ``"graph"``, and what the groups are.
    """

    loader: str
    module: str
    n: int
    h: int
    kind: str
    group: str

    def load(self) -> Dataset:
        """The data set itself."""
        return getattr(importlib.import_module("fairspectral.datasets"), self.loader)()

    @property
    def source(self) -> Source:
        """Where it comes from and on which terms."""
        return importlib.import_module(f"fairspectral.datasets.{self.module}").SOURCE

    @property
    def here(self) -> bool:
        """Whether all of its files are on this machine."""
        from fairspectral.datasets._fetch import DATA_VARIABLE, user_cache

        folders = [user_cache(), *map(Path, filter(None, [os.environ.get(DATA_VARIABLE)]))]
        return all(
            any((folder / file.name).is_file() for folder in folders) for file in self.source.files
        )

    def summary(self) -> dict[str, Any]:
        """For machines."""
        source = self.source
        about = {"source": source.url, "licence": source.licence, "citation": source.citation}
        return {**vars(self), **about, "available": self.here}


ENTRIES = {
    "census": Entry("fetch_census", "census", 32561, 7, "table", "marital-status"),
    "thyroid": Entry("fetch_thyroid", "thyroid", 7200, 3, "table", "diagnosis"),
    "diabetes": Entry("load_diabetes_patients", "diabetes", 442, 2, "table", "sex"),
    "4area": Entry("fetch_4area", "fourarea", 35385, 4, "table", "area"),
    "lastfm": Entry("fetch_lastfm", "lastfm", 5576, 6, "graph", "country"),
    "facebook": Entry("fetch_facebook", "facebook", 155, 2, "graph", "gender"),
}


@datasets_app.callback()
def datasets(context: typer.Context, json: Json = False) -> None:
    """List the data sets, or write one of them as a file.

    [bold]Example:[/bold] fairspectral datasets fetch census -o census.csv
    """
    if context.invoked_subcommand is None:
        _list(json=json)


@command
def _list(json: bool) -> None:
    from fairspectral.cli.display import print_json, print_lines, print_table

    if json:
        print_json({name: entry.summary() for name, entry in ENTRIES.items()})
        return
    header = ["name", "n", "groups", "kind", "here"]
    rows = [
        [name, f"{e.n:,}", f"{e.h} by {e.group}", e.kind, "yes" if e.here else "no"]
        for name, e in ENTRIES.items()
    ]
    print_table(header, rows, text=header[2:])
    for name, entry in ENTRIES.items():
        print_lines(f"{name}: {entry.source.url}; licence: {entry.source.licence}")


@datasets_app.command()
@command
def fetch(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=", ".join(ENTRIES), show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="A table as CSV (- is standard output); a graph as an edge list, with its groups "
            "beside it.",
        ),
    ],
) -> None:  # fmt: skip
    """Write a data set as CSV, after downloading it if necessary.

    A graph is written as an edge list, and its groups to a second file whose name ends in
    -groups.csv.

    [bold]Example:[/bold] fairspectral datasets fetch census -o census.csv
    """
    from fairspectral.cli.tables import TEXT_KINDS, check_kind, check_output
    from fairspectral.cli.tables.standard import is_standard, write_standard_output
    from fairspectral.cli.tables.write import write_delimited
    from fairspectral.files import replacing
    from fairspectral.parameters import check_choice

    check_choice(name, ENTRIES, "NAME")
    frames = 2 if ENTRIES[name].kind == "graph" else 1
    if is_standard(output):
        if frames > 1:
            raise ValueError(
                f"{name} is a graph, which takes two files, so it cannot go to standard output; "
                "name a file."
            )
        (frame,) = _frames(name)
        write_standard_output(frame.to_csv(index=False, lineterminator="\n").encode())
        return
    check_kind(output, TEXT_KINDS)
    paths = [output, output.with_name(f"{output.stem}-groups.csv")][:frames]
    for path in paths:
        check_output(path)
    for path, frame in zip(paths, _frames(name), strict=True):
        with replacing(path) as attempt:
            write_delimited(frame, attempt, path)
    say(f"Wrote {' and '.join(map(str, paths))}.")


def _frames(name: str) -> list[Any]:
    """The table, or the edges and the groups, of a data set."""
    import pandas

    entry = ENTRIES[name]
    if name == "census":
        from fairspectral.datasets import census

        # The published columns; those of the loader are encoded and standardised already.
        columns = census.read_columns(census.SOURCE.paths(None)[0])
        left_out = set(census.NOT_FEATURES) - {census.GROUP}
        return [pandas.DataFrame({c: v for c, v in columns.items() if c not in left_out})]
    data = entry.load()
    if data.X is not None:
        frame = pandas.DataFrame(data.X, columns=list(data.feature_names))
        return [frame.assign(**{entry.group: data.sensitive_features})]
    import scipy.sparse as sp

    edges = sp.coo_array(sp.triu(data.graph))
    nodes = range(data.n)
    return [
        pandas.DataFrame({"source": edges.row, "target": edges.col, "weight": edges.data}),
        pandas.DataFrame({"node": nodes, entry.group: data.sensitive_features}),
    ]
