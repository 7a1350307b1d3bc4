"""Text for results that print themselves: tables with aligned columns, lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(table: Sequence[Sequence[str]], *, left: int = 0) -> str:
    """The rows as lines, the first underlined; all but the first `left` columns to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    header, *body = (
        "  ".join(
            cell.ljust(width) if j < left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    )
    return "\n".join([header, "  ".join("-" * width for width in widths), *body])


def listed(words: Sequence[str]) -> str:
    """``"0, 1 and 2"``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
