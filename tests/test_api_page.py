"""The API page lists every public name, and what it describes exists."""

import importlib
import pkgutil
import re
from pathlib import Path

import fairspectral

PAGE = (Path(__file__).parent.parent / "docs" / "api.md").read_text(encoding="utf-8")


def listed():
    """The names of each module in the table at the top of the page."""
    rows = re.findall(r"^\| `(fairspectral[.\w]*)` \| (.+) \|$", PAGE, re.M)
    return {module: re.findall(r"`(\w+)`", names) for module, names in rows}


def described():
    """Every object that the page shows the docstring of, with the members that it selects."""
    entries = re.findall(r"^::: ([\w.]+)\n((?:[ -].*\n)*)", PAGE + "\n", re.M)
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
