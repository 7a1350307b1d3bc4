"""``fairspectral app``: a page on this machine to try it with a table."""

from __future__ import annotations

import importlib
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from fairspectral.anytime import taking_interrupts
from fairspectral.cli.command import command

# Modules of the extra, and of those that it brings along.
_NEEDED = ("starlette", "uvicorn", "python_multipart", "jinja2", "pandas")


@command
def serve(
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE", show_default=False, help="CSV or TSV file to begin with."
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:  # fmt: skip
    """Open a local page: drop a table, choose columns, and slide the tolerance over the frontier.

    It listens on 127.0.0.1 only, and the address has a token that lets your browser in. Nothing
    leaves this machine, and nothing is kept. End it with Ctrl-C.

    [bold]Example:[/bold] fairspectral app people.csv
    """
    for name in _NEEDED:
        try:
            importlib.import_module(name)
        except ImportError:
            raise ImportError(
                f"the page needs {name}; install it with pip install 'fairspectral[app]'."
            ) from None
    from fairspectral.app.server import Server

    with taking_interrupts():
        try:
            with Server(table, port) as server:
                typer.echo(f"The page is at {server.url}\nCtrl-C ends it.")
                if not no_browser:
                    webbrowser.open(server.url)
                server.wait()
        except KeyboardInterrupt:
            typer.echo("The page is closed.")
