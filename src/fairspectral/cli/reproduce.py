"""``fairspectral reproduce``: the paper's tables and figures, where they are installed.

They are not in the library's wheel. The package that has them names the module of its command
as an entry point, so that the library need not know the package.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer

from fairspectral.cli.command import command

# Group of the entry points that add a command.
ENTRY_POINTS = "fairspectral.commands"

NOT_INSTALLED = (
    "the paper's tables and figures are not installed with the library; clone "
    "https://github.com/fairspectral/fairspectral and run make reproduce, or "
    "pip install -e '.[cli]' -e benchmarks in the clone."
)


def reproduce_command() -> tuple[Callable[..., None], dict[str, Any]]:
    """The command, and its arguments for typer."""
    for found in entry_points(group=ENTRY_POINTS, name="reproduce"):
        try:
            module = found.load()
        except ModuleNotFoundError as error:
            # A clone may have been moved or removed since it was installed.
            if error.name != found.module.partition(".")[0]:
                raise
        else:
            return module.reproduce, {"epilog": module.EPILOG}
    # Accept any arguments, and print the sentence.
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    return missing, {"name": "reproduce", "context_settings": anything}


@command
def missing(
    table: Annotated[str, typer.Argument(metavar="TABLE", show_default=False)] = "",
) -> None:
    """Reproduce a table or figure of the paper (not installed; it comes with a clone)."""
    raise ImportError(NOT_INSTALLED)
