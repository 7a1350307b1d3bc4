"""Errors as sentences for the page, with the names of its fields."""

from __future__ import annotations

from fairspectral.cli.command import error_sentence, say
from fairspectral.cli.wording import in_options

# The fields of the page that the library's messages may name.
_FIELDS = ("clusters", "neighbors", "affinity", "tolerances")


class Refused(ValueError):
    """A request that cannot be answered, in a sentence, with its HTTP status."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.status = status


def sentence_of(error: Exception, details: str = "") -> str:
    """The error in one sentence; `details` of an unexpected one are printed in the terminal."""
    expected = isinstance(error, ValueError | TypeError | OSError | ImportError | MemoryError)
    if not expected:
        for line in details.splitlines():
            say(line)
        return (
            f"Unexpected error ({type(error).__name__}: {error}); the terminal of fairspectral app "
            "shows more, please report it."
        )
    return capitalised(in_options(error_sentence(error, _FIELDS), _FIELDS))


def capitalised(text: str) -> str:
    """With a large first letter, unless it is an option or the name of a file."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text
