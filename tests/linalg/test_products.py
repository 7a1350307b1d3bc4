"""Products in threads and by the compiled kernel, against plain ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close
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
@pytest.mark.parametrize("n", [6, 7, 24, 29, 100, 2053])
def test_dense_product_of_any_shape(n: int, dtype: type) -> None:
    W = symmetric(n, dtype)
    for b in (2, 3, 4, 17):
        block = np.random.default_rng(b).standard_normal((n, b)).astype(dtype)
        wanted = W.astype(np.float64) @ block
        got = products.dense_product(W, block)
        assert (got.dtype, got.shape) == (dtype, wanted.shape)
        assert got.flags.c_contiguous
        assert_close(got, wanted, dtype=dtype)
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
    assert_close(got, W @ (scale * block))
    np.testing.assert_array_equal(block, given)
    assert_close(products.dense_product(W, block), W @ block)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("columns", [1, 7, 16])
def test_sparse_product_in_threads(dtype: type, threads: int, columns: int) -> None:
    W = symmetric(301, dtype) * (symmetric(301, dtype, seed=1) > 1.7)
    # A hub, and rows without any weight, so that equal shares of the weights are uneven rows.
    W[:, :3] = W[:3, :] = 1.0
    W[200:260, :] = W[:, 200:260] = 0.0
    W = sp.csr_array(W)
    block = np.random.default_rng(1).standard_normal((301, columns)).astype(dtype)
    with threadpool_limits(threads):
        got = products.sparse_product(W, block)
    assert got.dtype == dtype
    assert_close(got, W @ block, dtype=dtype)
