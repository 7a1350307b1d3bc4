"""From the user's `X` and `affinity` to the operator for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph

from fairspectral.affinity.base import AffinityOperator, is_operator
from fairspectral.affinity.checks import refuse_complex
from fairspectral.affinity.dense import DenseOperator
from fairspectral.affinity.kernel import KERNEL_NAMES, KernelOperator, kernel_matrix, make_kernel
from fairspectral.affinity.sparse import SparseOperator
from fairspectral.affinity.units import scaled_and_centred
from fairspectral.affinity.user import UserOperator
from fairspectral.graphs.door import as_graph
from fairspectral.linalg.room import check_room_to_work
from fairspectral.linalg.threads import openmp_after_fork
from fairspectral.parameters import (
    check_choice,
    check_n_jobs,
    check_whole_number,
    parse_memory_budget,
)
from fairspectral.row_order import check_same_sides
from fairspectral.validation import check_dtype, check_sparse_structure, refuse_masked


def make_operator(
    X: Any,
    affinity: str | Callable[..., float] | Any = "rbf",
    *,
    gamma: float | str | None = "scale",
    n_neighbors: int = 10,
    kernel_params: dict[str, Any] | None = None,
    dtype: Any = None,
    memory_budget: int | str | None = None,
    n_jobs: int | None = None,
) -> AffinityOperator:
    """Make the operator that applies ``M``.

    Parameters
    ----------
    X : array, sparse matrix, operator or graph
        Features (n, d), or for ``affinity="precomputed"`` the affinities (n, n) themselves, or a
        graph (networkx, igraph, PyTorch Geometric, `fairspectral.graphs`).
    affinity : str, callable or operator
        ``"precomputed"``, ``"nearest_neighbors"``, a kernel name of
        ``sklearn.metrics.pairwise``, a function of two rows, or an object with ``shape``,
        ``dtype``, ``degrees`` and ``matmat``, and optionally the rest of `AffinityOperator`.
    gamma, kernel_params :
        Parameters of the kernel.
    n_neighbors : int
        For ``"nearest_neighbors"``; the graph is symmetrised as ``(A + A.T) / 2``.
    dtype : numpy dtype or None
        Type of the products. None: float32 for affinities computed here (a cluster label needs no
        more, and a pass costs half), the matrix's own for precomputed ones.
    memory_budget : int, str or None
        Beyond it a kernel is not stored but recomputed in every pass.
    n_jobs : int or None
        Threads for the neighbour search.
    """
    check_room_to_work()
    dtype = None if dtype is None else check_dtype(dtype)
    check_n_jobs(n_jobs)
    if is_operator(affinity):
        return _from_operator(affinity)
    if isinstance(affinity, str) and affinity == "precomputed":
        if is_operator(X):
            return _from_operator(X)
        graph = as_graph(X)
        X = X if graph is None else graph.weights
        check_same_sides(X, "X")
        if sp.issparse(X):
            check_sparse_structure(X)
            refuse_complex(X, "X")
            return SparseOperator(X if dtype is None else X.astype(dtype))
        refuse_masked(X, "X")
        refuse_complex(X, "X")
        return DenseOperator(X if dtype is None else np.asarray(X, dtype=dtype))
    dtype = np.dtype(np.float32) if dtype is None else dtype
    if isinstance(affinity, str) and affinity == "nearest_neighbors":
        remedy = f"n_neighbors={n_neighbors} counts the sample itself, so pass at least 2"
        graph = _neighbour_graph(X, n_neighbors, n_jobs).astype(dtype)
        return SparseOperator(graph, name="the graph of nearest neighbours", remedy=remedy)
    if not callable(affinity):
        check_choice(affinity, ["precomputed", "nearest_neighbors", *KERNEL_NAMES], "affinity")
    kernel = make_kernel(affinity, X, gamma, kernel_params)
    budget = parse_memory_budget(memory_budget)
    if X.shape[0] ** 2 * dtype.itemsize > budget:
        # A kernel's strip, its exponential and its float32 copy are in memory together.
        return KernelOperator(X, kernel, dtype, strip_bytes=min(budget // 3, 2**27))
    return DenseOperator(kernel_matrix(X, kernel, dtype), name=kernel.name, remedy=kernel.remedy)


def _from_operator(operator: Any) -> AffinityOperator:
    return operator if isinstance(operator, AffinityOperator) else UserOperator(operator)


def _neighbour_graph(X: Any, n_neighbors: int, n_jobs: int | None) -> Any:
    n = X.shape[0]
    check_whole_number(n_neighbors, "n_neighbors")
    if n_neighbors > n:
        raise ValueError(
            f"n_neighbors={n_neighbors} must lie between 1 and the number of samples, {n}."
        )
    # Each point is its own first neighbour, as in sklearn.cluster.SpectralClustering.
    with openmp_after_fork():
        graph = kneighbors_graph(
            scaled_and_centred(X), n_neighbors, include_self=True, n_jobs=n_jobs
        )
    return (graph + graph.T) / 2
