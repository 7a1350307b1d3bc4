"""``fairspectral choose-k``: eigengap, cut, silhouette and fairness over the number of clusters."""

from __future__ import annotations

from typing import Annotated

import typer

from fairspectral.cli.bounds import read_tolerance
from fairspectral.cli.command import Json, command
from fairspectral.cli.options import InputOptions, MethodOptions


@command
def choose_k(
    source: InputOptions,
    method: MethodOptions,
    min_clusters: Annotated[int, typer.Option(min=2, help="Smallest number to try.")] = 2,
    max_clusters: Annotated[int, typer.Option(min=2, help="Largest number to try.")] = 10,
    tolerance: Annotated[
        str, typer.Option(help="Of the shares, as in the command cluster.")
    ] = "0.2",
    stability: Annotated[
        int,
        typer.Option(
            min=0, metavar="N",
            help="Cluster N resamples of the rows with each number, and say how well the clusters "
            "come back.",
        ),
    ] = 0,
    json: Json = False,
) -> None:  # fmt: skip
    """Compare numbers of clusters by eigengap, cut, silhouette and fairness, and suggest one.

    The embedding is computed once, for the largest number: the one for fewer clusters is its
    first columns. Components too small to be a cluster are set aside before it; where these are
    others for fewer clusters, which must be larger, there is a second embedding. Ctrl-C, pressed
    once in a search, ends it with those compared so far.

    [bold]Example:[/bold] fairspectral choose-k people.csv --sensitive sex --max-clusters 12
    """
    from fairspectral.choosing.choose import check_range
    from fairspectral.choosing.choose import choose_k as choose
    from fairspectral.cli.bars import progress_bars
    from fairspectral.cli.display import print_json, print_lines, print_table, solver_summary
    from fairspectral.cli.embedding import limit_threads
    from fairspectral.cli.inputs import prepare

    check_range(min_clusters, max_clusters)
    wanted = read_tolerance(tolerance)
    prepared = prepare(source, method)
    with limit_threads(method.threads, prepared.n), progress_bars():
        found = choose(
            prepared.X,
            prepared.sensitive,
            min_clusters=min_clusters,
            max_clusters=max_clusters,
            n_resamples=stability,
            affinity=prepared.affinity,
            attribute_mode=str(method.attribute_mode),
            solver=method.solver,
            fairness_tol=wanted,
            effort=str(method.effort),
            time_budget=method.time_budget,
            random_state=method.seed,
            gamma=method.width(),
            n_neighbors=method.neighbors,
            memory_budget=method.memory_budget,
            device=method.device,
            n_jobs=method.threads,
        )
    if json:
        print_json(
            {
                "suggestion": found.suggestion,
                "candidates": found.rows(),
                "notes": list(found.notes),
                "affinity_choice": found.affinity_choice,
                "stability": [one.summary() for one in found.stability],
                "solver": solver_summary(found.solve_result),
            }
        )
        return
    print_lines(*filter(None, [found.affinity_choice]))
    header, *rows = found.table()
    print_table(header, rows)
    print_lines(found.words, *found.notes)
