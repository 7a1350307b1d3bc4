"""What a device can do at most, measured, and what a pass over a kernel takes at these rates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from fairspectral.affinity import make_operator
from fairspectral.affinity.torch_fused import can_fuse
from fairspectral_benchmarks.gpu.device import seconds
from fairspectral_benchmarks.problems import blobs

# Columns of the block in a pass, and features after padding.
COLUMNS, PADDED = 32, 16
# TF32 products that stand for one of float32.
_SPLIT = 3


def measure_rates(device: torch.device, small: bool) -> dict[str, float]:
    """Operations and bytes per second: exponentials, products by type, copies."""
    rates = {"exp2": _exponentials(device, small)}
    side = 512 if small else 8192
    for name, dtype, precision in (
        ("float16", torch.float16, "highest"),
        ("tf32", torch.float32, "high"),
        ("float32", torch.float32, "highest"),
    ):
        if device.type == "cpu" and name != "float32":
            continue
        rates[name] = _products(device, side, dtype, precision)
    # Read and written, far more than the caches hold.
    numbers = torch.rand(2**22 if small else 2**30, device=device)
    rates["bytes"] = 2 * numbers.nbytes / seconds(numbers.clone, device)
    return rates


def _products(device: torch.device, side: int, dtype: torch.dtype, precision: str) -> float:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        A, B = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
        return 2 * side**3 / seconds(lambda: A @ B, device)
    finally:
        torch.set_float32_matmul_precision(before)


def _exponentials(device: torch.device, small: bool) -> float:
    """Powers of two per second, from numbers that stay in registers on a GPU."""
    count, turns = (2**16, 4) if small else (2**24, 256)
    x = torch.rand(count, device=device)
    if device.type == "cuda":
        from fairspectral_benchmarks.gpu.exponentials import raise_powers

        return count * turns / seconds(lambda: raise_powers(x, turns), device)
    return count / seconds(x.exp2, device)


def measure_passes(device: torch.device, small: bool) -> Iterator[dict[str, Any]]:
    """Seconds of a pass of 32 columns at each precision, with the errors of its product."""
    n = 1000 if small else 1_000_000
    X = torch.from_numpy(blobs(n)[0]).to(device)
    block = torch.randn((n, COLUMNS), device=device)
    some = np.arange(0, n, max(1, n // 64))
    exact = make_operator(X, "rbf", memory_budget=1, dtype="float64")
    scale = torch.from_numpy(1 / np.sqrt(exact.degrees)).to(device)[:, None]
    reference = torch.from_numpy(exact.rows(some)).to(device) @ (scale * block)
    reference *= scale[torch.from_numpy(some).to(device)]
    for words, options in (("float16", {}), ("tf32x3", {"dtype": "float32"})):
        operator = make_operator(X, "rbf", memory_budget=1, **options)  # type: ignore[arg-type]
        product = operator.matmat(block)[torch.from_numpy(some).to(device)]
        yield {
            "product": words if can_fuse(device) else "float32, without Triton",
            "n": n,
            "seconds": seconds(lambda op=operator: op.matmat(block), device, 3),  # type: ignore[misc]
            "error": float((product - reference).norm() / reference.norm()),
        }
        if not can_fuse(device):
            return


def floors(rates: dict[str, float], n: int) -> list[tuple[str, float, str, float]]:
    """Of one pass: the work, how much of it, the rate that bounds it, and seconds at that rate."""
    bytes_moved = 4.0 * n * (PADDED + 2 * COLUMNS)
    work = (
        ("exponentials", float(n) ** 2, "exp2"),
        ("distances", _SPLIT * 2.0 * PADDED * n**2, "tf32"),
        ("product in float16", 2.0 * COLUMNS * n**2, "float16"),
        ("product in tf32x3", _SPLIT * 2.0 * COLUMNS * n**2, "tf32"),
        ("bytes of features and blocks", bytes_moved, "bytes"),
    )
    return [(name, count, by, count / rates[by]) for name, count, by in work if by in rates]
