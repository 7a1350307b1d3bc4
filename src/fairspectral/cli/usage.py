"""Wrong commands and options: one sentence with the nearest right word, and status 2.

The classes of these errors are private to typer (its own, or those of click, by version), so
they are distinguished by their attributes.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperGroup

from fairspectral._start import FAILED, INTERRUPTED
from fairspectral.cli.command import say

# Patterns of typer's messages about a value, in several versions, and our wording.
_REASONS = (
    (r"greater than or equal to (\S+)|in the range x>=(\S+)", "must be at least {}"),
    (r"valid integer", "must be a whole number"),
    (r"valid (?:number|float)", "must be a number"),
    (r"is not one of (.*)", "must be one of {}"),
)


class Group(TyperGroup):
    """Commands that report wrong use in one sentence."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command, and exit with its status."""
        alone = options.pop("standalone_mode", True)
        options["standalone_mode"] = False  # errors are raised here instead of printed in a box
        if not alone:
            return super().main(*args, **options)
        try:
            status = super().main(*args, **options)
        except typer.Abort:
            sys.exit(INTERRUPTED)
        except Exception as error:
            if not hasattr(error, "format_message"):
                raise
            if type(error).__name__ != "NoArgsIsHelpError":  # that one has shown the help
                say(f"Error: {usage_sentence(error)}")
            sys.exit(FAILED)
        sys.exit(status if isinstance(status, int) else 0)


def usage_sentence(error: Any) -> str:
    """The sentence for wrong arguments: what is wrong, and what would be right."""
    text = " ".join(error.format_message().split()).removesuffix(".")
    context = getattr(error, "ctx", None)
    see = f"see {context.command_path} --help" if context else "--help shows how"
    parameter = getattr(error, "param", None)
    option = getattr(error, "option_name", None)
    if parameter is not None:
        if type(error).__name__ == "MissingParameter":
            return f"{_name(parameter)} is missing; add it, or {see}."
        return f"{_name(parameter)} {_reason(error.message)}; {see}."
    if option and context and hasattr(error, "possibilities"):
        known = [name for p in context.command.params for name in p.opts if name.startswith("-")]
        return f"there is no option {option}; {_nearest(option, known) or see + '.'}"
    if option:
        what = "takes no value" if "not take" in text else "needs a value"
        return f"{option} {what}; {see}."
    if context and (found := re.search(r"No such command '(.*?)'", text)):
        known = context.command.list_commands(context)
        return f"there is no command {found[1]!r}; {_nearest(found[1], known) or see + '.'}"
    if found := re.search(r"unexpected extra argument\S* \((.*)\)", text):
        return (
            f"{found[1]!r} is one word too many; put the option's name before each of several "
            f"values, and quotes around a name with blanks, or {see}."
        )
    return f"{text}; {see}."


def _name(parameter: Any) -> str:
    """As in the help: the long option, or the name of an argument."""
    if parameter.param_type_name == "argument":
        return parameter.metavar or parameter.name.upper()
    return max(parameter.opts, key=len)


def _reason(text: str) -> str:
    for pattern, words in _REASONS:
        if found := re.search(pattern, text):
            value = next((group for group in found.groups() if group), "").rstrip(".")
            quoted = re.findall(r"'(.*?)'", text)
            near = _nearest(quoted[0], quoted[1:]) if quoted else ""
            return words.format(value) + (f" ({near})" if near else "")
    return f"has a value that it does not take ({text.rstrip('.')})"


def _nearest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""
