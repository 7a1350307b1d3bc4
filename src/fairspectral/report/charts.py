"""From numbers to the charts of the page: positions in percent, paths and ticks.

Elements with text have positions in percent of their frame, so that the charts fit any screen
width at one font size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairspectral.auditing import AttributeAudit
from fairspectral.palette import (
    MARKERS,
    assign_markers,
    cluster_colour,
    group_colours,
    ink_on,
)
from fairspectral.report.plane import frame
from fairspectral.weighting import shown

# --- stacked bars --------------------------------------------------------------------------


@dataclass(frozen=True)
class Segment:
    """One group's part of one bar; `width` in percent of the bar."""

    width: float
    colour: str
    ink: str
    label: str
    tip: str


@dataclass(frozen=True)
class Bar:
    """One cluster, or everyone."""

    name: str
    size: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class Bars:
    """Group shares by cluster; `lines` are the borders between the population's groups."""

    bars: tuple[Bar, ...]
    lines: tuple[float, ...]
    legend: tuple[tuple[str, str], ...]


def share_bars(clusters: tuple[Any, ...], attribute: AttributeAudit) -> Bars:
    """Stacked bars of the shares of one attribute, everyone first."""
    colours = group_colours(len(attribute.groups))
    names = [str(group) for group in attribute.groups]

    def bar(name: str, counts: np.ndarray, shares: np.ndarray) -> Bar:
        size = int(np.rint(counts.sum()))
        segments = []
        for s, (count, share) in enumerate(zip(counts, shares, strict=True)):
            if count:
                tip = (
                    f"{name}: {names[s]}\n{shown(count)} of {size:,} ({share:.1%})\n"
                    f"of everyone {attribute.population[s]:.1%}"
                )
                label = f"{share:.0%}" if share >= 0.06 else ""
                segments.append(Segment(100 * share, colours[s], ink_on(colours[s]), label, tip))
        return Bar(name, size, tuple(segments))

    everyone = bar("everyone", attribute.counts.sum(axis=0), attribute.population)
    rows = zip(clusters, attribute.counts, attribute.shares, strict=True)
    return Bars(
        bars=(everyone, *(bar(f"cluster {c}", counts, shares) for c, counts, shares in rows)),
        lines=tuple(100 * float(x) for x in np.cumsum(attribute.population)[:-1]),
        legend=tuple(zip(names, colours, strict=True)),
    )


# --- lines ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """A position in percent from the top left, and its tooltip."""

    x: float
    y: float
    tip: str
    marked: bool = False


@dataclass(frozen=True)
class Line:
    """One series."""

    name: str
    points: tuple[Point, ...]
    path: str


@dataclass(frozen=True)
class LineChart:
    """A chart of one or several lines; ticks are (percent, label)."""

    label: str
    x_label: str
    y_label: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Series:
    """The numbers of a line, a tooltip for every point, and the point to highlight."""

    name: str
    x: np.ndarray
    y: np.ndarray
    tips: list[str] = field(default_factory=list)
    marked: int | None = None


def line_chart(
    label: str,
    x_label: str,
    y_label: str,
    series: list[Series],
    *,
    log: bool = False,
    x_names: list[str] | None = None,
) -> LineChart:
    """Place some series in one frame.

    `log` makes the vertical axis logarithmic; `x_names` name the positions 0, 1, ... of the
    horizontal axis, which has numbers otherwise.
    """
    heights = [np.log10(s.y) if log else np.asarray(s.y, dtype=float) for s in series]
    x_low, x_high = _range(np.concatenate([s.x for s in series]), pad=0.0)
    y_low, y_high = _range(np.concatenate(heights), pad=0.08)

    def across(x: float) -> float:
        return 100 * (x - x_low) / (x_high - x_low)

    def down(y: float) -> float:
        return 100 * (y_high - y) / (y_high - y_low)

    lines = []
    for one, height in zip(series, heights, strict=True):
        places = [(across(x), down(y)) for x, y in zip(one.x, height, strict=True)]
        points = [
            Point(round(x, 2), round(y, 2), tip, marked=i == one.marked)
            for i, ((x, y), tip) in enumerate(zip(places, one.tips, strict=True))
        ]
        path = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in places)
        lines.append(Line(one.name, tuple(points), path))
    if x_names is None:
        x_ticks = [(across(t), f"{t:.0f}") for t in ticks(x_low, x_high, 6, whole=True)]
    else:
        x_ticks = [(across(i), name) for i, name in enumerate(x_names)]
    if log:
        decades = ticks(y_low, y_high, 5, whole=True)
        y_ticks = [(down(t), f"1e{t:.0f}") for t in decades]
    else:
        y_ticks = [(down(t), f"{t:.5g}") for t in ticks(y_low, y_high, 5)]
    return LineChart(label, x_label, y_label, tuple(x_ticks), tuple(y_ticks), tuple(lines))


def ticks(low: float, high: float, about: int, *, whole: bool = False) -> list[float]:
    """About `about` round numbers between two ends."""
    raw = (high - low) / about
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(m * scale for m in (1, 2, 2.5, 5, 10) if m * scale >= raw * 0.999)
    if whole:
        step = max(1.0, round(step))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def _range(values: np.ndarray, pad: float) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        half = 0.5 * abs(low) or 0.5
        return low - half, high + half
    return low - pad * (high - low), high + pad * (high - low)


# --- the scatter plot ----------------------------------------------------------------------

WIDTH, HEIGHT = 720, 480


@dataclass(frozen=True)
class Cloud:
    """All drawn samples of one cluster and one shape, as a single path."""

    cluster: int
    marker: int
    colour: str
    path: str


@dataclass(frozen=True)
class Scatter:
    """The embedding as drawn.

    Attributes
    ----------
    clouds : tuple of Cloud
        The drawn samples.
    labels : tuple of (float, float, int)
        Position of the number of a cluster, in percent, and its index; a number that would
        cover that of a larger cluster is left out.
    shapes : tuple of (str, int, str)
        Names of the groups that share a shape, its index and its path.
    points : dict
        The same samples for the script that shows tooltips.
    outside : int
        Drawn samples that lie outside the frame and are put on its edge.
    """

    clouds: tuple[Cloud, ...]
    labels: tuple[tuple[float, float, int], ...]
    shapes: tuple[tuple[str, int, str], ...]
    points: dict[str, Any]
    outside: int


def scatter(
    coordinates: np.ndarray, codes: np.ndarray, groups: np.ndarray, names: tuple[Any, ...],
    rows: np.ndarray,
) -> Scatter:  # fmt: skip
    """Draw the samples `rows` of an embedding in two dimensions.

    Parameters
    ----------
    coordinates : ndarray of shape (n, 2)
    codes, groups : integer ndarray of shape (n,)
        Cluster and group of every sample.
    names : tuple
        Names of the groups; with a single one all samples have the same shape.
    rows : integer ndarray
        The samples to draw.
    """
    corner, extent = frame(coordinates)
    placed = (coordinates - corner) / extent
    inside = np.clip(placed, 0.01, 0.99)
    x = np.round(inside[:, 0] * WIDTH, 1)
    y = np.round((1 - inside[:, 1]) * HEIGHT, 1)
    marker_of = assign_markers(np.bincount(groups, minlength=len(names)))
    markers = marker_of[groups]
    clouds = []
    for cluster in np.unique(codes[rows]).tolist():
        for marker in np.unique(markers[rows[codes[rows] == cluster]]).tolist():
            members = rows[(codes[rows] == cluster) & (markers[rows] == marker)]
            shape = MARKERS[marker].path
            path = "".join(f"M{x[i]:g} {y[i]:g}{shape}" for i in members)
            clouds.append(Cloud(cluster, marker, cluster_colour(cluster), path))
    shapes = []
    for marker in np.unique(marker_of).tolist() if len(names) > 1 else []:
        sharing = [str(names[s]) for s in np.flatnonzero(marker_of == marker)]
        text = sharing[0] if len(sharing) == 1 else f"{len(sharing)} smaller groups"
        shapes.append((text, marker, MARKERS[marker].path))
    points = {
        "x": x[rows].tolist(),
        "y": y[rows].tolist(),
        "cluster": codes[rows].tolist(),
        "marker": markers[rows].tolist(),
        "row": rows.tolist(),
    }
    outside = int(np.sum(np.any((placed[rows] < 0) | (placed[rows] > 1), axis=1)))
    return Scatter(tuple(clouds), _numbers(inside, codes), tuple(shapes), points, outside)


def _numbers(places: np.ndarray, codes: np.ndarray) -> tuple[tuple[float, float, int], ...]:
    """Positions of the clusters' numbers: in their middle, largest first, without overlap."""
    numbers: list[tuple[float, float, int]] = []
    for cluster in np.argsort(-np.bincount(codes), kind="stable").tolist():
        x, y = 100 * np.median(places[codes == cluster], axis=0)
        if all(abs(x - a) > 4 or abs(100 - y - b) > 5 for a, b, _ in numbers):
            numbers.append((float(x), float(100 - y), cluster))
    return tuple(numbers)
