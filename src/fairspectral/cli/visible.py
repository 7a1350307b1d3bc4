"""Text of unknown origin for a terminal: nothing in it may move the cursor or hide a letter."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text with escape codes, ends of lines and the like shown as Python writes them."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
