import numpy as np
import pytest
from helpers import assert_close

from fairspectral.linalg import blocks


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_in_place_equal_the_plain_ones(rng, dtype, monkeypatch):
    monkeypatch.setattr(blocks, "_STRIP_BYTES", 1)  # several strips of 256 rows
    block = rng.standard_normal((700, 5)).astype(dtype)
    basis = np.linalg.qr(rng.standard_normal((700, 3)))[0].astype(dtype)
    matrix = rng.standard_normal((5, 5))
    rotated = block.copy()
    blocks.rotate(rotated, matrix)
    assert_close(rotated, block @ matrix, dtype=dtype)
    projected = block.copy()
    gram = np.empty((5, 5))
    blocks.subtract_projection(projected, basis, gram)
    assert_close(gram, projected.T @ projected, dtype=dtype)
    rounding = 20 * np.finfo(dtype).eps * np.linalg.norm(block)
    assert np.abs(basis.T @ projected).max() < rounding
    assert projected.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_block_is_put_behind_others_and_made_their_combination(rng, dtype, monkeypatch):
    monkeypatch.setattr(blocks, "_STRIP_BYTES", 1)
    columns = rng.standard_normal((700, 8)).astype(dtype)
    block = rng.standard_normal((700, 3)).astype(dtype)
    before = columns.copy()
    inner = blocks.place(block, columns)
    np.testing.assert_array_equal(columns, np.hstack([before[:, :5], block]))
    assert_close(inner, columns.T @ block, dtype=dtype)
    assert inner.dtype == np.float64
    matrix, gram = rng.standard_normal((8, 3)), np.empty((3, 3))
    expected = columns @ matrix
    blocks.replace_last(columns, matrix, gram)
    assert_close(columns[:, 5:], expected, dtype=dtype)
    np.testing.assert_array_equal(columns[:, :5], before[:, :5])
    assert_close(gram, expected.T @ expected, dtype=dtype)


def test_in_threads_and_in_views_the_products_are_the_same(rng, monkeypatch):
    monkeypatch.setattr(blocks, "_LARGE", 1)
    monkeypatch.setattr(blocks, "allowed_threads", lambda: 3)
    columns = rng.standard_normal((700, 12))
    block, basis, matrix = columns[:, 2:7], columns[:, :2], rng.standard_normal((5, 5))
    left_over = block - basis @ (basis.T @ block)
    gram, projected = np.empty((5, 5)), block.copy()
    blocks.subtract_projection(projected, basis, gram)
    # The basis is not orthonormal, so that the projection subtracts hundreds.
    assert_close(projected, left_over)
    assert_close(gram, left_over.T @ left_over)
    inner = blocks.place(block, columns)
    assert_close(inner, columns.T @ block)
    blocks.replace_last(columns, np.vstack([np.zeros((7, 5)), np.eye(5)]), gram)
    assert_close(columns[:, 7:], block)
    assert_close(gram, block.T @ block)
    turned = block @ matrix
    blocks.rotate(block, matrix)
    assert_close(columns[:, 2:7], turned)


def test_strips_cover_every_row_once():
    rows = np.zeros(1000, dtype=int)
    for strip in blocks.strips(rows[:, None], 10**6):
        rows[strip] += 1
    assert (rows == 1).all()


def test_a_small_matrix_takes_the_type_of_the_block():
    reversed_view = np.eye(3)[:, ::-1]
    like = blocks.like(reversed_view, np.zeros((4, 3), dtype=np.float32))
    assert like.dtype == np.float32
    assert like.strides[0] > 0
    assert blocks.epsilon(like) == np.finfo(np.float32).eps
