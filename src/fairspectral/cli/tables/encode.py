"""From columns to features: numbers standardised, categories as indicators, with notes.

Every column that is used has a total variance of 1, whether it is one number or an indicator for
each of forty categories, so that every column has the same weight in a distance. (Standardising
indicators one by one would put the members of a rare category far from all others.) For Gower's
distance the columns stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.cli.tables.almost_numeric import check_almost_numeric
from fairspectral.cli.tables.columns import missing_values, numbers
from fairspectral.cli.tables.dates import are_dates
from fairspectral.cli.tables.read import Table, import_pandas
from fairspectral.cli.tables.recipe import OTHER, AsItIs, Category, Number, Recipe, text_of

if TYPE_CHECKING:
    import pandas

_MOST_CATEGORIES = 100


@dataclass(frozen=True)
class Features:
    """Features and how they were made.

    Attributes
    ----------
    X : ndarray of shape (n, d), float64, or DataFrame of shape (n, c)
        Mean 0; each column of the table has a total variance of 1. For a mixed comparison the
        columns themselves: numbers, with NaN where missing, and text, with None.
    names : tuple of str
        Names of the d features: ``"age"``, ``"city=Rome"``.
    numeric, categorical : tuple of str
        The columns of the table that were used.
    notes : tuple of str
        What was dropped, filled or pooled, as sentences for the user.
    missing : int
        Values that the used columns do not have.
    recipes : tuple of Recipe
        How later rows are encoded alike.
    """

    X: Any
    names: tuple[str, ...]
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    notes: tuple[str, ...]
    missing: int = 0
    recipes: tuple[Recipe, ...] = ()


@dataclass
class _Encoder:
    """Collects the features of one column after another."""

    table: Table
    keep: Sequence[str]
    named: Sequence[str]
    mixed: bool
    blocks: list[np.ndarray] = field(default_factory=list)
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    missing: int = 0
    names: list[str] = field(default_factory=list)
    numeric: list[str] = field(default_factory=list)
    categorical: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    recipes: list[Recipe] = field(default_factory=list)

    def add(self, name: str, column: pandas.Series) -> None:
        decimal = self.table.decimal
        values = None if name in self.named else numbers(column, decimal)
        if values is not None:
            self._add_numbers(name, values)
            return
        if name not in self.named:
            note = check_almost_numeric(column, self.table.path, decimal)
            self.notes += [note] if note else []
        self._add_categories(name, column)

    def _add_numbers(self, name: str, values: np.ndarray) -> None:
        missing = np.isnan(values)
        if missing.all() or values[~missing].min() == values[~missing].max():
            where = "wherever it has one" if missing.any() else "in every row"
            what = "no value at all" if missing.all() else f"the same value {where}"
            self.notes.append(f"Dropped {name!r}: it has {what}.")
            return
        if name not in self.keep and _counts(values):
            self.notes.append(f"Dropped {name!r}: it counts the rows; --keep {name} uses it.")
            return
        self.numeric.append(name)
        self.missing += int(missing.sum())
        if self.mixed:
            self.recipes.append(AsItIs(name, numeric=True))
            self.columns[name] = values
            return
        if missing.any():
            median = float(np.median(values[~missing]))
            self.notes.append(
                f"Filled {int(missing.sum())} missing value(s) of {name!r} with the median, "
                f"{median:g}."
            )
        self._add(Number.of(name, values), values)
        self.names.append(name)

    def _add_categories(self, name: str, column: pandas.Series) -> None:
        missing = missing_values(column)
        text = text_of(column)
        counts = (text[~missing] if self.mixed else text).value_counts()
        n = len(text)
        if len(counts) <= 1:
            where = "wherever it has one" if self.mixed and missing.any() else "in every row"
            self.notes.append(f"Dropped {name!r}: it has the same value {where}.")
            return
        wanted = name in self.keep or name in self.named
        dates = name not in self.named and are_dates(column)
        if not wanted and len(counts) > max(2, n // 2):
            if dates:
                self.notes.append(
                    f"Dropped {name!r}: it has mostly distinct dates, which are not read from "
                    "text; turn them into a number such as years to compare by them."
                )
                return
            what = "a different value in every row" if len(counts) == n else "mostly distinct text"
            self.notes.append(
                f"Dropped {name!r}: it has {what}, like a name; --keep {name} uses it."
            )
            return
        if dates:
            self.notes.append(
                f"Column {name!r} looks like dates and is compared as {len(counts)} categories, "
                "without their order; turn it into a number such as years to compare by time, "
                f"or leave it out with --drop {name}."
            )
        self.categorical.append(name)
        self.missing += int(missing.sum())
        if self.mixed:
            self.recipes.append(AsItIs(name, numeric=False))
            self.columns[name] = text.astype(object).where(~missing, None).to_numpy()
            return
        if missing.any():
            self.notes.append(
                f"Made the {int(missing.sum())} missing value(s) of {name!r} a category of their "
                "own."
            )
        if len(counts) > _MOST_CATEGORIES:
            frequent = counts.index[: _MOST_CATEGORIES - 1]
            text = text.where(text.isin(frequent), OTHER)
            self.notes.append(
                f"Pooled the {len(counts) - len(frequent)} rarest of the {len(counts)} values of "
                f"{name!r} as {OTHER!r}."
            )
        values = text.to_numpy(dtype=object).astype(str)
        recipe = Category.of(name, values)
        self._add(recipe, values)
        self.names += [f"{name}={category}" for category in recipe.categories]

    def _add(self, recipe: Number | Category, values: np.ndarray) -> None:
        self.recipes.append(recipe)
        self.blocks.append(recipe.apply(values))


def _why(notes: Sequence[str], most: int = 3) -> str:
    """Why no column was left, from the first notes."""
    if not notes:
        return ", because all of them are sensitive or dropped; use another one"
    named = "; ".join(note[0].lower() + note[1:].rstrip(".") for note in notes[:most])
    more = f"; and {len(notes) - most} more" if len(notes) > most else ""
    return f" ({named}{more}); add one that differs between them"


def _frame(encoder: _Encoder) -> pandas.DataFrame:
    """The columns as they are; a row without any value cannot be compared."""
    frame = import_pandas().DataFrame(encoder.columns)
    empty = frame.isna().to_numpy().all(axis=1)
    if empty.any():
        raise ValueError(
            f"{encoder.table.path} has no value in data row {int(np.argmax(empty)) + 1} in any "
            f"column that is compared ({int(empty.sum())} such row(s)); delete it, or pass "
            "--affinity rbf, which fills missing values."
        )
    return frame


def _counts(values: np.ndarray) -> bool:
    """Whether each value is one more than the last."""
    return bool(np.all(values[1:] == values[:-1] + 1))


def encode_features(
    table: Table,
    columns: Sequence[str] | None = None,
    *,
    keep: Sequence[str] = (),
    categorical: Sequence[str] = (),
    mixed: bool = False,
) -> Features:
    """Make features from a table's columns.

    Parameters
    ----------
    table : Table
        From `read_table`.
    columns : sequence of str or None
        Those to use; None means all.
    keep : sequence of str
        Use these even if they look like row numbers or names.
    categorical : sequence of str
        Read these as names of categories, even if they look like numbers.
    mixed : bool
        Keep numbers, categories and missing values, for Gower's distance.
    """
    encoder = _Encoder(table, keep, categorical, mixed)
    names = [str(name) for name in table.frame.columns] if columns is None else list(columns)
    for name in names:
        encoder.add(name, table.frame[name])
    if not encoder.blocks and not encoder.columns:
        raise ValueError(f"{table.path} has no column to compare the rows by{_why(encoder.notes)}.")
    X = _frame(encoder) if mixed else np.hstack(encoder.blocks)
    return Features(
        X=X,
        names=tuple(encoder.names),
        numeric=tuple(encoder.numeric),
        categorical=tuple(encoder.categorical),
        notes=tuple(encoder.notes),
        missing=encoder.missing,
        recipes=tuple(encoder.recipes),
    )


def why_unused(table: Table, name: str) -> str:
    """Why the rows would not be compared by a column; empty where they would be."""
    encoder = _Encoder(table, (), (), mixed=False)
    try:
        encoder.add(name, table.frame[name])
    except ValueError as error:
        return str(error)
    if encoder.blocks:
        return ""
    return encoder.notes[-1].removeprefix(f"Dropped {name!r}: ").split("; --keep")[0].rstrip(".")
