"""The command ``fairspectral``. Each subcommand imports the heavy packages that it needs."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; the console script calls this."""
    _open_streams()
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        sys.stderr.write(
            f"Error: the command line needs {error.name}; "
            "install it with pip install 'fairspectral[cli]'.\n"
        )
        sys.exit(2)
    try:
        from fairspectral.cli.app import app

        app(prog_name="fairspectral")
    except KeyboardInterrupt:
        sys.exit(130)


def _open_streams() -> None:
    """Make both outputs accept any text, even if the shell has closed them."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
