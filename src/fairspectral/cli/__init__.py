"""The command ``fairspectral``. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; the console script calls this."""
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
