"""Who runs in threads: BLAS, or our own loops over rows with BLAS in one thread each.

BLAS keeps its threads spinning for a while after each call, to be ready for the next one. Where
products run in threads of our own, those would compete for the same cores, and both be slower
than one thread alone; so a solver that mixes the two takes `threads_apart`.
"""

from __future__ import annotations

import os
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
    others = [_pool().submit(work, *part) for part in parts[1:]]
    mine = work(*parts[0])
    return [mine, *(done.result() for done in others)]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count())


# A forked process has the pool but not its threads, and would wait for them forever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)
