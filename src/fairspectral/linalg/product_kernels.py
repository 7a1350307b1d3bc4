"""The compiled part of the products: a few rows of ``W`` times a narrow block.

Importing this module imports numba; `fairspectral.linalg.products` does so when it needs it.

A library's product of dense matrices first copies ``W`` into an order that suits it, which pays
off when the copy is used for hundreds of columns; a block of a Krylov method has ten or twenty, and
the copy costs more than the product. Here ``W`` is read once, in its own order, and the next part
is fetched from memory while the processor works on the current one.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from fairspectral.linalg.compiled import njit

# Rows of W and columns of the block in one tile: its 24 sums fit the vector registers.
TILE_ROWS, TILE_COLUMNS = 6, 4
# Columns of W in one tile: those of a strip of rows, and the next ones, stay in the cache for the
# whole block. A narrow block needs less time for them, and must not outrun the memory.
_SPAN, _NARROW_SPAN = 2048, 1024
_NARROW = 24
_STRIP_ROWS = 4 * TILE_ROWS
# Numbers between two prefetches: a cache line (64 bytes) of float32, two lines of float64.
_CACHE_LINE = 16


@intrinsic
def _prefetch(typing_context, array, row, column):
    """Fetch the cache line of a matrix element into the second-level cache.

    Without it, products with 16 or 32 columns take 1.07 to 1.28 times as long, and solves of
    dense problems 1.05 to 1.15 times (``benchmarks/products.py --parts``).
    """
    signature = types.void(array, types.intp, types.intp)

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        matrix = context.make_array(kind)(context, builder, arguments[0])
        address = cgutils.get_item_pointer(context, builder, kind, matrix, arguments[1:])
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        instruction = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [pointer, number, number, number]),
            "llvm.prefetch.p0i8",
        )
        reading, second_level, data = number(0), number(2), number(1)
        address = builder.bitcast(address, pointer)
        builder.call(instruction, [address, reading, second_level, data])
        return context.get_dummy_value()

    return signature, generate


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _tile(w0, w1, w2, w3, w4, w5, x0, x1, x2, x3, out):
    """``out (6, 4) += w (6, span) @ x (4, span).T``, all sums in registers."""
    zero = w0[0] - w0[0]
    a0 = a1 = a2 = a3 = zero
    b0 = b1 = b2 = b3 = zero
    c0 = c1 = c2 = c3 = zero
    d0 = d1 = d2 = d3 = zero
    e0 = e1 = e2 = e3 = zero
    f0 = f1 = f2 = f3 = zero
    for j in range(w0.size):
        y0, y1, y2, y3 = x0[j], x1[j], x2[j], x3[j]
        w = w0[j]
        a0, a1, a2, a3 = a0 + w * y0, a1 + w * y1, a2 + w * y2, a3 + w * y3
        w = w1[j]
        b0, b1, b2, b3 = b0 + w * y0, b1 + w * y1, b2 + w * y2, b3 + w * y3
        w = w2[j]
        c0, c1, c2, c3 = c0 + w * y0, c1 + w * y1, c2 + w * y2, c3 + w * y3
        w = w3[j]
        d0, d1, d2, d3 = d0 + w * y0, d1 + w * y1, d2 + w * y2, d3 + w * y3
        w = w4[j]
        e0, e1, e2, e3 = e0 + w * y0, e1 + w * y1, e2 + w * y2, e3 + w * y3
        w = w5[j]
        f0, f1, f2, f3 = f0 + w * y0, f1 + w * y1, f2 + w * y2, f3 + w * y3
    out[0, 0] += a0
    out[0, 1] += a1
    out[0, 2] += a2
    out[0, 3] += a3
    out[1, 0] += b0
    out[1, 1] += b1
    out[1, 2] += b2
    out[1, 3] += b3
    out[2, 0] += c0
    out[2, 1] += c1
    out[2, 2] += c2
    out[2, 3] += c3
    out[3, 0] += d0
    out[3, 1] += d1
    out[3, 2] += d2
    out[3, 3] += d3
    out[4, 0] += e0
    out[4, 1] += e1
    out[4, 2] += e2
    out[4, 3] += e3
    out[5, 0] += f0
    out[5, 1] += f1
    out[5, 2] += f2
    out[5, 3] += f3


@njit(cache=True, nogil=True)
def dense_rows(W, columns, out, first, last):
    """``out[first:last] = W[first:last] @ columns.T``.

    Parameters
    ----------
    W : ndarray of shape (n, n), C-contiguous
    columns : ndarray of shape (b, n), C-contiguous
        The block, transposed; b is a multiple of TILE_COLUMNS.
    out : ndarray of shape (n, b), C-contiguous
    first, last : int
        At least TILE_ROWS apart.
    """
    n, b = W.shape[1], columns.shape[0]
    span = _NARROW_SPAN if b < _NARROW else _SPAN
    scratch = np.empty((_STRIP_ROWS, b), dtype=out.dtype)
    for strip in range(first, last, _STRIP_ROWS):
        # The last tile of the last strip begins early enough to be whole.
        strip = max(first, min(strip, last - TILE_ROWS))
        stop = min(strip + _STRIP_ROWS, last)
        scratch[:] = 0
        tiles = -(-(stop - strip) // TILE_ROWS)
        for begin in range(0, n, span):
            end = min(begin + span, n)
            # The next part of W: to the right, or the beginning of the next rows.
            ahead, below = (end, strip) if end < n else (0, stop)
            share = -(-span * TILE_COLUMNS // b)  # of it, for each group of columns
            for c in range(0, b, TILE_COLUMNS):
                x0, x1 = columns[c, begin:end], columns[c + 1, begin:end]
                x2, x3 = columns[c + 2, begin:end], columns[c + 3, begin:end]
                for t in range(tiles):
                    i = min(strip + t * TILE_ROWS, stop - TILE_ROWS)
                    for row in range(below + t * TILE_ROWS, below + (t + 1) * TILE_ROWS):
                        for j in range(ahead, min(ahead + share, n), _CACHE_LINE):
                            _prefetch(W, min(row, n - 1), j)
                    _tile(
                        W[i, begin:end],
                        W[i + 1, begin:end],
                        W[i + 2, begin:end],
                        W[i + 3, begin:end],
                        W[i + 4, begin:end],
                        W[i + 5, begin:end],
                        x0,
                        x1,
                        x2,
                        x3,
                        scratch[t * TILE_ROWS : (t + 1) * TILE_ROWS, c : c + TILE_COLUMNS],
                    )
                ahead += share
        for t in range(tiles):
            i = min(strip + t * TILE_ROWS, stop - TILE_ROWS)
            for r in range(TILE_ROWS):
                out[i + r] = scratch[t * TILE_ROWS + r]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def sparse_rows(indptr, indices, data, block, out, first, last):
    """``out[first:last] = W[first:last] @ block`` for ``W`` in CSR.

    Four neighbours at a time, so that the sums are loaded and stored once for all of them.

    Parameters
    ----------
    indptr, indices, data : ndarray
        ``W`` of shape (n, n).
    block, out : ndarray of shape (n, b), C-contiguous
    first, last : int
    """
    b = block.shape[1]
    for i in range(first, last):
        sums = out[i]
        for c in range(b):
            sums[c] = 0
        at, end = indptr[i], indptr[i + 1]
        while at + 4 <= end:
            x0, x1 = block[indices[at]], block[indices[at + 1]]
            x2, x3 = block[indices[at + 2]], block[indices[at + 3]]
            w0, w1, w2, w3 = data[at], data[at + 1], data[at + 2], data[at + 3]
            for c in range(b):
                sums[c] += (w0 * x0[c] + w1 * x1[c]) + (w2 * x2[c] + w3 * x3[c])
            at += 4
        while at < end:
            x0, w0 = block[indices[at]], data[at]
            for c in range(b):
                sums[c] += w0 * x0[c]
            at += 1
