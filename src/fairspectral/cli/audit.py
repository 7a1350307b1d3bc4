"""``fairspectral audit``: the fairness of any clustering, from any tool."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairspectral.cli.bounds import (
    TOLERANCE_WORDS,
    balance_option,
    read_shares,
    read_tolerance,
    share_option,
)
from fairspectral.cli.command import Json, command, say, silence
from fairspectral.cli.options import (
    AttributeMode,
    MissingSensitive,
    bin_option,
    read_bins,
)
from fairspectral.cli.people import PeopleOptions, read_weights, weight_option

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
        str | None,
        typer.Option(
            help="End with status 1 unless every group's share of every cluster is within this "
            "relative distance of its share of everyone (0.2 is the four-fifths rule), to the "
            f"nearest whole person{TOLERANCE_WORDS}.",
        ),
    ] = None,
    require_share: Annotated[
        list[str] | None,
        share_option(
            "--require-share", "End with status 1 unless a group has these shares everywhere:"
        ),
    ] = None,
    min_cluster_size: Annotated[
        int | None,
        typer.Option(min=1, help="End with status 1 if a cluster has fewer members."),
    ] = None,
    max_cluster_size: Annotated[
        int | None,
        typer.Option(min=1, help="End with status 1 if a cluster has more members."),
    ] = None,
    balance: Annotated[list[str] | None, balance_option()] = None,
    attribute_mode: Annotated[
        AttributeMode,
        typer.Option(help="Several columns: audit each, or every combination."),
    ] = AttributeMode.marginal,
    missing_sensitive: Annotated[
        MissingSensitive,
        typer.Option(help="Missing sensitive values: an error, or a group of their own."),
    ] = MissingSensitive.error,
    bin: Annotated[list[str] | None, bin_option()] = None,
    weight: Annotated[str | None, weight_option()] = None,
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
    from fairspectral.cli.inputs import bin_notes, check_groups, read_covariates
    from fairspectral.cli.tables import check_columns, read_labels, read_table, sensitive_columns
    from fairspectral.covariates import check_constraints
    from fairspectral.diagnosis import Diagnosis, look_at_sizes
    from fairspectral.weighting import check_sample_weight

    tolerance = None
    if require_tolerance is not None:
        tolerance = read_tolerance(require_tolerance, "--require-tolerance")
        if tolerance is None:
            raise ValueError("--require-tolerance none requires nothing; leave it out.")
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
    if weight is not None:
        PeopleOptions(weight).columns(table, names)
        weights = check_sample_weight(read_weights(table, weight), len(codes))
        attributes = tuple(attribute.weighted(weights) for attribute in attributes)
    numbers, filled = read_covariates(table, balance)
    for note in filled:
        say(f"Note: {note}")
    covariates = () if numbers is None else check_constraints(numbers, len(codes))
    found = audit_attributes(codes, clusters, attributes, None, "", covariates)
    shares = read_shares(require_share, [a.name for a in attributes], "--require-share")
    gate = Gate(
        tolerance,
        shares,
        _failures(found, attributes, tolerance, shares),
        min_cluster_size,
        _sized(found, lambda size: size < (min_cluster_size or 0)),
        max_cluster_size,
        _sized(found, lambda size: max_cluster_size is not None and size > max_cluster_size),
        found.up_to,
    )
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
                fair = gate.of_shares and not gate.failures
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
    tolerance : float, mapping or None
        Tolerance required of every cell, perhaps of each attribute its own.
    shares : mapping or None
        Shares required of single groups.
    failures : list of dict
        The cells outside their bounds.
    min_size : int or None
        Size required of every cluster.
    small : list of dict
        The smaller clusters.
    max_size : int or None
        The largest size allowed.
    large : list of dict
        The larger clusters.
    up_to : str
        What bounds are rounded to, in words.
    """

    tolerance: Any
    shares: Any
    failures: list[dict[str, Any]]
    min_size: int | None
    small: list[dict[str, Any]]
    max_size: int | None
    large: list[dict[str, Any]]
    up_to: str = "whole persons"

    @property
    def of_shares(self) -> bool:
        """Whether any shares were required."""
        return self.tolerance is not None or self.shares is not None

    @property
    def required(self) -> bool:
        """Whether anything was required."""
        return self.of_shares or self.min_size is not None or self.max_size is not None

    @property
    def status(self) -> int:
        """The exit status."""
        return UNFAIR if self.failures or self.small or self.large else 0

    def summary(self) -> dict[str, Any]:
        """For machines; empty where nothing was required."""
        summary: dict[str, Any] = {}
        if self.of_shares:
            fair = not self.failures
            summary |= {"tolerance": self.tolerance, "fair": fair, "failures": self.failures}
        if self.shares is not None:
            summary |= {"shares": self.shares}
        if self.min_size is not None:
            summary |= {"min_cluster_size": self.min_size, "small_clusters": self.small}
        if self.max_size is not None:
            summary |= {"max_cluster_size": self.max_size, "large_clusters": self.large}
        return summary

    def verdict(self) -> list[str]:
        """For people; empty where nothing was required."""
        lines = []
        if self.of_shares and not self.failures:
            lines.append(
                f"Fair: up to {self.up_to}, every group is within {self._bounds} in every cluster."
            )
        elif self.of_shares:
            lines.append(f"Not fair: {len(self.failures)} cell(s) are outside {self._bounds}:")
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
        if self.large:
            lines.append(
                f"Too large: {len(self.large)} cluster(s) have more than {self.max_size} members:"
            )
            lines += _shown(f"  cluster {c['label']}: {c['size']}" for c in self.large)
        elif self.max_size is not None:
            lines.append(f"Every cluster has at most {self.max_size} members.")
        return lines

    @property
    def _bounds(self) -> str:
        one = isinstance(self.tolerance, float) and self.shares is None
        return f"tolerance {self.tolerance:g}" if one else "the bounds asked for"


def _shown(lines: Iterable[str]) -> list[str]:
    first, rest = (lines := list(lines))[:_MOST_SHOWN], lines[_MOST_SHOWN:]
    return [*first, f"  and {len(rest)} more; --json lists all."] if rest else first


def _sized(found: Audit, wrong: Callable[[int], bool]) -> list[dict[str, Any]]:
    """The clusters whose size is wrong."""
    return [
        {"label": label, "size": int(size)}
        for label, size in zip(found.clusters, found.sizes, strict=True)
        if wrong(int(size))
    ]


def _failures(
    found: Audit, attributes: tuple[Attribute, ...], tolerance: Any, shares: Any
) -> list[dict[str, Any]]:
    """The cells with fewer or more members than was required, in whole persons."""
    import numpy as np

    from fairspectral.rounding.plan import make_rules

    if tolerance is None and shares is None:
        return []
    failures = []
    # No number of clusters is too many for a group here: labels are only judged.
    rules = make_rules(attributes, 1, tolerance, shares=shares)
    for attribute, rule in zip(found.attributes, rules, strict=True):
        cells = attribute.judge_band(rule.lower, rule.upper)
        for s, c in np.argwhere(cells.outside):
            failures.append(
                {
                    "attribute": attribute.name,
                    "group": attribute.groups[s],
                    "cluster": found.clusters[c],
                    "members": cells.table[s, c].item(),
                    "least": cells.lower[s, c].item(),
                    "most": cells.upper[s, c].item(),
                }
            )
    return failures
