"""What every figure begins with; matplotlib (extra ``plot``) is imported here only."""

from __future__ import annotations

from typing import Any

from fairspectral.experiments.methods import METHODS
from fairspectral.report.palette import MARKERS, cluster_colour


def check_matplotlib() -> None:
    """Say in a sentence that matplotlib is missing, if it is."""
    try:
        import matplotlib  # noqa: F401 - only whether it is there
    except ImportError:
        raise ImportError(
            "the figures need matplotlib; install it with pip install 'fairspectral[plot]', or "
            "pass --no-figures."
        ) from None


def new_figure(rows: int, columns: int, **options: Any) -> tuple[Any, Any]:
    """A figure that no window shows, and its panels, shape (rows, columns)."""
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(3.2 * columns + 1, 2.6 * rows + 0.4), layout="constrained")
    return drawing, drawing.subplots(rows, columns, squeeze=False, **options)


def method_style(name: str) -> dict[str, Any]:
    """The same colour and the same shapes for a method in every figure."""
    place = list(METHODS).index(name)
    return {
        "color": cluster_colour(place),
        "marker": MARKERS[place % len(MARKERS)].matplotlib,
        "linestyle": ("-", "--", "-.", ":")[place % 4],
    }
