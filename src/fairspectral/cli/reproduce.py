"""``fairspectral reproduce``: the command of `fairspectral_benchmarks`, where that is installed.

The paper's tables and figures are not in the library's wheel. The package that has them is
imported only here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from fairspectral.cli.command import command

NOT_INSTALLED = (
    "the paper's tables and figures are not installed with the library; clone "
    "https://github.com/fairspectral/fairspectral and run make reproduce, or "
    "pip install -e '.[cli]' -e benchmarks in the clone."
)


def reproduce_command() -> tuple[Callable[..., None], dict[str, Any]]:
    """The command, and its arguments for typer."""
    try:
        from fairspectral_benchmarks.paper.command import EPILOG, reproduce
    except ModuleNotFoundError as error:
        if error.name != "fairspectral_benchmarks":
            raise
        # Accept any arguments, and print the sentence.
        anything = {"allow_extra_args": True, "ignore_unknown_options": True}
        return missing, {"name": "reproduce", "context_settings": anything}
    return reproduce, {"epilog": EPILOG}


@command
def missing(
    table: Annotated[str, typer.Argument(metavar="TABLE", show_default=False)] = "",
) -> None:
    """Reproduce a table or figure of the paper (not installed; it comes with a clone)."""
    raise ImportError(NOT_INSTALLED)
