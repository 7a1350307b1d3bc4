"""Who runs in threads: BLAS, or our own loops over rows with BLAS in one thread each.

BLAS keeps its threads spinning for a while after each call, to be ready for the next one. Where
products run in threads of our own, those would compete for the same cores, and both be slower
than one thread alone; so a solver that mixes the two takes `threads_apart`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from threadpoolctl import ThreadpoolController

_granted: ContextVar[int | None] = ContextVar("threads granted to loops of our own", default=None)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """Context in which BLAS and LAPACK use one thread."""
    if _granted.get() is not None:
        return nullcontext()  # `threads_apart` saw to it; to ask takes as long as a small matrix
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
    threads = allowed_threads()
    with one_thread():
        token = _granted.set(threads)
        try:
            yield
        finally:
            _granted.reset(token)


def in_threads(work: Callable[[int, int], Any], bounds: Any) -> list[Any]:
    """``work(first, last)`` for each pair of neighbours in `bounds`, side by side."""
    parts = [(int(first), int(last)) for first, last in pairwise(bounds) if last > first]
    answers = _helpers.ask(work, parts[1:])
    mine = work(*parts[0])
    return [mine, *map(_result, answers)]


def beside(here: Callable[[], Any], there: Callable[[], Any]) -> Any:
    """The value of one piece of work; meanwhile another one is done, if we have two threads."""
    if (_granted.get() or 1) == 1:
        return here()
    return in_threads(lambda first, last: (here, there)[first](), (0, 1, 2))[0]


def _result(answer: SimpleQueue) -> Any:
    value, error = answer.get()
    if error is not None:
        raise error
    return value


class _Helpers:
    """Threads that wait for work, as many as were ever needed at once.

    Queues instead of the futures of the standard library, which take as long to hand over as a
    small block takes to multiply.
    """

    def __init__(self) -> None:
        self._tasks: SimpleQueue = SimpleQueue()
        self._starting = Lock()
        self._count, self._most = 0, os.cpu_count() or 1

    def ask(self, work: Callable[[int, int], Any], parts: list[tuple[int, int]]) -> list[Any]:
        """Have parts worked on; a queue for each answer, a value or an error."""
        needed = min(len(parts), self._most)
        if self._count < needed:
            with self._starting:
                for _ in range(self._count, needed):
                    Thread(target=self._serve, daemon=True).start()
                    self._count += 1
        answers: list[SimpleQueue] = [SimpleQueue() for _ in parts]
        for part, answer in zip(parts, answers, strict=True):
            self._tasks.put((work, part, answer))
        return answers

    def _serve(self) -> None:
        _granted.set(1)  # a helper that asked for help would wait for itself
        while True:
            _answer(*self._tasks.get())


def _answer(work: Callable[[int, int], Any], part: tuple[int, int], answer: SimpleQueue) -> None:
    try:
        answer.put((work(*part), None))
    except BaseException as error:  # for the caller, whatever it is
        answer.put((None, error))


_helpers = _Helpers()
_forked = False


def openmp_after_fork() -> Any:
    """Context for calls that use OpenMP, as k-means does: one thread in a forked process.

    GNU's OpenMP, whose threads a fork does not copy, would wait for them forever.
    """
    return _libraries().limit(limits=1, user_api="openmp") if _forked else nullcontext()


def _after_fork() -> None:
    """A forked process has the queue but not its threads, and would wait for them forever."""
    global _helpers, _forked
    _helpers, _forked = _Helpers(), True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
