"""What was chosen on the page, as the options of the command, and the command that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from fairspectral.app.limits import Limits
from fairspectral.app.sheet import Sheet
from fairspectral.cli.options import (
    AttributeMode,
    Effort,
    InputOptions,
    MethodOptions,
    MissingSensitive,
)
from fairspectral.cli.tables import kind_of
from fairspectral.frontier import TOLERANCES
from fairspectral.report.price import FULL_FRONTIER_SAMPLES, QUICK_TOLERANCES

# In the order in which a person would write them.
_OPTIONS = ("sensitive", "bin", "missing_sensitive", "encoding", "drop", "keep", "clusters",
            "affinity", "neighbors", "attribute_mode", "effort", "seed")  # fmt: skip


@dataclass(frozen=True)
class Choices:
    """One run that was asked for.

    Attributes
    ----------
    source, method : InputOptions, MethodOptions
        As the command has them.
    clusters : int
        How many.
    tolerances : tuple of float or None
        The steps of the slider.
    label_column : str
        A name that the table does not have yet.
    """

    source: InputOptions
    method: MethodOptions
    clusters: int
    tolerances: tuple[float | None, ...]
    label_column: str = "cluster"

    @property
    def labels_name(self) -> str:
        """The file for the labels, in the format of the table."""
        return "labels.tsv" if kind_of(self.source.input) in ("tsv", "tab") else "labels.csv"

    def command(self, tolerance: float | None) -> str:
        """The command that writes the labels at a tolerance again."""
        file = str(self.source.input)
        words = ["fairspectral", "frontier", f"./{file}" if file.startswith("-") else file]
        given = {**_changed(self.source), **_changed(self.method), "clusters": self.clusters}
        for name in _OPTIONS:
            value = given.get(name, [])
            for one in value if isinstance(value, list) else [value]:
                words += _option(name, one)
        if self.tolerances != TOLERANCES:
            words += ["--tolerances", ",".join(map(tolerance_word, self.tolerances))]
        if self.label_column != "cluster":
            words += _option("label_column", self.label_column)
        words += ["--at", tolerance_word(tolerance), "--output", self.labels_name]
        return shlex.join(words)


def read_choices(form: Mapping[str, Any], lists: Any, sheet: Sheet, limits: Limits) -> Choices:
    """The choices in a form that was sent.

    Parameters
    ----------
    form : mapping
        Its fields by name.
    lists : callable
        ``lists(name)`` gives all values of a field that occurs several times.
    sheet : Sheet
        The table that they are about: columns are named by their number.
    limits : Limits
        Of the page.
    """
    columns = sheet.columns
    compared = {_number(i, "a column", 0, len(columns) - 1) for i in lists("compare")}
    fair = [_number(i, "a column", 0, len(columns) - 1) for i in lists("fair")]
    if not fair:
        raise ValueError("tick at least one column under fair shares: its groups are balanced.")
    bins = []
    for i in fair:
        if words := str(form.get(f"groups-{i}", "")).strip():
            groups = _number(words, f"the groups of {columns[i].name!r}", 2, 100)
            bins.append(f"{columns[i].name}={groups}")
    others = [i for i in range(len(columns)) if i not in fair]
    drop = [columns[i].name for i in others if i not in compared and not columns[i].unused]
    keep = [columns[i].name for i in others if i in compared and columns[i].unused]
    source = InputOptions(
        sheet.table.path,
        sensitive=[columns[i].name for i in fair],
        bin=bins or None,
        missing_sensitive=MissingSensitive("category" if form.get("missing") else "error"),
        encoding=None if sheet.table.encoding.startswith("utf") else sheet.table.encoding,
        drop=drop or None,
        keep=keep or None,
    )
    method = MethodOptions(
        affinity=str(form.get("affinity", MethodOptions.affinity)),
        neighbors=_number(
            form.get("neighbors", MethodOptions.neighbors), "--neighbors", 1, limits.rows
        ),
        attribute_mode=AttributeMode(_one_of(AttributeMode, form, "attribute_mode")),
        effort=Effort(_one_of(Effort, form, "effort")),
        seed=_number(form.get("seed", 0), "--seed", 0, 2**32 - 1),
    )
    method.check()
    quick = len(fair) > 1 or sheet.n > FULL_FRONTIER_SAMPLES
    return Choices(
        source,
        method,
        _number(form.get("clusters", ""), "--clusters", 2, limits.clusters),
        QUICK_TOLERANCES if quick else TOLERANCES,
        _free_name([column.name for column in columns]),
    )


def tolerance_word(tolerance: float | None) -> str:
    """As the command takes it."""
    return "none" if tolerance is None else f"{tolerance:g}"


def _changed(options: Any) -> dict[str, Any]:
    """Options that are not at their default."""
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    defaults = {field.name: field.default for field in fields(options)}
    return {name: value for name, value in values.items() if value != defaults[name]}


def _option(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    # A column called -x would be read as another option.
    return [f"{option}={value}"] if str(value).startswith("-") else [option, str(value)]


def _number(text: Any, what: str, least: int, most: int) -> int:
    try:
        number = int(str(text))
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise ValueError(
            f"{what} has {str(text)[:20]!r}; it must be a whole number from {least} to {most}."
        )
    return number


def _one_of(kinds: Any, form: Mapping[str, Any], name: str) -> str:
    value = str(form.get(name) or getattr(MethodOptions, name))
    if value not in list(kinds):
        known = ", ".join(kinds)
        raise ValueError(
            f"--{name.replace('_', '-')} has {value[:20]!r}; it must be one of {known}."
        )
    return value


def _free_name(names: list[str]) -> str:
    taken = {name.casefold() for name in names}
    numbered = (f"cluster_{i}" for i in range(2, len(names) + 3))
    return next(name for name in ("cluster", "fair_cluster", *numbered) if name not in taken)
