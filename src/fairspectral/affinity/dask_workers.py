"""Rows that live on the workers of a Dask cluster, and work that survives the loss of one.

The client sends a block to all workers, each multiplies its rows with it, and the results come back
in the order of the rows, whoever computed them. Rows that workers made themselves, from files or
from other rows, are made again by Dask's scheduler if a worker dies. What the client sent is sent
again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

import numpy as np

# Times that work is sent out again after a worker took what was sent to it into its grave.
_ATTEMPTS = 5
# Seconds without any worker after which the work is given up; a nanny starts a new one in a few.
_PATIENCE = 60.0
_LOOK = 5.0


def import_distributed() -> Any:
    """The package ``distributed``, or an error that says how to get it."""
    try:
        import distributed
    except ImportError:
        raise ImportError(
            "Dask is not installed; install it with pip install 'fairspectral[distributed]'."
        ) from None
    return distributed


def active_client() -> Any:
    """The Dask client that is in use here."""
    try:
        return import_distributed().Client.current()
    except ValueError:
        raise ValueError(
            "X is a Dask collection, but there is no client of a Dask cluster; make one first, for "
            "example with distributed.Client('tcp://...:8786'), or distributed.Client() for "
            "processes on this machine."
        ) from None


class Workers:
    """The workers of one cluster.

    Parameters
    ----------
    client : distributed.Client
        Connected to its scheduler.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._lost = (CancelledError, import_distributed().KilledWorker)

    def __getstate__(self) -> None:
        raise TypeError("a model that was fitted on a Dask cluster cannot be pickled.")

    def broadcast(self, block: Any) -> Any:
        """A block in the memory of every worker."""
        return self.client.scatter(block, broadcast=True, hash=False)

    def submit(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """One task; futures among what is given are replaced by their results."""
        return self.client.submit(function, *given, **named, pure=False)

    def results(self, submit: Callable[[], Sequence[Any]]) -> list[Any]:
        """The results of the tasks that `submit` sends out, in their order.

        If a worker dies with something that only the client can send again, they are sent again.
        """
        for attempt in range(_ATTEMPTS):
            tasks = list(submit())
            try:
                self._wait(tasks)
                return list(self.client.gather(tasks))
            except self._lost as error:
                if attempt == _ATTEMPTS - 1:
                    raise RuntimeError(
                        f"the workers of the Dask cluster died {_ATTEMPTS} times during the same "
                        "work; see their logs: they may need more memory, or smaller partitions."
                    ) from error
        raise AssertionError

    def _wait(self, tasks: list[Any]) -> None:
        """Until all are done, but not if there is nobody to do them."""
        from distributed import wait

        seen = time.monotonic()
        while True:
            try:
                wait(tasks, timeout=_LOOK)
                return
            except TimeoutError:
                if self.client.scheduler_info(n_workers=1)["workers"]:
                    seen = time.monotonic()
                elif time.monotonic() - seen > _PATIENCE:
                    raise RuntimeError(
                        f"the Dask cluster has had no worker for {_PATIENCE:.0f} s; start some and "
                        "fit again."
                    ) from None


class WorkerRows:
    """Rows of a matrix in parts, each on some worker.

    Parameters
    ----------
    workers : Workers
        Where they are.
    parts : list of futures
        One for each part; made by the workers, unless `sent` is given.
    lengths : sequence of int
        Rows in each part.
    sent : list or None
        The parts themselves, where the client sends them.

    Attributes
    ----------
    bounds : ndarray of shape (number of parts + 1,)
        The first row of each part, and the number of all.
    """

    def __init__(self, workers: Workers, parts: list[Any], lengths: Any, sent: Any = None) -> None:
        self.workers, self._parts, self._sent = workers, parts, sent
        self.bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    @classmethod
    def of_client(cls, workers: Workers, parts: list[Any]) -> WorkerRows:
        """Parts that the client has, sent to the workers."""
        return cls(workers, [], [part.shape[0] for part in parts], parts)

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.bounds[-1])

    @property
    def parts(self) -> list[Any]:
        """A future of each part; what a dead worker took along is sent again."""
        whole = self._parts and all(part.status == "finished" for part in self._parts)
        if self._sent is not None and not whole:
            self._parts = self.workers.client.scatter(self._sent, hash=False)
        return self._parts

    def map(self, function: Callable[..., Any], *given: Any) -> WorkerRows:
        """As many rows made by ``function(part, *given)`` on the workers."""
        submit = self.workers.submit
        parts = [submit(function, part, *given) for part in self.parts]
        return WorkerRows(self.workers, parts, np.diff(self.bounds))

    def ask(self, function: Callable[..., Any], *given: Any) -> list[Any]:
        """``function(part, *given)`` of every part, on the client."""
        submit = self.workers.submit
        return self.workers.results(lambda: [submit(function, part, *given) for part in self.parts])

    def products(self, multiply: Callable[..., Any], block: np.ndarray) -> np.ndarray:
        """``multiply(part, block)`` of every part, below each other, on the client."""

        def submit() -> list[Any]:
            sent = self.workers.broadcast(block)
            return [self.workers.submit(multiply, part, sent) for part in self.parts]

        return np.concatenate(self.workers.results(submit))

    def grouped(self, largest: int, row_bytes: int) -> list[tuple[int, int]]:
        """Ranges of neighbouring parts of at most so many bytes each, or of one part."""
        ranges, first = [], 0
        for last in range(1, len(self.bounds)):
            ends = last == len(self.bounds) - 1
            if ends or (self.bounds[last + 1] - self.bounds[first]) * row_bytes > largest:
                ranges.append((first, last))
                first = last
        return ranges
