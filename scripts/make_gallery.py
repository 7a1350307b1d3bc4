"""Run the examples and make the gallery of them: ``python scripts/make_gallery.py [NAME ...]``.

For each example (all of them, or those named): the picture in ``docs/images/gallery`` and the page
in ``docs/gallery``, with the code and what it printed. What it printed is also the description
inside the picture's file, so that a test can tell whether the picture is still true. Then
``docs/gallery.md``. FAIRSPECTRAL_DATA must name a folder with the Census.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path

from make_notebooks import EXAMPLES, ROOT, Example, examples
from PIL import Image
from PIL.PngImagePlugin import PngInfo

DOCS = ROOT / "docs"
PICTURES = DOCS / "images" / "gallery"
GITHUB = "https://github.com/fairspectral/fairspectral"
SCRIPTS, FOLDER = f"{GITHUB}/blob/main/examples", f"{GITHUB}/tree/main/examples"
# The order of the gallery: what most people come for is first.
ORDER = (
    "tabular",
    "graph",
    "several_attributes",
    "quota",
    "constraints",
    "price_of_fairness",
    "many_people",
    "pipeline",
    "later",
    "survey",
    "census",
)


def main(names: list[str]) -> None:
    """Make the pictures and pages of the examples that are named, and the overview of all."""
    found = {example.name: example for example in examples()}
    assert set(found) == set(ORDER), "ORDER in scripts/make_gallery.py names every example"
    PICTURES.mkdir(parents=True, exist_ok=True)
    (DOCS / "gallery").mkdir(exist_ok=True)
    for name in names or ORDER:
        printed = run(name)
        page = DOCS / "gallery" / f"{name}.md"
        page.write_text(page_of(found[name], printed), encoding="utf-8")
        print(f"{name}: {(PICTURES / f'{name}.png').stat().st_size / 1000:.0f} kB")
    overview = overview_of([found[name] for name in ORDER])
    (DOCS / "gallery.md").write_text(overview, encoding="utf-8")


def run(name: str) -> str:
    """Run an example in an empty folder and keep its picture; what it printed."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        keep(Path("example-output") / f"{name}.png", PICTURES / f"{name}.png", out.getvalue())
    return out.getvalue()


def keep(drawn: Path, kept: Path, printed: str) -> None:
    """Store a picture with few colours, so that it is small, and with what was printed."""
    about = PngInfo()
    about.add_itxt("Description", printed)
    with Image.open(drawn) as picture:
        few = picture.convert("RGB").quantize(32, dither=Image.Dither.NONE)
        few.save(kept, optimize=True, pnginfo=about)


def code_of(example: Example) -> str:
    """The cells as they are on the page."""
    return "\n\n".join(f"{sentence}\n\n```py\n{code}\n```" for sentence, code in example.cells)


def page_of(example: Example, printed: str) -> str:
    """The page of an example."""
    name, sentence = example.title.split(": ")
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    return f"""# {name}

**{sentence[0].upper()}{sentence[1:]}**

{example.text}

![{example.title}](../images/gallery/{example.name}.png)

`{example.command}` ·
[the script]({SCRIPTS}/{example.name}.py) ·
[the notebook]({SCRIPTS}/notebooks/{example.name}.ipynb) ·
[all examples](../gallery.md)

{code_of(example)}

It prints

```text
{chr(10).join(lines)}
```
"""


def overview_of(found: list[Example]) -> str:
    """The page of all examples, in two columns."""
    cells = [
        f"[![{example.title}](images/gallery/{example.name}.png)](gallery/{example.name}.md)<br>"
        f"[**{example.title.split(': ')[0]}**](gallery/{example.name}.md): "
        f"{example.title.split(': ')[1]}"
        for example in found
    ]
    pairs = zip_longest(cells[::2], cells[1::2], fillvalue="")
    rows = [f"| {left} | {right} |" for left, right in pairs]
    return f"""# Gallery

Short scripts, each of which runs in seconds, prints a few lines and draws one picture. Click on a
picture for the code. They are in the folder [`examples`]({FOLDER}), also as
[notebooks]({FOLDER}/notebooks), and need the extras `plot` and `pandas`.

| | |
|---|---|
{chr(10).join(rows)}

Pictures and pages are made by `python scripts/make_gallery.py`, the notebooks by
`python scripts/make_notebooks.py`; tests check that they are up to date and run them.
"""


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    main(sys.argv[1:])
