"""What a tolerance costs relative to the loosest one, and how searches and tolerances are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairspectral.rounding.result import FairAssignment
from fairspectral.text_table import listed

# A cut up to this part of k, the highest there is, is zero but for floating-point error: k terms
# of a product in single precision err by about 6e-8 each. Percentages of it would mean nothing.
_ZERO_CUT = 1e-6
# The same of a k-means cost, as a part of that of one cluster: it is a sum of squares.
_ZERO_SPREAD = 1e-12


def negligible_cut(n_clusters: int) -> float:
    """The normalised cut up to which it is zero but for floating-point error."""
    return _ZERO_CUT * n_clusters


def clipped_cut(cut: float, n_clusters: int) -> float:
    """The cut to show: 0 where it is zero but for floating-point error, perhaps below it."""
    return cut if cut > negligible_cut(n_clusters) else 0.0


def negligible_spread(spread: float) -> float:
    """The k-means cost up to which it is zero but for floating-point error.

    `spread` is that of everybody in one cluster.
    """
    return _ZERO_SPREAD * spread


def relative_price(cost: float, loosest: float, negligible: float) -> float:
    """A cost relative to the loosest one; nan where that is zero, up to `negligible`.

    Equal costs but for floating-point error have a price of exactly 1, and not of "-0.0%" more.
    """
    if loosest <= negligible:
        return np.nan
    return 1.0 if abs(cost - loosest) <= negligible else float(cost / loosest)


def point_in_words(row: dict[str, Any], cost: str) -> list[str]:
    """Cost, price, deviation and certificate of a point, for a table."""
    if not row["searched"]:
        return ["not searched", "–", "–", "–"]
    price = "–" if row["price"] is None else f"{row['price'] - 1:+.1%}"
    return [cost, price, f"{row['achieved_tol']:.1%}", "yes" if row["certified"] else "no"]


def stopped_in_words(names: Sequence[str], assignments: Sequence[FairAssignment]) -> str:
    """Which searches were stopped early or not made, by the names of the tolerances."""
    named = list(zip(names, assignments, strict=True))
    early = [name for name, one in named if one.stopped]
    missing = [name for name, one in named if not one.searched]
    said = []
    if len(early) == 1:
        said.append(
            f"The search at tolerance {early[0]} was stopped early: its cut may be higher than "
            "that of a whole one."
        )
    elif early:
        said.append(
            f"The searches at tolerances {listed(early)} were stopped early: their cuts may be "
            "higher than those of whole ones."
        )
    if missing:
        which = "Tolerance {} was" if len(missing) == 1 else "Tolerances {} were"
        rest = ", so there is no price of fairness" if not assignments[-1].searched else ""
        said.append(f"{which.format(listed(missing))} not searched{rest}.")
    return " ".join(said)


def tolerance_in_words(tolerance: Any) -> str:
    """A tolerance in percent; for several attributes that of each, with its name."""
    if isinstance(tolerance, Mapping):
        return ", ".join(f"{name} {tolerance_in_words(own)}" for name, own in tolerance.items())
    return "none" if tolerance is None else f"{100 * tolerance:.4g}%"
