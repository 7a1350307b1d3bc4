"""``fairspectral audit``: the fairness of any clustering, from any tool."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairspectral.cli.command import Json, command, say, silence
from fairspectral.cli.options import (
    AttributeMode,
    MissingSensitive,
    bin_option,
    check_tolerance,
    read_bins,
)

if TYPE_CHECKING:
    from fairspectral.auditing import AttributeAudit, Audit
    from fairspectral.validation import Attribute

UNFAIR = 1
_MOST_SHOWN = 10


@command
def audit(
    input: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", show_default=False,
            help="Table with labels: CSV, TSV, Parquet or .npz; - is standard input, for text.",
        ),
    ],
    sensitive: Annotated[
        list[str],
        typer.Option("--sensitive", "-s", metavar="COLUMN", help="Column with the groups; may be "
                     "repeated."),
    ],
    labels: Annotated[
        str, typer.Option("--labels", "-l", metavar="COLUMN", help="Column with the clusters.")
    ] = "cluster",
    require_tolerance: Annotated[
        float | None,
        typer.Option(
            help="End with status 1 unless every group's share of every cluster is within this "
            "relative distance of its share of everyone (0.2 is the four-fifths rule), to the "
            "nearest whole person.",
        ),
    ] = None,
    min_cluster_size: Annotated[
        int | None,
        typer.Option(min=1, help="End with status 1 if a cluster has fewer members."),
    ] = None,
    attribute_mode: Annotated[
        AttributeMode,
        typer.Option(help="Several columns: audit each, or every combination."),
    ] = AttributeMode.marginal,
    missing_sensitive: Annotated[
        MissingSensitive,
        typer.Option(help="Missing sensitive values: an error, or a group of their own."),
    ] = MissingSensitive.error,
    bin: Annotated[list[str] | None, bin_option()] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Of a text file.", show_default="utf-8")
    ] = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The first line is data.")
    ] = False,
    json: Json = False,
) -> int:  # fmt: skip
    """Audit a clustering made by any tool: group shares, balance and fairness.

    With [bold]--require-tolerance[/bold] the exit status is 1 when it is not, so that a
    pipeline can stop there. A group fails in a cluster where its number of members is outside
    the whole numbers that the tolerance allows; rounding to whole persons is always allowed,
    so tiny clusters pass easily, and [bold]--min-cluster-size[/bold] refuses them.

    [bold]Example:[/bold] fairspectral audit out.csv --sensitive sex --require-tolerance 0.2
    """
    from fairspectral.auditing import audit_attributes
    from fairspectral.cli.display import audit_summary, print_audit, print_json, print_lines
    from fairspectral.cli.inputs import bin_notes, check_groups
    from fairspectral.cli.tables import check_columns, read_labels, read_table, sensitive_columns
    from fairspectral.diagnosis import Diagnosis, look_at_sizes

    if require_tolerance is not None:
        check_tolerance(require_tolerance, "--require-tolerance")
    table = read_table(input, encoding=encoding, header=not no_header)
    for note in table.notes:
        say(f"Note: {note}")
    path = table.path
    (label_column,) = check_columns(table.frame, [labels], path, "--labels")
    names = check_columns(table.frame, sensitive, path, "--sensitive")
    codes, clusters = read_labels(table.frame[label_column], path)
    bins = read_bins(bin, names)
    groups = sensitive_columns(
        table.frame, names, path, missing=missing_sensitive, bins=bins, decimal=table.decimal
    )
    for note in (*bin_notes(groups, bins), *check_groups(groups, least=1)):
        say(f"Note: {note}")
    attributes = _attributes(groups, str(attribute_mode))
    found = audit_attributes(codes, clusters, attributes, None, "")
    gate = _judge(found, require_tolerance, min_cluster_size)
    # For labels from other tools only the sizes are known.
    diagnosis = Diagnosis(tuple(look_at_sizes(found.sizes)))
    try:
        if json:
            summary = {"input": str(path), "rows": len(codes), **audit_summary(found)}
            findings = [asdict(finding) for finding in diagnosis]
            print_json({**summary, **gate.summary(), "diagnosis": findings})
        else:
            print_audit(found)
            print_lines(*map(_in_words, found.attributes), *gate.verdict())
            if diagnosis:
                fair = require_tolerance is not None and not gate.failures
                caution = diagnosis.caution("Fair" if fair else "The audit")
                print_lines(caution, *str(diagnosis).splitlines())
        sys.stdout.flush()
    except BrokenPipeError:
        if not gate.required:
            raise
        silence(sys.stdout)  # the verdict decides the exit status, even if the pipe is closed
    return gate.status


def _in_words(attribute: AttributeAudit) -> str:
    return (
        f"{attribute.name}: average balance {attribute.average_balance:.3f} "
        f"({attribute.relative_balance:.0%} of everyone's), largest difference from "
        f"everyone's shares {100 * attribute.representation_difference:.1f} points, "
        f"smallest ratio {attribute.representation_ratio:.2f}."
    )


def _attributes(groups: Any, mode: str) -> tuple[Attribute, ...]:
    """The groups to audit; a single group is allowed here, but not as a constraint."""
    from fairspectral.constraints import encode_groups
    from fairspectral.validation import check_sensitive_features

    if mode == "intersection" and groups.shape[1] > 1:
        return encode_groups(groups, len(groups), mode)
    return check_sensitive_features(groups, len(groups), constrain=False)


@dataclass(frozen=True)
class Gate:
    """The requirements on a clustering, and where it fails them.

    Attributes
    ----------
    tolerance : float or None
        Tolerance required of every cell.
    failures : list of dict
        The cells outside the tolerance.
    min_size : int or None
        Size required of every cluster.
    small : list of dict
        The smaller clusters.
    """

    tolerance: float | None
    failures: list[dict[str, Any]]
    min_size: int | None
    small: list[dict[str, Any]]

    @property
    def required(self) -> bool:
        """Whether anything was required."""
        return self.tolerance is not None or self.min_size is not None

    @property
    def status(self) -> int:
        """The exit status."""
        return UNFAIR if self.failures or self.small else 0

    def summary(self) -> dict[str, Any]:
        """For machines; empty where nothing was required."""
        summary: dict[str, Any] = {}
        if self.tolerance is not None:
            fair = not self.failures
            summary |= {"tolerance": self.tolerance, "fair": fair, "failures": self.failures}
        if self.min_size is not None:
            summary |= {"min_cluster_size": self.min_size, "small_clusters": self.small}
        return summary

    def verdict(self) -> list[str]:
        """For people; empty where nothing was required."""
        lines = []
        if self.tolerance is not None and not self.failures:
            lines.append(
                f"Fair: up to whole persons, every group is within tolerance {self.tolerance:g} "
                "in every cluster."
            )
        elif self.tolerance is not None:
            lines.append(
                f"Not fair: {len(self.failures)} cell(s) are outside tolerance {self.tolerance:g}:"
            )
            lines += _shown(
                f"  cluster {cell['cluster']}: {cell['members']} of {cell['attribute']} "
                f"{cell['group']}, allowed {cell['least']} to {cell['most']}"
                for cell in self.failures
            )
        if self.small:
            lines.append(
                f"Too small: {len(self.small)} cluster(s) have fewer than {self.min_size} members:"
            )
            lines += _shown(f"  cluster {c['label']}: {c['size']}" for c in self.small)
        elif self.min_size is not None:
            lines.append(f"Every cluster has at least {self.min_size} members.")
        return lines


def _shown(lines: Iterable[str]) -> list[str]:
    first, rest = (lines := list(lines))[:_MOST_SHOWN], lines[_MOST_SHOWN:]
    return [*first, f"  and {len(rest)} more; --json lists all."] if rest else first


def _judge(found: Audit, tolerance: float | None, min_size: int | None) -> Gate:
    failures = [] if tolerance is None else _failures(found, tolerance)
    small = [
        {"label": label, "size": int(size)}
        for label, size in zip(found.clusters, found.sizes, strict=True)
        if size < (min_size or 0)
    ]
    return Gate(tolerance, failures, min_size, small)


def _failures(found: Audit, tolerance: float) -> list[dict[str, Any]]:
    """The cells with fewer or more members than the tolerance allows, in whole persons."""
    import numpy as np

    from fairspectral.cells import judge_by_tolerance

    failures = []
    for attribute in found.attributes:
        cells = judge_by_tolerance(attribute.counts.T, tolerance)
        for s, c in np.argwhere(cells.outside):
            failures.append(
                {
                    "attribute": attribute.name,
                    "group": attribute.groups[s],
                    "cluster": found.clusters[c],
                    "members": int(cells.table[s, c]),
                    "least": int(cells.lower[s, c]),
                    "most": int(cells.upper[s, c]),
                }
            )
    return failures
