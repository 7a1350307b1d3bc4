"""The best known clusterings, in a file that only ever improves.

Labels are kept beside each value, so that everybody can count it again, and a search can begin
where the last one ended.
"""

from __future__ import annotations

import base64
import datetime
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral_benchmarks.cut.instances import INSTANCES, Task
from fairspectral_benchmarks.files import ROOT, read_json, write_json

PATH = ROOT / "benchmarks" / "best_known_cuts.json"
# Cuts closer than this are equal: sums of the same weights in another order.
EQUAL = 1e-9
# The largest label that one byte holds.
_LARGEST = np.iinfo(np.uint8).max


class BestKnown:
    """The lowest cut of each instance: ``cut``, ``by`` (a method), ``date``, ``labels``.

    Parameters
    ----------
    path : Path
        The file; it is read again before each change, so that several runs can share it.
    """

    def __init__(self, path: Path = PATH) -> None:
        self._path = path
        self._entries = self._read()

    def _read(self) -> dict[str, Any]:
        return read_json(self._path) or {}

    def cut(self, name: str) -> float | None:
        """The lowest cut known of an instance, or None."""
        entry = self._entries.get(name)
        return None if entry is None else entry["cut"]

    def by(self, name: str) -> str:
        """The method that found it."""
        return self._entries[name]["by"]

    def labels(self, name: str) -> np.ndarray | None:
        """The clustering that has this cut, or None."""
        entry = self._entries.get(name)
        return None if entry is None else unpack(entry["labels"])

    def offer(self, task: Task, labels: np.ndarray, by: str) -> bool:
        """Keep labels if they are valid and better; also for looser tolerances.

        The cut is computed here, and nothing is taken on trust.
        """
        found = task.judge(labels)
        if not found["valid"]:
            return False
        self._entries = self._read()
        improved = [
            instance.name
            for instance in INSTANCES
            if instance.at_least_as_loose_as(task.instance)
            and found["cut"] < self._entries.get(instance.name, {"cut": np.inf})["cut"] - EQUAL
        ]
        for name in improved:
            self._entries[name] = {
                "cut": found["cut"],
                "by": by,
                "date": datetime.date.today().isoformat(),
                "labels": pack(labels),
            }
        if improved:
            write_json(self._path, dict(sorted(self._entries.items())))
        return task.instance.name in improved


def pack(labels: np.ndarray) -> str:
    """Labels of at most 256 clusters as text."""
    if np.min(labels) < 0 or np.max(labels) > _LARGEST:
        raise ValueError(
            f"labels run from {np.min(labels)} to {np.max(labels)}, but a byte is kept for each: "
            f"number the clusters from 0 to at most {_LARGEST}."
        )
    return base64.b64encode(
        zlib.compress(np.asarray(labels).astype(np.uint8).tobytes(), 9)
    ).decode()


def unpack(text: str) -> np.ndarray:
    """Labels from text."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8).astype(np.int64)
