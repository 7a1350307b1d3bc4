"""Threads of BLAS, or of our own loops over rows with BLAS in one thread each.

BLAS keeps its threads spinning for a while after each call, to be ready for the next one. Where
products run in our own threads, the two would compete for the same cores and be slower than one
thread alone; so a solver that mixes them uses `threads_apart`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from typing import Any

from threadpoolctl import ThreadpoolController

_granted: ContextVar[int | None] = ContextVar("threads of our own loops", default=None)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """Context in which BLAS and LAPACK use one thread."""
    if _granted.get() is not None:
        return nullcontext()  # already set by `threads_apart`; doing it twice is slow
    return _libraries().limit(limits=1, user_api="blas")


def allowed_threads() -> int:
    """Threads that our own loops may use: as many as BLAS may use now."""
    granted = _granted.get()
    if granted is not None:
        return granted
    libraries = _libraries().lib_controllers
    return max((lib.num_threads for lib in libraries if lib.user_api == "blas"), default=1)


@contextmanager
def threads_apart() -> Iterator[None]:
    """Context in which our own loops have the threads that BLAS had, and BLAS has one."""
    threads = allowed_threads()
    with one_thread():
        token = _granted.set(threads)
        try:
            yield
        finally:
            _granted.reset(token)


def in_threads(work: Callable[[int, int], Any], bounds: Any) -> list[Any]:
    """``work(first, last)`` for each pair of neighbours in `bounds`, in parallel."""
    parts = [(int(first), int(last)) for first, last in pairwise(bounds) if last > first]
    answers = [_submit(work, part) for part in parts[1:]]
    mine = work(*parts[0])
    return [mine, *(answer.result() for answer in answers)]


@cache
def _pool() -> ThreadPoolExecutor:
    """The pool of threads. Work in it must not submit to it, or it would wait for itself."""
    return ThreadPoolExecutor(
        os.cpu_count() or 1, "fairspectral", initializer=_granted.set, initargs=(1,)
    )


def _submit(work: Callable[[int, int], Any], part: tuple[int, int]) -> Future:
    try:
        return _pool().submit(work, *part)
    except RuntimeError as error:
        if "cannot schedule" not in str(error):
            raise
        # The main thread and every pool have ended, but this thread of the user has not: do the
        # part here.
        answer: Future = Future()
        answer.set_result(work(*part))
        return answer


_forked = False


def openmp_threads(*, alone: bool = False) -> Any:
    """Context for calls that use OpenMP, as k-means does: one thread in a forked process.

    A fork does not copy the threads of GNU's OpenMP, which would wait for them forever. `alone` is
    one thread anyway, for short calls: where other programs use the cores, threads that wait for
    each other many times took ten times as long as one.
    """
    return _libraries().limit(limits=1, user_api="openmp") if _forked or alone else nullcontext()


def _after_fork() -> None:
    """Drop the pool in a forked process: its threads are not copied, so it would wait forever."""
    global _forked
    _pool.cache_clear()
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
