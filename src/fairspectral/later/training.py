"""The people of a fit, kept so that later people can be compared with them.

The rows are kept as the fit read them and are not copied where scikit-learn's checks do not copy;
of affinities that were given, nothing but what the operator holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from fairspectral.affinity import AffinityOperator, is_operator
from fairspectral.affinity.automatic import GOWER, GRAPH, common_units
from fairspectral.affinity.dask_table import WorkerTable
from fairspectral.affinity.gower import make_gower_kernel
from fairspectral.affinity.kernel import RowKernel, make_kernel
from fairspectral.affinity.mixed import MixedTable, read_mixed
from fairspectral.affinity.neighbours import NEIGHBOURS
from fairspectral.affinity.units import scaled_and_centred
from fairspectral.later.recognising import fingerprints
from fairspectral.linalg.threads import openmp_threads
from fairspectral.tensors import on_host

PRECOMPUTED, NEIGHBOUR_GRAPH, ON_WORKERS = "precomputed", "nearest_neighbors", "on workers"
# Affinities in a strip of later people, 128 MB.
_NUMBERS = 2**24


@dataclass(frozen=True)
class Training:
    """What later people are compared with.

    Attributes
    ----------
    affinity : str or callable
        How, with ``"auto"`` replaced by what it took; `PRECOMPUTED` where affinities were given,
        `ON_WORKERS` where only the workers of a Dask cluster have the rows.
    data : ndarray, tensor, CSR, MixedTable or None
        The table, or affinities that are in memory; None where there is neither.
    n_neighbors, gamma, kernel_params :
        As in `FairSpectralClustering`.
    rescaled : bool
        Whether the columns are compared over their standard deviations.
    dtype : numpy dtype
        Type of given affinities.
    marks : ndarray of shape (n, 2) or None
        Fingerprints of the rows, where a file has them in place of the rows.
    """

    affinity: Any
    data: Any
    n_neighbors: int = 10
    gamma: Any = "scale"
    kernel_params: dict[str, Any] | None = None
    rescaled: bool = False
    dtype: Any = np.float64
    marks: np.ndarray | None = None

    @classmethod
    def of(cls, X: Any, affinity: Any, operator: AffinityOperator, **options: Any) -> Training:
        """The people of a fit: its checked data, the user's affinity, and what came of them."""
        affinity = operator.chosen or affinity
        if is_operator(affinity) or is_operator(X) or affinity == PRECOMPUTED:
            return cls(PRECOMPUTED, operator.stored_weights, dtype=operator.dtype, **options)
        if isinstance(X, WorkerTable):
            return cls(ON_WORKERS, None)
        if affinity == GOWER and not isinstance(X, MixedTable):
            X = read_mixed(on_host(X))
        return cls(affinity, X, rescaled=operator.rescaled, **options)

    def check_rows_are_here(self) -> None:
        """Refuse to compare anybody with rows that this process does not have."""
        if self.affinity == ON_WORKERS:
            raise ValueError(
                "the model was fitted on a Dask cluster, and this process does not have its rows; "
                "to place later people or to save the model, fit an array or DataFrame in memory."
            )

    @cached_property
    def rows(self) -> Any:
        """`data` in host memory, where later people are compared with them."""
        return on_host(self.data)

    @cached_property
    def fingerprints(self) -> np.ndarray | None:
        """Of the rows; None where they are not known."""
        if self.data is None or self.marks is not None:
            return self.marks
        return fingerprints(_plain(self.rows))

    def affinities(self, later: Any) -> Iterator[tuple[slice, Any]]:
        """Strips of the affinities of later people, as (rows, array or CSR of shape (b, n)).

        Parameters
        ----------
        later : ndarray or CSR of shape (m, d)
            Rows as `fairspectral.later.reading` returns them; affinities are returned as they are.
        """
        if self.affinity == PRECOMPUTED:
            yield slice(0, later.shape[0]), later
        elif self.affinity in (GRAPH, NEIGHBOUR_GRAPH):
            yield slice(0, later.shape[0]), self._edges(later)
        else:
            yield from self._strips(later)

    def _kernel(self, compared: Any) -> RowKernel:
        if self.affinity == GOWER:
            return make_gower_kernel(self.rows, self.gamma, self.kernel_params)
        return make_kernel(self.affinity, compared, self.gamma, self.kernel_params)

    def _together(self, later: Any) -> Any:
        """The rows of the fit and below them the later ones, as they are compared."""
        rows = _plain(self.rows)
        if sp.issparse(rows) or sp.issparse(later):
            return sp.csr_array(sp.vstack([sp.csr_array(rows), sp.csr_array(later)]))
        both = np.vstack([rows, later])
        return both * self._factors if self.rescaled else both

    @cached_property
    def _factors(self) -> np.ndarray:
        """One over the standard deviation of each column, up to one factor for all."""
        widths = np.ptp(self.rows, axis=0)
        scaled = np.ptp(common_units(self.rows)[0], axis=0)
        return np.divide(scaled, widths, out=np.ones_like(scaled), where=widths > 0)

    def _strips(self, later: Any) -> Iterator[tuple[slice, np.ndarray]]:
        both = self._together(later)
        n = both.shape[0] - later.shape[0]
        kernel = self._kernel(both[:n])
        both = kernel.prepare(both)  # together, because a kernel centres the rows that it gets
        step = max(1, _NUMBERS // n)
        for start in range(0, later.shape[0], step):
            stop = min(start + step, later.shape[0])
            yield slice(start, stop), kernel(both[n + start : n + stop], both[:n])

    def _edges(self, later: Any) -> Any:
        """Edges to the nearest people of the fit, with the weights that a fit would give them."""
        both = scaled_and_centred(self._together(later))
        m, n = later.shape[0], both.shape[0] - later.shape[0]
        # `n_neighbors` counts the person, as in the fit.
        most = NEIGHBOURS if self.affinity == GRAPH else max(1, self.n_neighbors - 1)
        with openmp_threads():
            search = NearestNeighbors(n_neighbors=min(most, n)).fit(both[:n])
            distances, neighbours = search.kneighbors(both[n:])
        weights = np.ones_like(distances)
        if self.affinity == GRAPH:
            widths = distances[:, -1:]
            weights = np.exp(-np.square(distances / np.where(widths > 0, widths, 1.0)))
        rows = np.repeat(np.arange(m), neighbours.shape[1])
        return sp.csr_array((weights.ravel(), (rows, neighbours.ravel())), shape=(m, n))


def _plain(rows: Any) -> Any:
    return rows.values if isinstance(rows, MixedTable) else rows
