"""Audits and other results for people (tables) and for machines (JSON)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from fairspectral.audit import AttributeAudit, Audit

if TYPE_CHECKING:
    from fairspectral.solvers.result import SolveResult


def console() -> Any:
    """Standard output as rich sees it now."""
    from rich.console import Console

    return Console(highlight=False)


def print_json(summary: dict[str, Any]) -> None:
    """One JSON document on standard output; what is not finite becomes null."""
    typer.echo(json.dumps(_plain(summary), indent=2, ensure_ascii=False))


def _plain(value: Any) -> Any:
    """Numpy's numbers and arrays as Python's own."""
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

    `last` sets the last row apart. Data are shown as they are, never read as markup.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title) if title else None, title_justify="left", box=box.SIMPLE_HEAD)
    for j, name in enumerate(header):
        justify: Any = "left" if j == 0 or name in text else "right"
        table.add_column(Text(name), justify=justify, overflow="fold")
    rows = list(rows)
    for i, row in enumerate(rows):
        if last and i == len(rows) - 1:
            table.add_section()
        table.add_row(*map(Text, row))
    console().print(table)


def print_lines(*lines: str) -> None:
    """Plain lines on standard output."""
    for line in lines:
        typer.echo(line)


def print_audit(audit: Audit) -> None:
    """One table for each attribute: sizes, shares and balance of every cluster."""
    for attribute in audit.attributes:
        rows = [["cluster", "size", *map(str, attribute.groups), "balance"]]
        for cluster, size, shares, balance in zip(
            audit.clusters, audit.sizes, attribute.shares, attribute.balance, strict=True
        ):
            rows.append(_row(str(cluster), size, shares, balance))
        population = (attribute.population, attribute.population_balance)
        rows.append(_row("everyone", audit.sizes.sum(), *population))
        # Many groups, or long names, read better from top to bottom.
        across = sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True))
        turned = across > console().width
        header, *body = [list(row) for row in zip(*rows, strict=True)] if turned else rows
        title = f"Shares of {attribute.name} in every cluster"
        print_table(header, body, title=title, last=not turned)
    if not audit.attributes:
        rows = [[str(c), f"{s:,}"] for c, s in zip(audit.clusters, audit.sizes, strict=True)]
        print_table(["cluster", "size"], rows)


def _row(name: str, size: int, shares: np.ndarray, balance: float) -> list[str]:
    return [name, f"{size:,}", *(f"{share:.1%}" for share in shares), f"{balance:.3f}"]


def audit_summary(audit: Audit) -> dict[str, Any]:
    """An audit for machines."""
    return {
        "clusters": [
            {"label": cluster, "size": int(size)}
            for cluster, size in zip(audit.clusters, audit.sizes, strict=True)
        ],
        "normalized_cut": audit.normalized_cut,
        "attributes": [_attribute_summary(attribute) for attribute in audit.attributes],
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
