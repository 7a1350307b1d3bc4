"""How an audit looks in a notebook and as a picture."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from fairspectral.axes import legend_position, plain_text
from fairspectral.palette import group_colours

# Styles of the cells with numbers and with names, in a notebook.
_CELL = "text-align:right;padding:2px 10px"
_NAME = "text-align:left;padding:2px 10px"


def html_rows(name: str, table: list[list[str]]) -> str:
    """A table of an audit: a header, a row for each cluster and one for everyone."""
    header, *clusters, everyone = table
    rows = [_html_row(name, header[1:], "th")]
    rows += [_html_row(f"cluster {cluster}", cells, "td") for cluster, *cells in clusters]
    rows.append(_html_row(everyone[0], everyone[1:], "td"))
    return f'<table style="border-collapse:collapse;margin:6px 0">{"".join(rows)}</table>'


def _html_row(name: str, cells: list[str], tag: str) -> str:
    texts = "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells)
    return f'<tr><th style="{_NAME}">{escape(name)}</th>{texts}</tr>'


def draw_shares(ax: Any, clusters: tuple[Any, ...], sizes: np.ndarray, table: Any) -> None:
    """Stacked bars of the shares of one attribute (an `AttributeAudit`), against everyone's."""
    places = np.arange(len(clusters))
    left = np.zeros(len(places))
    colours = group_colours(len(table.groups))
    for s, group in enumerate(table.groups):
        shares = table.shares[:, s]
        ax.barh(
            places, shares, left=left, color=colours[s], edgecolor="white", linewidth=0.5,
            label=plain_text(group),
        )  # fmt: skip
        left += shares
    for line in np.cumsum(table.population)[:-1]:
        ax.axvline(line, color="black", linestyle="--", linewidth=1.2)
    ax.set_yticks(
        places,
        [
            f"{plain_text(cluster)}  (n={size})"
            for cluster, size in zip(clusters, sizes, strict=True)
        ],
    )
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    ax.set_ylabel("cluster")
    ax.set_xlabel("share of each group (dashed: share of everyone)")
    ax.legend(title=plain_text(table.name), frameon=False, **legend_position())
