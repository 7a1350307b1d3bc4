"""``device=`` and tensors as data: the answers of numpy, and a sentence where there is no GPU."""

import copy
import inspect
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import needs_real_data
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

import fairspectral
from fairspectral import (
    FairSpectralClustering,
    checkpoint,
    choose_k,
    datasets,
    fair_spectral_embedding,
    tensors,
)
from fairspectral import verify_certificate as verify
from fairspectral.affinity import make_operator, torch_kernel
from fairspectral.affinity.torch_fused import FusedPasses
from fairspectral.fingerprints import fingerprint, fingerprint_values
from fairspectral.tensors import HOST, Place, choose_place, is_tensor, on_host

K = 4


def people(n=600):
    X, planted = make_blobs(n, centers=K, n_features=5, cluster_std=2.5, random_state=0)
    groups = (np.random.default_rng(0).random(n) < 0.3 + 0.1 * planted).astype(int)
    return X, groups


# --- without torch ------------------------------------------------------------------------


@pytest.mark.parametrize("device", [None, "cpu"])
def test_the_cpu_is_numpy(device):
    assert choose_place(device, np.ones((2, 2))) is HOST
    assert choose_place(device) is HOST


@pytest.mark.parametrize(
    "device", ["gpu", "CUDA", "cuda:", "cuda:x", 0, "", "cpu:0", True, np.array(["cpu"])]
)
def test_other_words_are_refused(device):
    X, groups = people(50)
    with pytest.raises(ValueError, match="is not a device; pass 'cpu', 'cuda'"):
        FairSpectralClustering(2, device=device).fit(X, sensitive_features=groups)


class NoTorch:
    """Finds everything but torch."""

    @staticmethod
    def find_spec(name, *_):
        if name == "torch":
            raise ImportError(name)


@pytest.fixture
def without_torch(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "meta_path", [NoTorch, *sys.meta_path])


@pytest.mark.usefixtures("without_torch")
def test_without_torch_a_gpu_is_refused_in_one_sentence():
    X, groups = people(50)
    with pytest.raises(
        ImportError, match=r"needs torch; .*'fairspectral\[gpu\]', or pass device='a"
    ):
        FairSpectralClustering(2, device="cuda").fit(X, sensitive_features=groups)


@pytest.mark.usefixtures("without_torch")
def test_without_torch_auto_is_the_cpu_and_says_so():
    X, groups = people(50)
    model = FairSpectralClustering(2, device="auto", random_state=0)
    model.fit(X, sensitive_features=groups)
    assert model.affinity_choice_.endswith("no usable GPU, so everything is computed on the CPU.")
    plain = FairSpectralClustering(2, random_state=0).fit(X, sensitive_features=groups)
    np.testing.assert_array_equal(model.labels_, plain.labels_)


def test_the_command_refuses_a_gpu_before_it_reads_a_file(tmp_path):
    pytest.importorskip("typer")
    code = (
        "import sys\n"
        f"{inspect.getsource(NoTorch)}"
        "sys.meta_path.insert(0, NoTorch)\n"
        "from fairspectral.cli import main\n"
        "sys.argv = ['fairspectral', 'cluster', 'none.csv', '-k', '2', '--device', 'cuda']\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=600
    )
    assert done.returncode == 2
    assert "--device 'cuda' needs torch" in " ".join(done.stderr.split())


# --- with torch -----------------------------------------------------------------------------


@pytest.fixture
def torch():
    return pytest.importorskip(
        "torch", reason="torch is not installed: pip install 'fairspectral[gpu]'"
    )


@pytest.fixture
def no_cuda(torch, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.usefixtures("no_cuda")
def test_without_cuda_one_sentence_or_the_cpu(torch):
    with pytest.raises(ValueError, match=r"needs a GPU with CUDA, and torch .* finds none; check"):
        choose_place("cuda:0")
    assert choose_place("auto").device is None
    place = choose_place("auto", torch.ones(2, 2))
    assert place.device == torch.device("cpu")
    assert "no usable GPU" in place.words


def test_a_gpu_that_is_not_there(torch, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    with pytest.raises(ValueError, match=r"'cuda:2' is not there: this machine has 2 GPU\(s\)"):
        choose_place("cuda:2")
    assert choose_place("cuda").device == torch.device("cuda:1")
    assert choose_place("cuda:0").device == torch.device("cuda:0")
    assert choose_place("auto").device == torch.device("cuda:1")


WAYS = {
    "stored": {"affinity": "rbf", "gamma": 0.05},
    "recomputed": {"affinity": "rbf", "gamma": 0.05, "memory_budget": "500kB"},
    "laplacian": {"affinity": "laplacian", "gamma": 0.1, "memory_budget": "500kB"},
    "neighbours": {"affinity": "nearest_neighbors", "n_neighbors": 20},
    "auto": {},
    "Gower": {"affinity": "gower"},
    "float64": {"affinity": "rbf", "gamma": 0.05, "dtype": "float64"},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_fit_of_tensors_is_that_of_arrays(way, torch):
    X, groups = people()
    numpys, torchs = (
        FairSpectralClustering(K, random_state=0, effort="fast", **WAYS[way]) for _ in range(2)
    )
    numpys.fit(X, sensitive_features=groups)
    torchs.fit(torch.from_numpy(X), sensitive_features=torch.from_numpy(groups))
    assert torchs.affinity_operator_.device == torch.device("cpu")
    assert torchs.fair_assignment_.certified
    best = numpys.solve_result_.objective
    assert abs(torchs.solve_result_.objective - best) <= 1e-4 * best
    assert torchs.solve_result_.fairness_residual <= 1e-5
    assert torchs.audit_.normalized_cut <= 1.02 * numpys.audit_.normalized_cut
    assert torchs.n_features_in_ == 5
    np.testing.assert_array_equal(torchs.predict(torch.from_numpy(X)), torchs.labels_)


@needs_real_data
@pytest.mark.filterwarnings("ignore:group .* has .* person")
@pytest.mark.parametrize("way", ["stored", "recomputed"])
@pytest.mark.parametrize("fetch", [datasets.fetch_census, datasets.fetch_4area])
def test_real_data(fetch, way, torch):
    data = fetch()
    some = np.sort(np.random.default_rng(0).permutation(len(data.X))[:1500])
    X, groups = np.asarray(data.X)[some], np.asarray(data.sensitive_features)[some]
    params = {"affinity": "rbf", "random_state": 0, "effort": "fast"}
    if way == "recomputed":
        params["memory_budget"] = "2MB"
    theirs = FairSpectralClustering(K, **params).fit(X, sensitive_features=groups)
    ours = FairSpectralClustering(K, **params).fit(torch.from_numpy(X), sensitive_features=groups)
    best = theirs.solve_result_.objective
    assert abs(ours.solve_result_.objective - best) <= 1e-4 * best
    assert ours.fair_assignment_.certified
    assert ours.audit_.normalized_cut <= 1.02 * theirs.audit_.normalized_cut


@pytest.mark.parametrize("way", ["stored", "recomputed", "neighbours"])
def test_the_certificate_holds_on_the_host(way, torch):
    X, groups = people(400)
    model = FairSpectralClustering(K, random_state=0, effort="fast", **WAYS[way])
    model.fit(torch.from_numpy(X), sensitive_features=groups)
    certificate = model.certificate_
    assert certificate.cut.lower_bound is not None
    found = verify(certificate, model.labels_, X, groups)
    assert found, found.wrong
    assert verify(certificate, model.labels_, torch.from_numpy(X), groups)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_a_fit_with_the_fused_kernel(tol, torch, monkeypatch):
    pytest.importorskip("triton", reason="Triton is not installed, which comes with torch on Linux")
    if os.environ.get("TRITON_INTERPRET") != "1" and not torch.cuda.is_available():
        pytest.skip("Triton needs a GPU or its interpreter: TRITON_INTERPRET=1")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    monkeypatch.setattr(torch_kernel, "can_fuse", lambda device: True)
    X, groups = people(350)
    params = {"random_state": 0, "effort": "fast", "tol": tol, **WAYS["recomputed"]}
    params["memory_budget"] = None
    plain = FairSpectralClustering(K, **params).fit(X, sensitive_features=groups)
    params |= {"memory_budget": "400kB"}
    model = FairSpectralClustering(K, **params)
    model.fit(torch.from_numpy(X).to(device), sensitive_features=groups)
    passes = model.affinity_operator_._passes
    assert isinstance(passes, FusedPasses)
    assert passes.half == (tol > 1e-4)
    assert model.fair_assignment_.certified
    assert model.solve_result_.fairness_residual <= 1e-5
    best = plain.solve_result_.objective
    assert abs(model.solve_result_.objective - best) <= 1e-4 * best


@pytest.mark.parametrize("layout", ["dense", "csr", "coo"])
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
def test_affinities_as_tensors(layout, torch):
    X, groups = people(300)
    W = rbf_kernel(X, gamma=0.05)
    given = torch.from_numpy(W)
    if layout != "dense":
        W = sp.csr_array(np.where(W > 0.05, W, 0.0))
        given = torch.from_numpy(W.toarray())
        given = given.to_sparse_csr() if layout == "csr" else given.to_sparse_coo()
    params = {"affinity": "precomputed", "random_state": 0, "effort": "fast"}
    theirs = FairSpectralClustering(K, **params).fit(W, sensitive_features=groups)
    ours = FairSpectralClustering(K, **params).fit(given, sensitive_features=groups)
    assert is_tensor(ours.affinity_operator_.matmat(np.ones((300, 1))))
    assert ours.solve_result_.objective == pytest.approx(theirs.solve_result_.objective, abs=1e-9)
    assert ours.audit_.normalized_cut == pytest.approx(theirs.audit_.normalized_cut, rel=0.02)
    assert verify(ours.certificate_, ours.labels_, W, groups)


def test_other_inputs_as_tensors(torch):
    X, groups = people(200)
    T, weights = torch.from_numpy(X), np.random.default_rng(0).integers(1, 4, 200)
    params = {"affinity": "rbf", "gamma": 0.05, "random_state": 0, "effort": "fast"}
    for given in ({"sample_weight": weights}, {"constraints": X[:, 0] * 1.0}):
        theirs = FairSpectralClustering(K, **params).fit(X, sensitive_features=groups, **given)
        tensors = {name: torch.from_numpy(value) for name, value in given.items()}
        both = {"sex": torch.from_numpy(groups)}
        ours = FairSpectralClustering(K, **params).fit(T, sensitive_features=both, **tensors)
        assert ours._attributes[0].name == "sex"
        assert ours.solve_result_.objective == pytest.approx(
            theirs.solve_result_.objective, rel=1e-5
        )


def test_functions_take_tensors(torch):
    X, groups = people(120)
    T = torch.from_numpy(X)
    rows = fair_spectral_embedding(T, groups, n_components=3, affinity="rbf", random_state=0)
    assert rows.shape == (120, 3)
    assert isinstance(rows, np.ndarray)
    params = {"max_clusters": 3, "n_resamples": 2, "affinity": "rbf", "effort": "fast"}
    chosen = choose_k(T, groups, device="cpu", **params)
    assert chosen.suggestion == choose_k(X, groups, **params).suggestion
    model = FairSpectralClustering(2, affinity="rbf", random_state=0)
    model.fit(T, sensitive_features=groups)
    assert model.describe(T).sentences
    assert model.stability(2, n_seeds=1).rows()


class TestTensorsThatAreRefused:
    def refuses(self, X, message, **params):
        with pytest.raises(ValueError, match=message):
            FairSpectralClustering(2, **params).fit(X)

    def test_values(self, torch):
        X = torch.ones(10, 3)
        for value, word in ((torch.nan, "NaN"), (torch.inf, "infinity")):
            X[4, 2] = value
            words = f"X contains {word} at row 4, column 2; fill or drop"
            self.refuses(X, words, affinity="rbf")
        self.refuses(torch.ones(10, 3, dtype=torch.complex64), "Complex data not supported")

    def test_shapes(self, torch):
        self.refuses(torch.ones(10), "is 1-dimensional; for a single feature")
        self.refuses(torch.ones(1, 3), r"1 sample\(s\).*a minimum of 2 is required; pass more rows")
        self.refuses(torch.ones(5, 0), r"0 feature\(s\).*pass more columns")
        edges = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
        self.refuses(edges, "like an edge index")

    def test_a_symmetric_table_is_mentioned(self, torch):
        W = torch.from_numpy(rbf_kernel(people(30)[0], gamma=0.05))
        W = (W + W.T) / 2
        with pytest.warns(match="is a symmetric 30 × 30 matrix"):
            FairSpectralClustering(2, affinity="rbf", random_state=0).fit(W)


@pytest.mark.parametrize("name", ["int64", "float16", "bfloat16", "bool"])
def test_other_types_of_numbers(name, torch):
    X = torch.from_numpy(np.random.default_rng(0).integers(0, 9, (60, 3))).to(getattr(torch, name))
    model = FairSpectralClustering(2, affinity="rbf", random_state=0).fit(X)
    expected = FairSpectralClustering(2, affinity="rbf", random_state=0).fit(
        np.asarray(on_host(X), dtype=np.float64)
    )
    assert model.solve_result_.objective == pytest.approx(
        expected.solve_result_.objective, rel=1e-5
    )


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.filterwarnings("ignore:X has two columns of whole numbers")
def test_tensors_that_numpy_or_scipy_do_not_have(torch):
    W = torch.eye(6, dtype=torch.float64) + 0.5
    hybrid = torch.sparse_coo_tensor(torch.arange(6)[None], W, (6, 6))
    np.testing.assert_array_equal(on_host(hybrid), W.numpy())
    np.testing.assert_array_equal(on_host(W[0].to_sparse_coo()), W[0].numpy())
    for name in ("bfloat16", "float16"):
        short = W.to(getattr(torch, name))
        for sparse in (short.to_sparse_coo(), short.to_sparse_csr()):
            np.testing.assert_array_equal(on_host(sparse).toarray(), W.numpy())
    pairs = torch.complex(W, -W).conj()
    np.testing.assert_array_equal(on_host(pairs.imag), W.numpy())
    np.testing.assert_array_equal(on_host(pairs), W.numpy() * (1 + 1j))
    np.testing.assert_array_equal(on_host(pairs.to_sparse_coo()).toarray(), W.numpy() * (1 + 1j))
    whole = torch._neg_view(-torch.arange(12).reshape(6, 2))
    FairSpectralClustering(2, affinity="rbf", random_state=0).fit(whole)


def test_tensors_without_readable_numbers_are_refused(torch):
    X = torch.ones(10, 2)
    quantized = torch.quantize_per_tensor(X, 0.1, 0, torch.qint8)
    others = {"meta": X.to("meta"), "quantized": quantized}
    others["whole numbers on meta"] = X.long().to("meta")
    others["nested"] = torch.nested.nested_tensor([X[0], X[1]])
    for name, given in others.items():
        for affinity in ("rbf", "auto", "precomputed"):
            with pytest.raises(TypeError, match=f"X is a .*{name.split()[-1]}.*; pass "):
                FairSpectralClustering(2, affinity=affinity).fit(given)
        with pytest.raises(TypeError, match=r"a tensor is a .*; pass "):
            on_host(given)


@pytest.mark.filterwarnings("ignore:X has missing values")
@pytest.mark.parametrize("affinity", ["gower", "auto"])
def test_missing_values_in_a_tensor(affinity, torch):
    X, groups = people(100)
    X[5, 2] = np.nan
    both = [
        FairSpectralClustering(2, affinity=affinity, random_state=0, effort="fast").fit(
            given, sensitive_features=groups
        )
        for given in (X, torch.from_numpy(X))
    ]
    assert both[1].solve_result_.objective == pytest.approx(
        both[0].solve_result_.objective, rel=1e-5
    )
    with pytest.raises(ValueError, match=r"NaN at row 5, column 2; .*, or pass affinity='gower'\."):
        FairSpectralClustering(2, affinity="rbf").fit(torch.from_numpy(X))


def test_links_as_tensors(torch):
    X, groups = people(60)
    model = FairSpectralClustering(2, affinity="rbf", random_state=0, effort="fast")
    together, apart = torch.tensor([[0, 1], [1, 2]]), torch.tensor([[0, 5]])
    model.fit(X, sensitive_features=groups, must_link=together, cannot_link=apart)
    assert len(set(model.labels_[:3])) == 1
    assert model.labels_[0] != model.labels_[5]


def test_a_device_of_torch(torch):
    X, groups = people(50)
    model = FairSpectralClustering(2, affinity="rbf", device=torch.device("cpu"), random_state=0)
    assert len(model.fit(X, sensitive_features=groups).labels_) == 50
    assert choose_place(torch.device("cpu"), torch.ones(2, 2)).device == torch.device("cpu")


@pytest.mark.parametrize("name", ["meta", "mps", "xpu"])
def test_devices_of_torch_that_are_neither_cpu_nor_cuda_are_refused(name, torch):
    X, groups = people(50)
    with pytest.raises(ValueError, match="is not a device; pass 'cpu', 'cuda'"):
        FairSpectralClustering(2, device=torch.device(name)).fit(X, sensitive_features=groups)


def test_memory_that_torch_keeps_is_free(torch, monkeypatch):
    found = {"mem_get_info": (100, 1000), "memory_reserved": 70, "memory_allocated": 20}
    for name, value in found.items():
        monkeypatch.setattr(torch.cuda, name, lambda device, value=value: value)
    assert tensors.free_bytes("cuda:0") == 150


def test_auto_looks_for_no_gpu_where_data_are_on_workers(torch, monkeypatch):
    monkeypatch.setattr(tensors, "_no_cuda", lambda device: None)
    monkeypatch.setattr(tensors, "_device", lambda name: torch.device("cuda:0"))
    assert choose_place("auto").device == torch.device("cuda:0")
    assert choose_place("auto", on_workers=True) is HOST
    assert choose_place("cuda", on_workers=True).device == torch.device("cuda:0")
    dask = pytest.importorskip("dask.array", reason="dask is not installed")
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    X, groups = people(60)
    model = FairSpectralClustering(2, affinity="rbf", random_state=0, effort="fast")
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 1}
    with distributed.Client(**options, dashboard_address=None):
        model.set_params(device="auto")
        model.fit(dask.from_array(X, chunks=(30, 5)), sensitive_features=groups)
    assert len(model.labels_) == 60


@pytest.mark.parametrize("name", [">f8", ">f4", ">i8", "longdouble", "float64"])
def test_affinities_of_any_type_of_numpy_on_a_device(name, torch):
    W = rbf_kernel(people(40)[0], gamma=0.05)
    W = np.round((W + W.T) * 50)
    operator = make_operator(W.astype(name), "precomputed", device=Place(torch.device("cpu")))
    assert operator.stored_weights.dtype.isnative
    np.testing.assert_array_equal(operator.stored_weights, W)


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_the_smallest_and_largest_numbers(affinity, torch):
    X, groups = people(60)
    for factor in (1e-320, 1e300):
        model = FairSpectralClustering(2, affinity=affinity, random_state=0, effort="fast")
        model.fit(torch.from_numpy(X) * factor, sensitive_features=groups)
        again = clone(model).fit(X * factor, sensitive_features=groups)
        assert model.solve_result_.objective == pytest.approx(
            again.solve_result_.objective, rel=1e-5
        )


def test_a_triton_that_fails_in_a_product(torch, monkeypatch):
    class Fails:
        nbytes = 0

        def __init__(self, features, half):
            self.sums = torch_kernel.StripPasses(features).sums

        def product(self, block):
            raise RuntimeError("out of resource: shared memory")

    monkeypatch.setattr(torch_kernel, "can_fuse", lambda device: True)
    monkeypatch.setattr(torch_kernel, "FusedPasses", Fails)
    X, groups = people(100)
    model = FairSpectralClustering(2, random_state=0, effort="fast", affinity="rbf")
    model.set_params(memory_budget="20kB").fit(torch.from_numpy(X), sensitive_features=groups)
    words = "Triton failed (RuntimeError: out of resource: shared memory), so torch computes it."
    assert model.affinity_choice_.count(words) == 1
    assert model.fair_assignment_.certified


def test_gradients_are_not_used_and_data_are_not_changed(torch):
    X = torch.from_numpy(people(60)[0]).requires_grad_()
    before = X.detach().clone()
    model = FairSpectralClustering(2, affinity="rbf", random_state=0).fit(X)
    assert torch.equal(X.detach(), before)
    assert not model.affinity_operator_.matmat(np.ones((60, 1))).requires_grad


def test_fingerprints_are_those_of_the_same_numbers(torch):
    X = people(50)[0]
    assert fingerprint_values(torch.from_numpy(X)) == fingerprint_values(X)
    assert fingerprint_values(torch.from_numpy(X).float()) == fingerprint_values(np.float32(X))
    changed = torch.from_numpy(X.copy())
    changed[3, 1] += 1.0
    assert fingerprint(changed) != fingerprint(torch.from_numpy(X))


def test_a_saved_model_needs_no_device(torch, tmp_path):
    X, groups = people(200)
    model = FairSpectralClustering(K, affinity="rbf", random_state=0, effort="fast")
    model.fit(torch.from_numpy(X), sensitive_features=groups)
    model.device = "cuda"  # as if it had been fitted there
    loaded = fairspectral.load(model.save(tmp_path / "model.npz"))
    assert loaded.device is None
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    placed = loaded.assign(X[:20] + 0.01, sensitive_features=groups[:20])
    assert len(placed.labels) == 20


@pytest.mark.parametrize("way", ["stored", "recomputed", "neighbours"])
def test_a_model_of_tensors_can_be_pickled_and_copied(way, torch):
    X, groups = people(100)
    params = {**WAYS[way]}
    if way == "recomputed":
        params["memory_budget"] = "20kB"
    model = FairSpectralClustering(2, random_state=0, effort="fast", **params)
    model.fit(torch.from_numpy(X), sensitive_features=groups)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.labels_, model.labels_)
        np.testing.assert_array_equal(again.predict(X[:20]), model.predict(X[:20]))
        ones = np.ones((100, 1))
        assert torch.equal(
            again.affinity_operator_.matmat(ones), model.affinity_operator_.matmat(ones)
        )


def test_a_checkpoint_goes_on_on_a_device(torch, tmp_path, monkeypatch):
    """A solve that stops after two passes goes on from them with tensors."""
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "_TIMES", 0.0)
    X, groups = people()
    params = {"affinity": "rbf", "gamma": 0.3, "tol": 1e-5, "random_state": 0, "effort": "fast"}
    whole = FairSpectralClustering(K, **params).fit(torch.from_numpy(X), sensitive_features=groups)
    stopped = FairSpectralClustering(K, checkpoint=tmp_path / "state", **params)

    def stop(record):
        if record.passes == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(FairSpectralClustering, "_watch_iterations", lambda self: stop)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(torch.from_numpy(X), sensitive_features=groups)
    monkeypatch.undo()
    assert (tmp_path / "state").exists()
    operator_passes = []
    again = FairSpectralClustering(K, checkpoint=tmp_path / "state", device="cpu", **params)
    monkeypatch.setattr(
        FairSpectralClustering,
        "_watch_iterations",
        lambda self: lambda record: operator_passes.append(record.passes),
    )
    again.fit(torch.from_numpy(X), sensitive_features=groups)
    assert operator_passes[0] == 2
    np.testing.assert_array_equal(again.labels_, whole.labels_)


def test_no_tensor_is_made_without_being_asked_for():
    """A fit of arrays does not import torch."""
    code = (
        "import sys, numpy as np\n"
        "from fairspectral import FairSpectralClustering\n"
        "X = np.random.default_rng(0).random((60, 2))\n"
        "FairSpectralClustering(2, random_state=0).fit(X, sensitive_features=[0, 1] * 30)\n"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
