"""The tables of what was measured on a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairspectral_benchmarks.gpu.ceilings import COLUMNS, floors
from fairspectral_benchmarks.pages import markdown_table

Found = Mapping[str, Any]

_UNITS = {"exp2": "{:.3g} /s", "bytes": "{:.3g} B/s"}


def fits_table(fits: Sequence[Found]) -> str:
    """A row for each fit, with its stages."""
    header = (
        "problem", "people", "seconds", "affinity", "embedding", "passes", "rounding", "GB", "gap",
        "fairness residual", "within bounds",
    )  # fmt: skip
    rows = []
    for fit in fits:
        if "note" in fit:
            rows.append([fit["problem"], f"{fit['n']:,}", fit["note"], *[""] * (len(header) - 3)])
            continue
        numbers = [f"{fit[name]:.2f}" for name in ("seconds", "affinity", "embedding")]
        rows.append(
            [fit["problem"], f"{fit['n']:,}", *numbers, fit["passes"], f"{fit['rounding']:.2f}",
             f"{fit['peak_gb']:.1f}", f"{fit['gap']:.0e}", f"{fit['fairness_residual']:.0e}",
             "yes" if fit["certified"] else "no"]
        )  # fmt: skip
    return markdown_table(header, rows)


def stages_table(fits: Sequence[Found]) -> str:
    """Seconds of each stage of the rounding."""
    done = [fit for fit in fits if "note" not in fit]
    rows = [
        [fit["problem"], f"{fit['n']:,}", name, f"{took:.2f}"]
        for fit in done
        for name, took in fit["stages"].items()
    ]
    return markdown_table(("problem", "people", "stage of the rounding", "seconds"), rows)


def ceilings_table(rates: Mapping[str, float], passes: Sequence[Found]) -> str:
    """What a pass would take at the measured rates, and what it takes."""
    n = passes[0]["n"]
    rows: list[list[str]] = [
        [f"{work}, {count:.1e}", _UNITS.get(by, "{:.3g} FLOP/s").format(rates[by]), f"{took:.2g}"]
        for work, count, by, took in floors(dict(rates), n)
    ]
    rows += [
        [f"a pass, {found['product']}, error {found['error']:.0e}", "", f"{found['seconds']:.2g}"]
        for found in passes
    ]
    header = (f"one pass of {COLUMNS} columns, {n:,} people", "measured rate", "seconds")
    return markdown_table(header, rows)


def peers_table(peers: Sequence[Found]) -> str:
    """Seconds of each way."""
    rows = [
        [one["way"], f"{one['n']:,}", f"{one['seconds']:.2f}" if "seconds" in one else one["note"]]
        for one in peers
    ]
    return markdown_table(("way", "people", "seconds"), rows)


def page_of(found: Mapping[str, Any]) -> str:
    """Everything that was measured, under the name of the device."""
    parts = [f"Measured on: {found['device']}. {found['machine']}."]
    if found.get("fits"):
        parts += [fits_table(found["fits"]), stages_table(found["fits"])]
    if found.get("rates"):
        parts.append(ceilings_table(found["rates"], found["passes"]))
    if found.get("peers"):
        parts.append(peers_table(found["peers"]))
    return "\n\n".join(parts)
