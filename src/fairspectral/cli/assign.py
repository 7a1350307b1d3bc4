"""``fairspectral assign``: people who come after a clustering, placed within its bounds."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairspectral.cli.command import Json, command, say
from fairspectral.cli.options import MissingSensitive
from fairspectral.cli.people import read_weights, weight_option

if TYPE_CHECKING:
    from fairspectral.later.result import BatchAssignment

BEYOND = 1


@command
def assign(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", show_default=False, help="What fairspectral cluster --save wrote."
        ),
    ],
    input: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", show_default=False,
            help="The new rows, with the columns of the model: CSV, TSV, Parquet, .npy or .npz; - "
            "is standard input, for text.",
        ),
    ],
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            "--sensitive", "-s", metavar="COLUMN", show_default="those of the model",
            help="Column with the groups; may be repeated.",
        ),
    ] = None,
    weight: Annotated[str | None, weight_option()] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="The new rows with their cluster: .csv, .tsv, .parquet, or .npy for the labels "
            "alone; - is standard output, as text.",
        ),
    ] = None,
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the column with the cluster.")
    ] = "cluster",
    similar: Annotated[
        bool,
        typer.Option(
            "--similar", help="Each row's most similar cluster, without regard to the shares."
        ),
    ] = False,
    update: Annotated[
        bool,
        typer.Option(
            "--update", help="Count these people in MODEL, so that the next batch keeps the shares."
        ),
    ] = False,
    missing_sensitive: Annotated[
        MissingSensitive,
        typer.Option(help="Missing sensitive values: an error, or a group of their own."),
    ] = MissingSensitive.error,
    encoding: Annotated[
        str | None, typer.Option(help="Of a text file.", show_default="utf-8")
    ] = None,
    json: Json = False,
) -> int:  # fmt: skip
    """Place new people in the clusters of a saved model, with fair shares of everyone together.

    Their columns are encoded with the scales and categories of the model. Where the bounds cannot
    hold, as few persons as possible are beyond them, and the exit status is 1.

    [bold]Example:[/bold] fairspectral assign model.npz new.csv -o placed.csv --update
    """
    from fairspectral.cli.outputs import check_names
    from fairspectral.cli.saved import load_saved, save
    from fairspectral.cli.tables import (  # fmt: skip
        check_columns,
        check_output,
        input_name,
        read_table,
        sensitive_columns,
        write_table,
    )
    from fairspectral.cli.tables.recipe import encode_later

    check_names(output, None, label_column, json)
    if similar and update:
        raise ValueError("--similar counts nobody, so it cannot update the model; leave out one.")
    saved, kept = load_saved(model)
    counted = saved.model._weights is not None and bool(saved.sensitive) and not similar
    if counted and weight is None:
        raise ValueError(
            f"{model} was made with --weight, and its shares count weight; pass --weight for the "
            "new rows too, or --similar for each row's most similar cluster."
        )
    if weight is not None and not counted:
        why = "--similar keeps no shares" if similar else f"{model} was made without --weight"
        raise ValueError(f"{why}, so that --weight has nothing to count in; leave it out.")
    table = read_table(input, encoding=encoding, least_rows=1)
    if output is not None:
        check_output(output, (input_name(input), model))
        if output.suffix != ".npy" and label_column in table.frame.columns:
            raise ValueError(
                f"{table.path} has a column {label_column!r} already; choose another name for the "
                "new one with --label-column."
            )
    X, notes = encode_later(table, saved.recipes)
    for note in (*table.notes, *notes):
        say(f"Note: {note}")
    placed: BatchAssignment | None = None
    if similar or not saved.sensitive:
        labels = saved.model.predict(X)
    else:
        names = check_columns(table.frame, sensitive or saved.sensitive, table.path, "--sensitive")
        groups = sensitive_columns(
            table.frame, names, table.path, missing=missing_sensitive, decimal=table.decimal
        )
        weights = None
        if weight is not None:
            check_columns(table.frame, [weight], table.path, "--weight")
            weights = read_weights(table, weight)
        placed = saved.model.assign(
            X, sensitive_features=groups, sample_weight=weights, update=update
        )
        labels = placed.labels
    if output is not None:
        write_table(table, output, label_column, labels)
    if update:
        save(saved.model, model, kept)
    _print(labels, placed, model, input_name(input), output, json, update)
    return BEYOND if placed is not None and not placed.within_bounds else 0


def _print(
    labels: Any,
    placed: BatchAssignment | None,
    model: Path,
    source: Path,
    output: Path | None,
    json: bool,
    update: bool,
) -> None:
    from fairspectral.cli.display import print_json, print_lines
    from fairspectral.cli.tables import is_standard

    if json:
        summary: dict[str, Any] = {"model": str(model), "input": str(source), "rows": len(labels)}
        if placed is not None:
            summary |= {
                "within_bounds": placed.within_bounds,
                "beyond": placed.beyond,
                "fewest_possible": placed.proved,
                "nearly_cheapest": placed.nearly_cheapest,
                "moved": placed.n_moved,
                "achieved_tolerance": placed.achieved_tol,
                "cells": placed.rows(),
            }
        print_json(summary | {"updated": update}, labels=labels)
        return
    with redirect_stdout(sys.stderr) if is_standard(output) else nullcontext():
        if placed is None:
            print_lines(f"{len(labels):,} new people placed where they are most similar.")
        else:
            print_lines(*str(placed).splitlines())
        if update:
            print_lines(f"{model} counts them from now on.")
        if output is not None:
            print_lines(f"Labels: {'standard output' if is_standard(output) else output}")
        else:
            print_lines("Nothing was written; pass -o FILE to keep the labels.")
