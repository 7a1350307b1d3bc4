"""The files around the code agree with the code and with each other."""

import doctest
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import fairspectral

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fairspectral"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def read_yaml(name):
    reason = "PyYAML is not installed; pip install -e '.[dev]' brings it"
    return pytest.importorskip("yaml", reason=reason).safe_load(read(name))


def minor_pythons():
    classifiers = PYPROJECT["project"]["classifiers"]
    return [c.split()[-1] for c in classifiers if re.fullmatch(r".*Python :: 3\.\d+", c)]


# --- one version ------------------------------------------------------------------------


def test_the_version_is_written_in_the_package_alone():
    assert "version" not in PYPROJECT["project"]
    assert PYPROJECT["project"]["dynamic"] == ["version"]
    source = read(PYPROJECT["tool"]["hatch"]["version"]["path"])
    assert re.findall(r'^__version__ = "(.*)"$', source, re.M) == [fairspectral.__version__]


def test_citation_and_changelog_are_of_this_version():
    assert read_yaml("CITATION.cff")["version"] == fairspectral.__version__
    assert re.search(r"^## (\S+)", read("CHANGELOG.md"), re.M)[1] == fairspectral.__version__


# --- architecture -----------------------------------------------------------------------


def layers():
    contract = PYPROJECT["tool"]["importlinter"]["contracts"][0]
    return [re.split(r"\s*[:|]\s*", layer) for layer in contract["layers"]]


def test_the_page_names_every_exception():
    page = read("docs/architecture.md")
    for contract in PYPROJECT["tool"]["importlinter"]["contracts"]:
        for exception in contract.get("ignore_imports", []):
            importer, imported = exception.split(" -> ")
            assert f"`{importer}` imports `{imported}`" in page, exception


def test_the_page_names_the_layers_that_are_checked():
    table = read("docs/architecture.md").split("| module |")[1].split("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert [re.findall(r"`(\w+)`", row) for row in rows] == layers()


def test_every_module_has_its_layer():
    found = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    found |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {module for layer in layers() for module in layer} == found


def test_the_picture_shows_every_layer():
    names = re.findall(r">([^<]+)</text>", read("docs/images/architecture.svg"))
    words = {word for name in names for word in re.findall(r"\w+", name)}
    public = {module for layer in layers() for module in layer if not module.startswith("_")}
    assert public <= words


# --- what a contributor is told ---------------------------------------------------------


def test_contributing_names_existing_files():
    text = read("CONTRIBUTING.md")
    paths = {path for path in re.findall(r"`([\w./]+\.(?:py|md))`", text) if "NAME" not in path}
    assert len(paths) > 20
    inside = ("tests/solvers", "tests/affinity", "benchmarks/fairspectral_benchmarks")
    roots = (ROOT, PACKAGE, PACKAGE.parent, *(ROOT / folder for folder in inside))
    missing = [path for path in paths if not any((root / path).exists() for root in roots)]
    assert not missing
    folders = (ROOT / name for name in ("src", "tests", "benchmarks", "scripts"))
    files = [path for folder in folders for path in folder.rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    for name in set(re.findall(r"`([A-Z]\w+)`", text)) - {"NAMEParams"}:
        assert re.search(rf"\b{name}\b", code), name
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", text):
        assert (ROOT / link).exists(), link


@pytest.mark.parametrize("file", ["CONTRIBUTING.md", ".github/workflows/ci.yml"])
def test_every_make_command_that_is_named_exists(file):
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    named = set(re.findall(r"(?:`|run: |^)make ([a-z-]+)", read(file), re.M))
    assert named
    assert named <= targets


def test_hosted_ci_runs_every_python_that_is_declared():
    jobs = read_yaml(".github/workflows/ci.yml")["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == minor_pythons()
    oldest = PYPROJECT["project"]["requires-python"].removeprefix(">=")
    assert minor_pythons()[0] == oldest
    versions = [step.get("with", {}).get("python-version") for step in jobs["oldest"]["steps"]]
    assert oldest in versions
    assert f"Python** {oldest} to {minor_pythons()[-1]}" in read("docs/stability.md")


def test_pre_commit_has_the_ruff_of_make_lint():
    (pinned,) = re.findall(r"^ruff==(.+)$", read("requirements/lint.txt"), re.M)
    hooks = {repo["repo"]: repo for repo in read_yaml(".pre-commit-config.yaml")["repos"]}
    assert hooks["https://github.com/astral-sh/ruff-pre-commit"]["rev"] == f"v{pinned}"


def test_issue_templates_are_forms():
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")):
        form = read_yaml(path.relative_to(ROOT))
        assert {"name", "description", "body"} <= set(form), path
        assert len({field["id"] for field in form["body"]}) == len(form["body"])


# --- examples in docstrings -------------------------------------------------------------


def modules_with_doctests():
    paths = [p for p in sorted(PACKAGE.rglob("*.py")) if ">>> " in p.read_text(encoding="utf-8")]
    names = [".".join(p.relative_to(PACKAGE.parent).with_suffix("").parts) for p in paths]
    return [name.removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("name", modules_with_doctests())
def test_examples_in_docstrings_run(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted
    assert not outcome.failed
