"""The code of the documentation runs and prints the output on the page, and the site builds.

On a page of `docs` the python blocks run in order in one namespace, so that a page can tell a
story; in the README each block runs alone, because a reader copies one of them. A ``text`` block
right after a python or a shell block is what that block prints.
"""

import importlib.util
import re
import shlex
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest
from printed import same_output

import fairspectral
from fairspectral.report import price

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
# Extras that the tests do not bring along; a block that imports one is left out without it.
HEAVY = {"torch"}


@pytest.fixture(autouse=True)
def few_points_of_the_price(monkeypatch):
    """Each point of the chart in a report is a search, and no page prints them."""
    monkeypatch.setattr(price, "TOLERANCES", (0.2, None))


def blocks(page):
    """(language, code, what it should print or None) of each block that is code."""
    found = list(FENCE.finditer(page.read_text(encoding="utf-8")))
    for block, after in zip_longest(found, found[1:]):
        adjacent = after and not block.string[block.end() : after.start()].strip()
        printed = after[2] if adjacent and after[1] == "text" else None
        yield block[1], block[2], printed


def python_blocks(page):
    return [(code, printed) for language, code, printed in blocks(page) if language == "python"]


def missing_extra(code):
    """An extra that a block imports and that is not installed, or None."""
    imported = re.findall(r"^import (\w+)", code, flags=re.MULTILINE)
    absent = (name for name in imported if importlib.util.find_spec(name) is None)
    return next((name for name in absent if name in HEAVY), None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_blocks_run_and_print_what_the_page_says(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, left_out = {}, set()
    for code, printed in python_blocks(page):
        if missing := missing_extra(code):
            left_out.add(missing)
            continue
        exec(compile(code, page.name, "exec"), {} if page == README else namespace)
        out = capsys.readouterr().out
        if printed is not None:
            same_output(printed, out)
    for name in left_out:
        pytest.skip(f"{name} is not installed: pip install 'fairspectral[{name}]'")


def test_there_are_blocks():
    assert len(python_blocks(README)) >= 4
    assert sum(len(python_blocks(page)) for page in PAGES) >= 15


def test_commands_run_and_print_what_the_page_says(tmp_path, monkeypatch):
    testing = pytest.importorskip(
        "typer.testing", reason="typer is not installed: pip install 'fairspectral[cli]'"
    )
    from fairspectral.cli.app import app

    monkeypatch.chdir(tmp_path)
    runner = testing.CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"})
    commands = 0
    for language, code, printed in blocks(ROOT / "docs" / "cli.md"):
        if language != "sh":
            continue
        for line in code.splitlines():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "fairspectral", line
            commands += 1
            if arguments[0] == "demo":  # tests/test_demo.py runs it
                continue
            finished = runner.invoke(app, arguments)
            gate = "--require-tolerance" in arguments
            assert finished.exit_code in ((0, 1) if gate else (0,)), finished.stderr
        if printed is not None:
            same_output(printed, finished.stdout)
    assert commands >= 5


def test_the_commands_of_the_readme_run(tmp_path, monkeypatch):
    testing = pytest.importorskip(
        "typer.testing", reason="typer is not installed: pip install 'fairspectral[cli]'"
    )
    from fairspectral.cli.app import app

    monkeypatch.chdir(tmp_path)
    code = "\n".join(code for language, code, _ in blocks(README) if language == "sh")
    told = [
        shlex.split(line, comments=True)[1:] for line in re.findall("^fairspectral .+", code, re.M)
    ]
    names = {"datasets", "cluster", "audit", "verify", "assign", "describe"}
    quick = [line for line in told if line[0] in names]
    assert {line[0] for line in quick} == names
    for line in quick:
        finished = testing.CliRunner().invoke(app, line)
        assert finished.exit_code == 0, (line, finished.stderr)
    assert (tmp_path / "report.html").exists()


def test_differences_are_detected():
    same_output("cut 2.34 in 0.1 s", "cut 2.35 in 7.5 s")
    same_output("0  149\n1  134", "0  135\n1  150")
    for wrong in ("cut 3.34 in 0.1 s", "gap 2.34 in 0.1 s", "cut 2.34 in 0.1 s\nmore"):
        with pytest.raises(AssertionError):
            same_output("cut 2.34 in 0.1 s", wrong)


def test_every_file_the_readme_links_to_exists():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def complaints(log):
    """What mkdocs says is wrong with our pages or docstrings."""
    lines = [line for line in log.splitlines() if line.startswith(("WARNING", "ERROR"))]
    return [line for line in lines if ".md" in line or "fairspectral" in line]


def test_complaints_about_our_pages_are_seen():
    broken = "WARNING -  Doc file 'cli.md' contains a link 'no.md', but the target is not found."
    docstring = "WARNING -  griffe: src/fairspectral/auditing.py:9: No type for parameter 'x'"
    plugin = "WARNING -  A plugin has news for you."
    assert complaints("\n".join(["INFO - ok", broken, docstring, plugin])) == [broken, docstring]


def test_the_site_builds_without_a_complaint_about_it(tmp_path):
    for module in ("material", "mkdocstrings"):
        pytest.importorskip(
            module, reason="mkdocs is not installed: pip install 'fairspectral[docs]'"
        )
    # Without --strict, for which a notice that a plugin logs is an error too.
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert complaints(built.stderr) == []
    site = {
        path.parent.name: path.read_text(encoding="utf-8")
        for path in (tmp_path / "site").rglob("index.html")
    }
    assert {"api", "gallery", "census", "clustering"} <= set(site)
    # What is written at the root of the repository.
    assert f"fairspectral {fairspectral.__version__}" in site["site"]
    assert f'<h2 id="{fairspectral.__version__.replace(".", "")}' in site["changelog"]
    assert "Accelerating Spectral Clustering under Fairness Constraints" in site["citation"]
