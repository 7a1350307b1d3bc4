"""The API pages list and describe every public name, and what they describe exists."""

import importlib
import pkgutil
import re
from pathlib import Path

import fairspectral

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "api.md").read_text(encoding="utf-8")
TOPICS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("api/*.md"))}


def listed():
    """The names of each module in the table at the top of the page."""
    rows = re.findall(r"^\| `(fairspectral[.\w]*)` \| (.+) \|$", PAGE, re.M)
    return {module: re.findall(r"`(\w+)`", names) for module, names in rows}


def described():
    """Every object that a page shows the docstring of, with the members that it selects."""
    text = "\n".join([PAGE, *TOPICS.values(), ""])
    entries = re.findall(r"^::: ([\w.]+)\n((?:[ -].*\n)*)", text, re.M)
    for path, options in entries:
        members = re.findall(r"^ +- (\w+)$", options, re.M)
        yield from (f"{path}.{member}" for member in members) if members else [path]


def public_modules():
    """The package itself, and its modules that say what is public in them."""
    names = [name for _, name, _ in pkgutil.iter_modules(fairspectral.__path__)]
    public = [f"fairspectral.{name}" for name in names if not name.startswith("_")]
    modules = [fairspectral, *map(importlib.import_module, public)]
    return {module.__name__: module for module in modules if hasattr(module, "__all__")}


def test_every_public_name_is_in_the_table():
    modules = public_modules()
    assert set(listed()) == set(modules)
    for name, module in modules.items():
        assert sorted(listed()[name]) == sorted(module.__all__), name


def test_every_public_name_is_described():
    shown = {path.split(".")[-1] for path in described()}
    for name, module in public_modules().items():
        assert set(module.__all__) - {"metrics"} <= shown, name


def test_described_names_exist():
    for path in described():
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path


def test_the_overview_links_to_every_page():
    assert set(re.findall(r"\]\(api/(\w+)\.md\)", PAGE)) == set(TOPICS)
    menu = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"api/(\w+)\.md", menu)) == set(TOPICS)


def test_each_name_is_described_once():
    shown = list(described())
    assert len(shown) == len(set(shown))
