"""Text of unknown origin made safe for a terminal: no control codes, no hidden characters."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text with escape codes, line ends and similar characters escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
