"""Certificates on the five data sets: written by ``cluster``, accepted by ``verify``?

    python benchmarks/certificates.py                      # all; Census and 4area need 6 GB each
    python benchmarks/certificates.py --only facebook lastfm
    python benchmarks/certificates.py --affinity nearest_neighbors --only census 4area

Each row is one run of the command on files that ``fairspectral datasets fetch`` wrote. The last
column is the exit status of ``fairspectral verify``, which must be 0.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ("facebook", "lastfm", "thyroid", "census", "4area")
SENSITIVE = {
    "facebook": "gender",
    "lastfm": "country",
    "thyroid": "diagnosis",
    "census": "marital-status",
    "4area": "area",
}
GRAPHS = ("facebook", "lastfm")
COLUMNS = (
    "data", "n", "k", "tolerance", "cut", "lower bound", "plain bound", "gap",
    "embedding gap", "fit s", "verify s", "status",
)  # fmt: skip


def run(*words: str) -> tuple[int, float]:
    """The exit status of the command, and its seconds."""
    started = time.perf_counter()
    ended = subprocess.run([sys.executable, "-m", "fairspectral.cli", *words], stdout=sys.stderr)
    return ended.returncode, time.perf_counter() - started


def measure(name: str, k: int, tolerance: float, affinity: str, folder: Path) -> list[str]:
    """One row: cluster with a certificate, then verify it."""
    data, groups = folder / f"{name}.csv", folder / f"{name}-groups.csv"
    labels, certificate = folder / "labels.csv", folder / "certificate.json"
    run("datasets", "fetch", name, "-o", str(data))
    beside = ["--groups", str(groups)] if name in GRAPHS else []
    kind = ["--graph"] if name in GRAPHS else ["--affinity", affinity]
    options = ["--sensitive", SENSITIVE[name], "-k", str(k), "--tolerance", str(tolerance)]
    written = ["-o", str(labels), "--certificate", str(certificate)]
    _, fitted = run("cluster", str(data), *beside, *kind, *options, *written)
    status, verified = run(
        "verify", str(labels), str(data), *beside, "--certificate", str(certificate)
    )
    found = json.loads(certificate.read_text(encoding="utf-8"))
    cut, embedding = found["cut"], found["embedding"]
    gap = 1 - cut["lower_bound"] / cut["value"]
    missing = 1 - embedding["objective"] / embedding["upper_bound"]
    numbers = [f"{cut[x]:.4g}" for x in ("value", "lower_bound", "plain_bound")]
    rows = f"{found['data']['rows']:,}"
    ends = [f"{gap:.1%}", f"{missing:.1e}", f"{fitted:.0f}", f"{verified:.0f}", str(status)]
    return [name, rows, str(k), f"{tolerance:g}", *numbers, *ends]


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--clusters", type=int, default=5)
    parser.add_argument("--tolerance", type=float, nargs="+", default=[0.2])
    parser.add_argument("--affinity", default="rbf")
    asked = parser.parse_args()
    print("|", " | ".join(COLUMNS), "|")
    print("|" + "---|" * len(COLUMNS))
    for name in asked.only:
        for tolerance in asked.tolerance:
            with tempfile.TemporaryDirectory() as folder:
                row = measure(name, asked.clusters, tolerance, asked.affinity, Path(folder))
            print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
