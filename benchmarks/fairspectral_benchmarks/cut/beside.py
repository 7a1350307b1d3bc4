"""The fast effort beside scikit-learn's clustering without fairness, in turns, end to end."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics.pairwise import rbf_kernel

from fairspectral import FairSpectralClustering, datasets
from fairspectral_benchmarks.cut.methods import with_short_indices

CLUSTERS, TURNS = 25, 3


def _problems() -> Iterator[tuple[str, Any, Any]]:
    lastfm = datasets.fetch_lastfm()
    yield "LastFMNet", lastfm.graph, lastfm.sensitive_features
    thyroid = datasets.fetch_thyroid()
    assert thyroid.X is not None
    gamma = 1 / (thyroid.X.shape[1] * thyroid.X.var())
    yield "Thyroid, rbf", rbf_kernel(thyroid.X, gamma=gamma), thyroid.sensitive_features


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def time_beside() -> Iterator[str]:
    """Seconds of both on the same matrix, and our cut."""
    ours = FairSpectralClustering(CLUSTERS, affinity="precomputed", effort="fast", random_state=0)
    theirs = SpectralClustering(CLUSTERS, affinity="precomputed", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, W, groups in _problems():
            fit_ours = partial(ours.fit, W, sensitive_features=groups)
            fit_theirs = partial(theirs.fit, with_short_indices(W))
            fit_ours()  # compiles
            times = np.median([[_seconds(fit_ours), _seconds(fit_theirs)] for _ in range(TURNS)], 0)
            yield (
                f"{name}, k = {CLUSTERS}: fast {times[0]:.2f} s, scikit-learn {times[1]:.2f} s, "
                f"our cut {ours.audit_.normalized_cut:.4f}"
            )
