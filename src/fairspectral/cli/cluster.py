"""``fairspectral cluster``: a table or a graph in, its rows with their cluster out."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairspectral import progress
from fairspectral.anytime import Deadline, searching
from fairspectral.cli.bounds import TOLERANCE_WORDS, BoundOptions, read_tolerance
from fairspectral.cli.command import Json, command
from fairspectral.cli.options import InputOptions, MethodOptions
from fairspectral.cli.people import PeopleOptions

if TYPE_CHECKING:
    from fairspectral.certificate import Certificate
    from fairspectral.cli.inputs import Prepared
    from fairspectral.clustering import FairSpectralClustering
    from fairspectral.frontier import FairnessFrontier
    from fairspectral.resampling.result import Stability


@command
def cluster(
    source: InputOptions,
    method: MethodOptions,
    clusters: Annotated[int, typer.Option("--clusters", "-k", min=1, help="How many clusters.")],
    bounds: BoundOptions,
    people: PeopleOptions,
    tolerance: Annotated[
        str,
        typer.Option(
            help="How far, relatively, a group's share of a cluster may be from its share of "
            "everyone; 0.2 is the four-fifths rule, 0 proportional up to whole persons"
            f"{TOLERANCE_WORDS}.",
        ),
    ] = "0.2",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="The input's rows with their cluster: .csv, .tsv, .parquet, or .npy for the "
            "labels alone; - is standard output, as text.",
        ),
    ] = None,
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the column with the cluster.")
    ] = "cluster",
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a report to open in a browser.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write what is claimed, as .json, for fairspectral verify: every cell, the "
            "cut and the embedding with bounds.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npz",
            help="Also keep the model, with the rows, for people who come later: fairspectral "
            "assign FILE.npz NEW.",
        ),
    ] = None,
    stability: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", show_default="10 with --report, else none",
            help="Cluster N resamples of the rows again, and say which clusters come back.",
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False,
            help="Save the state of a long run here; the same command goes on from it after the "
            "process was killed. Removed at the end.",
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", show_default=False,
            help="Compute on a Dask cluster, for example tcp://127.0.0.1:8786. Its workers read "
            "Parquet, a file or a folder, themselves.",
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="No fairness: plain spectral clustering, to compare.")
    ] = False,
    json: Json = False,
) -> None:  # fmt: skip
    """Cluster the rows of a table or the nodes of a graph, with fair shares in every cluster.

    Numbers are standardised and categories become indicators; sensitive columns are not used
    to compare the rows. With [bold]-o[/bold], the rows are written with their cluster. Ctrl-C,
    pressed once in a search, takes the best so far.

    [bold]Example:[/bold] fairspectral cluster people.csv --sensitive sex --clusters 5 -o out.csv
    """
    from fairspectral.checkpoint import check_path
    from fairspectral.cli.bars import progress_bars
    from fairspectral.cli.certificate import certify, check_certificate
    from fairspectral.cli.clustered import (
        audit_prepared,
        print_clustering,
        print_clustering_json,
    )
    from fairspectral.cli.display import print_lines
    from fairspectral.cli.embedding import limit_threads
    from fairspectral.cli.inputs import prepare
    from fairspectral.cli.model import make_model
    from fairspectral.cli.outputs import check_names, check_outputs
    from fairspectral.cli.saved import check_save, save_prepared
    from fairspectral.cli.tables import is_standard, write_table

    started = time.perf_counter()
    wanted = read_tolerance(tolerance)
    if plain:
        bounds.refuse_with_plain(wanted)
    check_names(output, report, label_column, json)
    check_certificate(certificate, source, people)
    if checkpoint is not None:
        check_path(checkpoint, "--checkpoint ")
    if certificate is not None and bounds.balance:
        raise ValueError(
            "--certificate says nothing of means, so that verify could not repeat --balance; leave "
            "out one of them."
        )
    for option, given in zip(
        ("--checkpoint", "--stability", "--dask", "--balance"),
        (checkpoint, stability, dask, bounds.balance),
        strict=True,
    ):
        people.refuse(option, given)
    if save is not None:
        check_save(save, source)
    if dask is None:
        prepared = prepare(source, method, plain=plain, balance=bounds.balance, people=people)
    else:
        from fairspectral.cli.on_dask import connect, on_workers, prepare_on_dask

        for option, given in (("--balance", bounds.balance), ("--save", save)):
            if given:
                raise ValueError(
                    f"{option} needs the rows in this process, and with --dask they live on the "
                    "workers; leave out one of them."
                )
        connect(dask)
        prepared = prepare_on_dask(source, method, plain=plain)
    check_outputs(prepared, output, report, label_column, certificate, checkpoint)
    model = make_model(prepared, method, clusters, wanted, bounds, checkpoint)
    with progress_bars():
        model.fit(
            prepared.X if dask is None else on_workers(prepared.X, prepared.affinity),
            sensitive_features=None if plain else prepared.sensitive,
            constraints=None if plain else prepared.covariates,
            **prepared.people.for_fit(clusters),
        )
        file = None if is_standard(output) else output
        if file is not None and report is not None:
            # Ctrl-C during the report's searches, which may take long, does not lose the labels.
            write_table(prepared.table, file, label_column, model.labels_)
        # Those searches at other tolerances may find better labels, which are written then. One
        # Ctrl-C ends all of them, and the report has what is known.
        with limit_threads(method.threads, prepared.n), searching():
            frontier = None if report is None else _improve_by_frontier(model, prepared)
            again = _resample(model, stability, report)
        claims = None
        if certificate is not None:
            progress.report("certificate")
            with limit_threads(method.threads, prepared.n):
                claims = certify(model, source, people, label_column, plain)
        if file is not None:
            write_table(prepared.table, file, label_column, model.labels_)
        if save is not None:
            save_prepared(model, save, prepared)
        if report is not None:
            progress.report("report")
            _write_report(model, report, prepared, frontier, again, claims)
        if claims is not None:
            claims.to_json(certificate)
    if is_standard(output):  # last, because its reader may have closed it
        assert output is not None
        write_table(prepared.table, output, label_column, model.labels_)
    found = audit_prepared(model, prepared)
    seconds = time.perf_counter() - started
    files = {"certificate_file": certificate, "model_file": save}
    outputs = {"output": output, "report": report, **files}
    ended = _ended_early(frontier, again is None and _wants_resamples(model, stability, report))
    if json:
        print_clustering_json(model, found, prepared, outputs, frontier, again, seconds, ended)
        return
    # Where the labels are on standard output, nothing else is.
    with redirect_stdout(sys.stderr) if is_standard(output) else nullcontext():
        print_clustering(model, found, prepared, outputs, again, seconds, ended)
        if claims is not None:
            print_lines(*str(claims).splitlines(), f"Certificate: {certificate}")


def _improve_by_frontier(
    model: FairSpectralClustering, prepared: Prepared
) -> FairnessFrontier | None:
    """The price of fairness for the report; the model takes its labels where they are better."""
    from fairspectral.report.collect import read_attributes
    from fairspectral.report.price import better_cut, compute_frontier

    frontier = compute_frontier(model, read_attributes(model, prepared.sensitive))
    if frontier is not None and better_cut(frontier, model) is not None:
        model._adopt(frontier.at(model.fairness_tol))
    return frontier


def _resample(
    model: FairSpectralClustering, n_resamples: int | None, report: Path | None
) -> Stability | None:
    """Which clusters come back, where that is wanted; None after a Ctrl-C."""
    if Deadline().interrupted or not _wants_resamples(model, n_resamples, report):
        return None
    if n_resamples:
        return model.stability(n_resamples)
    from fairspectral.report.comeback import compute_stability

    return compute_stability(model, None)


def _wants_resamples(
    model: FairSpectralClustering, n_resamples: int | None, report: Path | None
) -> bool:
    """Whether resamples are asked for, or are for the report, since they take seconds."""
    if n_resamples is not None or report is None:
        return bool(n_resamples)
    from fairspectral.report.comeback import takes_seconds

    return takes_seconds(model)


def _ended_early(frontier: FairnessFrontier | None, without_resamples: bool) -> list[str]:
    """What Ctrl-C or the time left out of the searches for the report, in sentences."""
    said = [] if frontier is None else [frontier.caution]
    if without_resamples and Deadline().interrupted:
        said.append("After Ctrl-C no resamples were clustered.")
    return [one for one in said if one]


def _write_report(
    model: FairSpectralClustering,
    path: Path,
    prepared: Prepared,
    frontier: FairnessFrontier | None,
    again: Stability | None,
    claims: Certificate | None,
) -> None:
    from fairspectral.cli.describe import describe_prepared
    from fairspectral.cli.outputs import command_given
    from fairspectral.files import write_text
    from fairspectral.report.html import render_report

    page = render_report(
        model,
        sensitive_features=prepared.sensitive,
        title=f"Fair clusters of {prepared.inputs[0].name}",
        snippet=command_given(),
        notes=prepared.notes,
        description=describe_prepared(model, prepared),
        frontier=False if frontier is None else frontier,
        stability=False if again is None else again,
        certificate=claims,
    )
    write_text(path, page)
