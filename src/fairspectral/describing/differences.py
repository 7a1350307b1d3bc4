"""From contrasts to the few differences that are worth a sentence, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.describing.columns import Column
from fairspectral.describing.effects import Contrast, count_tests

# How often random clusters may get any claim at all, over all columns and clusters together.
CHANCE = 0.05
# From here on a member is above three of four others (or below), and words say "much".
_MUCH = 0.5


@dataclass(frozen=True)
class Difference:
    """One column in which a cluster differs from everyone else.

    Attributes
    ----------
    column : str
        Name of the column.
    category : str or None
        The category whose share differs; None for numbers and missing values.
    what : str
        The difference in words, such as ``"age much higher"``.
    measure : str
        What `here` and `elsewhere` are: ``"median"``, ``"share"`` (of a category, or of those
        without a value) or, for numbers whose medians are equal, ``"share above 0"``.
    here, elsewhere : float
        In the cluster, and among everyone else; dates are in the units of the column.
    effect : float
        Between -1 and 1: of a number, the probability that a member has more than somebody else,
        less the probability of having less (Cliff's delta); of a category, the difference of
        the shares.
    p_value : float
        How often a random cluster of this size is as far from everyone else in this column.
    sensitive : bool
        Whether the column is a sensitive attribute.
    values : tuple of str
        `here` and `elsewhere` as they are shown.
    """

    column: str
    category: str | None
    what: str
    measure: str
    here: float
    elsewhere: float
    effect: float
    p_value: float
    sensitive: bool
    values: tuple[str, str]

    @property
    def ratio(self) -> float | None:
        """A share over everyone else's; None for medians, and where nobody else has it."""
        share = self.measure.startswith("share")
        return self.here / self.elsewhere if share and self.elsewhere > 0 else None

    def __str__(self) -> str:
        here, elsewhere = self.values
        if self.measure == "share":
            details = f"{here} against {elsewhere}"
        elif self.measure == "median":
            details = f"median {here} against {elsewhere}, effect {self.effect:+.2f}"
        else:
            details = f"{self.measure}: {here} against {elsewhere}, effect {self.effect:+.2f}"
        return f"{self.what} ({details}{', sensitive' if self.sensitive else ''})"


def is_beyond_chance(contrasts: Sequence[Contrast], k: int) -> np.ndarray:
    """Which differences random clusters would not have, shape (contrasts, k).

    The level is divided by the number of all comparisons (Bonferroni), so that random clusters
    get any claim at all in 5% of the tables at most.
    """
    if not contrasts:
        return np.zeros((0, k), dtype=bool)
    level = CHANCE / count_tests(list(contrasts), k)
    return np.stack([contrast.p_value for contrast in contrasts]) < level


def choose(
    contrasts: Sequence[Contrast],
    beyond: np.ndarray,
    labels: np.ndarray,
    cluster: int,
    least_effect: float,
    most: int,
) -> tuple[Difference, ...]:
    """The largest differences of a cluster, at most one for each column.

    Those in sensitive attributes come last and are always among them: they should not differ.
    """
    told: dict[str, Contrast] = {}
    order = sorted(range(len(contrasts)), key=lambda i: -abs(contrasts[i].effect[cluster]))
    for i in order:
        contrast = contrasts[i]
        if beyond[i, cluster] and abs(contrast.effect[cluster]) >= least_effect:
            told.setdefault(contrast.column.name, contrast)
    chosen = [c for c in told.values() if not c.column.sensitive][:most]
    chosen += [c for c in told.values() if c.column.sensitive]
    return tuple(_difference(contrast, labels, cluster) for contrast in chosen)


def _difference(contrast: Contrast, labels: np.ndarray, cluster: int) -> Difference:
    column = contrast.column
    effect = float(contrast.effect[cluster])
    p_value = float(contrast.p_value[cluster])
    if column.numbers is not None and not contrast.missing:
        measure, here, elsewhere = _middle(column, labels == cluster, effect)
        much = "much " if abs(effect) >= _MUCH else ""
        what = f"{column.name} {much}{'higher' if effect > 0 else 'lower'}"
        show = _show_dates if column.date_unit and measure == "median" else _show_numbers
        values = (
            show(here, elsewhere, column.date_unit)
            if measure == "median"
            else show_shares(here, elsewhere)
        )
        return Difference(
            column.name, None, what, measure, here, elsewhere, effect, p_value,
            column.sensitive, values,
        )  # fmt: skip
    here, elsewhere = float(contrast.here[cluster]), float(contrast.elsewhere[cluster])
    category = contrast.category
    either = category is not None and len(column.categories) == 2 and column.spoken is None
    if category is not None and either and effect < 0:
        # Of two categories, speak of the one that is more frequent here.
        category, effect, here, elsewhere = 1 - category, -effect, 1 - here, 1 - elsewhere
    often = "more often" if effect > 0 else "less often"
    name = None if category is None else column.categories[category]
    if category is None:
        what = f"{column.name} missing {often}"
    elif column.yes_or_no:
        what = f"{column.name} {often}"
    else:
        what = f"{column.name} “{name}” {often}"
    values = show_shares(here, elsewhere)
    return Difference(
        column.name, name, what, "share", here, elsewhere, effect, p_value,
        column.sensitive, values,
    )  # fmt: skip


def _middle(column: Column, inside: np.ndarray, effect: float) -> tuple[str, float, float]:
    """What to show of two sets of numbers: their medians, or shares where these say nothing.

    Where more than half of both are zero, say, both medians are, and the share above tells more.
    """
    assert column.numbers is not None
    known = ~column.missing
    ours, others = column.numbers[inside & known], column.numbers[~inside & known]
    medians = float(np.median(ours)), float(np.median(others))
    if (medians[0] - medians[1]) * effect > 0:
        return "median", *medians
    middle = medians[1]
    shares = {
        "above": (float(np.mean(ours > middle)), float(np.mean(others > middle))),
        "below": (float(np.mean(ours < middle)), float(np.mean(others < middle))),
    }
    signs = {"above": effect, "below": -effect}
    side = max(shares, key=lambda s: (shares[s][0] - shares[s][1]) * np.sign(signs[s]))
    show = _show_dates if column.date_unit else _show_numbers
    return f"share {side} {show(middle, middle, column.date_unit)[0]}", *shares[side]


def show_shares(here: float, elsewhere: float) -> tuple[str, str]:
    """Two shares in percent, with as many digits as they need to differ."""
    for digits in range(3):
        shown = f"{here:.{digits}%}", f"{elsewhere:.{digits}%}"
        if shown[0] != shown[1]:
            break
    return shown


def _show_numbers(here: float, elsewhere: float, _: str = "") -> tuple[str, str]:
    for digits in (3, 4, 6, 9):
        shown = _number(here, digits), _number(elsewhere, digits)
        if shown[0] != shown[1]:
            break
    return shown


def _number(value: float, digits: int) -> str:
    if 1000 <= abs(value) < 1e15:  # thousands are set apart from five digits on: 2019 is a year
        return f"{value:.0f}" if abs(value) < 10_000 else f"{value:,.0f}"
    return f"{value:.{digits}g}"


def _show_dates(here: float, elsewhere: float, unit: str) -> tuple[str, str]:
    def show(value: float) -> str:
        moment: Any = np.array([round(value)]).astype(unit)[0]
        if unit.startswith("m"):
            return f"{moment / np.timedelta64(1, 'D'):.3g} days"
        return str(moment.astype("M8[D]"))

    return show(here), show(elsewhere)
