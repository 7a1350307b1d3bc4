"""``fairspectral reproduce``: the paper's tables and figures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fairspectral.cli.command import command, say
from fairspectral_benchmarks.paper.items import ALL, ITEMS

_LIST = "list"
# Below the options of --help, one line each.
EPILOG = "\n\n".join(
    ["[bold]Tables and figures[/bold]", *(f"{name}: {title}" for name, title in ITEMS.items())]
)


class Scale(StrEnum):
    """Sizes and trials."""

    tiny = "tiny"
    quick = "quick"
    paper = "paper"


@command
def reproduce(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", show_default=False,
            help=f"One of those below, {ALL}, or {_LIST} to show them.",
        ),
    ] = _LIST,
    scale: Annotated[
        Scale,
        typer.Option(
            help="The paper's sizes with five trials (hours), smaller ones (minutes for all), or "
            "tiny ones that need no data files and only show that it works.",
        ),
    ] = Scale.quick,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER",
            help="For results and finished cells; reproduction/SCALE if not given.",
        ),
    ] = None,
    limit: Annotated[
        float | None,
        typer.Option(
            min=0.0, metavar="SECONDS",
            help="Time that one cell may take; 20 at the quick scale, 300 at the paper's if not "
            "given.",
        ),
    ] = None,
    only: Annotated[
        str,
        typer.Option(
            metavar="TEXT", show_default=False,
            help="Compute only cells whose key (problem/method/k/trial) contains it.",
        ),
    ] = "",
    trials: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Trials at most.")
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw the figures too.")
    ] = True,
) -> None:  # fmt: skip
    """Reproduce a table or figure of the paper, its numbers beside ours.

    Writes the table as Markdown, the results as JSON with versions, seeds and machine, and the
    figure as PNG and SVG. Finished cells are kept: after an interruption the same command goes
    on where it stopped. The real data sets are read from the folder that FAIRSPECTRAL_DATA
    names, or downloaded.

    [bold]Example:[/bold] fairspectral reproduce table2 --scale quick
    """
    if table == _LIST:
        from fairspectral.cli.display import print_table

        print_table(["name", "what"], list(map(list, ITEMS.items())), text=("what",))
        return
    from fairspectral.cli.bars import progress_bars
    from fairspectral_benchmarks.paper.engine import reproduce as run
    from fairspectral_benchmarks.paper.store import Record
    from fairspectral_benchmarks.process import DONE

    unfinished = []

    def note(record: Record) -> None:
        if record.outcome != DONE:
            unfinished.append(record.cell.key)

    with progress_bars():
        written = run(
            table,
            scale=scale,
            out=out,
            limit=limit,
            only=only,
            trials=trials,
            figures=figures,
            listener=note,
        )
    if unfinished:
        say(f"Note: {len(unfinished)} cells have no number; the tables say why.")
    say(f"Wrote {', '.join(map(str, written))}.")
