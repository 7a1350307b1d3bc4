"""What the torch operators share: blocks on a device, scaled by the degrees."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.checks import check_degrees
from fairspectral.affinity.torch_precision import full_precision
from fairspectral.tensors import on_host


class TorchOperator(AffinityOperator):
    """``D^-1/2 W D^-1/2`` from products with ``W`` on a device of torch.

    A subclass implements `_product` and calls `_set_place` and `_set_degrees`.
    """

    @property
    def xp(self) -> Any:
        """The namespace of torch; a module that an operator kept could not be pickled."""
        return importlib.import_module("array_api_compat.torch")

    def _set_place(self, n: int, dtype: Any, device: Any) -> None:
        import torch

        self.shape, self.dtype, self.device = (n, n), np.dtype(dtype), torch.device(device)

    def _set_degrees(self, degrees: Any, name: str, *, diagonal: Any, remedy: str = "") -> None:
        """Sums in float64, of numpy or on the device, which are checked on the host."""
        degrees, diagonal = (np.asarray(on_host(x), np.float64) for x in (degrees, diagonal))
        check_degrees(degrees, name, diagonal=diagonal, dtype=self.dtype, remedy=remedy)
        self._keep_degrees(degrees)

    def _keep_degrees(self, degrees: np.ndarray) -> None:
        self.degrees = degrees
        self._scale = self.asarray(1.0 / np.sqrt(degrees)[:, None])

    @abstractmethod
    def _product(self, block: Any) -> Any:
        """``W @ block`` for a block of the operator's dtype on its device."""

    def matmat(self, block: Any) -> Any:
        """Apply ``M`` to a block of shape (n, b): one pass over the affinities."""
        with full_precision():
            product = self._product(self.asarray(block) * self._scale)
        product *= self._scale
        return product

    def in_float64(self) -> AffinityOperator | None:
        """The same affinities and degrees with products in float64."""
        return None

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Products of float32 are those of float32; too little memory is an error in words."""
        import torch

        try:
            with full_precision():
                yield
        except torch.OutOfMemoryError:
            raise MemoryError(
                f"the memory of {self.device} does not suffice for the vectors of the solver; pass "
                "a smaller memory_budget, or device='cpu'."
            ) from None


def torch_dtype(dtype: np.dtype) -> Any:
    """The type of torch with the name of one of numpy."""
    import torch

    return getattr(torch, np.dtype(dtype).name)
