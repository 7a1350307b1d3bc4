"""One contract that every affinity operator fulfils; a new operator inherits it."""

from abc import ABC, abstractmethod

import array_api_compat
import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, random_affinity
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.neighbors import kneighbors_graph

from fairspectral.affinity import DenseOperator, KernelOperator, SparseOperator, make_operator
from fairspectral.affinity.kernel import KERNEL_NAMES, make_kernel
from fairspectral.linalg.blocks import to_host

N = 40


def points():
    return np.random.default_rng(7).random((N, 3))


def sparse_graph():
    W = random_affinity(N, seed=3) * (random_affinity(N, seed=4) > 1.2)
    W = (W + W.T) / 2
    W[np.arange(N), (np.arange(N) + 1) % N] = 1.0  # a ring: no isolated node
    return np.maximum(W, W.T)


class OperatorContract(ABC):
    """Inherit, and give `operator` and the equivalent dense `W`."""

    @abstractmethod
    def operator(self):
        """The operator under test."""

    @abstractmethod
    def dense(self):
        """Its affinities, of shape (N, N)."""

    def normalised(self):
        W = self.dense().astype(np.float64)
        scale = 1 / np.sqrt(W.sum(axis=1))
        return scale[:, None] * W * scale

    def test_degrees_are_row_sums(self):
        operator = self.operator()
        assert operator.degrees.dtype == np.float64
        assert_close(operator.degrees, self.dense().sum(axis=1), dtype=operator.dtype)

    @pytest.mark.parametrize("columns", [1, 6, 2 * N])
    def test_matmat_applies_the_normalised_affinity(self, columns):
        operator = self.operator()
        block = np.random.default_rng(0).standard_normal((N, columns))
        expected = self.normalised() @ block
        assert_close(to_host(operator.matmat(block)), expected, dtype=operator.dtype)

    def test_an_empty_block(self):
        assert self.operator().matmat(np.empty((N, 0))).shape == (N, 0)

    def test_square_root_of_degrees_is_a_fixed_point(self):
        operator = self.operator()
        v = np.sqrt(operator.degrees)[:, None]
        assert_close(operator.matmat_on_host(v), v, dtype=operator.dtype)

    def test_symmetric(self):
        operator = self.operator()
        M = operator.matmat_on_host(np.eye(N))
        assert_close(M, M.T, dtype=operator.dtype)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_products_come_in_the_operators_dtype(self, dtype):
        operator = self.operator()
        block = np.ones((N, 2), dtype=dtype)
        assert operator.matmat(block).dtype == getattr(operator.xp, operator.dtype.name)
        assert operator.matmat_on_host(block).dtype == operator.dtype

    def test_blocks_stay_in_the_operators_namespace(self):
        operator = self.operator()
        block = operator.asarray(np.random.default_rng(0).standard_normal((N, 3)))
        product = operator.matmat(block)
        for array in (block, product):
            assert array_api_compat.array_namespace(array) is operator.xp
            assert array.dtype == getattr(operator.xp, operator.dtype.name)
            assert array_api_compat.device(array) == array_api_compat.device(block)
        on_host = operator.matmat_on_host(to_host(block))
        assert isinstance(on_host, np.ndarray)
        assert_close(on_host, to_host(product), dtype=operator.dtype)

    def test_rows_are_those_of_the_affinity(self):
        operator, indices = self.operator(), np.array([0, 7, N - 1])
        assert_close(operator.rows(indices), self.dense()[indices], dtype=operator.dtype)

    def test_stored_weights_are_the_affinity_in_host_memory(self):
        operator = self.operator()
        W = operator.stored_weights
        if W is not None:
            assert isinstance(W, np.ndarray) or W.format == "csr"
            W = W.toarray() if sp.issparse(W) else W
            assert_close(W, self.dense(), dtype=operator.dtype)

    def test_block_is_not_modified(self):
        block = np.random.default_rng(0).standard_normal((N, 3))
        before = block.copy()
        self.operator().matmat(block)
        np.testing.assert_array_equal(block, before)

    def test_shape_and_size(self):
        operator = self.operator()
        assert operator.shape == (N, N)
        assert operator.nbytes > 0
        filled = np.count_nonzero(self.dense()) / N**2
        assert filled <= operator.density <= 1


@pytest.mark.parametrize(
    "convert",
    [
        np.float64,
        np.float32,
        np.asfortranarray,
        lambda W: np.kron(W, np.ones((2, 2)))[::2, ::2],  # a strided view
        lambda W: W.tolist(),
    ],
    ids=["float64", "float32", "fortran", "strided", "list"],
)
class TestDense(OperatorContract):
    @pytest.fixture(autouse=True)
    def _convert(self, convert):
        self.convert = convert

    def dense(self):
        return random_affinity(N)

    def operator(self):
        return DenseOperator(self.convert(self.dense()))


class TestDenseIntegers(OperatorContract):
    def dense(self):
        return (random_affinity(N) * 10).astype(int)

    def operator(self):
        return DenseOperator(self.dense())


@pytest.mark.parametrize("fmt", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
class TestSparse(OperatorContract):
    @pytest.fixture(autouse=True)
    def _format(self, fmt, container):
        self.convert = lambda W: container(W).asformat(fmt)

    def dense(self):
        return sparse_graph()

    def operator(self):
        return SparseOperator(self.convert(self.dense()))


class TestSparseLongIndicesFloat32(OperatorContract):
    def dense(self):
        return sparse_graph()

    def operator(self):
        W = sp.csr_array(self.dense().astype(np.float32))
        W.indices, W.indptr = W.indices.astype(np.int64), W.indptr.astype(np.int64)
        operator = SparseOperator(W)
        assert operator.stored_weights.indices.dtype == np.int64
        return operator


class TestSparseDuplicateEntries(OperatorContract):
    def dense(self):
        return sparse_graph()

    def operator(self):
        coo = sp.coo_array(self.dense() / 2)
        doubled = sp.coo_array(
            (np.tile(coo.data, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))), shape=(N, N)
        )
        return SparseOperator(doubled)


@pytest.mark.parametrize("name", [k for k in KERNEL_NAMES if k != "additive_chi2"])
@pytest.mark.parametrize("stored", [True, False], ids=["stored", "recomputed"])
class TestKernels(OperatorContract):
    @pytest.fixture(autouse=True)
    def _kernel(self, name, stored):
        self.name, self.stored = name, stored

    def dense(self):
        kernel = make_kernel(self.name, points(), "auto", None)
        return pairwise_kernels(points(), metric=self.name, **kernel.params)

    def operator(self):
        operator = make_operator(
            points(),
            self.name,
            gamma="auto",
            dtype=np.float64,
            memory_budget=None if self.stored else 1,
        )
        assert isinstance(operator, DenseOperator if self.stored else KernelOperator)
        return operator


class TestKernelStrips(OperatorContract):
    """Strips that do not divide n."""

    def dense(self):
        return pairwise_kernels(points(), metric="rbf", gamma=2.0)

    def operator(self):
        kernel = make_kernel("rbf", points(), 2.0, None)
        return KernelOperator(points(), kernel, np.float32, strip_bytes=8 * N * 7)


class TestCallable(OperatorContract):
    def dense(self):
        return 1 / (1 + np.abs(points()[:, None] - points()).sum(axis=2))

    def operator(self):
        return make_operator(points(), lambda a, b: 1 / (1 + np.abs(a - b).sum()))


class TestNearestNeighbours(OperatorContract):
    def dense(self):
        graph = kneighbors_graph(points(), 6, include_self=True).toarray()
        return (graph + graph.T) / 2

    def operator(self):
        return make_operator(points(), "nearest_neighbors", n_neighbors=6)


class OnlyTheInterface:
    """A minimal operator of a user: no base class, only the four required members."""

    def __init__(self, W):
        self.degrees = W.sum(axis=1)
        scale = 1 / np.sqrt(self.degrees)
        self.M = scale[:, None] * W * scale
        self.shape, self.dtype = W.shape, W.dtype

    def matmat(self, block):
        return self.M @ block


class TestUserOperator(OperatorContract):
    def dense(self):
        return random_affinity(N)

    def operator(self):
        return make_operator(None, OnlyTheInterface(self.dense()))

    def test_shape_and_size(self):
        operator = self.operator()
        assert operator.shape == (N, N)
        assert operator.density == 1.0


class TestUserOperatorWithStoredWeights(TestUserOperator):
    def operator(self):
        theirs = OnlyTheInterface(self.dense())
        theirs.stored_weights = self.dense()
        operator = make_operator(None, theirs)
        assert operator.stored_weights is theirs.stored_weights
        return operator


class TestUserOperatorAsData(TestUserOperator):
    def operator(self):
        return make_operator(OnlyTheInterface(self.dense()), "precomputed")
