"""What a run found: the clustering at every tolerance, with all that the page shows of it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairspectral import progress
from fairspectral.app.choices import Choices
from fairspectral.app.sentences import Refused
from fairspectral.app.sheet import Sheet
from fairspectral.cli.describe import describe_prepared
from fairspectral.cli.inputs import Prepared, prepare
from fairspectral.cli.model import fit_frontier
from fairspectral.cli.tables import labelled_text
from fairspectral.describing.description import ClusterDescription, Description
from fairspectral.frontier import FairnessFrontier
from fairspectral.palette import cluster_colour
from fairspectral.report import collect, sections, words
from fairspectral.report.charts import Bars, LineChart, share_bars
from fairspectral.report.comparison import (
    Comparison,
    cluster_plainly,
    compare,
    comparison_table,
)
from fairspectral.report.html import render_report
from fairspectral.report.moved import Moved, find_moved
from fairspectral.validation import Attribute, FairSpectralWarning

# The tolerance at which the slider begins, if it is on the frontier: the four-fifths rule.
FIRST_TOLERANCE = 0.2
MOST_PEOPLE = 25


@dataclass(frozen=True)
class View:
    """The clustering at one tolerance.

    Attributes
    ----------
    step : int
        Its place on the frontier.
    model : FairSpectralClustering
        With the labels of this tolerance.
    comparison, judgement, verdict, moved
        As in the report.
    shares : list of Bars
        For each attribute.
    table : tuple
        Header and the three rows of what fairness cost.
    price : LineChart
        With this tolerance marked.
    """

    step: int
    model: Any
    comparison: Comparison
    judgement: collect.Judgement
    verdict: words.Verdict
    moved: Moved
    shares: list[Bars]
    table: tuple[list[str], list[list[str]]]
    price: LineChart

    @property
    def clusters(self) -> list[tuple[int, int, str]]:
        """Number, size and colour of each cluster."""
        sizes = self.model.audit_.sizes
        return [(i, int(size), cluster_colour(i)) for i, size in enumerate(sizes)]


@dataclass(frozen=True)
class ClusterView:
    """One cluster: its words, and the people who moved.

    Attributes
    ----------
    description : ClusterDescription
        In words.
    colour : str
        Of the cluster.
    came, left : list of (int, int)
        Another cluster, and how many people came from there, or would be there without bounds on
        the shares, here being meant.
    people : list of dict
        The first of those who came.
    n_came : int
        How many came in all.
    """

    description: ClusterDescription
    colour: str
    came: list[tuple[int, int]]
    left: list[tuple[int, int]]
    people: list[dict[str, Any]]
    n_came: int


@dataclass
class Result:
    """A run that has ended; views are made when they are first asked for."""

    sheet: Sheet
    choices: Choices
    prepared: Prepared
    model: Any
    frontier: FairnessFrontier
    plain: np.ndarray
    notes: tuple[str, ...]
    stopped: bool
    _views: dict[int, View] = field(default_factory=dict)
    _descriptions: dict[int, Description] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.RLock)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The groups."""
        return self.model._attributes

    @property
    def first_step(self) -> int:
        """Where the slider begins."""
        tolerances = self.frontier.tolerances
        return tolerances.index(FIRST_TOLERANCE) if FIRST_TOLERANCE in tolerances else 0

    def tolerance(self, step: int) -> float | None:
        """The tolerance at a step of the slider."""
        if not 0 <= step < len(self.frontier.tolerances):
            raise Refused(f"there is no step {step} on this slider; reload the page.")
        return self.frontier.tolerances[step]

    def view(self, step: int) -> View:
        """The clustering at a step of the slider."""
        tolerance = self.tolerance(step)
        with self._lock:
            if step not in self._views:
                self._views[step] = self._make_view(step, tolerance)
            return self._views[step]

    def _make_view(self, step: int, tolerance: float | None) -> View:
        model = self.model._at_tolerance(tolerance, self.frontier.at(tolerance))
        other = compare(model, self.attributes, self.choices.method.seed, self.frontier, self.plain)
        judgement = collect.judge(model)
        assert judgement is not None
        assert other is not None  # only Ctrl-C leaves a search out
        return View(
            step=step,
            model=model,
            comparison=other,
            judgement=judgement,
            verdict=words.verdict(model, judgement, other),
            moved=find_moved(model, self.attributes, other, judgement),
            shares=[share_bars(model.audit_.clusters, a) for a in model.audit_.attributes],
            table=comparison_table(model, other),
            price=sections.price_chart(self.frontier, model),
        )

    def description(self, step: int) -> Description:
        """The clusters at a step in words."""
        with self._lock:
            if step not in self._descriptions:
                model = self.view(step).model
                self._descriptions[step] = describe_prepared(model, self.prepared)
            return self._descriptions[step]

    def cluster(self, step: int, cluster: int) -> ClusterView:
        """One cluster at a step of the slider."""
        view = self.view(step)
        if not 0 <= cluster < self.choices.clusters:
            raise Refused(f"there is no cluster {cluster}; reload the page.")
        moved = view.moved
        came, left = moved.there == cluster, moved.here == cluster
        return ClusterView(
            description=self.description(step).clusters[cluster],
            colour=cluster_colour(cluster),
            came=_counted(moved.here[came]),
            left=_counted(moved.there[left]),
            people=[self._person(moved, i) for i in np.flatnonzero(came)[:MOST_PEOPLE]],
            n_came=int(came.sum()),
        )

    def _person(self, moved: Moved, i: int) -> dict[str, Any]:
        return {
            "row": int(moved.rows[i]) + 1,
            "groups": ", ".join(groups[i] for groups in moved.groups),
            "from": int(moved.here[i]),
            "rise": None if moved.rise is None else float(moved.rise[i]),
            "reason": "" if moved.reasons is None else moved.reasons[i],
        }

    def command(self, step: int) -> str:
        """The command that repeats the labels at a step."""
        return self.choices.command(self.tolerance(step))

    def labels_file(self, step: int) -> bytes:
        """The table with the clusters at a step, as the command writes it."""
        table = self.sheet.table
        labels = self.frontier.at(self.tolerance(step)).labels
        return labelled_text(table, self.choices.label_column, labels).encode(table.encoding)

    def moved_file(self, step: int) -> bytes:
        """Everybody who moved at a step."""
        names = [attribute.name for attribute in self.attributes]
        return self.view(step).moved.to_csv(names).encode()

    def report(self, step: int) -> bytes:
        """The report at a step, as one HTML file."""
        with self._lock:
            page = render_report(
                self.view(step).model,
                title=f"Fair clusters of {self.sheet.name}",
                snippet=self.command(step),
                notes=self.notes,
                description=self.description(step),
                frontier=self.frontier,
                random_state=self.choices.method.seed,
            )
        return page.encode()


def compute(sheet: Sheet, choices: Choices, stopped: Any) -> Result:
    """Cluster at every tolerance; ``stopped()`` tells whether the searches were ended early."""
    with _collected_warnings() as said:
        prepared = prepare(choices.source, choices.method, table=sheet.table)
        model, frontier = fit_frontier(
            prepared, choices.method, choices.clusters, choices.tolerances
        )
        progress.report("comparing with plain clustering")
        plain = cluster_plainly(model, choices.method.seed)
    chosen = filter(None, [model.affinity_operator_.choice])
    notes = (*prepared.notes, *chosen, *dict.fromkeys(said))
    result = Result(sheet, choices, prepared, model, frontier, plain, notes, stopped())
    progress.report("drawing")
    result.view(result.first_step)
    return result


def _counted(clusters: np.ndarray) -> list[tuple[int, int]]:
    numbers, counts = np.unique(clusters, return_counts=True)
    return [(int(number), int(count)) for number, count in zip(numbers, counts, strict=True)]


@contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Our own warnings as sentences; those of other packages are not for the page."""
    said: list[str] = []

    def keep(message: Warning | str, category: type[Warning], *_: Any) -> None:
        if issubclass(category, FairSpectralWarning | ConvergenceWarning):
            said.append(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = keep  # type: ignore[assignment]
        yield said
