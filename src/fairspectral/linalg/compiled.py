"""Numba's ``njit``, with a cache of compiled code that cannot fail a computation.

Code that is damaged on disk is compiled again, and code that cannot be written (a full disk, a
limit on the size of files) is not kept. Importing this module imports numba.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache as remember
from pathlib import Path
from typing import Any

from fairspectral.linalg.room import check_room_to_compile

check_room_to_compile()  # before numba is loaded

import numba  # noqa: E402
from numba.core.caching import FunctionCache  # noqa: E402


@remember
def _sources() -> tuple[tuple[str, int, int], ...]:
    """The files of kernels, with their times and sizes."""
    package = Path(__file__).parents[1]
    files = [package / "cells.py", *sorted(package.rglob("*_kernels.py"))]
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


class FaultTolerantCache(FunctionCache):
    """Numba's cache of one function, in which every error counts as a missing entry.

    Numba only looks at the file of the function itself. Here compiled code also has to be of the
    same files of kernels, since it contains what it calls from others.
    """

    def _index_key(self, *signature: Any) -> Any:
        return super()._index_key(*signature), _sources()

    # Damaged bytes can make pickle and LLVM raise any exception.
    def load_overload(self, *wanted: Any) -> Any:
        """The compiled code, or None where it has to be compiled."""
        try:
            return super().load_overload(*wanted)
        except Exception:
            with suppress(Exception):
                self.flush()  # a new index; otherwise nothing more could be kept
            return None

    def save_overload(self, *compiled: Any) -> None:
        """Keep compiled code if that is possible."""
        with suppress(Exception):
            super().save_overload(*compiled)


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit``, with `FaultTolerantCache` where `cache` is true."""

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options)(function)
        if cache:
            dispatcher._cache = FaultTolerantCache(function)
        return dispatcher

    return compiled
