"""The stages of one rounding, with their costs."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from fairspectral.cut import CutState
from fairspectral.rounding.result import Stage
from fairspectral.rounding.sources import Source
from fairspectral.rounding.start import WeightedRows


class History:
    """The stages of one rounding, with the labels, and their cut where it is known, so far."""

    def __init__(self, points: WeightedRows, affinity: Any, k: int) -> None:
        self._points, self._affinity, self._k = points, affinity, k
        self._clock = time.perf_counter()
        self.stages: list[Stage] = []
        # What a search says of itself.
        self.starts: tuple[Source, ...] = ()
        self.stopped = False

    def add(self, name: str, labels: np.ndarray, state: CutState | None = None) -> None:
        """Record a stage; measure its cut if the affinity is known and no state is given."""
        seconds = time.perf_counter() - self._clock
        if state is None and self._affinity is not None:
            state = CutState.measure(self._affinity, labels, self._k)
        cost = self._points.cost(labels, self._points.centroids(labels, self._k))
        cut = None if state is None else state.cut
        self.stages.append(Stage(name, cost, cut, seconds))
        self.labels, self.measured = labels, state
        self._clock = time.perf_counter()
