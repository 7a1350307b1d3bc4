"""Where and with what a cell was computed, for the record."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from functools import cache
from typing import Any

_LIBRARIES = ("fairspectral", "numpy", "scipy", "scikit-learn", "numba")


@cache
def versions() -> dict[str, str]:
    """Of Python and of the libraries that do the work."""
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


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
