"""The affinity as a sparse graph: as CSR on a device for the products, on the host for the search.

The rounding searches through the edges on the host, so that the graph is there in any case.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.sparse import SparseOperator
from fairspectral.affinity.torch_scaled import TorchOperator


class TorchSparseOperator(TorchOperator):
    """Sparse ``W`` of scipy whose products are computed on a device.

    Parameters
    ----------
    W : sparse matrix or sparse array of shape (n, n)
        Symmetric, non-negative, finite.
    device : device of torch
        Where the products are computed.
    name, remedy : str
        As in `SparseOperator`.
    """

    def __init__(self, W: Any, device: Any, *, name: str = "X", remedy: str = "") -> None:
        graph = SparseOperator(W, name=name, remedy=remedy)
        self._set_place(graph.shape[0], graph.dtype, device)
        self._graph, self.stored_weights = graph, graph.stored_weights
        self._csr = _on_device(graph.stored_weights, self.device)
        self.nbytes, self.density = graph.nbytes, graph.density
        self._keep_degrees(graph.degrees)

    def __getstate__(self) -> dict[str, Any]:
        """Without the copy on the device: torch cannot copy sparse tensors this way."""
        return {name: x for name, x in vars(self).items() if name != "_csr"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._csr = _on_device(self.stored_weights, self.device)

    def _product(self, block: Any) -> Any:
        if not block.shape[1]:
            return block.clone()
        return self._csr @ block

    def component_labels(self) -> np.ndarray | None:
        """The connected component of each node of the graph."""
        return self._graph.component_labels()


def _on_device(csr: Any, device: Any) -> Any:
    import torch

    # Indices of 32 bits where they suffice: a product reads half as many bytes for them.
    index = np.int32 if max(csr.nnz, csr.shape[0]) < 2**31 else np.int64
    pointers, columns = (
        torch.from_numpy(part.astype(index)).to(device) for part in (csr.indptr, csr.indices)
    )
    weights = torch.from_numpy(np.require(csr.data, requirements=["C", "W"])).to(device)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            pointers, columns, weights, csr.shape, device=device, check_invariants=False
        )


def graph_like(operator: AffinityOperator, W: Any, *, name: str) -> AffinityOperator:
    """A part of an operator's graph, as an operator on the same device."""
    if isinstance(operator, TorchSparseOperator):
        return TorchSparseOperator(W, operator.device, name=name)
    return SparseOperator(W, name=name)
