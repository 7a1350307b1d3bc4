"""Run items of the paper: compute what is missing, write tables, figures and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fairspectral.experiments.catalogue import SPECS
from fairspectral.experiments.items import ALL
from fairspectral.experiments.problems import read_name
from fairspectral.experiments.results import with_gaps
from fairspectral.experiments.runner import run_cells
from fairspectral.experiments.spec import SCALES, Cell, Spec
from fairspectral.experiments.store import DONE, Record, Store
from fairspectral.progress import report
from fairspectral.tables import replacing
from fairspectral.validation import check_choice

LIMITS = {"tiny": 60.0, "quick": 20.0, "paper": 300.0}
STAGE = "cells"


def reproduce(
    name: str,
    *,
    scale: str = "quick",
    out: str | Path | None = None,
    limit: float | None = None,
    only: str = "",
    trials: int | None = None,
    figures: bool = True,
    isolated: bool = True,
    listener: Callable[[Record], Any] = lambda record: None,
) -> list[Path]:
    """Reproduce one item, or ``"all"``.

    Parameters
    ----------
    name : str
        A key of `SPECS`, or ``"all"``.
    scale : {"quick", "paper", "tiny"}
        Sizes and trials; ``"tiny"`` is for tests and needs no data files.
    out : path-like or None
        Folder for results, and for finished cells, which are not computed again; None is
        ``reproduction/<scale>``.
    limit : float or None
        Seconds that one cell may take; None is 20 at the quick scale, 300 at the paper's.
    only : str
        Compute only cells whose key contains it; tables show all that the folder has.
    trials : int or None
        Trials at most.
    figures : bool
        Also draw the figures, which needs matplotlib.
    isolated : bool
        Compute in processes of their own, which can be stopped at the limit.
    listener : callable
        Called with the record of each cell that was computed.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    FileNotFoundError
        If a data set is not here, in the loader's words, after all else has been done.
    """
    check_choice(name, [*SPECS, ALL], "table")
    check_choice(scale, SCALES, "scale")
    specs = list(SPECS.values()) if name == ALL else [SPECS[name]]
    folder = Path("reproduction", scale) if out is None else Path(out)
    store = Store(folder)
    limit = LIMITS[scale] if limit is None else limit
    wanted = {
        spec.name: [c for c in spec.cells(scale) if trials is None or c.trial < trials]
        for spec in specs
    }
    # A cell that several items share is computed once.
    cells = list(dict.fromkeys(c for own in wanted.values() for c in own if only in c.key))
    waiting = {spec.name: set(cells) & set(wanted[spec.name]) for spec in specs}
    meter = _Meter(cells, store, limit)
    written: list[Path] = []

    def write(spec: Spec) -> None:
        records = {c: r for c in wanted[spec.name] if (r := store.read(c)) is not None}
        written.extend(write_item(spec, records, scale, folder, figures=figures))

    def heard(record: Record) -> None:
        meter.add(record.cell)
        listener(record)
        for spec in specs:
            if record.cell in waiting[spec.name]:
                waiting[spec.name].remove(record.cell)
                if not waiting[spec.name]:
                    write(spec)

    for cell in meter.settled:
        for open_cells in waiting.values():
            open_cells.discard(cell)
    for spec in specs:
        if not waiting[spec.name]:
            write(spec)
    missing = run_cells(cells, store, limit=limit, isolated=isolated, listener=heard)
    for spec in specs:
        if waiting[spec.name]:  # some data are missing: show what there is
            write(spec)
    if missing:
        raise FileNotFoundError(str(missing[0]))
    return written


class _Meter:
    """How far the cells have come, by a rough measure of their cost, ``n² k``."""

    def __init__(self, cells: Sequence[Cell], store: Store, limit: float) -> None:
        self.settled = [
            cell for cell in cells if (r := store.read(cell)) is not None and r.settled(limit)
        ]
        self._total = sum(map(_cost, set(cells) - set(self.settled)))
        self._done = 0.0
        report(STAGE, 0.0)

    def add(self, cell: Cell) -> None:
        """Count a cell as done."""
        self._done += _cost(cell)
        report(STAGE, self._done / self._total)


def _cost(cell: Cell) -> float:
    return float(read_name(cell.problem).n) ** 2 * cell.k


def write_item(
    spec: Spec, records: Mapping[Cell, Record], scale: str, folder: Path, *, figures: bool = True
) -> list[Path]:
    """Write an item's ``.json`` and ``.md``, and its ``.png`` and ``.svg`` if it has a figure."""
    records = with_gaps(records)
    content = {
        "name": spec.name,
        "title": spec.title,
        "scale": scale,
        "records": [asdict(record) for record in records.values()],
    }
    figure = spec.figure(records, scale) if spec.figure is not None and figures else None
    paths = [folder / f"{spec.name}.json", folder / f"{spec.name}.md"]
    with replacing(paths[0]) as attempt:
        attempt.write_text(json.dumps(content, indent=1), encoding="utf-8")
    with replacing(paths[1]) as attempt:
        text = _document(spec, records, scale, with_figure=figure is not None)
        attempt.write_text(text, encoding="utf-8")
    if figure is not None:
        for kind in ("png", "svg"):
            paths.append(folder / f"{spec.name}.{kind}")
            with replacing(paths[-1]) as attempt:
                figure.savefig(attempt, format=kind, dpi=150)
    return paths


def _document(spec: Spec, records: Mapping[Cell, Record], scale: str, *, with_figure: bool) -> str:
    """The table with its heading, and what one must know to read it."""
    parts = [f"# {spec.title}"]
    if scale != "paper":
        parts.append(
            f"Scale: {scale}. The sizes are smaller than the paper's, whose numbers stand here "
            "for orientation only."
        )
    parts.append(spec.table(records, scale))
    if with_figure:
        parts.append(f"![{spec.title}]({spec.name}.png)")
    parts.append("\n".join(_notes(records)))
    return "\n\n".join(parts) + "\n"


def _notes(records: Mapping[Cell, Record]) -> list[str]:
    trials = 1 + max((cell.trial for cell in records), default=0)
    lines = [
        f"- Mean ± standard deviation over at most {trials} trials, which differ in the seed of "
        "the solver and of k-means; the data are the same.",
        "- Time begins with the affinity in memory; the paper does not say whether its times "
        "include k-means or the affinity.",
        "- o-FSC is solver `nullspace` in float64; s-FSC is `lanczos` with the paper's shift in "
        "float64 (float32 beyond n=20000); ADMM (paper) is the paper's preset and ADMM our "
        "default of it, ours is `auto`, all three in float32.",
    ]  # fmt: skip
    machines = {_machine_words(r.context) for r in records.values() if "machine" in r.context}
    lines += [f"- Computed on {words}." for words in sorted(machines)]
    reasons = {
        f"{cell.problem}, {cell.method}, k={cell.k}: {record.outcome} ({record.note})"
        for cell, record in records.items()
        if record.outcome != DONE
    }
    lines += [f"- {reason}." for reason in sorted(reasons)]
    return lines


def _machine_words(context: Mapping[str, Any]) -> str:
    machine, versions = context["machine"], context["versions"]
    threads = ", ".join(f"{name} {count}" for name, count in machine["threads"].items())
    libraries = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"{machine['processor']}, {machine['cores']} cores (threads: {threads}), "
        f"{machine['memory_gb']} GB, with {libraries}"
    )
