"""How each column became features, so that later rows are encoded with the same scales.

A recipe is made from the rows of the fit and applied to them and to later ones alike, so that the
same row has the same features to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.cli.tables.columns import check_columns, missing_values, numbers, stripped
from fairspectral.cli.tables.read import Table, import_pandas

if TYPE_CHECKING:
    import pandas

OTHER, MISSING = "(other)", "(missing)"


@dataclass(frozen=True)
class Number:
    """A standardised number: missing ones are the median."""

    name: str
    median: float
    largest: float
    mean: float
    deviation: float

    @classmethod
    def of(cls, name: str, values: np.ndarray) -> Number:
        """From the numbers of a column, NaN where missing."""
        known = values[~np.isnan(values)]
        # Sums of numbers near the largest float would overflow.
        largest = float(np.abs(known).max())
        median = float(np.median(known / largest)) * largest
        scaled = np.where(np.isnan(values), median, values) / largest
        mean = float(scaled.mean())
        return cls(name, median, largest, mean, float((scaled - mean).std()))

    def apply(self, values: np.ndarray) -> np.ndarray:
        """The feature, shape (n, 1)."""
        filled = np.where(np.isnan(values), self.median, values)
        return ((filled / self.largest - self.mean) / self.deviation)[:, None]


@dataclass(frozen=True)
class Category:
    """Indicators of categories, less their shares, with a total variance of 1."""

    name: str
    categories: tuple[str, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, name: str, text: np.ndarray) -> Category:
        """From the values of a column."""
        categories, codes = np.unique(text, return_inverse=True)
        shares = np.bincount(codes.reshape(-1)) / len(text)
        return cls(name, tuple(categories.tolist()), tuple(shares.tolist()))

    def apply(self, text: np.ndarray) -> np.ndarray:
        """The features, shape (n, c); a value that is none of the categories has no indicator."""
        shares = np.array(self.shares)
        places = {category: code for code, category in enumerate(self.categories)}
        codes = np.array([places.get(value, places.get(OTHER, -1)) for value in text])
        indicators = np.tile(-shares, (len(text), 1))
        known = np.flatnonzero(codes >= 0)
        indicators[known, codes[known]] += 1.0
        # The variance of all the indicators together is the sum of p (1 - p).
        return indicators / np.sqrt(np.sum(shares * (1 - shares)))


@dataclass(frozen=True)
class AsItIs:
    """A column for Gower's distance: numbers, or text."""

    name: str
    numeric: bool


Recipe = Number | Category | AsItIs
_KINDS: dict[str, Any] = {"number": Number, "category": Category, "as it is": AsItIs}


def recipes_to_json(recipes: Sequence[Recipe]) -> list[dict[str, Any]]:
    """For the file of a model."""
    words = {kind: word for word, kind in _KINDS.items()}
    return [{"kind": words[type(recipe)], **asdict(recipe)} for recipe in recipes]


def recipes_from_json(given: Sequence[dict[str, Any]]) -> list[Recipe]:
    """What `recipes_to_json` wrote."""
    found = []
    for fields in given:
        values: dict[str, Any] = {
            key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()
        }
        found.append(_KINDS[values.pop("kind")](**values))
    return found


def encode_later(table: Table, recipes: Sequence[Recipe]) -> tuple[Any, list[str]]:
    """Features of later rows, and notes on what no row of the fit had.

    Parameters
    ----------
    table : Table
        The later rows; other columns than those of the recipes are not used.
    recipes : sequence of Recipe
        From the features of the fit.

    Returns
    -------
    X : ndarray of shape (m, d) or DataFrame of shape (m, c)
    notes : list of str
    """
    check_columns(table.frame, [recipe.name for recipe in recipes], table.path, "the model")
    notes: list[str] = []
    columns: dict[str, Any] = {}
    blocks: list[np.ndarray] = []
    for recipe in recipes:
        column = table.frame[recipe.name]
        if isinstance(recipe, Category):
            text = text_of(column).to_numpy(dtype=object).astype(str)
            unknown = sorted(set(text.tolist()) - set(recipe.categories))
            if unknown and OTHER not in recipe.categories:
                notes.append(
                    f"{recipe.name!r} has {len(unknown)} value(s) that nobody of the fit has, such "
                    f"as {unknown[0]!r}; they count as none of the known ones."
                )
            blocks.append(recipe.apply(text))
        elif isinstance(recipe, Number):
            blocks.append(recipe.apply(_numbers(table, recipe.name)))
        elif recipe.numeric:
            columns[recipe.name] = _numbers(table, recipe.name)
        else:
            text = text_of(column)
            columns[recipe.name] = text.astype(object).where(~missing_values(column), None)
    if columns:
        return import_pandas().DataFrame(columns), notes
    return np.hstack(blocks), notes


def text_of(column: pandas.Series) -> pandas.Series:
    """A column as text; missing values are a category of their own."""
    return stripped(column).where(~missing_values(column), MISSING)


def _numbers(table: Table, name: str) -> np.ndarray:
    values = numbers(table.frame[name], table.decimal)
    if values is None:
        raise ValueError(
            f"{table.path} has text in the column {name!r}, which held numbers in the table of the "
            "model; correct it, or leave those values empty."
        )
    return values
