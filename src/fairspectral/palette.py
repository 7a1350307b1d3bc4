"""Colours and marker shapes, shared by the report and the plots.

Clusters have vivid colours (Okabe and Ito, "Color Universal Design", 2008, whose hues remain
distinct in every common form of colour blindness); beyond seven clusters the same hues are used
darker and lighter. Groups, where they are coloured, lie on one ramp from blue over grey to amber
with changing lightness, so any number of them keeps its order, also in print.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_CLUSTER_HUES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8F7A1E")
_RAMP = ("#27527F", "#5B86AE", "#A3B6C4", "#DCCB9C", "#E2A93B")
_INK, _PAPER = "#111418", "#FFFFFF"


def cluster_colour(cluster: int) -> str:
    """The colour of a cluster by its position; distinct for the first 21."""
    turn, hue = divmod(cluster, len(_CLUSTER_HUES))
    colour = _CLUSTER_HUES[hue]
    return (colour, _mix(colour, _INK, 0.4), _mix(colour, _PAPER, 0.45))[turn % 3]


def group_colours(n_groups: int) -> list[str]:
    """One colour for each group, along the ramp."""
    colours = []
    for place in np.linspace(0, len(_RAMP) - 1, n_groups) if n_groups > 1 else [0.0]:
        step = min(int(place), len(_RAMP) - 2)
        colours.append(_mix(_RAMP[step], _RAMP[step + 1], float(place) - step))
    if n_groups < 2 * len(_RAMP):
        return colours
    # Neighbours on a finer ramp would look alike: make them darker and lighter in turn.
    return [_mix(c, (_INK, _PAPER)[i % 2], 0.25) for i, c in enumerate(colours)]


def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on a colour."""
    linear = [(channel / 255) ** 2.2 for channel in _channels(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return _PAPER if luminance < 0.22 else _INK


@dataclass(frozen=True)
class Marker:
    """The shape of a group.

    Attributes
    ----------
    name : str
        Its name, for legends.
    matplotlib : str
        Its code in matplotlib.
    path : str
        SVG path commands around the origin; all shapes look equally large.
    """

    name: str
    matplotlib: str
    path: str


MARKERS = (
    Marker("circle", "o", "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z"),
    Marker("triangle", "^", "m0-4.1l3.8 6.6h-7.6z"),
    Marker("square", "s", "m-2.9-2.9h5.8v5.8h-5.8z"),
    Marker("cross", "X", "m0-1.4l2.4-2.4l1.4 1.4l-2.4 2.4l2.4 2.4l-1.4 1.4l-2.4-2.4l-2.4 2.4"
           "l-1.4-1.4l2.4-2.4l-2.4-2.4l1.4-1.4z"),
    Marker("diamond", "D", "m0-4.3l3.4 4.3l-3.4 4.3l-3.4-4.3z"),
    Marker("plus", "P", "m-1.1-3.8h2.2v2.7h2.7v2.2h-2.7v2.7h-2.2v-2.7h-2.7v-2.2h2.7z"),
    Marker("triangle pointing down", "v", "m0 4.1l-3.8-6.6h7.6z"),
    Marker("star", "*", "m0-4.8l1.3 3.1l3.3 .3l-2.5 2.2l.8 3.2l-2.9-1.7l-2.9 1.7l.8-3.2"
           "l-2.5-2.2l3.3-.3z"),
)  # fmt: skip


def assign_markers(counts: np.ndarray) -> np.ndarray:
    """The index in `MARKERS` of each group.

    If there are more groups than shapes, the largest groups have a shape of their own and all
    others share the last one.

    Parameters
    ----------
    counts : ndarray of shape (h,)
        Members of each group.
    """
    last = len(MARKERS) - 1
    if len(counts) <= len(MARKERS):
        return np.arange(len(counts))
    chosen = np.sort(np.argsort(-counts, kind="stable")[:last])
    markers = np.full(len(counts), last)
    markers[chosen] = np.arange(last)
    return markers


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _mix(first: str, second: str, share: float) -> str:
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)
