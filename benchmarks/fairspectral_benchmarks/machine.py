"""The machine and the versions with which results were computed."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

_LIBRARIES = ("fairspectral", "numpy", "scipy", "scikit-learn", "numba")


@cache
def versions() -> dict[str, str]:
    """Versions of Python and of the libraries used."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:  # run from a folder of sources
            found[name] = "not installed"
    return found


@cache
def machine() -> dict[str, Any]:
    """Processor, cores that may be used, threads of the libraries, memory."""
    import sklearn.cluster  # noqa: F401 - loads the libraries whose threads are counted
    from threadpoolctl import threadpool_info

    usable = getattr(os, "sched_getaffinity", None)
    threads = {pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()}
    return {
        "processor": _processor(),
        "cores": len(usable(0)) if usable else os.cpu_count(),
        "threads": dict(sorted(threads.items())),
        "memory_gb": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        "system": platform.system(),
    }


def context() -> dict[str, Any]:
    """The machine and the versions together, as results keep them."""
    return {"versions": versions(), "machine": machine()}


def in_words(context: Mapping[str, Any]) -> str:
    """A `context` as a part of a sentence."""
    machine, versions = context["machine"], context["versions"]
    threads = ", ".join(f"{name} {count}" for name, count in machine["threads"].items())
    libraries = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"{machine['processor']}, {machine['cores']} cores (threads: {threads}), "
        f"{machine['memory_gb']} GB, with {libraries}"
    )


def measure_rates() -> dict[str, float]:
    """Speed of the machine: float32 products of square matrices, and with one vector."""
    rng = np.random.default_rng(0)
    square = rng.random((4000, 4000), dtype=np.float32)
    tall = rng.random((20000, 10000), dtype=np.float32)
    vector = np.ones(10000, dtype=np.float32)
    return {
        "gflops": 2 * 4000**3 / _best_of(lambda: square @ square) / 1e9,
        "gbytes": tall.nbytes / _best_of(lambda: tall @ vector) / 1e9,
    }


def _best_of(work: Callable[[], Any], repeats: int = 5) -> float:
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
