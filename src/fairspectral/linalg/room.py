"""Whether a limit on memory (``ulimit -v``, RLIMIT_AS) leaves room for BLAS and its threads.

Without memory, OpenBLAS, OpenMP and LLVM raise no exception: they end the process with status 1,
which means "unfair" for this command, or retry forever. So the limit is checked first.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

MIB = 2**20
# Measured as VmSize in /proc/self/status, with one thread and with two: memory mapped by the
# imports, by the first call of BLAS, and then by a stage of a small fit (compiled code and, for
# each thread, a stack and an arena of malloc).
_TO_IMPORT, _TO_IMPORT_PER_THREAD = 512 * MIB, 80 * MIB
_BUFFERS, _BUFFERS_PER_THREAD = 64 * MIB, 16 * MIB
_STAGE, _STAGE_PER_THREAD = 32 * MIB, 72 * MIB
_NUMBA, _COMPILER = 192 * MIB, 160 * MIB  # to load it, and to compile every kernel


class NoRoomError(MemoryError):
    """The limit on memory is too low; the message says by how much."""


def check_room_to_import() -> None:
    """Refuse a limit under which numpy, scipy and scikit-learn cannot be loaded."""
    _check(_TO_IMPORT, _TO_IMPORT_PER_THREAD, "loading the libraries")


def check_room_to_work() -> None:
    """Refuse a limit under which BLAS and OpenMP would not get their buffers and stacks.

    To be called before every stage that computes with them.
    """
    if address_space_left() is not None:
        _claim_buffers()
        _check(_STAGE, _STAGE_PER_THREAD, "a computation")


def check_room_to_compile() -> None:
    """Refuse a limit under which LLVM would not load, or abort the process."""
    loaded = "numba" in sys.modules
    _check(_COMPILER if loaded else _NUMBA + _COMPILER, 0, "compiled code")


@cache
def _claim_buffers() -> None:
    """Make BLAS allocate its buffers, which it keeps, before other work uses the memory."""
    import numpy as np
    import scipy.linalg

    _check(_BUFFERS + _STAGE, _BUFFERS_PER_THREAD + _STAGE_PER_THREAD, "the linear algebra")
    square = np.eye(64)
    scipy.linalg.eigh(square @ square)  # numpy and scipy each bring a BLAS of their own


def address_space_left() -> int | None:
    """Bytes that this process may still map; None without a limit."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            return limit - pages * resource.getpagesize()
    return None


def _check(alone: int, per_thread: int, purpose: str) -> None:
    """Refuse less memory than `alone`, for one thread, plus `per_thread` for each other one."""
    left, threads = address_space_left(), _threads()
    needed = alone + (threads - 1) * per_thread
    if left is not None and left < needed:
        fewer = ", or set OMP_NUM_THREADS=1" if per_thread and left >= alone < needed else ""
        raise NoRoomError(
            f"the limit on this process's memory leaves {max(left, 0) // MIB} MiB, and {purpose} "
            f"with {threads} thread(s) needs {needed // MIB} MiB; raise the limit "
            f"(ulimit -v){fewer}."
        )


def _threads() -> int:
    """Threads that BLAS starts by default: one for each core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        with suppress(ValueError):
            if (asked := int(os.environ.get(name, ""))) > 0:
                return min(asked, cores or 1)
    return cores or 1
