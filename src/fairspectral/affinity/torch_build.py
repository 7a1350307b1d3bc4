"""The operators on a device: which one, by the affinities and the memory there."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.dense import DenseOperator
from fairspectral.affinity.kernel import Kernel, KernelOperator, RowKernel, kernel_matrix
from fairspectral.affinity.mixed import MixedTable
from fairspectral.affinity.torch_dense import TorchDenseOperator, as_weights
from fairspectral.affinity.torch_features import TorchFeatures, torch_features
from fairspectral.affinity.torch_kernel import TorchKernelOperator, kernel_matrix_on_device
from fairspectral.affinity.torch_precision import full_precision
from fairspectral.affinity.torch_sparse import TorchSparseOperator
from fairspectral.parameters import parse_memory_budget
from fairspectral.tensors import Place, free_bytes, is_tensor, on_host, to_tensor


def budget_of(memory_budget: int | str | None, place: Place) -> int:
    """Bytes for the affinities: by default half of what is free on a GPU, or of the machine's."""
    if memory_budget is None and place.device is not None and place.device.type == "cuda":
        return free_bytes(place.device) // 2
    return parse_memory_budget(memory_budget)


def features_on_device(X: Any, place: Place) -> Any:
    """Dense features as a tensor on the device; sparse and mixed ones are read on the host."""
    if place.device is None or sp.issparse(X) or isinstance(X, MixedTable):
        return X
    if isinstance(X, np.ndarray):
        X = to_tensor(X)
    return X.to(place.device)


def given_on_device(
    W: Any, dtype: np.dtype | None, place: Place, *, name: str = "X", remedy: str = ""
) -> AffinityOperator:
    """Affinities that were given, or computed on the host: a tensor, an array, a sparse matrix."""
    import torch

    if sp.issparse(W):
        return graph_on_device(W if dtype is None else W.astype(dtype), place)
    host = None if is_tensor(W) else np.asarray(W)
    try:
        weights = as_weights(W if host is None else host, dtype, place.device)
    except torch.OutOfMemoryError:
        operator: AffinityOperator = DenseOperator(
            np.asarray(on_host(W), dtype=dtype), name=name, remedy=remedy
        )
        operator.storage = f"The affinities do not fit on {place.device}, so the CPU has them."
        return operator
    same = False
    if host is not None:
        same = host.dtype.isnative and str(weights.dtype).endswith(host.dtype.name)
    operator = TorchDenseOperator(
        weights, name=name, remedy=remedy, on_the_host=host if same else None
    )
    operator.storage = f"The affinities are held on {operator.device}."
    return operator


def graph_on_device(W: Any, place: Place, *, name: str = "X", remedy: str = "") -> AffinityOperator:
    """A graph in host memory, with products on the device."""
    operator = TorchSparseOperator(W, place.device, name=name, remedy=remedy)
    operator.storage = f"Products with the graph are computed on {operator.device}."
    return operator


def kernel_on_device(
    X: Any, kernel: RowKernel, dtype: np.dtype, budget: int, place: Place, *, half: bool
) -> AffinityOperator:
    """The affinities in the device's memory if they fit, else recomputed there in every pass.

    Kernels that torch does not compute are computed on the host, and multiplied on the device
    where they fit.

    Parameters
    ----------
    X : tensor, sparse matrix or table
        The features, from `features_on_device`.
    kernel : RowKernel
        From `make_kernel` or `make_gower_kernel`.
    dtype : numpy dtype
        Type of the affinities.
    budget : int
        Bytes for them.
    place : Place
        The device.
    half : bool
        Whether products may be rounded to float16 where affinities are recomputed.
    """
    n = X.shape[0]
    needed = n * n * dtype.itemsize
    features = None
    if is_tensor(X) and isinstance(kernel, Kernel):
        features = torch_features(X, kernel, dtype)
    why = f"The matrix would take {needed / 1e9:.2g} GB, the budget is {budget / 1e9:.2g} GB. "
    if features is None:
        X = on_host(X)
        # The host must have room for the matrix too.
        if needed > min(budget, parse_memory_budget(None)):
            why += "This kernel cannot be recomputed by torch, so numpy does it on the CPU. "
            return KernelOperator(X, kernel, dtype, strip_bytes=min(budget // 3, 2**27), before=why)
        W = kernel_matrix(X, kernel, dtype)
        return given_on_device(W, None, place, name=kernel.name, remedy=kernel.remedy)
    if needed <= budget:
        stored = _stored(features, kernel)
        if stored is not None:
            return stored
        why = f"The {needed / 1e9:.2g} GB of the matrix were not free on {place.device}. "
    return TorchKernelOperator(features, kernel, half=half, before=why)


def _stored(features: TorchFeatures, kernel: RowKernel) -> AffinityOperator | None:
    """The whole matrix on the device; None where its memory does not suffice after all."""
    import torch

    try:
        with full_precision():
            W = kernel_matrix_on_device(features, kernel.name)
            operator = TorchDenseOperator(W, name=kernel.name, remedy=kernel.remedy)
    except (torch.OutOfMemoryError, MemoryError):
        torch.cuda.empty_cache()
        return None
    operator.storage = f"The affinities are held on {operator.device}."
    return operator
