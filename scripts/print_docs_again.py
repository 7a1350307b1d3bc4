"""Write what the code of the documentation prints today into its pages.

Run ``python scripts/print_docs_again.py`` after a change that moves numbers, and read the
difference; ``python scripts/print_docs_again.py start cli`` does some pages only. A ``text`` block
right after a python or a shell block is what that block prints; tests/test_docs.py holds them
against each other, loosely, since other machines round otherwise.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from fairspectral.cli.app import app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAIR = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.DOTALL | re.M)


def main() -> None:
    """Print every page again, or those that are named, each in an empty folder."""
    for page in PAGES:
        if sys.argv[1:] and page.stem not in sys.argv[1:]:
            continue
        text, namespace = page.read_text(encoding="utf-8"), {}
        commands = page.name == "cli.md"
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            pieces, at = [], 0
            for match in PAIR.finditer(text):
                language, code, printed = match.groups()
                if language == "python":
                    out = run_python(code, {} if page.name == "README.md" else namespace)
                elif commands:
                    out = run_commands(code)
                else:
                    continue
                if printed is not None and out is not None:
                    pieces += [text[at : match.start(3)], trimmed(out)]
                    at = match.end(3)
            page.write_text("".join([*pieces, text[at:]]), encoding="utf-8")
        print(page.relative_to(ROOT))


def run_python(code: str, namespace: dict) -> str | None:
    """What a block prints; None where a package that it imports is missing."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, "page", "exec"), namespace)
        except ModuleNotFoundError as error:
            print(f"left out: {error}", file=sys.stderr)
            return None
    return out.getvalue()


def run_commands(code: str) -> str:
    """What the last command of a block prints."""
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"})
    out = ""
    for line in code.splitlines():
        _, *arguments = shlex.split(line, comments=True)
        out = runner.invoke(app, arguments).stdout
    return out


def trimmed(out: str) -> str:
    """Without blanks at the ends of lines and of the text."""
    return "\n".join(line.rstrip() for line in out.strip("\n").splitlines()) + "\n"


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
