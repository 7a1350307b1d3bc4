"""From the options to the input of a clustering: rows or a graph, groups, and notes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral.cli.command import say
from fairspectral.cli.options import InputOptions, MethodOptions, read_bins
from fairspectral.cli.people import People, PeopleOptions
from fairspectral.cli.tables import (
    MISSING_GROUP,
    Features,
    Table,
    check_columns,
    encode_features,
    input_name,
    is_standard,
    listed,
    numbers,
    read_graph,
    read_names,
    read_table,
    sensitive_columns,
)
from fairspectral.cli.tables.read import import_pandas
from fairspectral.cli.tables.recipe import Recipe
from fairspectral.validation import MANY_GROUPS

_MANY_ROWS = 60_000


@dataclass(frozen=True)
class Prepared:
    """The input of a clustering.

    Attributes
    ----------
    table : Table
        The rows that get a label, as read.
    X : ndarray of shape (n, d), DataFrame of shape (n, c) or csr_array of shape (n, n)
        Features, columns for Gower's distance, or the weights of a graph. On a Dask cluster also a
        DataFrame of Dask.
    affinity : str
        ``"precomputed"`` for a graph.
    sensitive : DataFrame of shape (n, a) or None
        The groups.
    columns : dict
        Columns by their use: ``numeric``, ``categorical``, ``sensitive``.
    covariates : dict from column to ndarray of shape (n,), or None
        Numbers whose means are to be equal in all clusters.
    inputs : tuple of Path
        Files that were read and must not be written over.
    notes : tuple of str
        What was assumed, dropped and filled.
    recipes : tuple of Recipe
        How later rows of a table are encoded alike.
    people : People
        Weights, and who must be together or apart.
    """

    table: Table
    X: Any
    affinity: str
    sensitive: Any
    columns: dict[str, list[str]]
    inputs: tuple[Path, ...]
    notes: tuple[str, ...]
    covariates: Any = None
    recipes: tuple[Recipe, ...] = ()
    people: People = field(default_factory=People)

    @property
    def n(self) -> int:
        """Number of rows or nodes."""
        return len(self.table.frame)


def prepare(
    source: InputOptions,
    method: MethodOptions,
    *,
    plain: bool = False,
    table: Table | None = None,
    balance: Sequence[str] | None = None,
    people: PeopleOptions | None = None,
) -> Prepared:
    """Read the files, make features and groups, and print notes on what was done.

    Parameters
    ----------
    source, method :
        The options of the command.
    plain : bool
        Whether groups may be absent.
    table : Table or None
        The rows, where they were read before.
    balance : sequence of str or None
        Columns whose means are to be equal; the rows are not compared by them.
    people : PeopleOptions or None
        Weights and links, where the command takes them.
    """
    people = people or PeopleOptions()
    people.check()
    method.check()
    if is_standard(source.input) and is_standard(source.groups):
        raise ValueError(
            "FILE and --groups cannot both be standard input; name a file for one of them."
        )
    prepared = (
        _prepare_graph(source, people, plain)
        if source.graph
        else _prepare_rows(source, method, people, plain, table, balance or ())
    )
    links = tuple(filter(None, (people.must_link, people.cannot_link)))
    prepared = replace(
        prepared,
        people=people.read(prepared.table, graph=source.graph, encoding=source.encoding),
        inputs=(*prepared.inputs, *links),
    )
    covariates, filled = read_covariates(prepared.table, balance)
    notes = [*prepared.notes, *filled]
    if prepared.sensitive is not None:
        notes += check_groups(prepared.sensitive, least=1 if plain else 2)
    for note in notes:
        say(f"Note: {note}")
    return replace(prepared, notes=(*prepared.table.notes, *notes), covariates=covariates)


def read_covariates(table: Table, names: Sequence[str] | None) -> tuple[Any, list[str]]:
    """The numbers of some columns, missing ones filled with the mean, and notes on these."""
    if not names:
        return None, []
    found, notes = {}, []
    for name in check_columns(table.frame, names, table.path, "--balance"):
        values = numbers(table.frame[name], table.decimal)
        if values is None or np.isnan(values).all():
            raise ValueError(
                f"--balance {name} names a column that does not hold numbers; pass a column of "
                "groups as --sensitive instead."
            )
        missing = np.isnan(values)
        if missing.any():
            mean = float(values[~missing].mean())
            notes.append(
                f"Filled {int(missing.sum())} missing value(s) of {name!r} with the mean, "
                f"{mean:.4g}, to balance it."
            )
        found[name] = np.where(missing, values[~missing].mean(), values)
    return found, notes


def check_groups(sensitive: Any, *, least: int) -> list[str]:
    """Refuse columns that do not form groups; return notes on those with many groups.

    Parameters
    ----------
    sensitive : DataFrame of shape (n, a)
        The groups.
    least : int
        Fewer groups are refused.
    """
    notes = []
    for name, column in sensitive.items():
        h = column.nunique()
        numeric = numbers(column[column != MISSING_GROUP]) is not None
        if h < least:
            raise ValueError(
                f"the sensitive column {name!r} has the single group {str(column.iloc[0])!r}; "
                "fairness needs at least two, so name another column."
            )
        # With few rows each may be a group: that can be audited, though not mirrored. With many
        # groups of one person, bounds in whole persons would accept any clustering as fair.
        unique = h == len(column) > (2 if least > 1 else MANY_GROUPS)
        if unique or (h > MANY_GROUPS and 2 * h > len(column)):
            seen = (
                "a different value in every row" if unique else f"{h} values in {len(column)} rows"
            )
            raise ValueError(
                f"the sensitive column {name!r} has {seen}; name another column, or "
                f"{_bin_advice(name) if numeric else 'put its values into a few groups'} first."
            )
        if h > MANY_GROUPS:
            advice = f"; {_bin_advice(name)}" if numeric else ""
            notes.append(
                f"The sensitive column {name!r} has {h} groups; a few broader ones are easier to "
                f"mirror in every cluster{advice}."
            )
    return notes


def _bin_advice(name: Any) -> str:
    return f"pass --bin {name}=5 to put its numbers into five groups"


def bin_notes(groups: Any, bins: Mapping[str, int]) -> list[str]:
    """Notes on the groups made from the numbers of a column, and their sizes."""
    notes = []
    for name in bins:
        values = groups[name]
        counts = values.value_counts()
        lowest = sorted(counts.index, key=_first_number)
        ranges = ", ".join(f"{group} ({counts[group]})" for group in lowest)
        notes.append(f"Put {name!r} into {len(counts)} groups: {ranges}.")
    return notes


def _first_number(group: str) -> float:
    try:
        return float(group.split(" to ")[0])
    except ValueError:  # the group of missing values comes last
        return math.inf


def _read_table(source: InputOptions, path: Path) -> Table:
    """Read a table, and print its notes at once, since they may explain an error."""
    table = read_table(path, encoding=source.encoding, header=not source.no_header)
    for note in table.notes:
        say(f"Note: {note}")
    return table


def _prepare_rows(
    source: InputOptions,
    method: MethodOptions,
    people: PeopleOptions,
    plain: bool,
    table: Table | None,
    balance: Sequence[str],
) -> Prepared:
    table = _read_table(source, source.input) if table is None else table
    dropped = check_columns(table.frame, source.drop or (), table.path, "--drop")
    kept = check_columns(table.frame, source.keep or (), table.path, "--keep")
    named = check_columns(table.frame, source.categorical or (), table.path, "--categorical")
    holder = table if source.groups is None else _read_groups(source, len(table.frame))
    names = sensitive_names(source, holder, plain)
    sensitive = make_groups(source, holder, names)
    balanced = check_columns(table.frame, balance, table.path, "--balance")
    unused = {*dropped, *people.columns(table, names)}
    unused |= set() if source.use_sensitive else {*names, *balanced}
    columns = [str(name) for name in table.frame.columns if str(name) not in unused]
    features = _features(table, columns, kept, named, method.affinity)
    notes = list(features.notes)
    mixed = not isinstance(features.X, np.ndarray)
    sparse = method.affinity == "nearest_neighbors" or (method.affinity == "auto" and not mixed)
    if len(table.frame) > _MANY_ROWS and not sparse:
        notes.append(
            f"All pairs of {len(table.frame):,} rows are compared; --affinity nearest_neighbors "
            "is much faster."
        )
    return Prepared(
        table=table,
        X=features.X,
        affinity=method.affinity,
        sensitive=sensitive,
        columns={
            "numeric": list(features.numeric),
            "categorical": list(features.categorical),
            "sensitive": names,
        },
        inputs=tuple(input_name(path) for path in (source.input, source.groups) if path),
        notes=tuple(notes),
        recipes=features.recipes,
    )


def _features(
    table: Table, columns: list[str], kept: list[str], named: list[str], affinity: str
) -> Features:
    """Numbers for a kernel or a graph; with ``auto``, mixed columns if there are any."""
    encode = partial(encode_features, table, columns, keep=kept, categorical=named)
    if affinity == "gower":
        return encode(mixed=True)
    features = encode()
    mixed = affinity == "auto" and (features.categorical or features.missing)
    return encode(mixed=True) if mixed else features


def _read_groups(source: InputOptions, n: int) -> Table:
    """Groups in a file of their own, in the order of the rows."""
    assert source.groups is not None
    groups = read_table(source.groups, encoding=source.encoding)
    if len(groups.frame) != n:
        raise ValueError(
            f"{groups.path} has {len(groups.frame)} rows but {input_name(source.input)} has {n}; "
            "it needs one row for each, in the same order."
        )
    return groups


def make_groups(source: InputOptions, holder: Table, names: list[str]) -> Any:
    """The sensitive columns as groups; None where there are none."""
    bins = read_bins(source.bin, names)
    if not names:
        return None
    groups = sensitive_columns(
        holder.frame,
        names,
        holder.path,
        missing=source.missing_sensitive,
        bins=bins,
        decimal=holder.decimal,
    )
    for note in bin_notes(groups, bins):
        say(f"Note: {note}")
    return groups


def _prepare_graph(source: InputOptions, people: PeopleOptions, plain: bool) -> Prepared:
    if source.groups is None and (not plain or source.sensitive or people.weight):
        raise ValueError(
            "--graph needs --groups FILE, a table with a row for each node: its name in the first "
            "column, its groups in the others."
        )
    for option in ("drop", "keep", "categorical", "use-sensitive"):
        if getattr(source, option.replace("-", "_")):
            raise ValueError(f"--{option} is for tables; a graph has no columns to compare.")
    if people.id is not None:
        raise ValueError("--id is for tables; pairs of a graph have the names of its nodes.")
    if source.groups is None:
        return _graph_alone(source)
    groups = _read_table(source, source.groups)
    first = groups.frame.iloc[:, 0]
    nodes = [str(name) for name in read_names(first, groups.path)]
    named = len(set(nodes)) == len(nodes)
    graph = read_graph(source.input, tuple(nodes) if named else None, encoding=source.encoding)
    if graph.nodes is not None and not named:
        twice = next(name for name, count in Counter(nodes).items() if count > 1)
        raise ValueError(
            f"{groups.path} names the node {twice!r} twice in its first column; the first column "
            "must name each node once."
        )
    n = graph.weights.shape[0]
    if len(nodes) != n:
        raise ValueError(
            f"{groups.path} has {len(nodes)} rows but {input_name(source.input)} has {n} nodes; it "
            "needs one row for each, in the same order."
        )
    # If the nodes of the file have no names, every column of the groups may be an attribute.
    offered = [str(c) for c in groups.frame.columns][1 if graph.nodes is not None else 0 :]
    offered = [name for name in offered if name != people.weight]
    names = sensitive_names(source, groups, plain, offered)
    people.columns(groups, names)
    sensitive = make_groups(source, groups, names)
    return Prepared(
        table=groups,
        X=graph.weights,
        affinity="precomputed",
        sensitive=sensitive,
        columns={"numeric": [], "categorical": [], "sensitive": names},
        inputs=(input_name(source.input), groups.path),
        notes=graph.notes,
    )


def _graph_alone(source: InputOptions) -> Prepared:
    """A graph without groups, for plain clustering: its table has the names of the nodes."""
    graph = read_graph(source.input, encoding=source.encoding)
    names = graph.nodes or tuple(str(i + 1) for i in range(graph.weights.shape[0]))
    path = input_name(source.input)
    return Prepared(
        table=Table(path, import_pandas().DataFrame({"node": names})),
        X=graph.weights,
        affinity="precomputed",
        sensitive=None,
        columns={"numeric": [], "categorical": [], "sensitive": []},
        inputs=(path,),
        notes=graph.notes,
    )


def sensitive_names(
    source: InputOptions, holder: Table, plain: bool, offered: list[str] | None = None
) -> list[str]:
    """The sensitive columns that were named, or the only one that is offered."""
    names = check_columns(holder.frame, source.sensitive or (), holder.path, "--sensitive")
    if names or plain:
        return names
    if offered is not None and len(offered) == 1:
        return offered
    columns = offered or [str(name) for name in holder.frame.columns]
    raise ValueError(
        "no sensitive column is named; pass --sensitive with a column of "
        f"{holder.path}: {listed(columns)}."
    )
