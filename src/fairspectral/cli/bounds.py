"""The options about bounds: a tolerance for each attribute, shares of single groups, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from fairspectral.cli.options import check_tolerance

BOUNDS = "Bounds"
TOLERANCE_WORDS = ", none no bound; for several attributes also sex=0.1,region=0.3"


def share_option(name: str, words: str) -> Any:
    """The option for shares of single groups."""
    return typer.Option(
        name, metavar="COLUMN:GROUP=SHARES", show_default=False, rich_help_panel=BOUNDS,
        help=f"{words} sex:f=0.4..0.6 is 40 to 60 percent, sex:f=0.4.. at least 40, and sex:f=0.5 "
        "half, within the tolerance; may be repeated.",
    )  # fmt: skip


def balance_option() -> Any:
    """The option for covariates."""
    return typer.Option(
        "--balance", metavar="COLUMN", show_default=False, rich_help_panel=BOUNDS,
        help="Numeric column, such as an age, whose mean is to be the same in every cluster: held "
        "in the embedding, shown for the labels; may be repeated.",
    )  # fmt: skip


@dataclass(frozen=True)
class BoundOptions:
    """What every cluster must satisfy beside the tolerance."""

    share: Annotated[
        list[str] | None, share_option("--share", "A quota of a group in every cluster:")
    ] = None
    balance: Annotated[list[str] | None, balance_option()] = None
    min_cluster_size: Annotated[
        int | None,
        typer.Option(
            min=1, show_default="a tenth of the mean size", rich_help_panel=BOUNDS,
            help="Members of every cluster at least.",
        ),
    ] = None  # fmt: skip
    max_cluster_size: Annotated[
        int | None,
        typer.Option(
            min=1, show_default="no ceiling", rich_help_panel=BOUNDS,
            help="Members of every cluster at most.",
        ),
    ] = None  # fmt: skip

    def refuse_with_plain(self, tolerance: Any) -> None:
        """Refuse bounds on shares beside ``--plain``; sizes hold, and means are audited."""
        by_attribute = isinstance(tolerance, dict)
        for option, given in (("--share", self.share), ("--tolerance by attribute", by_attribute)):
            if given:
                raise ValueError(
                    f"--plain asks for no fairness, so {option} would not be kept; leave out one "
                    "of them."
                )

    def rounding_params(self, attributes: Sequence[str]) -> dict[str, Any] | None:
        """As the estimator takes them; `attributes` are the names of the sensitive columns."""
        asked = {
            "shares": read_shares(self.share, attributes),
            "min_cluster_size": self.min_cluster_size,
            "max_cluster_size": self.max_cluster_size,
        }
        return {name: value for name, value in asked.items() if value is not None} or None


def read_tolerance(text: str, option: str = "--tolerance") -> Any:
    """``"0.2"`` as a number, ``"sex=0.1,region=none"`` as a mapping from attribute to number.

    ``"none"`` is None, no bound.
    """
    if "=" not in text:
        return None if _is_none(text) else _number(text, option)
    found: dict[str, float | None] = {}
    for word in text.split(","):
        name, equals, value = word.rpartition("=")
        if not equals or not name.strip():
            raise ValueError(
                f"{option} has {word!r}; write one tolerance for each attribute, such as "
                "sex=0.1,region=0.3."
            )
        found[name.strip()] = None if _is_none(value) else _number(value, option)
    return found


def _is_none(text: str) -> bool:
    return text.strip().lower() == "none"


def _number(text: str, option: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(
            f"{option} has {text!r}, which is not a number; write for example 0.2, or "
            "sex=0.1,region=0.3 for a tolerance of each attribute."
        ) from None
    check_tolerance(number, option)
    return number


def read_shares(
    words: Sequence[str] | None, attributes: Sequence[str], option: str = "--share"
) -> dict[str, dict[str, Any]] | None:
    """``"sex:f=0.4..0.6"`` as ``{"sex": {"f": (0.4, 0.6)}}``; None where there are none."""
    found: dict[str, dict[str, Any]] = {}
    for word in words or ():
        cell, equals, shares = word.rpartition("=")
        name = next((name for name in attributes if cell.startswith(f"{name}:")), None)
        if not equals or name is None:
            known = ", ".join(attributes)
            raise ValueError(
                f"{option} has {word!r}; write a sensitive column ({known}), a group and its "
                "shares, such as sex:f=0.4..0.6."
            )
        found.setdefault(name, {})[cell[len(name) + 1 :]] = _ends(shares, word, option)
    return found or None


def _ends(shares: str, word: str, option: str) -> Any:
    """``"0.4..0.6"`` as its two ends, None for an open one; ``"0.5"`` as a number."""
    try:
        if ".." not in shares:
            return float(shares)
        ends = [float(end) if end.strip() else None for end in shares.split("..")]
    except ValueError:
        ends = []
    if len(ends) != 2:
        raise ValueError(
            f"{option} has {word!r}; write shares between 0 and 1, such as 0.4..0.6, 0.4.. or 0.5."
        )
    return tuple(ends)
