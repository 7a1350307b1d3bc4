"""Threads, for the commands that compute more than one clustering."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

_FEW_SAMPLES = 5_000


def limit_threads(threads: int | None, n: int) -> AbstractContextManager[Any]:
    """Limit the threads inside the ``with`` block; with few samples, k-means gets one.

    With few samples its threads mostly wait for each other, especially on a busy machine.
    """
    from threadpoolctl import threadpool_limits

    if threads is not None:
        return threadpool_limits(limits=threads)
    return threadpool_limits(1, user_api="openmp") if n <= _FEW_SAMPLES else nullcontext()
