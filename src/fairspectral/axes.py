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
