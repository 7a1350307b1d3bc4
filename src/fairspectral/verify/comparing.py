"""When two computations of one number agree; a claim may also be no number at all."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

# How far two computations of the same number may be apart, in units of one cluster: affinities in
# float32 differ by about 1e-7 between machines, and a bound from random blocks by what their
# vectors still lacked.
SAME, SAME_BOUND = 1e-6, 1e-3


# What is shown of a value that is no number.
_SHOWN = 40


def is_number(value: Any) -> bool:
    """Whether a value from JSON is a finite number, and no truth value."""
    return type(value) in (int, float) and not is_huge(value) and math.isfinite(value)


def is_huge(value: Any) -> bool:
    """Whether a whole number is beyond all floating-point ones, as JSON allows it to be."""
    return type(value) is int and abs(value) > sys.float_info.max


def first_huge(value: Any, where: str = "") -> str | None:
    """The first field with a number that nothing can be computed with; None where there is none."""
    if is_huge(value):
        return where
    inner: Any = ()
    if isinstance(value, Mapping):
        inner = ((f"{where}.{name}" if where else str(name), one) for name, one in value.items())
    elif isinstance(value, list | tuple):
        inner = ((f"{where}[{i}]", one) for i, one in enumerate(value))
    return next((found for at, one in inner if (found := first_huge(one, at))), None)


def identical(a: Any, b: Any) -> bool:
    """Whether two values from JSON are equal and of one type: 24.0 and true are no counts."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(identical, a, b))
    return type(a) is type(b) and a == b


def close(a: Any, b: Any, allowed: float = 1e-9) -> bool:
    """Whether two numbers agree; None agrees with None alone."""
    if a is None or b is None:
        return a is b
    return is_number(a) and is_number(b) and abs(a - b) <= allowed


def close_lists(a: Any, b: Any) -> bool:
    """Whether two lists agree, number by number; None agrees with None alone."""
    if a is None or b is None:
        return a is b
    return isinstance(a, list) and len(a) == len(b) and all(map(close, a, b))


def shown(value: Any) -> str:
    """A number in six digits; what is no number, as it was written, or the start of it."""
    return f"{value:.6g}" if is_number(value) else written(value)


def written(value: Any) -> str:
    """A value as it was written, or the start of it: 3.0 is not 3."""
    return f"{value!r:.{_SHOWN}}"
