"""Operators of a user's own whose affinities are torch tensors, on the CPU and on a GPU if any."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, make_problem, oracle, random_affinity, subspace_angle
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph
from test_contract import N, OperatorContract, sparse_graph

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.metrics import normalized_cut
from fairspectral.solvers.krylov import KrylovSolver
from fairspectral.solvers.registry import make_solver

torch = pytest.importorskip(
    "torch", reason="torch is not installed: pip install 'fairspectral[torch]'"
)

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
K = 4


class TorchOperator:
    """The affinities as a tensor, dense or CSR; it keeps what each of its blocks was."""

    xp = torch

    def __init__(self, W, dtype="float64", device="cpu"):
        self.shape, self.dtype, self.device = W.shape, getattr(torch, dtype), device
        if sp.issparse(W):
            W = sp.csr_array(W, copy=True)
            W.sort_indices()
            self.density = W.nnz / W.shape[0] ** 2
            parts = (torch.from_numpy(part.astype(np.int64)) for part in (W.indptr, W.indices))
            weights = torch.from_numpy(W.data).to(self.dtype)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
                csr = torch.sparse_csr_tensor(*parts, weights, W.shape, check_invariants=True)
            self.W = csr.to(device)
        else:
            self.W = torch.from_numpy(W).to(device, self.dtype)
        degrees = self.W @ torch.ones((W.shape[0], 1), dtype=self.dtype, device=device)
        self.degrees = degrees[:, 0]
        self.scale = 1 / torch.sqrt(degrees)
        self.nbytes = (self.W.values() if sp.issparse(W) else self.W).nbytes
        self.blocks = set()

    def matmat(self, block):
        self.blocks.add((type(block), block.dtype, str(block.device).partition(":")[0]))
        return self.scale * (self.W @ (self.scale * block))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("precision", ["float32", "float64"])
class TestTorchDense(OperatorContract):
    @pytest.fixture(autouse=True)
    def _place(self, precision, device):
        self.place = {"dtype": precision, "device": device}

    def dense(self):
        return random_affinity(N)

    def operator(self):
        return make_operator(None, TorchOperator(self.dense(), **self.place))


class TestTorchCSR(TestTorchDense):
    def dense(self):
        return sparse_graph()

    def operator(self):
        operator = make_operator(None, TorchOperator(sp.csr_array(self.dense()), **self.place))
        assert operator.density < 1
        return operator


def blobs(sparse):
    """Affinities of four groups of points, float64, and a sensitive attribute of two values."""
    X, planted = make_blobs(600, centers=K, cluster_std=2.0, random_state=0)
    groups = (np.random.default_rng(0).random(600) < 0.3 + 0.1 * planted).astype(int)
    if not sparse:
        return rbf_kernel(X, gamma=0.05), groups
    graph = kneighbors_graph(X, 20, include_self=True)
    return sp.csr_array((graph + graph.T) / 2), groups


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_a_fit_is_that_of_the_same_affinities_in_numpy(sparse, dtype, device):
    W, groups = blobs(sparse)
    theirs, tol = TorchOperator(W, dtype, device), 1e-5
    model = FairSpectralClustering(K, affinity=theirs, tol=tol, random_state=0)
    model.fit(None, sensitive_features=groups)
    assert theirs.blocks == {(torch.Tensor, getattr(torch, dtype), device)}

    problem = make_problem(W, groups, K)
    best = oracle(problem)
    result = model.solve_result_
    assert result.converged
    # The solver's tolerance, and the floating-point error of the products for each vector.
    slack = tol * best.objective + 100 * K * np.finfo(dtype).eps
    missing = best.objective - problem.objective(result.vectors)
    assert abs(missing) <= slack
    # tr* - tr is at least the eigenvalue gap times the squared sines of the angles.
    gap = best.eigenvalues[-1] - best.details["next_eigenvalue"]
    assert gap > 10 * slack
    assert np.sin(subspace_angle(result.vectors, best.vectors)) ** 2 <= slack / gap

    assert model.fair_assignment_.certified
    cut = normalized_cut(model.labels_, W)
    assert abs(normalized_cut(model.labels_, theirs) - cut) <= 100 * K * np.finfo(dtype).eps
    assert abs(model.audit_.normalized_cut - cut) <= 100 * K * np.finfo(dtype).eps


@pytest.mark.parametrize("solver", ["nullspace", "lanczos", "admm"])
def test_solvers_that_compute_on_the_host(solver):
    W, groups = blobs(sparse=False)
    operator = make_operator(None, TorchOperator(W))
    problem = make_problem(operator, groups, K)
    best = oracle(make_problem(W, groups, K))
    result = make_solver(solver).solve(problem, random_state=0)
    assert result.converged
    assert abs(result.objective - best.objective) <= 2e-3 * best.objective


def test_only_small_matrices_and_the_answer_come_to_the_host(monkeypatch):
    W, groups = blobs(sparse=False)
    problem = make_problem(TorchOperator(W), groups, K)
    seen = []
    to_numpy = torch.Tensor.__array__

    def watched(tensor, *args, **options):
        seen.append(tuple(tensor.shape))
        return to_numpy(tensor, *args, **options)

    monkeypatch.setattr(torch.Tensor, "__array__", watched)
    result = KrylovSolver().solve(problem, random_state=0)
    assert result.converged
    assert seen  # otherwise the watched function is not the way to the host
    tall = [columns for rows, columns in seen if rows > len(W) / 2]
    assert sum(tall) <= K


def test_blocks_are_projected_where_they_are():
    W, groups = blobs(sparse=False)
    problem = make_problem(TorchOperator(W, "float32"), groups, K)
    block = np.random.default_rng(0).standard_normal((len(W), 3))
    projected = problem.project(problem.asarray(block))
    assert isinstance(projected, torch.Tensor)
    assert_close(projected.numpy(), problem.project(block), dtype=np.float32)


def test_arrays_that_torch_does_not_take_as_they_are():
    operator = make_operator(None, TorchOperator(random_affinity(N)))
    block = np.random.default_rng(0).standard_normal((N, 3))
    frozen = block.copy()
    frozen.flags.writeable = False
    expected = operator.matmat_on_host(block)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_close(operator.matmat_on_host(frozen), expected)
        assert_close(operator.matmat_on_host(block[::-1][::-1]), expected)
        assert_close(operator.matmat_on_host(block[:, ::-1])[:, ::-1], expected)


def test_learned_affinities_are_detached():
    theirs = TorchOperator(random_affinity(N))
    theirs.scale.requires_grad_()
    product = make_operator(None, theirs).matmat(np.ones((N, 2)))
    assert not product.requires_grad


class TestIsChecked:
    def broken(self, **changes):
        operator = TorchOperator(random_affinity(12))
        for name, value in changes.items():
            setattr(operator, name, value)
        return operator

    def refuses(self, kind, message, **changes):
        with pytest.raises(kind, match=message):
            make_operator(None, self.broken(**changes))

    def test_products(self):
        self.refuses(ValueError, "NaN or infinite", matmat=lambda block: block * torch.nan)
        self.refuses(ValueError, "not real numbers", matmat=lambda block: block * 1j)
        self.refuses(ValueError, "not real numbers", matmat=lambda block: None)
        self.refuses(ValueError, "keep the shape", matmat=lambda block: block[:, :1])
        self.refuses(ValueError, "nothing to cluster by", matmat=lambda block: block)
        self.refuses(ValueError, "does not map sqrt", matmat=lambda block: 2 * block)
        twisted = TorchOperator(random_affinity(12))
        root = torch.sqrt(twisted.degrees)
        twist = torch.from_numpy(np.random.default_rng(0).standard_normal((12, 12)))
        twist -= torch.outer(twist @ root, root) / (root @ root)  # leaves sqrt(d) alone
        twisted.scale, twisted.W = 1.0, twist + torch.outer(root, root) / (root @ root)
        with pytest.raises(ValueError, match="is not symmetric"):
            make_operator(None, twisted)

    def test_declarations(self):
        self.refuses(TypeError, "has dtype torch.float16", dtype=torch.float16)
        self.refuses(TypeError, "no array could be made", device="nowhere")
        self.refuses(ValueError, "has degrees that are NaN", degrees=torch.full((12,), torch.nan))
        self.refuses(ValueError, "degrees of shape", degrees=torch.ones(5))
        self.refuses(TypeError, "must be a numpy array", stored_weights=torch.ones((12, 12)))

    def test_a_namespace_that_is_not_declared(self):
        undeclared = {"xp": np, "device": None}
        self.refuses(TypeError, "dtype torch.float64; .* declares as xp", **undeclared)
        undeclared["dtype"] = np.dtype(np.float64)
        undeclared["matmat"] = lambda block: torch.mm(torch.eye(12), block)
        self.refuses(TypeError, "numpy.ndarray .* it must declare xp", **undeclared)
