"""``fairspectral demo``: fair against plain clustering, on data that come with the library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairspectral.cli.command import command


@command
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to.")
    ] = Path("demo-output"),
) -> int:
    """Show fair against plain spectral clustering on bundled data; needs no file and no network.

    [bold]Example:[/bold] fairspectral demo
    """
    from fairspectral.demo import main

    return main(["--output", str(output)])
