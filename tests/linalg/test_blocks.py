import numpy as np
import pytest

from fairspectral.linalg import blocks

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_in_place_equal_the_plain_ones(dtype, monkeypatch):
    monkeypatch.setattr(blocks, "_STRIP_BYTES", 1)  # several strips of 256 rows
    block = RNG.standard_normal((700, 5)).astype(dtype)
    basis = np.linalg.qr(RNG.standard_normal((700, 3)))[0].astype(dtype)
    matrix = RNG.standard_normal((5, 5))
    tolerance = 20 * np.finfo(dtype).eps
    rotated = block.copy()
    blocks.rotate(rotated, matrix)
    np.testing.assert_allclose(rotated, block @ matrix, atol=20 * tolerance)
    projected = block.copy()
    gram = np.empty((5, 5))
    blocks.subtract_projection(projected, basis, gram)
    np.testing.assert_allclose(
        gram, projected.T @ projected, rtol=20 * tolerance, atol=700 * tolerance
    )
    assert np.abs(basis.T @ projected).max() < tolerance
    assert projected.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_block_is_put_behind_others_and_made_their_combination(dtype, monkeypatch):
    monkeypatch.setattr(blocks, "_STRIP_BYTES", 1)
    columns = RNG.standard_normal((700, 8)).astype(dtype)
    block = RNG.standard_normal((700, 3)).astype(dtype)
    before, tolerance = columns.copy(), 700 * np.finfo(dtype).eps
    inner = blocks.place(block, columns)
    np.testing.assert_array_equal(columns, np.hstack([before[:, :5], block]))
    np.testing.assert_allclose(inner, columns.T @ block, atol=tolerance)
    assert inner.dtype == np.float64
    matrix, gram = RNG.standard_normal((8, 3)), np.empty((3, 3))
    expected = columns @ matrix
    blocks.replace_last(columns, matrix, gram)
    np.testing.assert_allclose(columns[:, 5:], expected, atol=tolerance)
    np.testing.assert_array_equal(columns[:, :5], before[:, :5])
    np.testing.assert_allclose(gram, expected.T @ expected, rtol=tolerance, atol=10 * tolerance)


def test_in_threads_and_in_views_the_products_are_the_same(monkeypatch):
    monkeypatch.setattr(blocks, "_LARGE", 1)
    monkeypatch.setattr(blocks, "allowed_threads", lambda: 3)
    columns = RNG.standard_normal((700, 12))
    block, basis, matrix = columns[:, 2:7], columns[:, :2], RNG.standard_normal((5, 5))
    left_over = block - basis @ (basis.T @ block)
    gram, projected = np.empty((5, 5)), block.copy()
    blocks.subtract_projection(projected, basis, gram)
    np.testing.assert_allclose(projected, left_over, rtol=1e-12)
    np.testing.assert_allclose(gram, left_over.T @ left_over, rtol=1e-12)
    inner = blocks.place(block, columns)
    np.testing.assert_allclose(inner, columns.T @ block, rtol=1e-10, atol=1e-10)
    blocks.replace_last(columns, np.vstack([np.zeros((7, 5)), np.eye(5)]), gram)
    np.testing.assert_allclose(columns[:, 7:], block, rtol=1e-12)
    np.testing.assert_allclose(gram, block.T @ block, rtol=1e-12)
    turned = block @ matrix
    blocks.rotate(block, matrix)
    np.testing.assert_allclose(columns[:, 2:7], turned, atol=1e-12)


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
