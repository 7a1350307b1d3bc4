"""The files of an item: results as JSON, the table as Markdown, the figure as PNG and SVG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from fairspectral_benchmarks.figures import save_figure
from fairspectral_benchmarks.files import write_json, write_text
from fairspectral_benchmarks.machine import in_words
from fairspectral_benchmarks.paper.results import with_gaps
from fairspectral_benchmarks.paper.spec import Cell, Spec
from fairspectral_benchmarks.paper.store import Record
from fairspectral_benchmarks.process import DONE


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
    write_json(paths[0], content)
    write_text(paths[1], _document(spec, records, scale, with_figure=figure is not None))
    if figure is not None:
        for kind in ("png", "svg"):
            paths.append(folder / f"{spec.name}.{kind}")
            save_figure(figure, paths[-1], f"fairspectral reproduce {spec.name} --scale {scale}")
    return paths


def _document(spec: Spec, records: Mapping[Cell, Record], scale: str, *, with_figure: bool) -> str:
    """The table with its heading and the notes needed to read it."""
    parts = [f"# {spec.title}"]
    if scale != "paper":
        parts.append(
            f"Scale: {scale}. Sizes or trials are fewer than the paper's, whose numbers stand here "
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
    machines = {in_words(r.context) for r in records.values() if "machine" in r.context}
    lines += [f"- Computed on {words}." for words in sorted(machines)]
    reasons: dict[str, str] = {}  # of the first trial; the others are not run
    for cell, record in records.items():
        if record.outcome != DONE:
            place = f"{cell.problem}, {cell.method}, k={cell.k}"
            reasons.setdefault(place, f"{record.outcome} ({record.note})")
    return lines + [f"- {place}: {reason}." for place, reason in reasons.items()]
