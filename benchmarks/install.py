"""Size and time of installing and importing fairspectral, compared with scikit-learn alone.

    python benchmarks/install.py

Builds the wheel and installs it in bare environments (pip alone) in a temporary folder. Seconds
to install depend on the network and on pip's cache, so compare them within one run only. The time
of an import is that of the processor; on an idle machine it is also the elapsed time.
"""

from __future__ import annotations

import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_IMPORTS = ("sys", "sklearn.cluster", "fairspectral")
_TURNS = 11


@dataclass(frozen=True)
class Installed:
    """An environment and its packages."""

    python: Path
    seconds: float
    megabytes: float
    packages: list[str]


def main() -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = _build(Path(folder))
        wanted = {
            "scikit-learn": "scikit-learn",
            "fairspectral": str(wheel),
            "fairspectral[cli]": f"{wheel}[cli]",
        }
        print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}")
        print(f"the wheel: {wheel.stat().st_size / 1000:.0f} kB\n")
        print(f"{'pip install':20} {'packages':>8} {'MB':>6} {'seconds':>8}")
        environments = {}
        for name, requirement in wanted.items():
            found = environments[name] = _install(Path(folder) / name, requirement)
            megabytes, seconds = f"{found.megabytes:.0f}", f"{found.seconds:.0f}"
            print(f"{name:20} {len(found.packages):8} {megabytes:>6} {seconds:>8}", flush=True)
        library = environments["fairspectral"]
        print("\n" + " ".join(package for package in library.packages if "@" not in package))
        print("\nimport, milliseconds of the processor for a whole process, median")
        for name, milliseconds in _import_times(library.python).items():
            print(f"{name:20} {milliseconds:8.0f}")
        own = _own_milliseconds(library.python)
        print(f"of which fairspectral's own modules, by the clock: {own:.0f}")


def _build(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _install(folder: Path, requirement: str) -> Installed:
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    before = _megabytes(site)
    pip = [python, "-I", "-m", "pip"]
    begin = time.perf_counter()
    subprocess.run([*pip, "install", "--quiet", requirement], check=True)
    seconds = time.perf_counter() - begin
    listed = subprocess.run([*pip, "freeze"], check=True, capture_output=True, text=True)
    return Installed(python, seconds, _megabytes(site) - before, listed.stdout.splitlines())


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def _import_times(python: Path) -> dict[str, float]:
    """The modules take turns, so that a slow moment of the machine affects all of them."""
    times: dict[str, list[float]] = {name: [] for name in _IMPORTS}
    for turn in range(_TURNS + 1):
        for name in _IMPORTS:
            begin = _children_seconds()
            subprocess.run([python, "-I", "-c", f"import {name}"], check=True)
            if turn:  # the first one reads the files from the disk
                times[name].append(1000 * (_children_seconds() - begin))
    return {name: statistics.median(values) for name, values in times.items()}


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _own_milliseconds(python: Path) -> float:
    """Time in our own modules, without what they import (column "self" of -X importtime)."""
    totals = []
    for _ in range(_TURNS):
        command = [python, "-I", "-X", "importtime", "-c", "import fairspectral"]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        rows = [line.removeprefix("import time:").split("|") for line in lines.splitlines()]
        own = [row[0] for row in rows if len(row) == 3 and row[2].strip().startswith("fairspec")]
        totals.append(sum(map(int, own)) / 1000)
    return statistics.median(totals)


if __name__ == "__main__":
    main()
