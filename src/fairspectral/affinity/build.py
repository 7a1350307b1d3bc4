"""From the user's `X` and `affinity` to the operator for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.automatic import (
    GOWER,
    GRAPH,
    PLAIN_NEIGHBOURS,
    asked_for,
    choose_affinity,
    common_units,
)
from fairspectral.affinity.base import AffinityOperator, is_operator
from fairspectral.affinity.checks import refuse_complex
from fairspectral.affinity.dask_build import make_dask_operator
from fairspectral.affinity.dask_table import WorkerTable
from fairspectral.affinity.dense import DenseOperator
from fairspectral.affinity.gower import make_gower_kernel
from fairspectral.affinity.kernel import (
    KERNEL_NAMES,
    KernelOperator,
    RowKernel,
    kernel_matrix,
    make_kernel,
)
from fairspectral.affinity.mixed import MixedTable, read_mixed
from fairspectral.affinity.nearest import find_neighbours
from fairspectral.affinity.neighbours import NEIGHBOURS, self_tuned_graph, symmetric_graph
from fairspectral.affinity.sparse import SparseOperator
from fairspectral.affinity.torch_build import (
    budget_of,
    features_on_device,
    given_on_device,
    graph_on_device,
    kernel_on_device,
)
from fairspectral.affinity.torch_kernel import COARSE
from fairspectral.affinity.units import scaled_and_centred
from fairspectral.affinity.user import UserOperator
from fairspectral.checkpoint import once
from fairspectral.graphs.door import as_graph
from fairspectral.linalg.room import check_room_to_work
from fairspectral.parameters import (
    check_choice,
    check_n_jobs,
    check_whole_number,
    parse_memory_budget,
)
from fairspectral.row_order import check_same_sides
from fairspectral.tensors import Place, choose_place, is_tensor, on_host
from fairspectral.validation import check_dtype, check_sparse_structure, refuse_masked

# By name; a function, an operator and a graph are accepted too.
AFFINITY_NAMES = ("auto", "precomputed", "nearest_neighbors", "gower", *KERNEL_NAMES)


def make_operator(
    X: Any,
    affinity: str | Callable[..., float] | Any = "rbf",
    *,
    gamma: float | str | None = "scale",
    n_neighbors: int = PLAIN_NEIGHBOURS,
    kernel_params: dict[str, Any] | None = None,
    dtype: Any = None,
    memory_budget: int | str | None = None,
    device: str | Place | None = None,
    tol: float | None = None,
    n_jobs: int | None = None,
) -> AffinityOperator:
    """Make the operator that applies ``M``.

    Parameters
    ----------
    X : array, sparse matrix, tensor, MixedTable, operator or graph
        Features (n, d), or for ``affinity="precomputed"`` the affinities (n, n) themselves, or a
        graph (networkx, igraph, PyTorch Geometric, `fairspectral.graphs`).
    affinity : str, callable or operator
        ``"auto"``, ``"precomputed"``, ``"nearest_neighbors"``, ``"gower"``, a kernel name of
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
    device : str, Place or None
        Where torch computes, as in `FairSpectralClustering`; an operator has its own device.
    tol : float or None
        Gap of the objective that the products must be accurate enough for; None is the solvers'
        default. On a GPU, coarse ones are quicker.
    n_jobs : int or None
        Threads for the neighbour search.
    """
    check_room_to_work()
    dtype = None if dtype is None else check_dtype(dtype)
    check_n_jobs(n_jobs)
    on_workers = isinstance(X, WorkerTable)
    if not isinstance(device, Place):
        device = choose_place(device, X, on_workers=on_workers)
    place = device
    if is_operator(affinity):
        return _from_operator(affinity)
    if on_workers:
        _refuse_device(place)
        return make_dask_operator(
            X,
            affinity,
            gamma=gamma,
            n_neighbors=n_neighbors,
            kernel_params=kernel_params,
            dtype=dtype,
            budget=parse_memory_budget(memory_budget),
        )
    if isinstance(affinity, str) and affinity == "precomputed":
        operator = _from_operator(X) if is_operator(X) else _from_affinities(X, dtype, place)
        return _said(operator, place)
    means = _Means(
        np.dtype(np.float32) if dtype is None else dtype,
        budget_of(memory_budget, place),
        place,
        half=dtype is None and (tol is None or tol >= COARSE),
        n_jobs=n_jobs,
    )
    why = units = ""
    if isinstance(affinity, str) and affinity == "auto":
        # The rules look at the table on the host.
        table, units = common_units(on_host(X))
        affinity, why = asked_for(table, gamma, n_neighbors, kernel_params)
        if not affinity:
            needed = X.shape[0] ** 2 * means.dtype.itemsize
            affinity, why = choose_affinity(table, needed, means.budget)
        X = table if units or not is_tensor(X) else X
    operator = _from_features(
        features_on_device(X, place), affinity, gamma, n_neighbors, kernel_params, means, why
    )
    operator.chosen = str(affinity) if why else ""
    if units and affinity != GOWER:  # which compares ranges, whatever the units
        operator.choice, operator.rescaled = f"{operator.choice} {units}", True
    return _said(operator, place)


class _Means(NamedTuple):
    """By what means affinities are computed, whichever they are.

    ``half`` is whether products may be rounded to float16 on a GPU.
    """

    dtype: np.dtype
    budget: int
    place: Place
    half: bool
    n_jobs: int | None


def _said(operator: AffinityOperator, place: Place) -> AffinityOperator:
    """The operator, which also says what came of ``device="auto"``."""
    if place.words:
        operator.storage = f"{operator.storage} {place.words}".strip()
    return operator


def _refuse_device(place: Place) -> None:
    if place.device is not None:
        raise ValueError(
            f"device={str(place.device)!r} is for data in this process, and these are on the "
            "workers of a Dask cluster; leave out device."
        )


def _from_affinities(X: Any, dtype: np.dtype | None, place: Place) -> AffinityOperator:
    """The operator of given affinities: an array, a sparse matrix, a tensor or a graph."""
    graph = as_graph(X)
    X = X if graph is None else graph.weights
    check_same_sides(X, "X")
    if sp.issparse(X):
        check_sparse_structure(X)
    if not is_tensor(X):
        refuse_masked(X, "X")
        refuse_complex(X, "X")
    if place.device is not None:
        return given_on_device(X, dtype, place)
    if sp.issparse(X):
        return SparseOperator(X if dtype is None else X.astype(dtype))
    return DenseOperator(X if dtype is None else np.asarray(X, dtype=dtype))


def _from_features(
    X: Any,
    affinity: Any,
    gamma: Any,
    n_neighbors: int,
    kernel_params: dict[str, Any] | None,
    means: _Means,
    why: str,
) -> AffinityOperator:
    """The operator of one affinity; `why` says that, and for what reason, "auto" took it."""
    if isinstance(affinity, str) and affinity == GRAPH:
        return _self_tuned(X, means, why)
    if isinstance(affinity, str) and affinity == "nearest_neighbors":
        remedy = f"n_neighbors={n_neighbors} counts the sample itself, so pass at least 2"
        found = once("graph", partial(_neighbour_graph, X, n_neighbors, means))
        graph, words = found
        near = _from_graph(graph, means, remedy)
        if why:
            graph_of = f"the graph of {n_neighbors} nearest neighbours"
            near.choice = f"affinity='auto' took {graph_of}, because {why}."
        elif words:
            near.choice = "affinity='nearest_neighbors', as given."
        if words:
            near.choice += f" {words}"
        return near
    if isinstance(affinity, str) and affinity == GOWER:
        return _gower(X, gamma, kernel_params, means, why)
    if not callable(affinity):
        check_choice(affinity, AFFINITY_NAMES, "affinity")
    kernel = make_kernel(affinity, X, gamma, kernel_params)
    operator = _from_kernel(X, kernel, means)
    if why:
        operator.choice = f"affinity='auto' took the rbf kernel, because {why}."
    return operator


def _from_graph(graph: Any, means: _Means, remedy: str = "") -> AffinityOperator:
    """The operator of a graph of neighbours."""
    name = "the graph of nearest neighbours"
    if means.place.device is not None:
        return graph_on_device(graph, means.place, name=name, remedy=remedy)
    return SparseOperator(graph, name=name, remedy=remedy)


def _from_kernel(X: Any, kernel: RowKernel, means: _Means) -> AffinityOperator:
    """The affinities in memory if they fit, else recomputed in every pass."""
    dtype, budget = means.dtype, means.budget
    if means.place.device is not None:
        return kernel_on_device(X, kernel, dtype, budget, means.place, half=means.half)
    needed = X.shape[0] ** 2 * dtype.itemsize
    if needed > budget:
        why = f"The matrix would take {needed / 1e9:.2g} GB, the budget is {budget / 1e9:.2g} GB. "
        # A kernel's strip, its exponential and its float32 copy are in memory together.
        return KernelOperator(X, kernel, dtype, strip_bytes=min(budget // 3, 2**27), before=why)
    return DenseOperator(kernel_matrix(X, kernel, dtype), name=kernel.name, remedy=kernel.remedy)


def _gower(
    X: Any,
    gamma: Any,
    kernel_params: dict[str, Any] | None,
    means: _Means,
    why: str,
) -> AffinityOperator:
    table = X if isinstance(X, MixedTable) else read_mixed(on_host(X))
    kernel = make_gower_kernel(table, gamma, kernel_params)
    operator = _from_kernel(table.values, kernel, means)
    chosen = "Gower's distance, as given"
    if why:
        chosen = f"affinity='auto' took Gower's distance, because {why}"
    width = f"The affinity at distance d is exp(-d / {1 / kernel.gamma:.3g})."
    operator.choice = f"{chosen}. {table.words} {width}"
    return operator


def _self_tuned(X: Any, means: _Means, why: str) -> AffinityOperator:
    graph, pieces, words = once("graph", partial(self_tuned_graph, X, means.n_jobs))
    operator = _from_graph(graph.astype(means.dtype), means)
    linked = f" Its {pieces} pieces are linked by their nearest people." if pieces > 1 else ""
    operator.choice = (
        f"affinity='auto' took a connected graph of {min(NEIGHBOURS, X.shape[0] - 1)} nearest "
        f"neighbours with a width of its own for each row, because {why}.{linked}"
        f"{words and ' '}{words}"
    )
    return operator


def _from_operator(operator: Any) -> AffinityOperator:
    return operator if isinstance(operator, AffinityOperator) else UserOperator(operator)


def _neighbour_graph(X: Any, n_neighbors: int, means: _Means) -> tuple[Any, str]:
    """The symmetric graph of neighbours, and how exact they are."""
    n = X.shape[0]
    check_whole_number(n_neighbors, "n_neighbors")
    if n_neighbors > n:
        raise ValueError(
            f"n_neighbors={n_neighbors} must lie between 1 and the number of samples, {n}."
        )
    itself = np.arange(n)[:, None]
    if n_neighbors == 1:
        return symmetric_graph(itself, np.ones((n, 1), dtype=means.dtype)), ""
    found = find_neighbours(scaled_and_centred(X), n_neighbors - 1, means.n_jobs)
    # Each point is its own first neighbour, as in sklearn.cluster.SpectralClustering.
    neighbours = np.hstack([itself, found.indices])
    return symmetric_graph(neighbours, np.ones(neighbours.shape, dtype=means.dtype)), found.words
