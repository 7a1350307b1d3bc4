"""When two computations of one number agree; a claim may also be no number at all."""

from __future__ import annotations

import math
from typing import Any

# How far two computations of the same number may be apart, in units of one cluster: affinities in
# float32 differ by about 1e-7 between machines, and a bound from random blocks by what their
# vectors still lacked.
SAME, SAME_BOUND = 1e-6, 1e-3


def is_number(value: Any) -> bool:
    """Whether a value from JSON is a finite number, and no truth value."""
    return type(value) in (int, float) and math.isfinite(value)


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
    """A number in six digits; what is no number, as it was written."""
    return f"{value:.6g}" if is_number(value) else repr(value)
