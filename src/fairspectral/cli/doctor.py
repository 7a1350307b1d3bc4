"""``fairspectral doctor``: installed packages and properties of the machine."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from typing import Any

from fairspectral.cli.command import Json, command

REQUIRED = ("numpy", "scipy", "scikit-learn", "numba", "threadpoolctl")
OPTIONAL = {
    "typer": "the command line", "rich": "the command line", "pandas": "tables",
    "pyarrow": "Parquet", "jinja2": "reports", "matplotlib": "plots", "pooch": "downloads",
    "starlette": "the local page", "uvicorn": "the local page", "torch": "a GPU",
}  # fmt: skip


@command
def doctor(json: Json = False) -> None:
    """Show versions, threads, memory, GPU, caches and the data folder.

    [bold]Example:[/bold] fairspectral doctor
    """
    from fairspectral.cli.display import print_json, print_table

    facts = gather()
    if json:
        print_json(facts)
        return
    for title, part in facts.items():
        rows = [[name, str(value)] for name, value in part.items()]
        print_table([title, ""], rows, text=("",))


def gather() -> dict[str, dict[str, Any]]:
    """All information, by topic."""
    import fairspectral

    return {
        "versions": {
            "fairspectral": fairspectral.__version__,
            "python": sys.version.split()[0],
            **{name: _version(name) or "missing" for name in REQUIRED},
            **{
                name: _version(name) or f"not installed (for {use})"
                for name, use in OPTIONAL.items()
            },
        },
        "machine": {
            "system": platform.platform(),
            "cores": _cores(),
            "threads": _threads(),
            "memory": _size(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")),
            "memory available": _available(),
            "GPU": _gpu(),
        },
        "folders": {"numba cache": _numba_cache(), **_data_folders()},
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _threads() -> str:
    import numpy  # noqa: F401 - loads BLAS
    import sklearn.cluster  # noqa: F401 - and OpenMP
    from threadpoolctl import threadpool_info

    pools = {(p["internal_api"], p["num_threads"]) for p in threadpool_info()}
    return ", ".join(f"{name} {count}" for name, count in sorted(pools))


def _size(count: float) -> str:
    return f"{count / 2**30:.1f} GiB"


def _available() -> str:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            facts = dict(line.split(":", 1) for line in lines)
        return _size(int(facts["MemAvailable"].split()[0]) * 1024)
    except (OSError, KeyError, ValueError):
        return "unknown on this system"


def _gpu() -> str:
    if importlib.util.find_spec("torch") is None:
        return "not looked for: torch is not installed"
    import torch

    if torch.cuda.is_available():
        devices = range(torch.cuda.device_count())
        return ", ".join(
            f"{torch.cuda.get_device_name(i)} "
            f"({_size(torch.cuda.get_device_properties(i).total_memory)})"
            for i in devices
        )
    return f"none that torch {torch.__version__} can use"


def _numba_cache() -> str:
    """Where compiled code is kept between runs."""
    import fairspectral.rounding

    folder = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(
        os.path.dirname(fairspectral.rounding.__file__), "__pycache__"
    )
    folder = os.path.abspath(folder)  # the parent of a relative path may be empty
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    able = os.access(folder, os.W_OK)
    return folder if able else f"{folder} (not writable: numba uses the user's cache instead)"


def _data_folders() -> dict[str, str]:
    from fairspectral.datasets._fetch import DATA_VARIABLE, user_cache

    named = os.environ.get(DATA_VARIABLE)
    return {
        "data folder": f"{named} ({DATA_VARIABLE})" if named else f"none; set {DATA_VARIABLE}",
        "downloads": str(user_cache()),
    }
