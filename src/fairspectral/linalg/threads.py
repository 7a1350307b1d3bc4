"""Who runs in threads: BLAS, or our own loops over rows with BLAS in one thread each.

BLAS keeps its threads spinning for a while after each call, to be ready for the next one. Where
products run in threads of our own, those would compete for the same cores, and both be slower
than one thread alone; so a solver that mixes the two takes `threads_apart`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from typing import Any

from threadpoolctl import ThreadpoolController

_granted: ContextVar[int | None] = ContextVar("threads granted to loops of our own", default=None)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """Context in which BLAS and LAPACK use one thread."""
    return _libraries().limit(limits=1, user_api="blas")


def allowed_threads() -> int:
    """Threads that a loop of our own may use: as many as BLAS might, here and now."""
    granted = _granted.get()
    if granted is not None:
        return granted
    libraries = _libraries().lib_controllers
    return max((lib.num_threads for lib in libraries if lib.user_api == "blas"), default=1)


@contextmanager
def threads_apart() -> Iterator[None]:
    """Context in which our own loops have the threads that BLAS had, and BLAS has one."""
    token = _granted.set(allowed_threads())
    try:
        with one_thread():
            yield
    finally:
        _granted.reset(token)


def in_threads(work: Callable[[int, int], Any], bounds: Any) -> list[Any]:
    """``work(first, last)`` for each pair of neighbours in `bounds`, side by side."""
    parts = [(int(first), int(last)) for first, last in pairwise(bounds) if last > first]
    if len(parts) == 1:
        return [work(*parts[0])]
    # A pool of its own costs little beside the work, and none is left behind for a forked
    # process to wait on.
    with ThreadPoolExecutor(len(parts)) as pool:
        return [done.result() for done in [pool.submit(work, *part) for part in parts]]
