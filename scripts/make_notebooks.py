"""Write each example as a notebook: ``python scripts/make_notebooks.py``.

An example is a plain script in cells: a line ``# %% A sentence.`` begins a cell and says what it
does. The docstring becomes the first cell of the notebook, each sentence a cell of text, the code
below it a cell of code. The notebooks hold no output, so that they change only when the scripts do.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
NOTEBOOKS = EXAMPLES / "notebooks"
CELL = re.compile(r"^# %% (.+)\n", re.M)


@dataclass(frozen=True)
class Example:
    """A script, read in parts.

    Attributes
    ----------
    name : str
        Its file name without the suffix.
    title, text, command : str
        The first line of its docstring, the paragraph below, and how to run it.
    cells : tuple of (str, str)
        A sentence and the code of each cell.
    """

    name: str
    title: str
    text: str
    command: str
    cells: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, path: Path) -> Example:
        """Read a script."""
        source = path.read_text(encoding="utf-8")
        title, text, command = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")
        before, *parts = CELL.split(source)
        if ast.parse(before).body[1:]:
            raise ValueError(f"{path.name} has code above its first cell; begin it with `# %%`.")
        code = (part.strip("\n") for part in parts[1::2])
        return cls(
            path.stem, title, text, command.strip(), tuple(zip(parts[::2], code, strict=True))
        )


def examples() -> list[Example]:
    """All of them, in alphabetical order."""
    return [Example.read(path) for path in sorted(EXAMPLES.glob("*.py"))]


def notebook(example: Example) -> str:
    """The notebook of an example, as JSON of format 4.5."""
    page = f"https://github.com/fairspectral/fairspectral/blob/main/docs/gallery/{example.name}.md"
    needs = f"It needs the extras `plot` and `pandas`; [its page]({page}) shows the result."
    first = f"# {example.title}\n\n{example.text}\n\n{needs}"
    cells = [_cell("markdown", 0, first)]
    for sentence, code in example.cells:
        cells.append(_cell("markdown", len(cells), sentence))
        cells.append(_cell("code", len(cells), code))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, place: int, text: str) -> dict:
    cell = {"cell_type": kind, "id": f"cell-{place}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": text.splitlines(keepends=True)}


def main() -> None:
    """Write all notebooks."""
    NOTEBOOKS.mkdir(exist_ok=True)
    for example in examples():
        path = NOTEBOOKS / f"{example.name}.ipynb"
        path.write_text(notebook(example), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
