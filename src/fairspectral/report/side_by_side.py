"""The report of several models: one page with a table of all of them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from fairspectral.anytime import searching
from fairspectral.files import write_text
from fairspectral.progress import report, unheard
from fairspectral.report import collect
from fairspectral.report.charts import share_bars
from fairspectral.report.comeback import compute_stability
from fairspectral.report.page import check_target, labels_file, load_template, page_parts
from fairspectral.report.price import FULL_FRONTIER_SAMPLES
from fairspectral.report.several import (
    Run,
    check_models,
    headline,
    name_runs,
    price_lines,
    price_of,
    size_bars,
    table_of,
)
from fairspectral.resampling.fitted import stability as find_stability
from fairspectral.resampling.measure import STABILITY
from fairspectral.validation import FairSpectralWarning

_SNIPPET = """from fairspectral.report import write_comparison

write_comparison([model_1, model_2, ...], "report.html")"""


def write_comparison(
    models: Iterable[Any],
    path: str | os.PathLike,
    *,
    names: Sequence[str] | None = None,
    title: str | None = None,
    snippet: str | None = None,
    notes: Iterable[str] = (),
    stability: bool | int | None = None,
) -> Path:
    """Write the report of several models of the same people as one self-contained HTML file.

    A table has sizes, shares, cut, price, stability and doubts of each; below it are the shares of
    each model and its labels to download.

    Parameters
    ----------
    models : iterable of FairSpectralClustering
        Fitted, on the same rows in the same order.
    path : path-like
        The file to write; it appears whole or not at all.
    names : sequence of str or None
        One for each model; None takes the number of clusters and the tolerance.
    title : str or None
        Heading of the page.
    snippet : str or None
        Code or a command that repeats it.
    notes : iterable of str
        Sentences about the data that the reader should know.
    stability : bool, int or None
        How many resamples show which clusters come back; True is 10, False or 0 none, None 10 for
        up to 5,000 samples if the affinities are in memory.

    Returns
    -------
    Path
        The file written.
    """
    target = Path(path)
    check_target(target)
    runs = collect_runs(models, names=names, stability=stability)
    write_text(target, render_runs(runs, title=title, snippet=snippet, notes=notes))
    return target


def collect_runs(
    models: Iterable[Any],
    *,
    names: Sequence[str] | None = None,
    stability: bool | int | None = None,
) -> list[Run]:
    """The models with what fairness cost each, and which of their clusters come back."""
    models = check_models(models)
    names = name_runs(models, names)
    small = len(models[0].labels_) <= FULL_FRONTIER_SAMPLES
    with (
        searching() as whole,
        warnings.catch_warnings(),
        threadpool_limits(1, user_api="openmp") if small else nullcontext(),
    ):
        # Warnings about the groups were given when the models were fitted.
        warnings.simplefilter("ignore", FairSpectralWarning)
        runs = []
        for at, (name, model) in enumerate(zip(names, models, strict=True)):
            report(STABILITY, at / len(models))
            with unheard():
                price, rough = price_of(model)
                # After a Ctrl-C none of the others is resampled.
                found = None if whole.interrupted else _stability(model, stability)
            runs.append(Run(name, model, price, found, rough))
    report(STABILITY, 1.0)
    return runs


def _stability(model: Any, wanted: bool | int | None) -> Any:
    if wanted is None or isinstance(wanted, bool):
        return compute_stability(model, wanted)
    return find_stability(model, wanted) if wanted else None


def render_runs(
    runs: Sequence[Run],
    *,
    title: str | None = None,
    snippet: str | None = None,
    notes: Iterable[str] = (),
) -> str:
    """The page of several runs; parameters as in `write_comparison`."""
    return load_template("several.html.jinja").render(
        **page_parts(title or "Clusterings side by side"),
        runs=runs,
        n=len(runs[0].model.labels_),
        said=headline(runs),
        table=table_of(runs),
        sizes=size_bars(runs),
        price_chart=price_lines(runs),
        shares=[
            [share_bars(run.model.audit_.clusters, a) for a in run.model.audit_.attributes]
            for run in runs
        ],
        labels=[labels_file(run.model.labels_) for run in runs],
        snippet=snippet or _SNIPPET,
        notes=tuple(notes),
        versions=collect.versions(),
    )
