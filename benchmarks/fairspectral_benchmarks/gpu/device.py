"""The device that is measured, and the clock that waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch


def find_device(asked: str, small: bool) -> torch.device:
    """The GPU that was asked for; with `small` the CPU if there is none."""
    if torch.cuda.is_available():
        return torch.device(asked)
    if small:
        return torch.device("cpu")
    raise SystemExit("there is no GPU that torch can use; pass --small to try this on the CPU.")


def device_words(device: torch.device) -> str:
    """The device by its name, with the versions of torch and Triton."""
    try:
        import triton

        compiled = f", Triton {triton.__version__}"
    except ImportError:
        compiled = ", no Triton"
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU tensors"
    return f"{name}, torch {torch.__version__}{compiled}"


def wait(device: torch.device) -> None:
    """Return when the device has done what it was asked for."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def seconds(work: Callable[[], Any], device: torch.device, repeats: int = 5) -> float:
    """The median time of a call, after one that may compile."""
    work()
    took = []
    for _ in range(repeats):
        wait(device)
        begin = time.perf_counter()
        work()
        wait(device)
        took.append(time.perf_counter() - begin)
    return median(took)
