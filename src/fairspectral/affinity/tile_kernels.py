"""The compiled part of recomputed kernels: a tile of affinities, used while it is in the cache.

Importing this module imports numba; `fairspectral.affinity.tiles` does so when it needs it.

All numbers are float32. The exponential is a polynomial, so that the compiler makes vector
instructions of it; with the products of tiles and blocks, which are BLAS's, a pass over the kernel
then takes hardly longer than the arithmetic in it (``python benchmarks/kernel.py``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from fairspectral.linalg.compiled import njit

# Kinds of kernels.
SQUARED_DIFFERENCES, SQUARED_BY_PRODUCTS, ABSOLUTE_DIFFERENCES, POWER_OF_PRODUCT = range(4)

# Rows and columns of a tile: 256 KB, which the second-level cache holds beside the blocks.
TILE = 256

# 2^f for f in [-1/2, 1/2]; with the rounding of float32 the error is 2e-7 of the value.
_POLYNOMIAL = (
    np.polynomial.Chebyshev.interpolate(np.exp2, 5, domain=[-0.5, 0.5])
    .convert(kind=np.polynomial.Polynomial)
    .coef.astype(np.float32)
)
_C0, _C1, _C2, _C3, _C4, _C5 = (np.float32(value) for value in _POLYNOMIAL)
# A float32 of this size has no digits after the point: adding it rounds to a whole number.
_WHOLE = np.float32(1.5 * 2**23)
# Powers of two below this are not normal numbers in float32, and count as zero.
_LEAST = np.float32(-126)
_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)


class Features(NamedTuple):
    """A kernel with its parameters within the features, so that a tile needs only these."""

    kind: int
    rows: np.ndarray  # (n, d)
    columns: np.ndarray  # (d, n), the same transposed
    squares: np.ndarray  # (n,): of SQUARED_BY_PRODUCTS, the squared norms; otherwise empty
    offset: np.float32  # of POWER_OF_PRODUCT
    degree: int


NO_FEATURES = Features(
    SQUARED_DIFFERENCES,
    np.zeros((0, 0), np.float32),
    np.zeros((0, 0), np.float32),
    np.zeros(0, np.float32),
    _ZERO,
    0,
)


@intrinsic
def _bits(typing_context, number):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.int32(types.float32), generate


@intrinsic
def _from_bits(typing_context, bits):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


# No "reassoc": the compiler would cancel the number that rounds.
@njit(cache=True, nogil=True, inline="always", fastmath={"contract"})
def _exp2(power):  # pragma: no cover - compiled
    """``2**power`` for powers that are not positive."""
    shifted = max(power, _LEAST) + _WHOLE
    f = max(power, _LEAST) - (shifted - _WHOLE)
    value = ((((_C5 * f + _C4) * f + _C3) * f + _C2) * f + _C1) * f + _C0
    # The whole part is in the last bits of `shifted`; it goes into the exponent.
    scaled = _from_bits(np.int32(_bits(value) + np.int32(_bits(shifted) << np.int32(23))))
    return scaled if power >= _LEAST else _ZERO


@njit(cache=True, nogil=True, fastmath={"contract"})
def _squared_differences(row, columns, first, last, out):  # pragma: no cover - compiled
    """``sum_f (row_f - columns_f)^2``, three features at a time."""
    d, at = len(row), 0
    out[:] = _ZERO
    while at + 3 <= d:
        a, b, c = row[at], row[at + 1], row[at + 2]
        # Taken from the whole rows: only then the compiler knows that they are contiguous.
        x, y, z = columns[at, first:last], columns[at + 1, first:last], columns[at + 2, first:last]
        for j in range(len(out)):
            u, v, w = a - x[j], b - y[j], c - z[j]
            out[j] += u * u + v * v + w * w
        at += 3
    while at < d:
        a, x = row[at], columns[at, first:last]
        for j in range(len(out)):
            u = a - x[j]
            out[j] += u * u
        at += 1


@njit(cache=True, nogil=True, fastmath={"contract"})
def _absolute_differences(row, columns, first, last, out):  # pragma: no cover - compiled
    d, at = len(row), 0
    out[:] = _ZERO
    while at + 3 <= d:
        a, b, c = row[at], row[at + 1], row[at + 2]
        x, y, z = columns[at, first:last], columns[at + 1, first:last], columns[at + 2, first:last]
        for j in range(len(out)):
            out[j] += abs(a - x[j]) + abs(b - y[j]) + abs(c - z[j])
        at += 3
    while at < d:
        a, x = row[at], columns[at, first:last]
        for j in range(len(out)):
            out[j] += abs(a - x[j])
        at += 1


@njit(cache=True, nogil=True, fastmath={"contract"})
def _inner_products(row, columns, first, last, out):  # pragma: no cover - compiled
    out[:] = _ZERO
    for at in range(len(row)):
        a, x = row[at], columns[at, first:last]
        for j in range(len(out)):
            out[j] += a * x[j]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _power(row, offset, degree):  # pragma: no cover - compiled
    """``(row + offset)**degree`` in place."""
    if degree == 3:  # the default, written so that the compiler makes vector instructions of it
        for j in range(len(row)):
            base = row[j] + offset
            row[j] = base * base * base
        return
    for j in range(len(row)):
        base, value = row[j] + offset, _ONE
        for _ in range(degree):
            value *= base
        row[j] = value


@njit(cache=True, nogil=True)
def kernel_row(features, i, first, last, out):  # pragma: no cover - compiled
    """``out[:last - first]`` = the affinities of row i to the rows from `first` to `last`."""
    row, columns, part = features.rows[i], features.columns, out[: last - first]
    if features.kind == POWER_OF_PRODUCT:
        _inner_products(row, columns, first, last, part)
        _power(part, features.offset, features.degree)
        return
    if features.kind == ABSOLUTE_DIFFERENCES:
        _absolute_differences(row, columns, first, last, part)
    else:
        _squared_differences(row, columns, first, last, part)
    _exponentials(part)


@njit(cache=True, nogil=True)
def kernel_rows(features, indices, out):  # pragma: no cover - compiled
    """Whole rows of the kernel, in the rows of `out`."""
    for at in range(len(indices)):
        kernel_row(features, indices[at], 0, features.rows.shape[0], out[at])


@njit(cache=True, nogil=True)
def kernel_value(features, i, j):  # pragma: no cover - compiled
    """The affinity of two rows."""
    value = np.empty(1, np.float32)
    kernel_row(features, i, j, j + 1, value)
    return value[0]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _exponentials(row):  # pragma: no cover - compiled
    for j in range(len(row)):
        row[j] = _exp2(-row[j])


@njit(cache=True, nogil=True, fastmath={"contract"})
def _exponentials_of_products(row, own, squares):  # pragma: no cover - compiled
    """``2**(-|x - y|^2)`` from ``x.y`` and the squared norms, in place."""
    for j in range(len(row)):
        row[j] = _exp2(min(_TWO * row[j] - (own + squares[j]), _ZERO))


@njit(cache=True, nogil=True)
def fill_tile(features, first, last, begin, end, tile):  # pragma: no cover - compiled
    """The affinities of the rows from `first` to `last` to those from `begin` to `end`."""
    kind = features.kind
    if kind in (SQUARED_DIFFERENCES, ABSOLUTE_DIFFERENCES):
        for i in range(first, last):
            kernel_row(features, i, begin, end, tile[i - first])
        return
    np.dot(features.rows[first:last], features.rows[begin:end].T, tile)
    for i in range(first, last):
        if kind == SQUARED_BY_PRODUCTS:
            _exponentials_of_products(
                tile[i - first], features.squares[i], features.squares[begin:end]
            )
        else:
            _power(tile[i - first], features.offset, features.degree)


@njit(cache=True, nogil=True)
def add_products(features, block, out, these, those):  # pragma: no cover - compiled
    """Add to `out` the products of all tiles between two groups of rows with a block.

    Each tile is computed once: as it is it serves its rows, and transposed its columns.

    Parameters
    ----------
    features : Features
    block, out : ndarray of shape (n, b), float32, C-contiguous
    these, those : ndarray of int64
        Bounds of the tiles of each group; the same ones for the tiles within a group.
    """
    b, same = block.shape[1], these[0] == those[0]
    room, product = np.empty(TILE * TILE, np.float32), np.empty(TILE * b, np.float32)
    for at in range(len(these) - 1):
        first, last = these[at], these[at + 1]
        for other in range(at if same else 0, len(those) - 1):
            begin, end = those[other], those[other + 1]
            rows, columns = last - first, end - begin
            tile = room[: rows * columns].reshape(rows, columns)
            fill_tile(features, first, last, begin, end, tile)
            part = product[: rows * b].reshape(rows, b)
            np.dot(tile, block[begin:end], part)
            out[first:last] += part
            if first != begin:
                part = product[: columns * b].reshape(columns, b)
                np.dot(tile.T, block[first:last], part)
                out[begin:end] += part


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _add_tile(tile, across, down):  # pragma: no cover - compiled
    """Add the sums of the rows of a tile to `across`, in float64, and the rows to `down`."""
    for i in range(tile.shape[0]):
        row, total = tile[i], _ZERO
        for j in range(len(row)):
            total += row[j]
            down[j] += row[j]
        across[i] += np.float64(total)


@njit(cache=True, nogil=True)
def add_sums(features, sums, these, those):  # pragma: no cover - compiled
    """Add to `sums` (n,) in float64 those of all tiles between two groups; their least value."""
    same, least = these[0] == those[0], _ONE
    room, below = np.empty(TILE * TILE, np.float32), np.empty(TILE, np.float32)
    for at in range(len(these) - 1):
        first, last = these[at], these[at + 1]
        for other in range(at if same else 0, len(those) - 1):
            begin, end = those[other], those[other + 1]
            rows, columns = last - first, end - begin
            tile, down = room[: rows * columns].reshape(rows, columns), below[:columns]
            fill_tile(features, first, last, begin, end, tile)
            down[:] = _ZERO
            _add_tile(tile, sums[first:last], down)
            if first != begin:
                for j in range(columns):
                    sums[begin + j] += np.float64(down[j])
            if features.kind == POWER_OF_PRODUCT:
                least = min(least, room[: rows * columns].min())
    return least


@njit(cache=True, nogil=True)
def copy_tiles(features, K, these, those):  # pragma: no cover - compiled
    """Write all tiles between two groups of rows into the matrix, twice."""
    same = these[0] == those[0]
    room = np.empty(TILE * TILE, np.float32)
    for at in range(len(these) - 1):
        first, last = these[at], these[at + 1]
        for other in range(at if same else 0, len(those) - 1):
            begin, end = those[other], those[other + 1]
            rows, columns = last - first, end - begin
            tile = room[: rows * columns].reshape(rows, columns)
            fill_tile(features, first, last, begin, end, tile)
            for i in range(rows):
                K[first + i, begin:end] = tile[i]
            for j in range(columns):
                for i in range(rows):
                    K[begin + j, first + i] = tile[i, j]
