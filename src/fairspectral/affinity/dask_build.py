"""From a table on the workers of a Dask cluster and `affinity` to the operator for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.checks import check_square
from fairspectral.affinity.dask_kernel import DaskKernelOperator
from fairspectral.affinity.dask_neighbours import make_neighbours
from fairspectral.affinity.dask_sparse import DaskRowsOperator
from fairspectral.affinity.dask_table import WorkerTable
from fairspectral.affinity.kernel import KERNEL_NAMES, make_kernel
from fairspectral.parameters import check_choice, check_whole_number

# By name; a function of two rows is accepted too.
_NAMES = ("nearest_neighbors", "precomputed", *KERNEL_NAMES)


def make_dask_operator(
    table: WorkerTable,
    affinity: Any,
    *,
    gamma: Any,
    n_neighbors: int,
    kernel_params: dict[str, Any] | None,
    dtype: np.dtype | None,
    budget: int,
) -> AffinityOperator:
    """The operator that applies ``M`` on the workers; see `make_operator`."""
    automatic = isinstance(affinity, str) and affinity == "auto"
    affinity = "nearest_neighbors" if automatic else affinity
    if not callable(affinity):
        if affinity == "gower":
            raise ValueError(
                "affinity='gower' is not for tables on a Dask cluster; choose 'nearest_neighbors' "
                "or 'rbf', and encode the table as numbers first."
            )
        check_choice(affinity, _NAMES, "affinity")
    if isinstance(affinity, str) and affinity == "precomputed":
        check_square(table.shape, "X")
        rows = table.rows if dtype is None else table.rows.map(_cast, dtype)
        return DaskRowsOperator(rows)
    dtype = np.dtype(np.float32) if dtype is None else dtype
    if isinstance(affinity, str) and affinity == "nearest_neighbors":
        check_whole_number(n_neighbors, "n_neighbors")
        if n_neighbors > table.shape[0]:
            raise ValueError(
                f"n_neighbors={n_neighbors} must lie between 1 and the number of samples, "
                f"{table.shape[0]}."
            )
        remedy = f"n_neighbors={n_neighbors} counts the sample itself, so pass at least 2"
        operator = make_neighbours(table, n_neighbors, dtype, budget, remedy)
        if automatic:
            operator.chosen = affinity
            operator.choice = (
                f"affinity='auto' took the graph of {n_neighbors} nearest neighbours, as for every "
                "table on a Dask cluster."
            )
        return operator
    units, means = table.units()
    kernel = make_kernel(affinity, table, gamma, kernel_params, units=units)
    if kernel.units is None:
        return DaskKernelOperator(table, kernel, dtype, budget=budget)
    return DaskKernelOperator(table, kernel, dtype, units, means, budget=budget)


def _cast(part: Any, dtype: np.dtype) -> Any:
    return part.astype(dtype)
