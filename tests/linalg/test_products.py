"""Products in threads and by the compiled kernel, against plain ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from fairspectral.linalg import products


@pytest.fixture(autouse=True)
def no_small_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_SMALL", 0)
    monkeypatch.setattr(products, "_SMALL_SPARSE", 0)


def symmetric(n: int, dtype: type, seed: int = 0) -> np.ndarray:
    W = np.random.default_rng(seed).random((n, n)).astype(dtype)
    return W + W.T


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [6, 7, 24, 29, 100, 4101])
def test_dense_product_of_any_shape(n: int, dtype: type) -> None:
    W = symmetric(n, dtype)
    for b in (2, 3, 4, 17):
        block = np.random.default_rng(b).standard_normal((n, b)).astype(dtype)
        wanted = W.astype(np.float64) @ block
        got = products.dense_product(W, block)
        assert (got.dtype, got.shape) == (dtype, wanted.shape)
        assert got.flags.c_contiguous
        np.testing.assert_allclose(got, wanted, atol=20 * n * np.finfo(dtype).eps)
        if n > 1000:
            break


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_result_does_not_depend_on_order_or_threads(order: str) -> None:
    W = np.asarray(symmetric(203, np.float32), order=order)
    block = np.random.default_rng(1).standard_normal((203, 8)).astype(np.float32)
    with threadpool_limits(1):
        alone = products.dense_product(W, block)
    with threadpool_limits(3):
        together = products.dense_product(W, block)
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(alone, products.dense_product(np.ascontiguousarray(W), block))


@pytest.mark.parametrize("b", [1, 6, products._WIDE])
def test_rows_are_scaled_on_the_way(b: int) -> None:
    W = symmetric(50, np.float64)
    rng = np.random.default_rng(b)
    block, scale = rng.standard_normal((50, b)), rng.random((50, 1))
    given = block.copy()
    with threadpool_limits(2):
        got = products.dense_product(W, block, scale)
    np.testing.assert_allclose(got, W @ (scale * block), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(block, given)
    np.testing.assert_allclose(products.dense_product(W, block), W @ block, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("columns", [1, 7, 16])
def test_sparse_product_in_threads(dtype: type, threads: int, columns: int) -> None:
    upper = sp.random_array((301, 301), density=0.05, dtype=dtype, rng=0)
    # A hub, and rows without any weight, so that equal shares of the weights are uneven rows.
    W = (upper + upper.T).tolil()
    W[:, :3] = W[:3, :] = 1.0
    W[200:260, :] = W[:, 200:260] = 0.0
    W = sp.csr_array(W)
    W.eliminate_zeros()
    block = np.random.default_rng(1).standard_normal((301, columns)).astype(dtype)
    with threadpool_limits(threads):
        got = products.sparse_product(W, block)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, W @ block, rtol=1e-5, atol=1e-5)
