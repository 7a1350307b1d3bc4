"""Matplotlib axes to draw on (extra ``plot``)."""

from __future__ import annotations

from typing import Any


def axes_or_new(ax: Any) -> Any:
    """The given matplotlib axes, or those of a new figure where it is None."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "the plots need matplotlib; install it with pip install 'fairspectral[plot]'."
        ) from None
    return pyplot.figure(layout="constrained").add_subplot()


def plain_text(name: Any) -> str:
    """A name escaped so that matplotlib shows it unchanged: no formula, visible in legends."""
    text = str(name).replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text


def legend_position() -> dict[str, Any]:
    """Beside the axes, at the top."""
    return {"loc": "upper left", "bbox_to_anchor": (1.01, 1)}
