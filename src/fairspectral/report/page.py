"""What every page of the report has: the template, the style, the script, and files in links."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral.prices import clipped_cut
from fairspectral.report.moved import csv_text
from fairspectral.report.words import signed

# Above this many, the labels are not in the page.
MOST_LABELS = 100_000


def make_environment(*folders: str) -> Any:
    """jinja2, which escapes all that it is given, with the templates of these folders and ours."""
    try:
        import jinja2
    except ImportError:
        raise ImportError(
            "the report needs jinja2; install it with pip install 'fairspectral[report]'."
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("fairspectral", at) for at in (*folders, "report/template")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["signed"] = signed
    environment.filters["clipped"] = clipped_cut
    return environment


def load_template(name: str) -> Any:
    """A template of the report."""
    return make_environment().get_template(name)


def page_parts(title: str) -> dict[str, Any]:
    """What the frame of a page needs."""
    script = asset("base.js") + asset("script.js")
    return {
        "title": title,
        "style": asset("style.css"),
        "script": script,
        # The page may only run this script and load nothing, whatever the data contain.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def file_link(text: str, kind: str = "text/csv") -> str:
    """A file in a link, so that the page needs no other."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"


def labels_file(labels: np.ndarray) -> str:
    """Everybody's cluster to download, unless that would make the page slow."""
    if len(labels) > MOST_LABELS:
        return ""
    return file_link(csv_text({"row": np.arange(1, len(labels) + 1), "cluster": labels}))


def check_target(target: Path) -> None:
    """Refuse a path that cannot be written, before any work."""
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"the folder {str(target.parent)!r} of the report does not exist; make it first or "
            "choose another path."
        )
    if target.is_dir():
        raise IsADirectoryError(
            f"the report's path {str(target)!r} is a folder; add a file name such as report.html."
        )


def asset(name: str) -> str:
    """A file of the page: its style, or a script."""
    return files("fairspectral.report").joinpath("template", name).read_text(encoding="utf-8")
