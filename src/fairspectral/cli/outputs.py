"""What a command writes: checked before any work, because an error afterwards would lose it."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairspectral.cli.inputs import Prepared


def check_names(output: Path | None, report: Path | None, label_column: str, json: bool) -> None:
    """Refuse output names that look like a mistake, before anything is read."""
    from fairspectral.cli.tables import LABEL_KINDS, check_kind, is_standard

    if is_standard(output) and json:
        raise ValueError(
            "--output - and --json would both write to standard output; leave out one of them: "
            "the JSON has the labels too."
        )
    if output is not None:
        if not is_standard(output):
            check_kind(output, LABEL_KINDS)
        if not label_column.strip():
            raise ValueError("--label-column is empty; give the new column a name.")
    if report is not None:
        check_report(report)


def check_report(report: Path) -> None:
    """Refuse a report that cannot be written, before anything is read."""
    from fairspectral.cli.tables import check_kind

    check_kind(report, ("html", "htm"))
    if importlib.util.find_spec("jinja2") is None:
        raise ImportError(
            "--report needs jinja2; install it with pip install 'fairspectral[report]'."
        )


def check_outputs(
    prepared: Prepared,
    output: Path | None,
    report: Path | None,
    label_column: str,
    certificate: Path | None = None,
    checkpoint: Path | None = None,
) -> None:
    """Refuse outputs that would write over the input, or over one of its columns."""
    from fairspectral.cli.tables import check_output

    for path in filter(None, (output, report, certificate, checkpoint)):
        check_output(path, prepared.inputs)
    labelled = output is not None and output.suffix != ".npy"
    if labelled and label_column in prepared.table.frame.columns:
        raise ValueError(
            f"{prepared.table.path} has a column {label_column!r} already; choose another name "
            "for the new one with --label-column."
        )


def command_given() -> str:
    """The command that was given."""
    return shlex.join(["fairspectral", *sys.argv[1:]])
