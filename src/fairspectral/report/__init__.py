"""HTML and plots from results only; jinja2 and matplotlib are imported when they are used."""

from fairspectral.report.html import render_report, write_report
from fairspectral.report.notebook import repr_html
from fairspectral.report.plots import plot_embedding, plot_frontier, plot_shares
from fairspectral.report.side_by_side import write_comparison

__all__ = [
    "plot_embedding",
    "plot_frontier",
    "plot_shares",
    "render_report",
    "repr_html",
    "write_comparison",
    "write_report",
]
