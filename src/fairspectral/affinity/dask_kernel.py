"""A kernel whose rows are recomputed on the workers of a Dask cluster in every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from fairspectral.affinity.checks import bad_weight
from fairspectral.affinity.components import computed_components
from fairspectral.affinity.dask_table import WorkerTable, scaled_and_centred_part
from fairspectral.affinity.kernel import Kernel
from fairspectral.affinity.scaled import ScaledOperator
from fairspectral.affinity.units import Units

# Bytes of rows that a task compares its own with at a time, beside which a worker needs little.
_OTHERS = 2**28
# Bytes of affinities that are in memory at a time.
_STRIP = 2**25


class DaskKernelOperator(ScaledOperator):
    """Every worker compares its rows with all others, which visit it, and multiplies.

    Parameters
    ----------
    table : WorkerTable
        The rows.
    kernel : Kernel
        From `make_kernel`.
    dtype : numpy dtype
        Type of the products.
    units, means :
        Of the table, where the kernel depends on differences only.
    budget : int
        Bytes up to which the client takes the rows, for the search on the cut: it needs them, but
        nothing of the size of the affinities.
    """

    def __init__(
        self,
        table: WorkerTable,
        kernel: Kernel,
        dtype: np.dtype,
        units: Units | None = None,
        means: np.ndarray | None = None,
        *,
        budget: int = 0,
    ) -> None:
        n = table.shape[0]
        self.shape, self.dtype, self._kernel = (n, n), np.dtype(dtype), kernel
        rows = table.rows
        self._rows = rows if units is None else rows.map(scaled_and_centred_part, units, means)
        self._groups = self._rows.grouped(_OTHERS, 8 * table.shape[1])
        self.nbytes = 8 * n * table.shape[1]
        # The rows on the client, for single rows of the kernel, and compiled code for these.
        tiles = self._here = None
        if self.nbytes <= budget / 4:
            self._here = np.concatenate(self._rows.ask(_itself))
            tiles = kernel.tiles(self._here, self.dtype)
        if tiles is not None:
            self.own_threads, self.computed_rows = True, tiles.features
        self._tiles = tiles
        sums = self._over_all(_add_sums)
        self.diagonal = diagonal = np.concatenate(self._rows.ask(_diagonal, kernel))
        self._set_degrees(
            np.concatenate(sums), kernel.name, diagonal=diagonal, remedy=kernel.remedy
        )

    @cached_property
    def _component_labels(self) -> np.ndarray | None:
        """Search through rows that the client computes; None where it has not the features."""
        if self._here is None:
            return None
        return computed_components(self.degrees, self.diagonal, self.rows)

    def _product(self, block: np.ndarray) -> np.ndarray:
        return np.concatenate(self._over_all(_add_products, block))

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of the kernel, computed on the client if it has the features."""
        if self._here is None:
            return super().rows(indices)
        if self._tiles is not None:
            return self._tiles.rows(indices)
        return self._kernel(self._here[indices], self._here).astype(self.dtype, copy=False)

    def _over_all(
        self, add: Callable[..., np.ndarray], block: np.ndarray | None = None
    ) -> list[np.ndarray]:
        """For every part, what `add` makes of it with one group of other parts after another."""
        workers, bounds = self._rows.workers, self._rows.bounds

        def submit() -> list[Any]:
            parts = self._rows.parts
            given = [] if block is None else [workers.broadcast(block)]
            tasks = []
            for at, part in enumerate(parts):
                total = None
                for first, last in self._groups:
                    places = (int(bounds[at]), int(bounds[first]))
                    others = parts[first:last]
                    total = workers.submit(
                        add, total, self._kernel, self.dtype, part, others, places, *given
                    )
                tasks.append(total)
            return tasks

        return workers.results(submit)


# --- on the workers -----------------------------------------------------------------------


def _strips(
    kernel: Kernel, dtype: np.dtype, rows: np.ndarray, others: np.ndarray
) -> Iterator[tuple[slice, np.ndarray]]:
    """Affinities of some rows to all others, by compiled code where one process would use it."""
    m, n = len(rows), len(rows) + len(others)
    step = max(1, _STRIP // (8 * len(others)))
    tiles = kernel.tiles(np.concatenate([rows, others]), dtype)
    for start in range(0, m, step):
        some = slice(start, min(start + step, m))
        if tiles is None:
            yield some, kernel(rows[some], others)
        else:
            yield some, tiles.part(some.start, some.stop, m, n)


def _add_sums(
    total: np.ndarray | None,
    kernel: Kernel,
    dtype: np.dtype,
    rows: np.ndarray,
    others: list[np.ndarray],
    places: tuple[int, int],
) -> np.ndarray:
    """Sums of the affinities of some rows to others, in float64, added to earlier ones."""
    sums = np.zeros(len(rows)) if total is None else total.copy()
    for some, values in _strips(kernel, dtype, rows, np.concatenate(others)):
        bad = ~((values >= 0) & (values < np.inf))
        if bad.any():
            a, b = np.unravel_index(int(np.argmax(bad)), bad.shape)
            row, column = places[0] + some.start + int(a), places[1] + int(b)
            raise bad_weight(float(values[a, b]), row, column, kernel.name)
        sums[some] += values.sum(axis=1, dtype=np.float64)
    return sums


def _add_products(
    total: np.ndarray | None,
    kernel: Kernel,
    dtype: np.dtype,
    rows: np.ndarray,
    others: list[np.ndarray],
    places: tuple[int, int],
    block: np.ndarray,
) -> np.ndarray:
    """The affinities of some rows to others, times the others' part of the block."""
    there = np.concatenate(others)
    block = block[places[1] : places[1] + len(there)]
    product = np.empty((len(rows), block.shape[1]), dtype=dtype)
    for some, values in _strips(kernel, dtype, rows, there):
        product[some] = values.astype(dtype, copy=False) @ block
    return product if total is None else total + product


def _diagonal(rows: np.ndarray, kernel: Kernel) -> np.ndarray:
    found = np.empty(len(rows))
    for start in range(0, len(rows), 256):
        few = rows[start : start + 256]
        found[start : start + 256] = kernel(few, few).diagonal()
    return found


def _itself(rows: np.ndarray) -> np.ndarray:
    return rows
