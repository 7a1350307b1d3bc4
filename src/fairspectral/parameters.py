"""Checks of parameters: words from a list, amounts of memory, dataclasses from a dict.

As in `fairspectral.validation`, a message is one sentence that says what is wrong and what to do.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, get_args, get_type_hints

import numpy as np
from sklearn.utils import check_random_state

from fairspectral._sklearn import Interval


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
        kinds = [_ACCEPTED.get(kind, kind) for kind in get_args(known[key]) or (known[key],)]
        # True counts as 1 in Python, but is not meant as a number.
        fits = bool in kinds if is_boolean(value) else True
        if not (fits and any(isinstance(kind, type) and isinstance(value, kind) for kind in kinds)):
            words = " or ".join(_KINDS.get(kind, str(kind)) for kind in kinds)
            raise TypeError(f"{where} takes {words} as {key!r}, not {value!r}.")
    return params_class(**given)


# The Python types that each type of parameter accepts, and its name in messages.
_ACCEPTED: dict[Any, type] = {int: Integral, float: Real}
_KINDS: dict[Any, str] = {
    Integral: "a whole number",
    Real: "a number",
    str: "a text",
    bool: "True or False",
    type(None): "None",
}


def is_boolean(value: Any) -> bool:
    """Whether a value is True or False, Python's or numpy's."""
    return isinstance(value, bool | np.bool_)


def check_whole_number(value: Any, name: str, *, least: int = 1) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if is_boolean(value) or not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r} is not a whole number; pass one of at least {least}.")
    if value < least:
        raise ValueError(f"{name}={value} must be at least {least}; pass a larger number.")


def refuse_booleans(params: Mapping[str, Any], constraints: Mapping[str, Any]) -> None:
    """Refuse True and False in place of numbers: scikit-learn's checks take them for 1 and 0.

    Parameters
    ----------
    params : mapping
        The parameters of an estimator, by name.
    constraints : mapping
        What scikit-learn checks them against; an interval is for numbers.
    """
    for name, value in params.items():
        allowed = constraints.get(name, ())
        if is_boolean(value) and any(isinstance(kind, Interval) for kind in allowed):
            raise ValueError(f"{name}={value!r} is not a number; pass one.")


def check_n_jobs(n_jobs: Any) -> None:
    """Refuse an invalid number of threads."""
    if n_jobs is None:
        return
    if is_boolean(n_jobs) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs={n_jobs!r} is not a number of threads; pass 1 or more, -1 for all cores, or "
            "None for the libraries' own setting."
        )


def seeded(random_state: Any) -> np.random.RandomState:
    """A generator from a seed; the given one if it is one already; numpy's global one for None."""
    try:
        return check_random_state(random_state)
    except ValueError:
        raise ValueError(
            f"random_state={random_state!r} is not a seed; pass a whole number between 0 and "
            f"{2**32 - 1}, a numpy.random.RandomState, or None."
        ) from None


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """A suggestion for a misspelt word, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1) if isinstance(word, str) else []
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
        size = float(budget) if isinstance(budget, Real) and not is_boolean(budget) else -1.0
    if not 0 < size < math.inf:
        raise ValueError(
            f"memory_budget={budget!r} is not an amount of memory; "
            "pass a number of bytes or a text such as '4GB'."
        )
    return int(size)
