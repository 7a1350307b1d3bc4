"""The affinity as a dense tensor on a device, used in place."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.checks import asymmetric, bad_weight, check_square
from fairspectral.affinity.dense import search_components
from fairspectral.affinity.torch_scaled import TorchOperator, torch_dtype
from fairspectral.affinity.torch_strips import Strips
from fairspectral.tensors import on_host, to_tensor

# Up to this size the matrix is copied to the host when the rounding asks for it: moves of single
# persons then lower the cut further than products alone can.
_MOST_FETCHED = 2**31


class TorchDenseOperator(TorchOperator):
    """Dense ``W`` on a device: kept by reference, never copied if it is a contiguous float tensor.

    Parameters
    ----------
    W : tensor of shape (n, n)
        Symmetric, non-negative, finite.
    name : str
        Its name in errors.
    remedy : str
        Advice in errors where there is no affinity between nodes.
    on_the_host : ndarray of shape (n, n) or None
        The same matrix, where it is in host memory too.
    """

    def __init__(
        self,
        W: Any,
        *,
        name: str = "X",
        remedy: str = "",
        on_the_host: np.ndarray | None = None,
    ) -> None:
        check_square(tuple(W.shape), name)
        W = W.detach().contiguous()
        self._W, self._given = W, on_the_host
        self._set_place(W.shape[0], str(W.dtype).removeprefix("torch."), W.device)
        self.nbytes = W.nbytes
        self._set_degrees(_scan(W, name), name, diagonal=W.diagonal(), remedy=remedy)

    @cached_property
    def stored_weights(self) -> np.ndarray | None:
        """``W`` in host memory, copied when first asked for; None where it is too large."""
        if self._given is not None:
            return self._given
        return on_host(self._W) if self.nbytes <= _MOST_FETCHED else None

    @cached_property
    def _component_labels(self) -> np.ndarray:
        """Search through the rows; a fully connected ``W`` is settled by its first row."""
        return search_components(self.shape[0], lambda row: on_host(self._W[row] > 0))

    def _product(self, block: Any) -> Any:
        return self._W @ block

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of ``W``."""
        return on_host(self._W[self.xp.asarray(np.asarray(indices), device=self.device)])

    def in_float64(self) -> AffinityOperator | None:
        """The same affinities and degrees with products in float64, a strip of rows at a time."""
        return _WideDense(self)


class _WideDense(TorchOperator):
    """Products in float64 with a matrix in float32, which is not copied as a whole."""

    def __init__(self, operator: TorchDenseOperator) -> None:
        self._W = operator._W
        self._set_place(operator.shape[0], np.float64, operator.device)
        self.nbytes = operator.nbytes
        self._keep_degrees(operator.degrees)
        self._strips = Strips.of_bytes(self.shape[0], 8 * self.shape[0])

    def _product(self, block: Any) -> Any:
        product = self.xp.empty_like(block)
        for strip in self._strips:
            with strip as (first, last):
                product[first:last] = self._W[first:last].to(block.dtype) @ block
        return product


def _scan(W: Any, name: str) -> Any:
    """Check every weight and the symmetry, and sum the rows; a strip of rows at a time."""
    import torch

    n = W.shape[0]
    degrees = torch.empty(n, dtype=torch.float64, device=W.device)
    # As in `fairspectral.affinity.dense`.
    tolerance = 50 * torch.finfo(W.dtype).eps
    for strip in Strips.of_bytes(n, 4 * n * W.element_size()):
        with strip as (first, last):
            rows, columns = W[first:last], W[:, first:last].T
            bad = ~((rows >= 0) & (rows < torch.inf))  # written so that NaN fails too
            if bool(bad.any()):
                row, column = divmod(int(bad.to(torch.uint8).argmax()), n)
                raise bad_weight(float(rows[row, column]), first + row, column, name)
            difference = (rows - columns).abs_()
            if float(difference.max()) > tolerance * float(torch.maximum(rows, columns).max()):
                row, column = divmod(int(difference.argmax()), n)
                pair = float(rows[row, column]), float(columns[row, column])
                raise asymmetric(*pair, first + row, column, name)
            degrees[first:last] = rows.sum(dim=1, dtype=torch.float64)
    return degrees


def as_weights(W: Any, dtype: np.dtype | None, device: Any) -> Any:
    """A dense tensor or array of affinities as a float tensor on a device."""
    import torch

    if isinstance(W, np.ndarray):
        W = to_tensor(W)
    if dtype is not None:
        return W.to(device, torch_dtype(dtype))
    if W.dtype in (torch.float32, torch.float64):
        return W.to(device)
    return W.to(device, torch.float32 if W.is_floating_point() else torch.float64)
