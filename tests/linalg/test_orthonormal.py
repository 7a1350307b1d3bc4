import numpy as np
import pytest
from helpers import assert_close

from fairspectral.linalg.orthonormal import normalise, polish, random_block


def orthogonality(X):
    return np.abs(X.T @ X - np.eye(X.shape[1])).max()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_of_any_length_become_orthonormal(rng, dtype):
    before = rng.standard_normal((300, 6)) * np.logspace(0, -5, 6)
    block = before.astype(dtype)
    R, lost = normalise(block)
    eps = np.finfo(dtype).eps
    assert orthogonality(block) < 100 * eps
    assert_close(block @ R, before, dtype=dtype)
    assert lost.size == 0


def test_an_ill_conditioned_block_is_whitened(rng):
    before = rng.standard_normal((300, 4))
    before[:, 3] = before[:, 0] + 1e-9 * before[:, 3]
    block = before.copy()
    R, lost = normalise(block)
    assert orthogonality(block) < 0.1
    again, _ = normalise(block)
    assert orthogonality(block) < 200 * np.finfo(float).eps
    assert_close(block @ (again @ R), before)
    assert lost.size == 0


@pytest.mark.parametrize("zeros", [0, 1])
def test_a_block_among_others_with_a_known_gram_matrix(rng, zeros):
    columns = np.full((50, 6), 7.0)
    block = columns[:, 1:5]
    block[:] = rng.standard_normal((50, 4))
    block[:, :zeros] = 0.0
    before = block.copy()
    R, lost = normalise(block, 1e-12, before.T @ before)
    assert_close(columns[:, 1:5] @ R, before)
    assert lost.size == zeros
    assert (columns[:, [0, 5]] == 7.0).all()


def test_dependent_and_zero_columns_are_named(rng):
    block = rng.standard_normal((50, 4))
    block[:, 1] = 0.0
    block[:, 3] = 2 * block[:, 0]
    before = block.copy()
    R, lost = normalise(block, noise=1e-12)
    assert lost.tolist() == [2, 3]
    assert not R[lost].any()
    assert_close(block @ R, before)


def test_polish_reaches_rounding_and_hardly_turns(rng):
    fixed = np.linalg.qr(rng.standard_normal((200, 3)))[0]
    exact = np.linalg.qr(np.hstack([fixed, rng.standard_normal((200, 5))]))[0][:, 3:]
    rough = exact + 1e-6 * rng.standard_normal((200, 5))
    result = polish(rough.copy(), fixed)
    assert orthogonality(result) < 100 * np.finfo(float).eps
    assert np.abs(fixed.T @ result).max() < 100 * np.finfo(float).eps
    assert np.abs(result - rough).max() < 1e-4


def test_random_blocks_follow_the_reference_and_the_generator():
    reference = np.zeros((1, 1), dtype=np.float32)
    a = random_block(10, 2, np.random.default_rng(3), reference)
    b = random_block(10, 2, np.random.default_rng(3), reference)
    assert a.dtype == np.float32
    np.testing.assert_array_equal(a, b)
