"""The charts and tables of a report, made from a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.frontier import FairnessFrontier
from fairspectral.prices import relative_price
from fairspectral.report.charts import LineChart, Scatter, Series, line_chart, scatter
from fairspectral.report.collect import sample_rows
from fairspectral.report.plane import project_on_plane
from fairspectral.report.price import has_run, own_place
from fairspectral.report.words import signed
from fairspectral.validation import Attribute

MOST_POINTS = 5000

# Fields of a solver's history that fall to zero as it converges, with their names.
_FALLING = (
    ("gap", "estimated relative gap of the objective"),
    ("primal_residual", "primal residual"),
    ("dual_residual", "dual residual"),
)


@dataclass(frozen=True)
class Picture:
    """The embedding in two dimensions with its table of centres."""

    scatter: Scatter
    words: str
    n_drawn: int
    n: int
    attribute: str | None
    groups: tuple[str, ...]
    group_codes: list[int]
    centres: tuple[tuple[Any, int, float, float], ...]


def picture(model: Any, attributes: tuple[Attribute, ...], random_state: Any) -> Picture:
    """Draw the embedding; the first attribute gives the shapes."""
    labels, n = model.labels_, len(model.labels_)
    plane = project_on_plane(model.embedding_, labels)
    rows = sample_rows(n, MOST_POINTS, random_state)
    first = attributes[0] if attributes else None
    groups = first.codes if first else np.zeros(n, dtype=np.intp)
    names = first.categories if first else ("",)
    centres = []
    for i, cluster in enumerate(model.audit_.clusters):
        x, y = plane.coordinates[labels == i].mean(axis=0)
        centres.append((cluster, int(model.audit_.sizes[i]), float(x), float(y)))
    return Picture(
        scatter=scatter(plane.coordinates, labels, groups, names, rows),
        words=plane.words,
        n_drawn=len(rows),
        n=n,
        attribute=first.name if first else None,
        groups=tuple(str(name) for name in names) if first else (),
        group_codes=groups[rows].tolist() if first else [],
        centres=tuple(centres),
    )


def price_chart(frontier: FairnessFrontier, model: Any) -> LineChart:
    """Cost against tolerance, this run marked: on the line, or beside it if that is not its own."""
    cost, name, names = frontier.cost, frontier.cost_name, frontier.tolerance_names
    places = np.flatnonzero(frontier.searched)

    def tip(place: int, value: float) -> str:
        said = f"tolerance {names[place]}\n{name} {value:.4g}"
        above = relative_price(value, cost[-1], frontier.negligible) - 1
        if not frontier.searched[-1] or np.isnan(above):
            return said
        return f"{said}\n{signed(above)} over the loosest"

    tips = [tip(int(place), cost[place]) for place in places]
    at, on_line = own_place(frontier, model), has_run(frontier, model)
    marked = int(np.searchsorted(places, at)) if at is not None and on_line else None
    series = [Series(name, places, cost[places], tips, marked)]
    if at is not None and not on_line:
        own = model.fair_assignment_.cost
        series.append(Series("this run", np.array([at]), np.array([own]), [tip(at, own)], 0))
    return line_chart(
        f"The price of fairness: {name} against tolerance",
        "tolerance: from proportional to no bound",
        f"{name}, on an axis that does not begin at zero",
        series,
        x_names=names,
    )


def convergence_chart(model: Any) -> LineChart | None:
    """The convergence of the solver; None where there is nothing to draw."""
    history = model.solve_result_.history

    def series(field: str, name: str) -> Series:
        # The gap is infinite until there are enough steps to estimate it from.
        known = [r for r in history if 0 < (getattr(r, field) or 0) < np.inf]
        values = np.array([getattr(r, field) for r in known], dtype=float)
        tips = [
            f"iteration {r.iteration}: {name} {v:.3g}\n{r.passes} passes, {r.seconds:.2f} s"
            for r, v in zip(known, values, strict=True)
        ]
        return Series(name, np.array([r.iteration for r in known]), values, tips)

    falling = [series(field, name) for field, name in _FALLING]
    falling = [one for one in falling if len(one.x)]
    if falling:
        title = "Convergence of the solver"
        y_label = falling[0].name if len(falling) == 1 else "residuals"
        return line_chart(title, "iteration", y_label, falling, log=True)
    objective = series("objective", "objective")
    if not len(objective.x):
        return None
    return line_chart("Objective of the solver", "iteration", "objective", [objective])
