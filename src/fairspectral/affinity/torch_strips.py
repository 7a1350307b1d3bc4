"""Work on a device by strips of rows, which become smaller where its memory does not suffice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Memory for a strip and its temporaries. Larger strips gain nothing: each keeps a GPU busy for
# milliseconds.
STRIP_BYTES = 2**28


@dataclass
class Strips:
    """Strips of n rows; `rows` is how many there are in one, for all passes that follow.

    Usage: ``for strip in strips: with strip as (first, last): ...``. A strip for which the device
    has no memory is tried again with half the rows.
    """

    n: int
    rows: int

    @classmethod
    def of_bytes(cls, n: int, row_bytes: int, budget: int = STRIP_BYTES) -> Strips:
        """Strips such that so many bytes for each row stay within a budget."""
        return cls(n, max(1, min(n, budget // max(1, row_bytes))))

    def __iter__(self) -> Iterator[_Strip]:
        first = 0
        while first < self.n:
            strip = _Strip(first, min(self.n, first + self.rows))
            yield strip
            if strip.failed:
                self.rows = max(1, (strip.last - first) // 2)
            else:
                first = strip.last


class _Strip:
    """One strip of rows; `failed` after the work on it found no memory."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last, self.failed = first, last, False

    def __enter__(self) -> tuple[int, int]:
        return self.first, self.last

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        import torch

        if kind is None or not issubclass(kind, torch.OutOfMemoryError):
            return False
        if self.last - self.first == 1:
            raise MemoryError(
                "the memory of the GPU does not suffice for one row of affinities; free some, or "
                "pass device='cpu'."
            ) from None
        torch.cuda.empty_cache()
        self.failed = True
        return True
