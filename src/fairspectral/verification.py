"""The outcome of verifying a certificate: what was checked, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One part of a certificate that was computed again.

    Attributes
    ----------
    part : str
        Which: ``"seal"``, ``"certificate"``, ``"data"``, ``"groups"``, ``"weights"``,
        ``"links"``, ``"parameters"``, ``"labels"``, ``"cells"``, ``"cut"``, ``"bound"`` or
        ``"embedding"``.
    holds : bool
        Whether it is as claimed.
    words : str
        What was found, in a sentence.
    """

    part: str
    holds: bool
    words: str


@dataclass(frozen=True)
class Verification:
    """The outcome; true where every part holds. Print it to read what is wrong."""

    checks: tuple[Check, ...]

    @property
    def accepted(self) -> bool:
        """Whether every part holds."""
        return all(check.holds for check in self.checks)

    @property
    def wrong(self) -> tuple[Check, ...]:
        """The parts that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        lines = [f"{'✓' if check.holds else '✕'} {check.words}" for check in self.checks]
        verdict = "Accepted: everything was computed again from the data and agrees."
        if not self.accepted:
            parts = ", ".join(dict.fromkeys(check.part for check in self.wrong))
            verdict = f"Refused: {len(self.wrong)} of {len(self.checks)} checks fail ({parts})."
        return "\n".join([*lines, verdict])

    __repr__ = __str__
