"""What a function computes with, as values: two functions of one name need not be the same.

All lambdas of a file have one name, so have the functions that a factory returns, and a function
that was edited. What they compute is in their code, their defaults and the values that they take
from around them. Functions and types of installed packages are known by their names.
"""

from __future__ import annotations

import functools
import sys
import sysconfig
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any


def parts_of(value: Any) -> list[Any]:
    """Of a callable, or of an object that one uses: its name, and what it computes with.

    Addresses, line numbers and file names, which may be others in the next process, are not among
    the parts.

    Parameters
    ----------
    value : object
        Anything but the data that a fingerprint takes by their values.
    """
    if isinstance(value, functools.partial):
        return ["partial", value.func, value.args, value.keywords]
    if isinstance(value, MethodType):
        return ["method", value.__func__, value.__self__]
    if isinstance(value, BuiltinFunctionType):
        owner = None if isinstance(value.__self__, ModuleType) else value.__self__
        return ["built in", value.__module__, value.__qualname__, owner]
    if isinstance(value, FunctionType):
        return _of_function(value)
    if isinstance(value, CodeType):
        return ["code", value.co_code, value.co_names, value.co_freevars, value.co_consts]
    if isinstance(value, ModuleType):
        return ["module", value.__name__]
    if isinstance(value, type):
        return ["type", _name(value), {} if _installed(value) else _own(value)]
    return _of_object(value)


def _of_function(function: FunctionType) -> list[Any]:
    # A cell is empty while the function that fills it still runs.
    cells = [_content(cell) for cell in function.__closure__ or ()]
    code, globals_ = function.__code__, function.__globals__
    given = [function.__defaults__, function.__kwdefaults__, vars(function), cells]
    around = {}
    if not _installed(function):
        # Names that are not there are attributes, or of `builtins`.
        around = {name: globals_[name] for name in _names(code) if name in globals_}
    return ["function", _name(function), code, given, around]


def _of_object(value: Any) -> list[Any]:
    kind = type(value)
    # What numba compiled, and what a cache of functools calls; their own state changes by calls.
    inner = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    if callable(inner):
        return ["wrapped", _name(kind), inner]
    if kind.__module__.split(".")[0] in sys.stdlib_module_names and kind is not SimpleNamespace:
        words = repr(value)
        return ["object", _name(kind), "" if " at 0x" in words else words]
    # A function of numpy or scipy that is no Python function has a name of its own.
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return ["object", kind, name if isinstance(name, str) else None, _state(value)]


def _state(value: Any) -> dict[str, Any]:
    """The attributes of an object, also those in slots."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return {**found, **getattr(value, "__dict__", {})}


def _slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _own(kind: type) -> dict[str, Any]:
    """The types that a type is made of, and its functions and constants."""
    found: dict[str, Any] = {"of": kind.__bases__}
    for name, part in vars(kind).items():
        if isinstance(part, FunctionType):
            found[name] = part
        elif isinstance(part, staticmethod | classmethod):
            found[name] = part.__func__
        elif isinstance(part, property):
            found[name] = part.fget
        elif not name.startswith("__") and isinstance(part, str | int | float | tuple):
            found[name] = part
    return found


def _names(code: CodeType) -> list[str]:
    """Names that a function and the functions inside it use, each once."""
    inner = [_names(const) for const in code.co_consts if isinstance(const, CodeType)]
    return sorted({*code.co_names, *(name for names in inner for name in names)})


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return "empty"


def _installed(named: Any) -> bool:
    """Whether a function or type comes with Python or with a package that was installed."""
    top = (named.__module__ or "").split(".")[0]
    if top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is not None and any(Path(file).is_relative_to(place) for place in _places())


@functools.cache
def _places() -> tuple[str, ...]:
    return tuple(sysconfig.get_path(name) for name in ("purelib", "platlib"))


def _name(named: Any) -> str:
    return f"{named.__module__}.{named.__qualname__}"
