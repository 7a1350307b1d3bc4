"""Check the installed package in a bare environment, with that environment's Python.

    BARE/bin/python -I scripts/installed_check.py              every doctest of the package
    BARE/bin/python -I scripts/installed_check.py README.md    every Python block of the page

What runs are the installed files.
"""

from __future__ import annotations

import doctest
import importlib
import re
import sys
from pathlib import Path

import fairspectral

PACKAGE = Path(fairspectral.__file__).parent


def main() -> None:
    """Check, and print what was run."""
    if not PACKAGE.is_relative_to(sys.prefix):
        sys.exit(f"fairspectral was imported from {PACKAGE}, which is not in {sys.prefix}.")
    if len(sys.argv) == 1:
        print(f"{run_doctests()} lines of doctests ran from {PACKAGE}")
    for page in sys.argv[1:]:
        print(f"{run_blocks(Path(page))} blocks of {page} ran with {PACKAGE}")


def run_doctests() -> int:
    """The doctests of every module that has some; their number of lines."""
    lines = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        if ">>> " not in path.read_text(encoding="utf-8"):
            continue
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        outcome = doctest.testmod(importlib.import_module(name))
        if outcome.failed:
            sys.exit(f"{outcome.failed} lines of the doctests in {name} failed.")
        lines += outcome.attempted
    if not lines:
        sys.exit(f"no doctest was found in {PACKAGE}.")
    return lines


def run_blocks(page: Path) -> int:
    """Each Python block of a page, alone; their number."""
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
    for block in blocks:
        exec(compile(block, page.name, "exec"), {})
    if not blocks:
        sys.exit(f"no Python block was found in {page}.")
    return len(blocks)


if __name__ == "__main__":
    main()
