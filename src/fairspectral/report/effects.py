"""The effects of a description as a coloured table: how far each cluster is from everyone else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairspectral.describing.description import Description

# Blue below and orange above everyone else, half transparent, so that either theme is readable.
_BELOW, _ABOVE = "0 114 178", "230 159 0"


@dataclass(frozen=True)
class EffectCell:
    """One cluster in one column: its effect as text, and the colour behind it."""

    text: str
    colour: str


@dataclass(frozen=True)
class EffectTable:
    """Rows of columns, or categories of columns, with a cell for each cluster."""

    rows: tuple[tuple[str, tuple[EffectCell, ...]], ...]
    n_compared: int


def effect_table(description: Description) -> EffectTable:
    """The columns in which a cluster differs by more than chance, with the largest effects."""
    rows = []
    for i in description.largest():
        if not description.beyond_chance[i].any():
            continue
        known = zip(description.effects[i], description.beyond_chance[i], strict=True)
        rows.append((description.names[i], tuple(_cell(*pair) for pair in known)))
    return EffectTable(tuple(rows), len(description.names))


def _cell(effect: float, beyond_chance: np.bool_) -> EffectCell:
    if not beyond_chance:
        return EffectCell("–", "transparent")
    hue = _ABOVE if effect > 0 else _BELOW
    text = f"{effect:+.2f}".replace("-", "−")
    return EffectCell(text, f"rgb({hue} / {0.65 * abs(effect):.2f})")
