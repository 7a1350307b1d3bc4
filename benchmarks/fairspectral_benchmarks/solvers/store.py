"""The results of the solver benchmark in one small file, a line per cell."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from fairspectral_benchmarks.files import read_json, write_text

MADE_BY = "python benchmarks/solvers.py"
_DIGITS = 6
# All gaps are measured against it, so it keeps all its digits.
_EXACT = ("objective",)


def read(path: Path) -> dict[str, Any]:
    """The stored results, or an empty set."""
    return read_json(path) or {"made_by": MADE_BY, "cells": {}}


def write(path: Path, results: dict[str, Any]) -> None:
    """Write the whole file."""
    head = {key: value for key, value in results.items() if key != "cells"}
    cells = [f"{json.dumps(key)}: {json.dumps(cell)}" for key, cell in results["cells"].items()]
    lines = [f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    text = "\n".join(["{", *lines, '"cells": {', ",\n".join(cells), "}}", ""])
    write_text(path, text)


def small(values: Any, key: str = "") -> Any:
    """Values without empty ones, and numbers with the digits that the page shows."""
    if isinstance(values, dict):
        kept = {name: small(value, name) for name, value in values.items()}
        return {name: value for name, value in kept.items() if value is not None}
    if isinstance(values, list | tuple):
        return [small(value, key) for value in values]
    if isinstance(values, float) and key not in _EXACT and math.isfinite(values):
        return float(f"{values:.{_DIGITS}g}")
    return values
