"""What a user would take instead: the CPU, scikit-learn without fairness, lobpcg, KeOps."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from sklearn.cluster import SpectralClustering

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator
from fairspectral_benchmarks.gpu.ceilings import COLUMNS
from fairspectral_benchmarks.gpu.device import seconds, wait
from fairspectral_benchmarks.problems import CLUSTERS, blobs

# People where everything else can be waited for, and for a pass of KeOps.
_PEOPLE, _LARGE, _SMALL = 20_000, 200_000, 300


def measure_peers(device: torch.device, small: bool) -> Iterator[dict[str, Any]]:
    """Seconds of each way, all on the same points; what it computes stands beside it."""
    n = _SMALL if small else _PEOPLE
    X, groups = blobs(n)
    T = torch.from_numpy(X).to(device)
    fair = FairSpectralClustering(CLUSTERS, affinity="rbf", random_state=0)
    ways: dict[str, Callable[[], Any]] = {
        "fairspectral, device": lambda: fair.fit(T, sensitive_features=groups),
        "fairspectral, CPU": lambda: fair.fit(X, sensitive_features=groups),
        "scikit-learn, CPU, not fair": lambda: SpectralClustering(
            CLUSTERS, affinity="rbf", gamma=_gamma(X), random_state=0
        ).fit(X),
        "torch.lobpcg, device, embedding only, not fair": lambda: _lobpcg(T, _gamma(X)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, way in ways.items():
            if "CPU" not in name:
                way()  # compiles, and starts the device's libraries
            wait(device)
            begin = time.perf_counter()
            way()
            wait(device)
            yield {"way": name, "n": n, "seconds": time.perf_counter() - begin}
    yield from _keops(device, _SMALL if small else _LARGE)


def _gamma(X: np.ndarray) -> float:
    return 1.0 / (X.shape[1] * float(X.var()))


def _lobpcg(T: torch.Tensor, gamma: float) -> torch.Tensor:
    """The leading vectors of the normalised affinity, without any constraint."""
    rows = T.float()
    W = torch.exp(-gamma * torch.cdist(rows, rows).square_())
    scale = W.sum(dim=1).rsqrt_()
    M = W * scale * scale[:, None]
    start = torch.randn((len(M), CLUSTERS), device=M.device)
    return torch.lobpcg(M, X=start, niter=100, tol=1e-3, largest=True)[1]


def _keops(device: torch.device, n: int) -> Iterator[dict[str, Any]]:
    """One pass of 32 columns, by KeOps and by the operator here."""
    X = torch.from_numpy(blobs(n)[0]).to(device)
    block = torch.randn((n, COLUMNS), device=device)
    operator = make_operator(X, "rbf", memory_budget=1)
    ours = seconds(lambda: operator.matmat(block), device, 3)
    yield {"way": "one pass, fairspectral, device", "n": n, "seconds": ours}
    try:
        from pykeops.torch import LazyTensor
    except ImportError:
        yield {"way": "one pass, KeOps", "n": n, "note": "pykeops is not installed"}
        return
    rows = (X.float() * _gamma(X.cpu().numpy()) ** 0.5).contiguous()
    squares = ((LazyTensor(rows[:, None, :]) - LazyTensor(rows[None, :, :])) ** 2).sum(-1)
    kernel = (-squares).exp()
    theirs = seconds(lambda: kernel @ block, device, 3)
    yield {"way": "one pass, KeOps", "n": n, "seconds": theirs}
