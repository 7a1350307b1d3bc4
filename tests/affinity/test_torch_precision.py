"""Full precision inside, and outside exactly what the user had set."""

import threading

import numpy as np
import pytest

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral.affinity.torch_features import TorchFeatures
from fairspectral.affinity.torch_precision import full_precision

torch = pytest.importorskip("torch", reason="needs torch: pip install 'fairspectral[torch]'")

NEW = hasattr(torch.backends.mkldnn, "matmul") and hasattr(
    torch.backends.cuda.matmul, "fp32_precision"
)
needs_backends = pytest.mark.skipif(not NEW, reason="this torch has one setting for all backends")


@pytest.fixture(autouse=True)
def restored():
    yield
    torch.set_float32_matmul_precision("highest")
    if NEW:  # which the word has set too
        torch.backends.fp32_precision = "none"
        torch.backends.cuda.matmul.fp32_precision = "none"
        torch.backends.mkldnn.matmul.fp32_precision = "none"


def precision():
    """What products of float32 are computed with, by backend."""
    if not NEW:
        return [torch.get_float32_matmul_precision()]
    return [torch.backends.cuda.matmul.fp32_precision, torch.backends.mkldnn.matmul.fp32_precision]


def full():
    return all(found in ("highest", "ieee", "none") for found in precision())


def by_one_word():
    torch.set_float32_matmul_precision("high")


def for_cuda():
    torch.backends.cuda.matmul.fp32_precision = "tf32"


def everywhere():
    torch.backends.fp32_precision = "tf32"


def mixed():
    torch.set_float32_matmul_precision("high")
    torch.backends.mkldnn.matmul.fp32_precision = "bf16"


SETTINGS = [
    by_one_word,
    *(pytest.param(setting, marks=needs_backends) for setting in (for_cuda, everywhere, mixed)),
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_setting_comes_back_also_after_an_error(setting):
    setting()
    before = precision()
    assert not full()
    with full_precision():
        assert full()
        with full_precision():
            assert full()
        assert full()
    assert precision() == before
    with pytest.raises(KeyError), full_precision():
        raise KeyError
    assert precision() == before


@needs_backends
def test_what_follows_the_general_setting_still_follows_it():
    torch.backends.fp32_precision = "tf32"
    with full_precision():
        assert full()
        assert torch.backends.fp32_precision == "tf32"
    torch.backends.fp32_precision = "ieee"
    assert precision() == ["ieee", "ieee"]


def test_a_thread_that_ends_first_takes_nothing_from_another():
    by_one_word()
    before = precision()
    entered, leave, seen = threading.Event(), threading.Event(), []

    def stay():
        with full_precision():
            entered.set()
            leave.wait(30)
            seen.append(full())

    thread = threading.Thread(target=stay)
    with full_precision():
        thread.start()
        entered.wait(30)
    assert full()  # the other one still computes
    leave.set()
    thread.join()
    assert seen == [True]
    assert precision() == before


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_fit_computes_every_tile_in_full_precision(setting, monkeypatch):
    rng = np.random.default_rng(0)
    X, groups = torch.from_numpy(rng.normal(size=(300, 3))), rng.integers(0, 2, 300)
    seen, tile = [], TorchFeatures.tile

    def watched(self, these, those):
        seen.append(full())
        return tile(self, these, those)

    monkeypatch.setattr(TorchFeatures, "tile", watched)
    setting()
    model = FairSpectralClustering(
        3, affinity="rbf", memory_budget="100KB", effort="fast", random_state=0
    )
    model.fit(X, sensitive_features=groups)
    model.affinity_operator_.rows(np.array([1]))
    stored = make_operator(X, "rbf")
    stored.matmat(stored.asarray(np.ones((300, 1))))
    assert len(seen) > 3
    assert all(seen)
