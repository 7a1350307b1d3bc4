"""The protocol of affinity operators, on which the rest of the package relies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

import array_api_compat
import array_api_compat.numpy
import numpy as np
import scipy.sparse as sp


class AffinityOperator(ABC):
    """The normalised affinity ``M = D^-1/2 W D^-1/2``, given by its products.

    Dense, sparse, kernel, GPU and distributed affinities all look like this to the solvers and
    to the rounding. An operator must have the first three attributes and `matmat`; the others
    have defaults, which are right for an operator that takes and returns numpy blocks.

    Attributes
    ----------
    shape : tuple of int
        ``(n, n)``.
    dtype : numpy dtype
        float32 or float64; blocks are cast to it and products come back in it.
    degrees : ndarray of shape (n,), float64
        Row sums of ``W``, all positive, in host memory.
    xp : array namespace
        Namespace of the blocks of `matmat`, in the form of ``array_api_compat``. The
        default solver keeps all its blocks there; only small matrices and the answer come back.
    device : device of `xp`, or None
        Device of the blocks; None is the default of `xp`.
    density : float
        Share of the entries of ``W`` that may be nonzero, in (0, 1]. A product costs about this
        share of a dense one; solvers and rounding choose their methods by it.
    stored_weights : ndarray or scipy CSR of shape (n, n), or None
        ``W`` itself, where it is held in host memory: the rounding searches through its rows.
        None where it is recomputed or held elsewhere; then the rounding uses products only.
    computed_rows : tile_kernels.Features or None
        Features from which compiled code computes a row of ``W`` about as fast as it would read it:
        the search by moves then needs no stored ``W``. With it comes a ``diagonal`` of shape (n,).
    own_threads : bool
        Whether products run in this package's own threads. They are then kept apart from those
        of BLAS, and blocks are narrower, because every column costs the same.
    nbytes : int
        Memory that the operator holds.
    choice : str
        Which affinity was chosen and why, in a sentence; empty where the user chose.
    storage : str
        That the affinities are recomputed, why, and how long a pass takes; empty where they are
        stored.
    chosen : str
        The name of the affinity that ``"auto"`` took; empty where the user chose.
    rescaled : bool
        Whether ``"auto"`` divided the columns by their standard deviations before.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    degrees: np.ndarray
    xp: Any = array_api_compat.numpy
    device: Any = None
    density: float = 1.0
    stored_weights: Any = None
    computed_rows: Any = None
    own_threads: bool = False
    nbytes: int = 0
    choice: str = ""
    storage: str = ""
    chosen: str = ""
    rescaled: bool = False

    @abstractmethod
    def matmat(self, block: Any) -> Any:
        """Apply ``M`` to a block of shape (n, b): one pass over the affinities.

        The block is an array of `xp`, on `device`, and is not modified. So is the product, which
        the caller may overwrite.
        """

    def asarray(self, array: Any) -> Any:
        """An array of numpy or of `xp` in the operator's namespace, dtype and device."""
        if self.xp is not array_api_compat.numpy and isinstance(array, np.ndarray):
            # torch has no negative strides, and warns of read-only memory.
            array = np.require(array, requirements=["C", "W"])
        dtype = getattr(self.xp, self.dtype.name)
        return self.xp.asarray(array, dtype=dtype, device=self.device)

    def matmat_on_host(self, block: np.ndarray) -> np.ndarray:
        """`matmat` of a numpy block, as a numpy array, for code that computes on the host."""
        product = self.matmat(self.asarray(block))
        return np.asarray(array_api_compat.to_device(product, "cpu"))

    def computing(self) -> AbstractContextManager[None]:
        """Context in which a solver computes with blocks of `xp`."""
        return nullcontext()

    def component_labels(self) -> np.ndarray | None:
        """The connected component of each node, or None where that is expensive to compute."""
        return self._component_labels

    @cached_property
    def _component_labels(self) -> np.ndarray | None:
        """Compute `component_labels`; called once, as the affinities do not change."""
        return None

    def component_sizes(self) -> np.ndarray | None:
        """Nodes in each connected component, or None where that is expensive to compute."""
        labels = self.component_labels()
        return None if labels is None else np.bincount(labels)

    def count_components(self) -> int | None:
        """Number of connected components, or None where that is expensive to compute."""
        sizes = self.component_sizes()
        return None if sizes is None else len(sizes)

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of ``W`` as a dense array of shape (m, n); meant for a small sample."""
        if self.stored_weights is not None:
            rows = self.stored_weights[indices]
            return rows.toarray() if sp.issparse(rows) else np.asarray(rows)
        units = np.zeros((self.shape[0], len(indices)))
        units[indices, np.arange(len(indices))] = 1.0
        roots = np.sqrt(self.degrees)
        return self.matmat_on_host(units).T * roots * roots[indices][:, None]


def is_operator(candidate: Any) -> bool:
    """Whether an object has the required attributes of an operator (ours or a user's)."""
    return all(hasattr(candidate, name) for name in ("matmat", "degrees", "shape", "dtype"))
