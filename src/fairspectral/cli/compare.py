"""``fairspectral compare``: several numbers of clusters and tolerances side by side."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairspectral.anytime import Deadline, Enough, give_up_when, searching
from fairspectral.cli.bounds import BoundOptions
from fairspectral.cli.command import Json, command
from fairspectral.cli.options import InputOptions, MethodOptions
from fairspectral.cli.people import PeopleOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairspectral.cli.inputs import Prepared
    from fairspectral.clustering import FairSpectralClustering
    from fairspectral.report.several import Run

_MOST_CLUSTERS = 1000


@command
def compare(
    source: InputOptions,
    method: MethodOptions,
    clusters: Annotated[
        str,
        typer.Option(
            "--clusters", "-k", metavar="LIST",
            help="Numbers of clusters between commas, such as 3,4,5, or a range such as 3-5.",
        ),
    ],
    bounds: BoundOptions,
    people: PeopleOptions,
    tolerances: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Tolerances between commas, such as 0.1,0.2,none."
        ),
    ] = "0.2",
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a report to open in a browser.")
    ] = None,
    stability: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", show_default="10 for up to 5,000 rows",
            help="Cluster N resamples of the rows for each, and say how well the clusters come "
            "back; 0 leaves that out.",
        ),
    ] = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Cluster into several numbers of clusters at several tolerances, and compare the results.

    For each: sizes, shares, cut, the price of fairness, which clusters come back on resamples, and
    doubts. The report has the shares of each, and its labels to download. Ctrl-C, pressed once in
    a search, ends it with those that were searched.

    [bold]Example:[/bold] fairspectral compare people.csv -s sex -k 3-5 --tolerances 0.1,0.2
    --report side-by-side.html
    """
    from fairspectral.cli.bars import progress_bars
    from fairspectral.cli.display import print_json, print_lines, print_table
    from fairspectral.cli.embedding import limit_threads
    from fairspectral.cli.frontier import read_tolerances
    from fairspectral.cli.inputs import prepare
    from fairspectral.cli.outputs import check_report, command_given
    from fairspectral.cli.tables import check_output
    from fairspectral.files import write_text
    from fairspectral.report.several import headline, table_of
    from fairspectral.report.side_by_side import collect_runs, render_runs

    numbers, wanted = read_numbers(clusters), list(dict.fromkeys(read_tolerances(tolerances)))
    if report is not None:
        check_report(report)
    people.refuse("--stability", stability)
    people.refuse("--balance", bounds.balance)
    prepared = prepare(source, method, balance=bounds.balance, people=people)
    for k in numbers:
        prepared.people.for_fit(k)  # refuses impossible links before the first is clustered
    if max(numbers) > prepared.n:
        raise ValueError(
            f"--clusters has {max(numbers)}, but there are {prepared.n} rows; choose fewer."
        )
    if report is not None:
        check_output(report, prepared.inputs)
    with progress_bars(), limit_threads(method.threads, prepared.n):
        models, left_out = _fit(prepared, method, numbers, wanted, bounds)
        runs = collect_runs(models, stability=stability)
    if report is not None:
        title = f"Clusterings of {prepared.inputs[0].name}, side by side"
        notes = (*prepared.notes, *left_out)
        page = render_runs(runs, title=title, snippet=command_given(), notes=notes)
        write_text(report, page)
    if json:
        print_json(
            {
                "input": str(prepared.inputs[0]),
                "rows": prepared.n,
                "summary": [*headline(runs), *left_out],
                "notes": list(prepared.notes),
                "runs": [_summary(run) for run in runs],
                "report": None if report is None else str(report),
            }
        )
        return
    header, body = table_of(runs)
    print_table(["clustering", *header], body, text=("doubts",))
    print_lines(*headline(runs), *left_out)
    if report is not None:
        print_lines(f"Report: {report}")


def read_numbers(text: str) -> list[int]:
    """``"3,5-7"`` as 3, 5, 6 and 7."""
    found: list[int] = []
    for word in text.replace(" ", "").split(","):
        first, dash, last = word.partition("-")
        ends = [first, last] if dash else [first]
        if not all(end.isdecimal() and 1 <= int(end) <= _MOST_CLUSTERS for end in ends):
            raise ValueError(
                f"--clusters has {word!r}, which is not a number of clusters; write for example "
                "3,4,5 or 3-5."
            )
        numbers = range(int(first), int(ends[-1]) + 1)
        if not numbers:
            raise ValueError(f"--clusters has the range {word!r} the wrong way round; swap it.")
        found += numbers
    return list(dict.fromkeys(found))


def _fit(
    prepared: Prepared,
    method: MethodOptions,
    numbers: Sequence[int],
    tolerances: Sequence[float | None],
    bounds: BoundOptions,
) -> tuple[list[FairSpectralClustering], list[str]]:
    """A model for each number of clusters and tolerance; those of one number share an embedding.

    And what Ctrl-C left out, in sentences: it ends all, once there is something to keep.
    """
    from fairspectral.cli.model import make_model
    from fairspectral.frontier import fairness_frontier
    from fairspectral.prices import tolerance_in_words
    from fairspectral.progress import report, unheard

    models: list[FairSpectralClustering] = []
    missing = []
    for at, k in enumerate(numbers):
        report("clusterings", at / len(numbers))
        with unheard(), searching() if at else nullcontext():
            model = make_model(prepared, method, k, tolerances[0], bounds)
            if not _fit_one(model, prepared, k, needed=not at):
                missing.append(f"{k} clusters")
                continue
            # Without bounds too: the price of fairness is compared with that.
            found = fairness_frontier(model, tolerances=[*tolerances, None])
        for tolerance in tolerances:
            if found.at(tolerance).searched:
                models.append(model._at_tolerance(tolerance, found.at(tolerance)))
            elif tolerance is not None:
                missing.append(f"{k} clusters, tolerance {tolerance_in_words(tolerance)}")
        if not found.at(None).searched:
            missing.append(f"{k} clusters without bounds, so that no price of fairness is known")
    report("clusterings", 1.0)
    return models, [f"Ctrl-C came before: {'; '.join(missing)}."] if missing else []


def _fit_one(model: FairSpectralClustering, prepared: Prepared, k: int, *, needed: bool) -> bool:
    """Fit a model; one that is not needed is given up after a Ctrl-C. Whether it was fitted."""
    from fairspectral.progress import listening

    deadline = Deadline()
    give_up = give_up_when(lambda: not needed and deadline.interrupted)
    try:
        give_up()
        with listening(give_up):  # every iteration of an embedding is reported
            model.fit(
                prepared.X,
                sensitive_features=prepared.sensitive,
                constraints=prepared.covariates,
                **prepared.people.for_fit(k),
            )
        give_up()
    except Enough:
        return False
    return True


def _summary(run: Run) -> dict:
    return {**run.summary(), "labels": run.model.labels_}
