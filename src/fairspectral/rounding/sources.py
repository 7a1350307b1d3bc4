"""What a search began with, what each start gave, and which of them the labels come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

# The name of starts that a search made itself.
RANDOM = "random"
# The winner where no start alone gave the labels.
COMBINED = "combined from several"
# A combination that is lower by less than this part is as low as the best start.
_EQUAL = 0.0005
# Cuts up to this are floating-point error.
_NOTHING = 1e-9


@dataclass(frozen=True)
class Source:
    """One start of the search and what came of it.

    Attributes
    ----------
    name : str
        As given; ``"random"`` for those that the search made itself.
    given : float or None
        The cut of the start as it was; None where the search made it itself.
    fair : bool
        Whether it was within all bounds.
    found : float or None
        The lowest cut within the bounds that was found from it alone, which may be its own; None
        if there is none, or the search was stopped before. On graphs of more than 80,000 nodes, but
        for the winner, before the finest levels.
    won : bool
        Whether the result comes from it alone. It is true of none where the result was combined
        from several.
    """

    name: str
    given: float | None
    fair: bool
    found: float | None
    won: bool = False


def one_after_another(first: Sequence[Source], then: Sequence[Source]) -> tuple[Source, ...]:
    """The starts of two searches of which the second gave the labels."""
    return (*none_won(first), *then)


def none_won(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The same starts where the labels come from elsewhere."""
    return tuple(replace(one, won=False) for one in sources)


def winner_of(sources: Sequence[Source]) -> str:
    """The name of the start that alone gave the result, or `COMBINED`; empty without any start."""
    if not sources:
        return ""
    return next((one.name for one in sources if one.won), COMBINED)


def in_words(sources: Sequence[Source], cut: float) -> str:
    """What each start gave, and where the labels of this cut come from, as a sentence."""
    if not sources:
        return ""
    starts = "1 start" if len(sources) == 1 else f"{len(sources)} starts"
    gave = "; ".join(_of_a_name(sources, name) for name in dict.fromkeys(s.name for s in sources))
    return f"Searched from {starts} ({gave}): {_verdict(sources, cut)}."


def _verdict(sources: Sequence[Source], cut: float) -> str:
    winner = winner_of(sources)
    if winner != COMBINED:
        return f"the labels come from “{winner}”" + (" alone" if len(sources) > 1 else "")
    alone = [one for one in sources if one.found is not None]
    if not alone:
        return "the labels are combined from several, none within the bounds alone"
    best = min(alone, key=lambda one: one.found or 0.0)
    lower = 1 - cut / best.found if best.found and best.found > _NOTHING else 0.0
    than = "as low as" if lower < _EQUAL else f"{lower:.1%} below"
    return f"the labels are combined from several, {than} the best alone, “{best.name}”"


def _of_a_name(sources: Sequence[Source], name: str) -> str:
    """What the starts of one name gave: its cut, or the lowest and the highest of several."""
    gave = [one.found for one in sources if one.name == name]
    cuts = sorted(cut for cut in gave if cut is not None)
    ends = (cut if cut > _NOTHING else 0.0 for cut in (*cuts[:1], *cuts[-1:]))
    shown = " to ".join(dict.fromkeys(f"{cut:.4g}" for cut in ends))
    times = "" if len(gave) == 1 else f"{len(gave)} × "
    without = len(gave) - len(cuts)
    rest = f", {without} gave nothing" if cuts and without else ""
    return f"{times}{name}: {shown or 'nothing'}{rest}"
