"""``fairspectral describe``: what distinguishes the clusters of any clustering, in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairspectral.cli.command import Json, command, say
from fairspectral.cli.options import MissingSensitive, bin_option, read_bins

if TYPE_CHECKING:
    from fairspectral.cli.inputs import Prepared
    from fairspectral.cli.tables import Table
    from fairspectral.clustering import FairSpectralClustering
    from fairspectral.describing.description import Description

_DEFAULT_LABELS = "cluster"


@command
def describe(
    input: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Table with labels: CSV, TSV, Parquet, .npy or .npz.",
            show_default=False,
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA", show_default=False,
            help="Table with the columns, if FILE has only the labels: a row for each, in the "
            "same order.",
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option("--sensitive", "-s", metavar="COLUMN", show_default=False,
                     help="Column with the groups, shown as shares; may be repeated."),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option("--labels", "-l", metavar="COLUMN", help="Column with the clusters.",
                     show_default=_DEFAULT_LABELS),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", "-c", metavar="COLUMN", show_default="all but row numbers and "
                     "names", help="Describe by this column; may be repeated."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="COLUMN", show_default=False,
                     help="Column to leave out; may be repeated."),
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option("--categorical", metavar="COLUMN", show_default=False,
                     help="Read this column as names of categories, even if they look like "
                     "numbers; may be repeated."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="COLUMN", show_default="the number of the data row",
                     help="Column with the names of typical members."),
    ] = None,
    most: Annotated[
        int, typer.Option(min=1, help="Columns to mention for each cluster, at most.")
    ] = 4,
    least_effect: Annotated[
        float,
        typer.Option(help="Smallest effect to mention: 0.2 is a difference of 20 points between "
                     "shares, or 60 of 100 pairs with the higher number in the cluster."),
    ] = 0.2,
    missing_sensitive: Annotated[
        MissingSensitive,
        typer.Option(help="Missing sensitive values: an error, or a group of their own."),
    ] = MissingSensitive.error,
    bin: Annotated[list[str] | None, bin_option()] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Of text files.", show_default="utf-8")
    ] = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The first line is data.")
    ] = False,
    json: Json = False,
) -> None:  # fmt: skip
    """Say in words what distinguishes each cluster, and who is typical of it.

    A column is mentioned where the cluster differs from everyone else by more than chance
    explains. The clustering may come from any tool; see also [bold]cluster[/bold], whose report
    has these words.

    [bold]Example:[/bold] fairspectral describe out.csv --sensitive sex
    """
    from fairspectral.cli.tables import check_columns, original_columns, read_names, read_table

    options: dict[str, Any] = {"encoding": encoding, "header": not no_header}
    labelled = read_table(input, **options)
    table = read_table(data, **options) if data else labelled
    for note in dict.fromkeys((*labelled.notes, *table.notes)):
        say(f"Note: {note}")
    label_column, codes, clusters = _labels(labelled, labels, table)
    groups, shares = _groups(table, sensitive, str(missing_sensitive), bin)
    named = check_columns(table.frame, categorical or (), table.path, "--categorical")
    asked = check_columns(table.frame, column or (), table.path, "--column")
    naming = check_columns(table.frame, [name] if name else (), table.path, "--name")
    unused = {*groups, *check_columns(table.frame, drop or (), table.path, "--drop")}
    unused |= {*(naming if not asked else ()), *(() if data else (label_column,))}
    offered = asked or [str(c) for c in table.frame.columns]
    used = [c for c in offered if c not in unused]
    frame, notes = original_columns(table, used, named)
    found = _describe(
        frame if used else None,
        codes,
        clusters,
        shares,
        columns=used if asked else None,
        row_names=list(read_names(table.frame[naming[0]], table.path)) if naming else None,
        most=most,
        least_effect=least_effect,
    )
    for note in (*notes, *found.notes):
        say(f"Note: {note}")
    if json:
        _print_json(found, input, len(codes))
    else:
        _print(found, numbered=not naming)


def _labels(labelled: Table, labels: str | None, table: Table) -> tuple[str, Any, tuple[Any, ...]]:
    """The column with the labels, and its labels as codes and names."""
    from fairspectral.cli.tables import check_columns, read_labels

    columns = [str(name) for name in labelled.frame.columns]
    alone = labelled is not table and len(columns) == 1
    wanted = columns[0] if labels is None and alone else labels or _DEFAULT_LABELS
    (column,) = check_columns(labelled.frame, [wanted], labelled.path, "--labels")
    codes, clusters = read_labels(labelled.frame[column], labelled.path)
    if len(table.frame) != len(codes):
        raise ValueError(
            f"{table.path} has {len(table.frame)} rows but {labelled.path} has {len(codes)}; it "
            "needs one row for each label, in the same order."
        )
    return column, codes, clusters


def _groups(
    table: Table, sensitive: list[str] | None, missing: str, bin: list[str] | None
) -> tuple[list[str], Any]:
    """The sensitive columns, and their groups; None where there are none."""
    from fairspectral.cli.inputs import bin_notes, check_groups
    from fairspectral.cli.tables import check_columns, sensitive_columns

    names = check_columns(table.frame, sensitive or (), table.path, "--sensitive")
    bins = read_bins(bin, names)
    if not names:
        return [], None
    groups = sensitive_columns(
        table.frame, names, table.path, missing=missing, bins=bins, decimal=table.decimal
    )
    for note in (*bin_notes(groups, bins), *check_groups(groups, least=1)):
        say(f"Note: {note}")
    return names, groups


def _describe(
    frame: Any, codes: Any, clusters: tuple[Any, ...], groups: Any, **options: Any
) -> Description:
    from fairspectral.auditing import audit_attributes
    from fairspectral.describing.describe import describe_codes
    from fairspectral.validation import Attribute, check_sensitive_features

    attributes: tuple[Attribute, ...] = ()
    if groups is not None:
        attributes = check_sensitive_features(groups, len(codes), constrain=False)
    if options["row_names"] is None:
        options["row_names"] = range(1, len(codes) + 1)
    audit = audit_attributes(codes, clusters, attributes, None, "")
    return describe_codes(frame, codes, audit, attributes, **options)


def _print_json(found: Description, input: Path, n: int) -> None:
    from fairspectral.cli.display import audit_summary, print_json

    attributes = audit_summary(found.audit)["attributes"]
    print_json({"input": str(input), "rows": n, **found.summary(), "attributes": attributes})


def _print(found: Description, *, numbered: bool) -> None:
    from fairspectral.cli.display import print_audit, print_lines, print_table

    print_lines(*found.sentences)
    header, *rows = found.table(",")
    print_table(header, rows, text=("differs in",))
    if found.audit.attributes:
        print_audit(found.audit)
    print_lines(*found.typical_lines())
    if numbered and found.typical_lines():
        print_lines("Members are numbered by data row, from 1; --name shows a column instead.")


def describe_prepared(model: FairSpectralClustering, prepared: Prepared) -> Description:
    """Describe a model by the original columns of its table, or by the connections of its graph.

    Members are named by their data row; nodes by the first column, if it names each of them once.
    """
    from fairspectral.cli.tables import original_columns, read_names
    from fairspectral.describing.fitted import describe_model
    from fairspectral.report.collect import read_attributes

    table, columns = prepared.table, prepared.columns
    compared = {*columns["numeric"], *columns["categorical"]}
    used = [str(c) for c in table.frame.columns if str(c) in compared]
    names: Any = [f"data row {i}" for i in range(1, prepared.n + 1)]
    if prepared.affinity == "precomputed":
        nodes = read_names(table.frame.iloc[:, 0], table.path)
        names = nodes if len(set(nodes)) == len(nodes) else names
    frame, _ = original_columns(table, used, columns["categorical"])
    attributes = read_attributes(model, prepared.sensitive)
    return describe_model(model, frame if used else None, attributes=attributes, row_names=names)
