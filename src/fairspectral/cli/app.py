"""The commands and their names."""

from __future__ import annotations

from typing import Annotated

import typer

from fairspectral.cli.assign import assign
from fairspectral.cli.audit import audit
from fairspectral.cli.choose_k import choose_k
from fairspectral.cli.cluster import cluster
from fairspectral.cli.compare import compare
from fairspectral.cli.datasets import datasets_app
from fairspectral.cli.demo import demo
from fairspectral.cli.describe import describe
from fairspectral.cli.doctor import doctor
from fairspectral.cli.frontier import frontier
from fairspectral.cli.reproduce import reproduce_command
from fairspectral.cli.serve import serve
from fairspectral.cli.usage import Group
from fairspectral.cli.verify import verify

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(cluster)
app.command()(assign)
app.command()(audit)
app.command()(verify)
app.command()(describe)
app.command("choose-k")(choose_k)
app.command()(compare)
app.command()(frontier)
app.command("app")(serve)
app.command()(demo)
app.add_typer(datasets_app, name="datasets")
_reproduce, _told = reproduce_command()
app.command(**_told)(_reproduce)
app.command()(doctor)


def _version(wanted: bool) -> None:
    if wanted:
        from fairspectral import __version__

        typer.echo(f"fairspectral {__version__}")
        raise typer.Exit


@app.callback()
def fairspectral(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Spectral clustering in which every group gets its proportional share of every cluster."""
