"""The examples run as scripts and as notebooks, and the gallery shows what they print and draw.

They run in this process, where the filters of pyproject.toml and conftest.py make a warning of our
own an error, and another package's not.
"""

import ast
import importlib
import json
import re
import runpy
from pathlib import Path

import pytest
from helpers import needs_real_data
from printed import same_output

ROOT = Path(__file__).parent.parent
EXAMPLES, DOCS = ROOT / "examples", ROOT / "docs"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
# Quick enough for a test, and what else they write beside their picture.
FEWER = {"many_people": ("n_people = 100_000", "n_people = 4_000")}
BESIDES = {"later": {"patients.npz"}, "pipeline": {"pipeline.joblib"}}


@pytest.fixture
def scripts(monkeypatch):
    """The modules that make the notebooks and the gallery."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    pytest.importorskip("PIL", reason="Pillow is not installed: it comes with plot")
    return importlib.import_module("make_notebooks"), importlib.import_module("make_gallery")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to run in."""
    pyplot = pytest.importorskip(
        "matplotlib.pyplot", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    pytest.importorskip(
        "pandas", reason="pandas is not installed: pip install fairspectral[pandas]"
    )
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    pyplot.close("all")


def code_cells(name):
    notebook = json.loads((EXAMPLES / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def run_notebook(name):
    """Run the code cells in one namespace, as Jupyter does."""
    namespace = {}
    for code in code_cells(name):
        if name in FEWER and FEWER[name][0] in code:
            code = code.replace(*FEWER[name])
        exec(compile(code, name, "exec"), namespace)
    return namespace


def written_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}


def printed_on_page(name):
    page = (DOCS / "gallery" / f"{name}.md").read_text(encoding="utf-8")
    return re.search(r"```text\n(.*?)^```$", page, re.S | re.M)[1]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=needs_real_data if n == "census" else ()) for n in NAMES]
)
def test_notebook_runs_and_writes_only_its_output(name, folder, capsys):
    namespace = run_notebook(name)
    printed = capsys.readouterr().out
    files = {f"{name}.png"} | BESIDES.get(name, set())
    assert written_in(folder) == {f"example-output/{file}" for file in files}
    if name == "census":  # which words stand first may differ between machines
        check_census(printed, printed_on_page(name))
    elif name in FEWER:
        assert namespace["n_people"] == 4_000
        assert namespace["smallest"]["plain"] < 0.25
        assert namespace["smallest"]["fair"] > 0.39
    else:
        same_output(printed_on_page(name), printed)


def check_census(printed, shown):
    now, then = ([int(s) for s in re.findall(r"(\d+)% women", text)] for text in (printed, shown))
    assert len(now) == len(then) == 10
    for share in (now, then):
        assert max(share[:5]) - min(share[:5]) > 30
        assert max(share[5:]) - min(share[5:]) < 10


def test_script_runs_as_well(folder, capsys):
    runpy.run_path(str(EXAMPLES / "tabular.py"), run_name="__main__")
    assert "Certified: all 8 cells" in capsys.readouterr().out
    assert written_in(folder) == {"example-output/tabular.png"}


def test_without_the_census_one_sentence_says_where_it_is_from(folder, monkeypatch):
    monkeypatch.setenv("FAIRSPECTRAL_DATA", str(folder))
    with pytest.raises(SystemExit) as stopped:
        run_notebook("census")
    assert str(stopped.value).startswith(f"There is no Census in {folder}")
    assert "https://archive.ics.uci.edu" in str(stopped.value)
    assert written_in(folder) == set()


def test_there_are_enough_and_they_are_short():
    assert len(NAMES) >= 8
    for name in NAMES:
        lines = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()
        assert 30 <= len(lines) <= 75, name


@pytest.mark.parametrize("name", NAMES)
def test_notebook_is_up_to_date(name, scripts):
    make_notebooks, _ = scripts
    example = make_notebooks.Example.read(EXAMPLES / f"{name}.py")
    stored = (EXAMPLES / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
    assert stored == make_notebooks.notebook(example), "run scripts/make_notebooks.py"
    # Nothing of the script is lost.
    script = ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8")).body[1:]
    cells = ast.parse("\n".join(code_cells(name))).body
    assert [ast.unparse(part) for part in script] == [ast.unparse(part) for part in cells]


@pytest.mark.parametrize("name", NAMES)
def test_page_and_picture_are_up_to_date(name, scripts):
    make_notebooks, make_gallery = scripts
    example = make_notebooks.Example.read(EXAMPLES / f"{name}.py")
    page = (DOCS / "gallery" / f"{name}.md").read_text(encoding="utf-8")
    shown = printed_on_page(name)
    assert page == make_gallery.page_of(example, shown), f"run scripts/make_gallery.py {name}"
    picture = DOCS / "images" / "gallery" / f"{name}.png"
    assert picture.stat().st_size < 60_000
    with make_gallery.Image.open(picture) as drawn:
        same_output(drawn.text["Description"], shown)


def test_gallery_has_every_example(scripts):
    make_notebooks, make_gallery = scripts
    assert sorted(make_gallery.ORDER) == NAMES
    found = {example.name: example for example in make_notebooks.examples()}
    overview = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert overview == make_gallery.overview_of([found[name] for name in make_gallery.ORDER])
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"gallery/{name}.md" in overview
        assert f"gallery/{name}.md" in menu
    for page in ("README.md", "docs/index.md"):
        assert "gallery.md)" in (ROOT / page).read_text(encoding="utf-8"), page


def test_code_above_the_first_cell_is_refused(scripts, tmp_path):
    path = tmp_path / "early.py"
    path.write_text('"""A.\n\nB.\n\nC\n"""\n\nx = 1\n\n# %% Then.\ny = 2\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"early\.py has code above its first cell"):
        scripts[0].Example.read(path)
