"""Kernels of features on a device: stored where they fit, else recomputed in every pass."""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.checks import bad_weight
from fairspectral.affinity.components import computed_components
from fairspectral.affinity.kernel import RowKernel
from fairspectral.affinity.tiles import ERROR_UNITS
from fairspectral.affinity.torch_features import TorchFeatures
from fairspectral.affinity.torch_fused import FusedPasses, can_fuse
from fairspectral.affinity.torch_precision import full_precision
from fairspectral.affinity.torch_scaled import TorchOperator
from fairspectral.affinity.torch_strips import Strips
from fairspectral.progress import AFFINITY, note, report
from fairspectral.tensors import on_host

# The gap of the objective from which on products in float16 are accurate enough. Their errors of
# 5e-4 have different signs and average out: a Ritz value sums over everybody.
COARSE = 1e-4


class Passes(Protocol):
    """Passes over a kernel that is not stored."""

    @property
    def nbytes(self) -> int:
        """Memory beside the features."""
        ...

    def product(self, block: Any) -> Any:
        """``W @ block``."""
        ...

    def sums(self) -> tuple[Any, Any]:
        """Row sums in float64, and the smallest affinity of each row."""
        ...


class StripPasses:
    """Passes by strips of rows, in torch alone: for any device and type.

    Parameters
    ----------
    features : TorchFeatures
        The rows.
    """

    def __init__(self, features: TorchFeatures) -> None:
        n, size = len(features.rows), features.rows.element_size()
        self._features, self._n = features, n
        # A strip of affinities, and a temporary of the same size.
        self._strips = Strips.of_bytes(n, 2 * n * size)

    @property
    def nbytes(self) -> int:
        """Memory of a strip."""
        return 2 * self._strips.rows * self._n * self._features.rows.element_size()

    def product(self, block: Any) -> Any:
        """``W @ block``."""
        if self._features.is_product:
            rows = self._features.rows
            return rows @ (rows.T @ block)
        product = block.new_empty(block.shape)
        for strip in self._strips:
            with strip as (first, last):
                tile = self._features.tile(slice(first, last), slice(None))
                product[first:last] = tile @ block
        return product

    def sums(self) -> tuple[Any, Any]:
        """Row sums in float64, and the smallest affinity of each row."""
        import torch

        sums = self._features.squares.new_empty(self._n, dtype=torch.float64)
        least = self._features.squares.new_empty(self._n)
        for strip in self._strips:
            with strip as (first, last):
                report(AFFINITY, first / self._n)
                tile = self._features.tile(slice(first, last), slice(None))
                sums[first:last] = tile.sum(dim=1, dtype=torch.float64)
                least[first:last] = tile.amin(dim=1)
        return sums, least


class TorchKernelOperator(TorchOperator):
    """A kernel that is recomputed on a device in every pass, never n×n.

    Parameters
    ----------
    features : TorchFeatures
        The rows, on the device and in the type of the products.
    kernel : RowKernel
        For its name and remedy in errors.
    half : bool
        Whether products of exponentials may be rounded to float16, where the device gains by it.
    before : str
        The beginning of what `storage` says.
    """

    def __init__(
        self, features: TorchFeatures, kernel: RowKernel, *, half: bool = False, before: str = ""
    ) -> None:
        rows = features.rows
        self._features = features
        self._set_place(len(rows), str(rows.dtype).removeprefix("torch."), rows.device)
        begin = time.perf_counter()
        with full_precision():  # as in the products: these must have the degrees of the same kernel
            self._passes, (sums, least), trouble = self._first_pass(features, half)
            _refuse_negative(features, least, kernel.name)
        self.nbytes = int(rows.nbytes) + self._passes.nbytes
        sums = on_host(sums)  # waits for the device
        took = time.perf_counter() - begin
        self.storage = (
            f"{before}The affinities are recomputed on {self.device} in every pass; the first took "
            f"{took:.2g} s.{trouble}"
        )
        note(AFFINITY, self.storage)
        self._set_degrees(sums, kernel.name, diagonal=features.diagonal, remedy=kernel.remedy)

    def _first_pass(
        self, features: TorchFeatures, half: bool
    ) -> tuple[Passes, tuple[Any, Any], str]:
        """How to pass over the kernel, the sums of its rows, and why Triton does not, if it fails.

        It compiles for the GPU that is there, with what is installed beside it, and may fail where
        it was never tried; strips are slower, and need nothing but torch.
        """
        trouble = ""
        single = self.dtype == np.float32 and not features.is_product
        if single and can_fuse(self.device):
            try:
                fused = FusedPasses(features, half)
                return fused, fused.sums(), trouble
            except Exception as error:
                trouble = f" {_trouble(error)}"
        strips = StripPasses(features)
        return strips, strips.sums(), trouble

    @cached_property
    def _component_labels(self) -> np.ndarray:
        """Search through computed rows, of which a few suffice where everybody is connected."""
        diagonal = np.asarray(on_host(self._features.diagonal), np.float64)
        return computed_components(self.degrees, diagonal, self.rows)

    def _product(self, block: Any) -> Any:
        import torch

        if isinstance(self._passes, StripPasses):
            return self._passes.product(block)
        try:
            return self._passes.product(block)
        except torch.OutOfMemoryError:
            raise  # strips would need memory for the vectors too
        except Exception as error:  # its code for products is compiled by the first of them
            self._passes = StripPasses(self._features)
            words = _trouble(error)
        self.storage = f"{self.storage} {words}"
        note(AFFINITY, words)
        return self._passes.product(block)

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of the kernel, computed when called."""
        some = self.xp.asarray(np.asarray(indices), device=self.device)
        with full_precision():
            return on_host(self._features.tile(some, slice(None)))

    def in_float64(self) -> AffinityOperator | None:
        """The same kernel and degrees with products in float64."""
        return _WideKernel(self)


def _trouble(error: Exception) -> str:
    """What is said where Triton fails."""
    words = " ".join(str(error).split())[:200]
    return f"Triton failed ({type(error).__name__}: {words}), so torch computes it."


class _WideKernel(TorchOperator):
    """Products in float64 with the affinities of rows in float32."""

    def __init__(self, operator: TorchKernelOperator) -> None:
        import torch

        self._passes = StripPasses(operator._features.to(torch.float64))
        self._set_place(operator.shape[0], np.float64, operator.device)
        self.nbytes = operator.nbytes
        self._keep_degrees(operator.degrees)

    def _product(self, block: Any) -> Any:
        return self._passes.product(block)


def kernel_matrix_on_device(features: TorchFeatures, name: str) -> Any:
    """All affinities of some rows, as a tensor of shape (n, n).

    Only the upper triangle is computed and mirrored: half the work, and symmetric to the bit.
    """
    n = len(features.rows)
    W = features.rows.new_empty((n, n))
    for strip in Strips.of_bytes(n, 2 * n * W.element_size()):
        with strip as (first, last):
            tile = features.tile(slice(first, last), slice(first, None))
            own = tile[:, : last - first]
            own.copy_((own + own.T) / 2)
            _refuse_negative(features, tile.amin(dim=1), name, first)
            tile.clamp_(min=0.0)
            W[first:last, first:] = tile
            W[first:, first:last] = tile.T
            report(AFFINITY, 1.0 - (1.0 - last / n) ** 2)
    return W


def _refuse_negative(features: TorchFeatures, least: Any, name: str, first: int = 0) -> None:
    """Refuse affinities below zero by more than a floating-point error; exponentials are not."""
    if features.exponential:
        return
    unit = float(np.finfo(on_host(least[:1]).dtype).eps) / 2
    bad = ~(least >= -ERROR_UNITS * unit * float(features.diagonal.max()))
    if bool(bad.any()):
        row = first + int(bad.to(least.dtype).argmax())
        values = features.tile(slice(row, row + 1), slice(None))[0]
        column = int(values.argmin())
        raise bad_weight(float(values[column]), row, column, name)
