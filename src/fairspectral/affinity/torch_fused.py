"""Passes over a kernel by the compiled code of `fairspectral.affinity.fused_kernels`."""

from __future__ import annotations

from contextlib import nullcontext
from importlib.util import find_spec
from typing import Any, NamedTuple

from fairspectral.affinity.torch_features import ABSOLUTE, DIFFERENCES, SQUARED, TorchFeatures

# Rows of padding: a multiple of the rows and columns of every tile.
_WHOLE = 128
# Features that the tensor cores take at a time, at least 16.
_DEPTH = 32
# Columns of a block in one pass: more would not fit into registers beside the tile.
_WIDEST = 64
# A block's columns are scaled so that their largest entry is this, and exponentials by a power of
# two: float16 has numbers from 6e-8 to 65504, and both use its upper part.
_LARGEST, _SHIFT = 1024.0, 15.0
# A column that is smaller than this is not scaled up to it: the factor would overflow.
_SMALLEST = 1e-30
# The oldest GPUs whose tensor cores multiply TF32 (Ampere).
_OLDEST = (8, 0)


class _Launch(NamedTuple):
    """Rows and columns of a tile, warps that compute it, and loads under way."""

    rows: int
    columns: int
    warps: int
    stages: int


# Few features and columns in float16, as the prototype was measured with on an H200.
_NARROW = _Launch(128, 128, 4, 3)
# All others: as large as stays in the registers of a Hopper GPU (compiled for it, not measured).
_OTHERS = _Launch(128, 64, 8, 2)


def can_fuse(device: Any) -> bool:
    """Whether a device has the tensor cores, and Triton is installed."""
    import torch

    if device.type != "cuda" or find_spec("triton") is None:
        return False
    return torch.cuda.get_device_capability(device) >= _OLDEST


class FusedPasses:
    """Passes over a kernel, each by one launch for up to 64 columns.

    Parameters
    ----------
    features : TorchFeatures
        In float32.
    half : bool
        Whether exponentials and the block are rounded to float16 for their product, with sums in
        float32: relative errors below 5e-4 instead of 5e-6, in about half the time. Powers of
        products may exceed the range of float16, and never are.
    """

    def __init__(self, features: TorchFeatures, half: bool) -> None:
        self.half = half and features.exponential
        self._features = features
        n, d = features.rows.shape
        self._n, self._padded = n, _whole(n, _WHOLE)
        self._depth = min(_DEPTH, _power_of_two(d))
        width = _whole(d, self._depth)
        rows = features.rows.new_zeros((self._padded, width))
        rows[:n, :d] = features.rows
        self._squares = features.squares.new_zeros(self._padded)
        self._squares[:n] = features.squares
        self._count = width
        if features.kind in (DIFFERENCES, ABSOLUTE):
            # One feature of neighbouring rows is read at a time; a padded feature differs nowhere.
            rows, self._count = rows.T.contiguous(), d
        self._rows = rows
        by_feature = features.kind in (DIFFERENCES, ABSOLUTE)
        self._steps = (1, self._padded) if by_feature else (width, 1)

    @property
    def nbytes(self) -> int:
        """Memory of the padded features."""
        return int(self._rows.nbytes + self._squares.nbytes)

    def product(self, block: Any) -> Any:
        """``W @ block`` for a float32 block of shape (n, b)."""
        out = block.new_empty(block.shape)
        for first in range(0, block.shape[1], _WIDEST):
            some = slice(first, first + _WIDEST)
            out[:, some] = self._product(block[:, some])
        return out

    def sums(self) -> tuple[Any, Any]:
        """Row sums in float64, and the smallest affinity of each row; both of shape (n,)."""
        import torch

        from fairspectral.affinity.fused_kernels import sum_rows

        sums = self._squares.new_empty(self._padded, dtype=torch.float64)
        least = self._squares.new_empty(self._padded)
        with _on(sums):
            sum_rows[self._grid(_OTHERS)](
                self._rows, self._squares, sums, least, self._n, self._padded, *self._steps,
                self._features.offset, **self._constants(_OTHERS),
            )  # fmt: skip
        return sums[: self._n], least[: self._n]

    def _product(self, block: Any) -> Any:
        import torch

        from fairspectral.affinity.fused_kernels import multiply

        b = block.shape[1]
        width = _power_of_two(b)
        factors = block.new_ones(b)
        shift = 0.0
        if self.half:
            factors = _LARGEST / block.abs().amax(dim=0).clamp_min(_SMALLEST)
            shift = _SHIFT
        kind = torch.float16 if self.half else torch.float32
        padded = block.new_zeros((self._padded, width), dtype=kind)
        padded[: self._n, :b] = block * factors
        out = block.new_empty((self._padded, width))
        launch = self._launch(width)
        with _on(out):
            multiply[self._grid(launch)](
                self._rows, self._squares, padded, out, self._padded, *self._steps,
                self._features.offset, shift, WIDTH=width, HALF=self.half,
                **self._constants(launch),
            )  # fmt: skip
        return out[: self._n, :b] / (factors * 2.0**shift)

    def _launch(self, width: int) -> _Launch:
        narrow = self.half and self._features.kind == SQUARED and width <= 32
        return _NARROW if narrow and self._count <= 16 else _OTHERS

    def _grid(self, launch: _Launch) -> tuple[int]:
        return (self._padded // launch.rows,)

    def _constants(self, launch: _Launch) -> dict[str, int]:
        return {
            "KIND": self._features.kind,
            "DEGREE": self._features.degree,
            "FEATURES": self._count,
            "DEPTH": self._depth,
            "ROWS": launch.rows,
            "COLUMNS": launch.columns,
            "num_warps": launch.warps,
            "num_stages": launch.stages,
        }


def _on(tensor: Any) -> Any:
    """Context in which kernels are launched on the device of a tensor."""
    import torch

    return torch.cuda.device(tensor.device) if tensor.is_cuda else nullcontext()


def _power_of_two(count: int) -> int:
    """The least power of two that is no smaller, and at least 16, as tensor cores need it."""
    return max(16, 1 << (count - 1).bit_length())


def _whole(count: int, part: int) -> int:
    return part * -(-count // part)
