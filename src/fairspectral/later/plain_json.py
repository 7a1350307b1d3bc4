"""Parameters and names as JSON and back: numbers, text, None, lists, dicts and numpy's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

# A dict whose keys are not all text is written as a list of pairs under this name.
_PAIRS = "pairs"


def to_json(value: Any, what: str) -> Any:
    """A value that the json module writes; `what` is its name in the error."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [to_json(one, what) for one in value]
    if isinstance(value, Mapping):
        pairs = [[to_json(key, what), to_json(one, what)] for key, one in value.items()]
        if all(isinstance(key, str) for key, _ in pairs) and _PAIRS not in value:
            return dict(pairs)
        return {_PAIRS: pairs}
    kind = "a function" if callable(value) else f"a {type(value).__name__}"
    raise TypeError(
        f"{what} is {kind}, which a file of numbers and text cannot hold; the model can be "
        "used in this process only."
    )


def from_json(value: Any) -> Any:
    """The value that `to_json` wrote; arrays and tuples are lists now."""
    if isinstance(value, list):
        return [from_json(one) for one in value]
    if isinstance(value, dict):
        if set(value) == {_PAIRS}:
            return {from_json(key): from_json(one) for key, one in value[_PAIRS]}
        return {key: from_json(one) for key, one in value.items()}
    return value
