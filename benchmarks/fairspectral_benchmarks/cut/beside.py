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

CLUSTERS, SEEDS = 25, 5


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
    given: dict[str, Any] = {"n_clusters": CLUSTERS, "affinity": "precomputed"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, W, groups in _problems():
            short, times, cuts = with_short_indices(W), [], []
            FairSpectralClustering(effort="fast", **given).fit(W, sensitive_features=groups)
            for seed in range(SEEDS):  # what is compiled is compiled by now
                ours = FairSpectralClustering(effort="fast", random_state=seed, **given)
                theirs = SpectralClustering(random_state=seed, **given)
                fit_ours = partial(ours.fit, W, sensitive_features=groups)
                times.append([_seconds(fit_ours), _seconds(partial(theirs.fit, short))])
                cuts.append(float(ours.audit_.normalized_cut or 0.0))
            ours_took, theirs_took = np.median(times, axis=0)
            yield (
                f"{name}, k = {CLUSTERS}, median of {SEEDS} seeds: fast {ours_took:.2f} s, "
                f"scikit-learn {theirs_took:.2f} s, our cut {np.median(cuts):.4f}"
            )
