"""Sparse graphs whose rows live on the workers of a Dask cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.checks import bad_weight
from fairspectral.affinity.dask_workers import WorkerRows, Workers, active_client
from fairspectral.affinity.scaled import ScaledOperator
from fairspectral.affinity.sparse import SparseOperator
from fairspectral.linalg.products import sparse_product

# Parts that a client's graph is sent in, at most, and rows in each, at least.
_PARTS, _FEWEST_ROWS = 32, 256


class DaskGraphOperator(SparseOperator):
    """A graph that the client has too, for the search on the cut; workers do the products.

    Parameters
    ----------
    W : sparse matrix or sparse array of shape (n, n)
        Symmetric, non-negative, finite.
    rows : WorkerRows or None
        The rows of ``W``, where the workers have them; None sends them.
    name, remedy : str
        As in `SparseOperator`.
    """

    def __init__(
        self, W: Any, rows: WorkerRows | None = None, *, name: str = "X", remedy: str = ""
    ) -> None:
        super().__init__(W, name=name, remedy=remedy)
        if rows is None:
            n, W = self.shape[0], self.stored_weights
            length = max(_FEWEST_ROWS, -(-n // _PARTS))
            parts = [W[start : start + length] for start in range(0, n, length)]
            rows = WorkerRows.of_client(Workers(active_client()), parts)
        self._rows = rows

    def _product(self, block: np.ndarray) -> np.ndarray:
        return self._rows.products(sparse_product, block)


class DaskRowsOperator(ScaledOperator):
    """Affinities of which the client has only the degrees; there is no search on the cut.

    Parameters
    ----------
    rows : WorkerRows
        The rows of ``W``, symmetric as a whole, in CSR or dense, in one floating-point type.
    name, remedy : str
        As in `SparseOperator`.
    """

    own_threads = True

    def __init__(self, rows: WorkerRows, *, name: str = "X", remedy: str = "") -> None:
        self._rows, self.shape = rows, (rows.n, rows.n)
        submit, firsts = rows.workers.submit, rows.bounds[:-1].tolist()
        measured = rows.workers.results(
            lambda: [
                submit(_measure, part, first, name)
                for part, first in zip(rows.parts, firsts, strict=True)
            ]
        )
        dtypes, sums, diagonals, entries, sizes = zip(*measured, strict=True)
        self.dtype = np.result_type(*dtypes)
        self.density = sum(entries) / max(1, rows.n**2)
        self.nbytes = sum(sizes)
        diagonal = np.concatenate(diagonals)
        self._set_degrees(np.concatenate(sums), name, diagonal=diagonal, remedy=remedy)
        self._check_symmetric(name)

    def _check_symmetric(self, name: str) -> None:
        """Compare the sums of rows and columns, weighted, so that few asymmetries cancel out."""
        weights = np.random.default_rng(0).random(self.shape[0])
        across = self._product(weights.astype(self.dtype)[:, None])[:, 0].astype(np.float64)
        bounds, submit = self._rows.bounds, self._rows.workers.submit
        down = np.sum(
            self._rows.workers.results(
                lambda: [
                    submit(_weighted_columns, part, weights[first:last])
                    for part, first, last in zip(
                        self._rows.parts, bounds[:-1], bounds[1:], strict=True
                    )
                ]
            ),
            axis=0,
        )
        error = np.abs(across - down)
        allowed = 1e3 * np.finfo(self.dtype).eps * float(self.degrees.max())
        if error.max() > allowed:
            at = int(np.argmax(error))
            raise ValueError(
                f"{name} is not symmetric: row {at} and column {at} differ; use (W + W.T) / 2 if "
                "the direction does not matter."
            )

    def _product(self, block: np.ndarray) -> np.ndarray:
        return self._rows.products(_multiply, block)


def distribute_graph(W: Any) -> DaskGraphOperator:
    """Send the rows of a graph to the workers of the Dask client that is in use.

    Pass what it returns to `FairSpectralClustering.fit` with ``affinity="precomputed"``.

    Parameters
    ----------
    W : sparse matrix, sparse array or array of shape (n, n)
        Symmetric, non-negative, finite. The client keeps it for the search on the cut.
    """
    return DaskGraphOperator(W if sp.issparse(W) else sp.csr_array(W))


# --- on the workers -----------------------------------------------------------------------


def _measure(part: Any, first: int, name: str) -> tuple[Any, np.ndarray, np.ndarray, int, int]:
    """Type, sums of rows, diagonal, nonzeros and bytes of checked affinities."""
    values = part.data if sp.issparse(part) else part
    bad = ~((values >= 0) & (values < np.inf))
    if bad.any():
        at = int(np.argmax(bad))
        if sp.issparse(part):
            row = int(np.searchsorted(part.indptr, at, side="right")) - 1
            column = int(part.indices[at])
        else:
            row, column = (int(place) for place in np.unravel_index(at, part.shape))
        raise bad_weight(float(values.ravel()[at]), first + row, column, name)
    sums = np.asarray(part.sum(axis=1, dtype=np.float64)).reshape(-1)
    diagonal = np.asarray(part.diagonal(first))
    return part.dtype, sums, diagonal, int(np.count_nonzero(values)), values.nbytes


def _weighted_columns(part: Any, weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights @ part).reshape(-1)


def _multiply(part: Any, block: np.ndarray) -> np.ndarray:
    return sparse_product(part, block) if sp.issparse(part) else part @ block
