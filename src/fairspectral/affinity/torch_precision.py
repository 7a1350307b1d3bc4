"""Products of float32 on a device that are those of float32, whatever torch is set to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# The setting belongs to the process: the first that needs it changes it, the last restores it.
_lock = threading.Lock()
_inside = 0
_restore: Callable[[], Any] | None = None


@contextmanager
def full_precision() -> Iterator[None]:
    """Context without TF32, whose errors of 1e-3 are larger than the gaps that a solver claims."""
    global _inside, _restore

    with _lock:
        if not _inside:
            _restore = _switch()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                restore, _restore = _restore, None
                if restore is not None:
                    restore()


def _switch() -> Callable[[], Any] | None:
    """Set full precision; returns what restores the setting, or None where it was set."""
    import torch

    try:
        before = torch.get_float32_matmul_precision()
    except RuntimeError:  # the user has set each backend, which has no word here
        return _switch_backends()
    if before == "highest":
        return None
    torch.set_float32_matmul_precision("highest")
    return lambda: torch.set_float32_matmul_precision(before)


def _switch_backends() -> Callable[[], Any]:
    """The same by backends, as torch has them from 2.9 on."""
    import torch

    everywhere: Any = torch.backends
    matmuls: list[Any] = [torch.backends.cuda.matmul, torch.backends.mkldnn.matmul]
    general = everywhere.fp32_precision
    # What a backend takes from the general setting must follow that later too, so only its own
    # setting is restored, which shows where there is no general one.
    everywhere.fp32_precision = "none"
    own = [matmul.fp32_precision for matmul in matmuls]
    everywhere.fp32_precision = general
    for matmul in matmuls:
        matmul.fp32_precision = "ieee"

    def restore() -> None:
        for matmul, precision in zip(matmuls, own, strict=True):
            matmul.fp32_precision = precision

    return restore
