import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from fairspectral.linalg.block_krylov import BlockKrylov
from fairspectral.linalg.threads import threads_apart

N = 200
SPECTRUM = np.concatenate([[2.0, 1.5, 1.2, 1.1], np.linspace(1, -1, N - 5)])


def make_space(capacity=60, block=6, seed=0, spectrum=SPECTRUM, dtype=np.float64):
    """A diagonal matrix seen from outside its first coordinate, which is deflated."""
    rng = np.random.default_rng(seed)
    diagonal = np.concatenate([[5.0], spectrum]).astype(dtype)[:, None]
    deflated = np.zeros((N, 1), dtype=dtype)
    deflated[0] = 1.0
    first = rng.standard_normal((N, block)).astype(dtype)
    return BlockKrylov(lambda X: diagonal * X, deflated, first, capacity, rng), diagonal


def run(space, passes, step=6, keep=12):
    restarts = 0
    for _ in range(passes):
        space.advance(step)
        if step < space.width:
            space.turn(4)
        if space.size + step > space.capacity:
            space.restart(keep)
            restarts += 1
    space.advance(step)
    return restarts


@pytest.mark.parametrize("step", [6, 2])
def test_the_top_eigenpairs_across_restarts(step):
    space, _ = make_space()
    assert run(space, 180 // step, step) > 1
    np.testing.assert_allclose(space.ritz().values[:4], SPECTRUM[:4], rtol=0, atol=1e-10)
    X = space.vectors(4)
    np.testing.assert_allclose(np.abs(X[1:5]), np.eye(4), rtol=0, atol=1e-5)
    assert np.abs(X[0]).max() < 50 * np.finfo(float).eps


@pytest.mark.parametrize("step", [6, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_basis_and_residuals_stay_true(dtype, step):
    space, diagonal = make_space(dtype=dtype)
    run(space, 20, step)
    eps = np.finfo(dtype).eps
    pairs = space.ritz()
    X = space.vectors(space.size)
    assert np.abs(X.T @ X - np.eye(space.size)).max() < 200 * eps
    true = np.linalg.norm(diagonal * X - X * pairs.values, axis=0)
    # The deflated direction is no part of the residual.
    np.testing.assert_allclose(true, pairs.residuals, rtol=0, atol=1e3 * eps)


def test_the_first_columns_matter_most_after_a_turn():
    space, _ = make_space()
    for _ in range(5):
        space.advance(6)
    space.turn(2)
    lengths = np.linalg.norm(space.ritz().in_residual_block[:, :2], axis=1)
    # Residuals of two Ritz vectors span two directions.
    assert lengths[:2].min() > 0
    assert lengths[2:].max() < 1e-12


def test_a_second_thread_changes_nothing():
    alone, _ = make_space()
    run(alone, 20)
    with threadpool_limits(2, user_api="blas"), threads_apart():
        helped, _ = make_space()
        run(helped, 20)
        found, expected = helped.ritz().values, alone.ritz().values
    np.testing.assert_allclose(found[:4], expected[:4], rtol=0, atol=1e-12)
    # What has not converged passes the floating-point errors of every step on to the next.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_the_residual_block_outlives_a_restart_that_keeps_nearly_everything():
    space, _ = make_space(capacity=40)
    for _ in range(6):
        space.advance(6)
    space.restart(34)  # fewer columns go than the residual block has
    space.advance(6)
    space.restart(30)
    X = space.vectors(space.size)
    np.testing.assert_allclose(X.T @ X, np.eye(space.size), rtol=0, atol=1e-12)
    run(space, 20)
    np.testing.assert_allclose(space.ritz().values[:4], SPECTRUM[:4], rtol=0, atol=1e-10)


@pytest.mark.parametrize("distance", [1e-6, 1e-8, 3e-9])
@pytest.mark.parametrize("seed", range(3))
def test_a_block_that_has_nearly_converged_in_part_stays_orthonormal(distance, seed):
    # Of mixtures of near eigenvectors and random ones, the product leaves mixtures of very short
    # and long directions, and a Gram matrix hardly knows the short ones.
    _, diagonal = make_space()
    rng = np.random.default_rng(seed)
    block = rng.standard_normal((N, 6))
    block[:, :3] = np.eye(N)[:, 1:4] + distance * block[:, :3]
    block = block @ rng.standard_normal((6, 6))
    space = BlockKrylov(lambda X: diagonal * X, np.eye(N)[:, :1], block, 60, rng, overlap=1e-5)
    for _ in range(3):
        space.advance(6)
    X = space.vectors(space.size)
    assert np.abs(X.T @ X - np.eye(space.size)).max() < 1e-4


def test_an_exhausted_space_goes_on_with_random_directions():
    # Ten copies of the top eigenvalue, and a block of three: three copies at first.
    spectrum = np.concatenate([np.full(10, 1.0), np.zeros(N - 11)])
    space, _ = make_space(block=3, spectrum=spectrum)
    space.advance(3)
    assert (space.ritz().values > 0.99).sum() == 0
    space.advance(3)
    assert (space.ritz().values > 0.99).sum() == 3
    for _ in range(12):
        space.advance(3)
    values = space.ritz().values
    np.testing.assert_allclose(values[:10], 1.0, rtol=0, atol=1e-10)
    assert np.abs(values[10:]).max() < 1e-10
