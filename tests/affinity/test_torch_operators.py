"""The operators of this package in torch, on CPU tensors, and on a GPU if there is one."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, random_affinity
from sklearn.metrics.pairwise import pairwise_kernels
from test_contract import N, OperatorContract, points, sparse_graph

from fairspectral.affinity import DenseOperator, KernelOperator, make_operator
from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.kernel import make_kernel
from fairspectral.affinity.torch_dense import TorchDenseOperator
from fairspectral.affinity.torch_features import DIFFERENCES, SQUARED, torch_features
from fairspectral.affinity.torch_kernel import TorchKernelOperator
from fairspectral.affinity.torch_precision import full_precision
from fairspectral.affinity.torch_sparse import TorchSparseOperator
from fairspectral.affinity.torch_strips import Strips
from fairspectral.affinity.wide import in_float64

torch = pytest.importorskip(
    "torch", reason="torch is not installed: pip install 'fairspectral[gpu]'"
)

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
NAMES = ("rbf", "laplacian", "polynomial", "cosine", "linear")


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.mark.parametrize("precision", ["float32", "float64"])
class TestDense(OperatorContract):
    @pytest.fixture(autouse=True)
    def _place(self, precision, device):
        self.precision, self.device = getattr(torch, precision), device

    def dense(self):
        return random_affinity(N)

    def operator(self):
        W = torch.from_numpy(self.dense()).to(self.device, self.precision)
        operator = make_operator(W, "precomputed")
        assert isinstance(operator, TorchDenseOperator)
        assert operator._W.data_ptr() == W.data_ptr()  # not copied
        return operator


class TestSparse(TestDense):
    layout = "csr"

    def dense(self):
        return sparse_graph()

    def operator(self):
        W = torch.from_numpy(self.dense()).to(self.device, self.precision)
        operator = make_operator(sp.csr_array(W.cpu().numpy()), "precomputed", device=self.place())
        assert isinstance(operator, TorchSparseOperator)
        assert operator.density < 1
        assert operator.stored_weights.format == "csr"
        return operator

    def place(self):
        from fairspectral.tensors import Place

        return Place(torch.device(self.device))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stored", [True, False], ids=["stored", "recomputed"])
class TestKernels(OperatorContract):
    @pytest.fixture(autouse=True)
    def _kernel(self, name, stored, device):
        self.name, self.stored, self.device = name, stored, device

    def dense(self):
        kernel = make_kernel(self.name, points(), "auto", None)
        return pairwise_kernels(points(), metric=self.name, **kernel.params)

    def operator(self):
        operator = make_operator(
            torch.from_numpy(points()).to(self.device),
            self.name,
            gamma="auto",
            dtype=np.float64,
            memory_budget=None if self.stored else 1,
        )
        kind = TorchDenseOperator if self.stored else TorchKernelOperator
        assert isinstance(operator, kind)
        return operator


class TestKernelFloat32(TestKernels):
    def operator(self):
        return make_operator(
            torch.from_numpy(points()).to(self.device),
            self.name,
            gamma="auto",
            dtype=np.float32,
            memory_budget=None if self.stored else 1,
        )


@pytest.mark.parametrize("name", ["chi2", "sigmoid", "gower", "callable"])
class TestComputedOnTheHost(OperatorContract):
    """Affinities that torch does not compute, in the memory of the device."""

    @pytest.fixture(autouse=True)
    def _kernel(self, name, device):
        self.affinity = name if name != "callable" else lambda a, b: float(np.exp(a @ b))
        self.device = device

    def make(self, X):
        return make_operator(X, self.affinity, gamma="auto", dtype=np.float64)

    def dense(self):
        return self.make(points()).stored_weights

    def operator(self):
        operator = self.make(torch.from_numpy(points()).to(self.device))
        assert isinstance(operator, TorchDenseOperator)
        return operator


def test_a_kernel_that_torch_has_not_is_recomputed_on_the_host():
    operator = make_operator(torch.from_numpy(points()), "chi2", memory_budget=1)
    assert isinstance(operator, KernelOperator)
    assert "cannot be recomputed by torch" in operator.storage


@pytest.mark.parametrize(
    "make",
    [
        lambda W: W.to_sparse_coo(),
        lambda W: W.to_sparse_csr(),
        lambda W: W.float().to_sparse_csr(),
    ],
    ids=["coo", "csr", "csr float32"],
)
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
def test_sparse_tensors_are_graphs(make):
    from fairspectral import fair_spectral_embedding

    W = sparse_graph()
    expected, theirs = fair_spectral_embedding(
        W, affinity="precomputed", n_components=3, random_state=0, return_result=True
    )
    found, ours = fair_spectral_embedding(
        make(torch.from_numpy(W)),
        affinity="precomputed",
        n_components=3,
        random_state=0,
        return_result=True,
    )
    assert abs(theirs.objective - ours.objective) < 1e-5
    assert_close(np.abs(found), np.abs(expected), dtype=np.float32)


@pytest.mark.parametrize("far", [False, True])
def test_points_far_from_each_other_are_compared_by_differences(far):
    X = np.random.default_rng(0).random((60, 2))
    X[:30] += 80.0 if far else 0.0
    tensor = torch.from_numpy(X)
    features = torch_features(tensor, make_kernel("rbf", tensor, 1.0, None), np.dtype("float32"))
    assert features.kind == (DIFFERENCES if far else SQUARED)
    expected = pairwise_kernels(X, metric="rbf", gamma=1.0)
    found = features.tile(slice(None), slice(None)).numpy()
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-30)


def test_points_too_far_apart_for_float32_are_left_to_float64():
    X = torch.from_numpy(np.array([[0.0], [1.0], [1e9]]))
    kernel = make_kernel("rbf", X, 1.0, None)
    assert torch_features(X, kernel, np.dtype("float32")) is None
    assert torch_features(X, kernel, np.dtype("float64")) is not None


class TestRefusals:
    def refuses(self, W, message, affinity="precomputed", **params):
        with pytest.raises(ValueError, match=message):
            make_operator(torch.as_tensor(W, dtype=torch.float64), affinity, **params)

    def test_weights(self):
        W = random_affinity(12)
        for value, message in (
            (np.nan, "contains NaN at row 3, column 5"),
            (np.inf, "contains infinity at row 3, column 5"),
            (-1.0, "the negative weight -1 at row 3, column 5"),
            (W[3, 5] + 1e-3, r"not symmetric: entry \(3, 5\)"),
        ):
            bad = W.copy()
            bad[3, 5] = value
            self.refuses(bad, message)
        self.refuses(W[:5], "must be a square matrix")
        W[4, :] = W[:, 4] = 0.0
        self.refuses(W, "1 isolated node")
        self.refuses(np.eye(6), "nothing to cluster by")

    @pytest.mark.parametrize("budget", [None, 1], ids=["stored", "recomputed"])
    def test_negative_kernels(self, budget):
        X = np.random.default_rng(0).standard_normal((20, 2))
        self.refuses(X, "'linear' has the negative weight", "linear", memory_budget=budget)


@pytest.mark.parametrize("make", ["dense", "kernel"])
def test_the_certificate_has_products_in_float64(make, device):
    X = torch.from_numpy(np.random.default_rng(0).random((90, 3))).to(device)
    operator = make_operator(X, "rbf", memory_budget=None if make == "dense" else 1)
    operator.__dict__["stored_weights"] = None  # as if it were too large for the host
    wide = in_float64(operator)
    assert wide.dtype == np.float64
    block = np.random.default_rng(1).standard_normal((90, 4))
    found = wide.matmat_on_host(block)
    assert found.dtype == np.float64
    W = operator.rows(np.arange(90)).astype(np.float64)
    scale = 1 / np.sqrt(operator.degrees)[:, None]
    np.testing.assert_allclose(found, scale * (W @ (scale * block)), rtol=0, atol=5e-7)


def test_strips_become_smaller_where_memory_is_short():
    strips, done = Strips(100, 64), []
    for strip in strips:
        with strip as (first, last):
            if last - first > 10:
                raise torch.OutOfMemoryError("no memory for that")
            done.append((first, last))
    assert strips.rows <= 10
    assert done[0][0] == 0
    assert done[-1][1] == 100
    assert [first for first, _ in done[1:]] == [last for _, last in done[:-1]]


def failing(strips, error):
    for strip in strips:
        with strip:
            raise error


def test_one_row_too_many_is_an_error_in_words():
    with pytest.raises(MemoryError, match="one row of affinities"):
        failing(Strips(3, 2), torch.OutOfMemoryError("no memory at all"))


def test_other_errors_in_a_strip_reach_the_caller():
    with pytest.raises(ZeroDivisionError):
        failing(Strips(3, 2), ZeroDivisionError())


def test_a_pass_goes_on_with_smaller_strips(monkeypatch):
    X = torch.from_numpy(np.random.default_rng(0).random((50, 3)))
    operator = make_operator(X, "rbf", memory_budget=1)
    block = torch.from_numpy(np.random.default_rng(1).standard_normal((50, 2)))
    expected = operator.matmat(block)
    tile = type(operator._features).tile

    def short_of_memory(self, these, those):
        if these.stop - these.start > 8:
            raise torch.OutOfMemoryError("no memory for that")
        return tile(self, these, those)

    monkeypatch.setattr(type(operator._features), "tile", short_of_memory)
    torch.testing.assert_close(operator.matmat(block), expected)


def test_a_matrix_that_does_not_fit_after_all_is_recomputed(monkeypatch):
    from fairspectral.affinity import torch_build

    def no_memory(*args):
        raise torch.OutOfMemoryError("no memory for that")

    monkeypatch.setattr(torch_build, "kernel_matrix_on_device", no_memory)
    X = torch.from_numpy(points())
    operator = make_operator(X, "rbf")
    assert isinstance(operator, TorchKernelOperator)
    assert "were not free on cpu" in operator.storage


def test_given_affinities_that_do_not_fit_stay_on_the_host(monkeypatch):
    from fairspectral.affinity import torch_build
    from fairspectral.tensors import Place

    def no_memory(*args):
        raise torch.OutOfMemoryError("no memory for that")

    monkeypatch.setattr(torch_build, "as_weights", no_memory)
    operator = make_operator(random_affinity(20), "precomputed", device=Place(torch.device("cpu")))
    assert isinstance(operator, DenseOperator)
    assert operator.storage == "The affinities do not fit on cpu, so the CPU has them."


def test_vectors_that_do_not_fit_are_an_error_in_words(monkeypatch):
    from fairspectral import FairSpectralClustering
    from fairspectral.linalg import block_krylov

    def no_memory(*args):
        raise torch.OutOfMemoryError("no memory for that")

    monkeypatch.setattr(block_krylov, "place", no_memory)
    X = torch.from_numpy(np.random.default_rng(0).random((600, 3)))
    with pytest.raises(MemoryError, match="of cpu does not suffice for the vectors of the solver"):
        FairSpectralClustering(3, affinity="rbf").fit(X)


def test_where_triton_fails_torch_computes(monkeypatch):
    from fairspectral.affinity import torch_kernel

    class Broken:
        def __init__(self, *args):
            raise RuntimeError("no C compiler\nwas found")

    monkeypatch.setattr(torch_kernel, "can_fuse", lambda device: True)
    monkeypatch.setattr(torch_kernel, "FusedPasses", Broken)
    operator = make_operator(torch.from_numpy(points()), "rbf", memory_budget=1)
    assert isinstance(operator._passes, torch_kernel.StripPasses)
    assert "Triton failed (RuntimeError: no C compiler was found)" in operator.storage
    plain = make_operator(points(), "rbf")
    assert_close(operator.degrees, plain.degrees, dtype=np.float32)


def test_products_ignore_that_torch_is_set_to_tf32():
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        with full_precision():
            assert torch.get_float32_matmul_precision() == "highest"
        assert torch.get_float32_matmul_precision() == "high"
        operator = make_operator(torch.from_numpy(points()), "rbf")
        with operator.computing():
            assert torch.get_float32_matmul_precision() == "highest"
    finally:
        torch.set_float32_matmul_precision(before)


def test_a_graph_is_where_it_was_asked_for_whatever_the_default_is():
    torch.set_default_device("meta")
    try:
        operator = TorchSparseOperator(sp.csr_array(random_affinity(9)), torch.device("cpu"))
        assert operator._csr.device == torch.device("cpu")
        operator.matmat(operator.asarray(np.ones((9, 1))))
    finally:
        torch.set_default_device(None)


def test_large_matrices_are_not_fetched(monkeypatch):
    from fairspectral.affinity import torch_dense

    monkeypatch.setattr(torch_dense, "_MOST_FETCHED", 100)
    operator = make_operator(torch.from_numpy(random_affinity(20)), "precomputed")
    assert operator.stored_weights is None
    assert operator.count_components() == 1


def test_every_operator_follows_the_protocol():
    for kind in (TorchDenseOperator, TorchSparseOperator, TorchKernelOperator):
        assert issubclass(kind, AffinityOperator)
