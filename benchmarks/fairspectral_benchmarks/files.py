"""Results as JSON files, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fairspectral import files

# The pages in docs/ hold tables that the benchmarks write.
ROOT = Path(__file__).resolve().parents[2]


def read_json(path: Path) -> Any:
    """The content of a file, or None if there is no file or it is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def write_json(path: Path, content: Any) -> None:
    """Write a file of results, and make its folder."""
    write_text(path, json.dumps(content, indent=1))


def write_text(path: Path, text: str) -> None:
    """Write a text file, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_text(path, text)
