"""Audits and other results for people (tables) and for machines (JSON)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from fairspectral.auditing import AttributeAudit, Audit, audit_table
from fairspectral.cli.visible import visible

if TYPE_CHECKING:
    from fairspectral.solvers.result import SolveResult


_LABELS_PER_LINE = 40


def console(width: int | None = None) -> Any:
    """A rich console on the current standard output."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            # rich would end the process with status 1, which means "unfair" here.
            raise BrokenPipeError

    return Output(highlight=False, width=width)


def print_json(summary: dict[str, Any], *, labels: np.ndarray | None = None) -> None:
    """One JSON document on standard output; NaN and infinity become null.

    Labels come last and many on a line, because there is one for each of perhaps a million rows;
    but not all on one line, since some readers split long lines (R from 8095 bytes on).
    """
    text = json.dumps(_plain(summary), indent=2, ensure_ascii=False)
    if labels is not None:
        parts = np.split(labels, range(_LABELS_PER_LINE, len(labels), _LABELS_PER_LINE))
        lines = ",\n    ".join(",".join(map(str, part.tolist())) for part in parts)
        text = f'{text.removesuffix("}").rstrip()},\n  "labels": [\n    {lines}\n  ]\n}}'
    typer.echo("".join(c if c.isprintable() or c == "\n" else _json_escape(c) for c in text))


def _json_escape(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else json.dumps(sign)[1:-1]


def _plain(value: Any) -> Any:
    """Numpy's numbers and arrays as Python objects."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    text: Sequence[str] = (),
    last: bool = False,
) -> None:
    """A table whose first column and those named in `text` are text, the others numbers.

    `last` puts a line above the last row. Data are shown unchanged, never read as markup.
    """
    header = [visible(name) for name in header]
    body = [[visible(cell) for cell in row] for row in rows]
    if title:
        typer.echo(visible(title))
    widths = [max(map(_width, column)) for column in zip(header, *body, strict=True)]
    output = console()
    room = output.width if output.is_terminal else sum(widths) + 1
    for part in fitting(widths, room):
        _print_columns(header, body, part, text, sum(widths[j] for j in part) + 1, last=last)


def _width(cell: str) -> int:
    """Terminal columns of a cell, with the blanks and lines around it."""
    from rich.cells import cell_len

    return cell_len(cell) + 3


def fitting(widths: Sequence[int], room: int) -> list[list[int]]:
    """Split the columns into parts that fit a line, each with the first column; no cell wraps."""
    parts = [[0]]
    for j in range(1, len(widths)):
        if len(parts[-1]) > 1 and sum(widths[i] for i in (*parts[-1], j)) + 1 > room:
            parts.append([0])
        parts[-1].append(j)
    return parts


def _print_columns(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    part: Sequence[int],
    text: Sequence[str],
    width: int,
    *,
    last: bool,
) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for j in part:
        justify: Any = "left" if j == 0 or header[j] in text else "right"
        table.add_column(Text(header[j]), justify=justify, no_wrap=True)
    for i, row in enumerate(rows):
        if last and i == len(rows) - 1:
            table.add_section()
        table.add_row(*(Text(row[j]) for j in part))
    console(width).print(table)


def print_lines(*lines: str) -> None:
    """Plain lines on standard output."""
    for line in lines:
        typer.echo(visible(line))


def print_audit(audit: Audit) -> None:
    """One table for each attribute: sizes, shares and balance of every cluster."""
    for attribute in audit.attributes:
        rows = audit_table(audit, attribute, ",")
        # With many groups or long names, one row for each group is easier to read.
        across = sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True))
        turned = across > console().width
        header, *body = [list(row) for row in zip(*rows, strict=True)] if turned else rows
        title = f"Shares of {attribute.name} in every cluster"
        print_table(header, body, title=title, last=not turned)
    for covariate in audit.covariates:
        header, *body = covariate.table(audit.clusters, audit.sizes, ",")
        print_table(header, body, title=f"Mean of {covariate.name} in every cluster", last=True)
        print_lines(f"{covariate.name}: {covariate}.")
    if not audit.attributes:
        rows = [[str(c), f"{s:,}"] for c, s in zip(audit.clusters, audit.sizes, strict=True)]
        print_table(["cluster", "size"], rows)
    if audit.weights is not None and str(audit.weights) not in audit.certificate:
        print_lines(str(audit.weights))


def audit_summary(audit: Audit) -> dict[str, Any]:
    """An audit for machines; with weights, counts are weights."""
    weights = audit.weights
    return {
        "clusters": [
            {"label": cluster, "size": int(size)}
            for cluster, size in zip(audit.clusters, audit.sizes, strict=True)
        ],
        "normalized_cut": audit.normalized_cut,
        "total_weight": None if weights is None else weights.amount(weights.total),
        "attributes": [_attribute_summary(attribute) for attribute in audit.attributes],
        "covariates": [
            {
                "name": one.name,
                "mean": one.mean,
                "standard_deviation": one.deviation,
                "means": one.means,
                "differences": one.differences,
                "standardized": one.standardized,
            }
            for one in audit.covariates
        ],
    }


def solver_summary(result: SolveResult) -> dict[str, Any]:
    """How the solver ended, for machines."""
    return {
        "name": result.solver,
        "converged": result.converged,
        "status": result.status,
        "passes": result.passes,
        "seconds": result.seconds,
    }


def _attribute_summary(attribute: AttributeAudit) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "groups": list(attribute.groups),
        "population": attribute.population,
        "counts": attribute.counts,
        "shares": attribute.shares,
        "balance": attribute.balance,
        "average_balance": attribute.average_balance,
        "minimum_balance": attribute.minimum_balance,
        "relative_balance": attribute.relative_balance,
        "representation_difference": attribute.representation_difference,
        "representation_ratio": attribute.representation_ratio,
    }
