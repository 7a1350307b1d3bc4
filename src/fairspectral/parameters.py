"""What parameters are accepted: words from a list, amounts of memory, dataclasses from a dict.

As in `fairspectral.validation`, a message is one sentence that says what is wrong and what to do.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, get_args, get_type_hints


def build_params(params_class: type, given: dict[str, Any] | None, *, where: str) -> Any:
    """Make a parameter dataclass from a dict, and name a misspelt key."""
    given = dict(given or {})
    known = get_type_hints(params_class)
    for key, value in given.items():
        if key not in known:
            raise ValueError(
                f"{where} has no parameter {key!r}{did_you_mean(key, known)}; "
                f"it knows {', '.join(known)}."
            )
        kinds = [_ABSTRACT.get(kind, kind) for kind in get_args(known[key]) or (known[key],)]
        if not any(isinstance(kind, type) and isinstance(value, kind) for kind in kinds):
            words = " or ".join(_KINDS.get(kind, str(kind)) for kind in kinds)
            raise TypeError(f"{where} takes {words} as {key!r}, not {value!r}.")
    return params_class(**given)


# What a parameter's type admits, and is called.
_ABSTRACT: dict[Any, type] = {int: Integral, float: Real}
_KINDS: dict[Any, str] = {
    Integral: "a whole number",
    Real: "a number",
    str: "a text",
    bool: "True or False",
    type(None): "None",
}


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A suggestion for a misspelt word, or nothing."""
    close = difflib.get_close_matches(str(word), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def check_choice(value: Any, choices: Iterable[str], name: str) -> None:
    """Refuse a word that is not in a list."""
    choices = list(choices)
    if value not in choices:
        raise ValueError(
            f"{name}={value!r} is unknown{did_you_mean(value, choices)}; "
            f"choose one of {', '.join(map(repr, choices))}."
        )


_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def parse_memory_budget(budget: int | float | str | None) -> int:
    """Bytes that may be used; by default half of the machine's memory."""
    if budget is None:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    if isinstance(budget, str):
        text = budget.strip().upper()
        number = text.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ ")
        unit = text[len(number) :].strip() or "B"
        try:
            size = float(number) * _UNITS[unit]
        except (ValueError, KeyError):
            size = -1.0
    else:
        size = float(budget)
    if not 0 < size < math.inf:
        raise ValueError(
            f"memory_budget={budget!r} is not an amount of memory; "
            "pass a number of bytes or a text such as '4GB'."
        )
    return int(size)
