"""Passes over a kernel in Triton: distance, exponential and product in one go.

A program has some rows and goes through all others a tile at a time, as flash attention does
without its softmax: the tile's affinities are computed in registers, multiplied with the block and
forgotten. What is read and written is the features and the blocks, never anything n×n.

Rows are padded to whole tiles, and so are features and columns: the padding of the block is zero,
so that affinities to padding count nothing. This module imports Triton; import it where it is used.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

# Only these may be read as globals by compiled functions.
SQUARED: Any = tl.constexpr(0)
DIFFERENCES: Any = tl.constexpr(1)
ABSOLUTE: Any = tl.constexpr(2)
POWER: Any = tl.constexpr(3)
# Tiles whose products are summed by the tensor cores before they are added to the rest: these cut
# sums off where adders round them, which in thousands of tiles would add up.
TILES_TOGETHER: Any = tl.constexpr(32)


@triton.jit
def _powers(base, DEGREE: tl.constexpr):
    power = base
    for _ in tl.static_range(DEGREE - 1):
        power = power * base
    return power


@triton.jit
def _affinities(
    own, own_squares, rows, squares, these, those, row_step, feature_step, offset, shift,
    KIND: tl.constexpr, DEGREE: tl.constexpr, FEATURES: tl.constexpr, DEPTH: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """A tile of affinities in float32; exponentials are multiplied with ``2**shift``.

    `own` are the first features of these rows, which stay in registers from tile to tile.
    """
    tile = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    if KIND == SQUARED or KIND == POWER:  # noqa: SIM109 - Triton has no "in"
        some = tl.arange(0, DEPTH) * feature_step
        theirs = rows + those[None, :] * row_step + some[:, None]
        # Three products of TF32 have the accuracy of float32; one has errors of 1e-2 here.
        tile = tl.dot(own, tl.load(theirs), tile, input_precision="tf32x3")
        for first in range(DEPTH, FEATURES, DEPTH):
            step = first * feature_step
            more = tl.load(rows + these[:, None] * row_step + some[None, :] + step)
            tile = tl.dot(more, tl.load(theirs + step), tile, input_precision="tf32x3")
    else:
        for feature in range(FEATURES):
            # Of 64 bits: features times rows may exceed 2**31.
            step = tl.cast(feature, tl.int64) * feature_step
            a = tl.load(rows + these * row_step + step)
            b = tl.load(rows + those * row_step + step)
            difference = a[:, None] - b[None, :]
            if KIND == DIFFERENCES:
                tile += difference * difference
            else:
                tile += tl.abs(difference)
    if KIND == POWER:
        return _powers(tile + offset, DEGREE)
    if KIND == SQUARED:
        tile = own_squares[:, None] + tl.load(squares + those)[None, :] - 2.0 * tile
        tile = tl.maximum(tile, 0.0)
    return tl.exp2(shift - tile)


@triton.jit
def _own(rows, squares, these, row_step, feature_step, DEPTH: tl.constexpr):
    """The first features and the squared lengths of some rows."""
    some = tl.arange(0, DEPTH) * feature_step
    return tl.load(rows + these[:, None] * row_step + some[None, :]), tl.load(squares + these)


@triton.jit
def multiply(
    rows, squares, block, out, n_padded, row_step, feature_step, offset, shift,
    KIND: tl.constexpr, DEGREE: tl.constexpr, FEATURES: tl.constexpr, DEPTH: tl.constexpr,
    WIDTH: tl.constexpr, HALF: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out = W @ block`` for the rows of one program; WIDTH columns, in float16 if HALF."""
    # Of 64 bits: n times the width may exceed 2**31.
    these = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    own, own_squares = _own(rows, squares, these, row_step, feature_step, DEPTH)
    wide = tl.arange(0, WIDTH)
    total = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    for start in range(0, n_padded, COLUMNS * TILES_TOGETHER):
        part = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
        stop = tl.minimum(start + COLUMNS * TILES_TOGETHER, n_padded)
        for first in range(start, stop, COLUMNS):
            those = tl.cast(first, tl.int64) + tl.arange(0, COLUMNS)
            tile = _affinities(
                own, own_squares, rows, squares, these, those, row_step, feature_step, offset,
                shift, KIND, DEGREE, FEATURES, DEPTH, ROWS, COLUMNS,
            )  # fmt: skip
            factor = tl.load(block + those[:, None] * WIDTH + wide[None, :])
            if HALF:
                part = tl.dot(tile.to(tl.float16), factor, part)
            else:
                part = tl.dot(tile, factor, part, input_precision="tf32x3")
        total += part
    tl.store(out + these[:, None] * WIDTH + wide[None, :], total)


@triton.jit
def sum_rows(
    rows, squares, sums, least, n, n_padded, row_step, feature_step, offset,
    KIND: tl.constexpr, DEGREE: tl.constexpr, FEATURES: tl.constexpr, DEPTH: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The sum of each row's affinities, added up in float64, and the smallest of them."""
    these = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    own, own_squares = _own(rows, squares, these, row_step, feature_step, DEPTH)
    total = tl.zeros((ROWS,), dtype=tl.float64)
    smallest = tl.full((ROWS,), float("inf"), dtype=tl.float32)
    for first in range(0, n_padded, COLUMNS):
        those = tl.cast(first, tl.int64) + tl.arange(0, COLUMNS)
        tile = _affinities(
            own, own_squares, rows, squares, these, those, row_step, feature_step, offset, 0.0,
            KIND, DEGREE, FEATURES, DEPTH, ROWS, COLUMNS,
        )  # fmt: skip
        real = (those < n)[None, :]
        total += tl.sum(tl.where(real, tile, 0.0), axis=1).to(tl.float64)
        smallest = tl.minimum(smallest, tl.min(tl.where(real, tile, float("inf")), axis=1))
    tl.store(sums + these, total)
    tl.store(least + these, smallest)
