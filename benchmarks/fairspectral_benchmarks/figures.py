"""Make and save figures; matplotlib (extra ``plot``) is imported only here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fairspectral.files import replacing
from fairspectral.palette import MARKERS, cluster_colour

# Invisible decimals (of coordinates, in points, and of widths), and indentation.
_SURPLUS = re.compile(r"(\d\d\.\d)\d+|(\.\d\d)\d+|(?<=\n) +| +(?=\n)")


def check_matplotlib() -> None:
    """Raise a clear error if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401 - only whether it is there
    except ImportError:
        raise ImportError(
            "the figures need matplotlib; install it with pip install 'fairspectral[plot]', or "
            "pass --no-figures."
        ) from None


def new_figure(rows: int, columns: int, **options: Any) -> tuple[Any, Any]:
    """A figure without a window, and its panels, shape (rows, columns)."""
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(3.2 * columns + 1, 2.6 * rows + 0.4), layout="constrained")
    return drawing, drawing.subplots(rows, columns, squeeze=False, **options)


def save_figure(drawing: Any, path: Path, made_by: str) -> None:
    """Write a figure, whole or not at all, in the format given by the name.

    Parameters
    ----------
    drawing : matplotlib.figure.Figure
        What to write.
    path : Path
        Ends in ``.png`` or ``.svg``. Text in an SVG is text, with one font, to keep it small.
    made_by : str
        The command that draws it again, kept in the file.
    """
    import matplotlib

    notes = {"Creator": made_by, "Date": None} if path.suffix == ".svg" else {"Software": made_by}
    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": path.name,
        "font.sans-serif": ["DejaVu Sans"],
    }
    with matplotlib.rc_context(settings), replacing(path) as attempt:
        drawing.savefig(attempt, format=path.suffix[1:], dpi=150, metadata=notes)
        if path.suffix == ".svg":
            drawn = attempt.read_text(encoding="utf-8")
            attempt.write_text(_SURPLUS.sub(r"\1\2", drawn), encoding="utf-8")


def style(place: int) -> dict[str, Any]:
    """Colour and shapes of the method at a place in its list, the same in every figure."""
    return {
        "color": cluster_colour(place),
        "marker": MARKERS[place % len(MARKERS)].matplotlib,
        "linestyle": ("-", "--", "-.", ":")[place % 4],
    }
