"""Small clustering problems of many kinds, drawn by hypothesis."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from fairspectral import FairSpectralClustering, FairSpectralWarning

TOLERANCES = (0.0, 0.05, 0.2, 0.5)


@dataclass(frozen=True)
class Problem:
    """Affinities, the group of each person, the number of clusters and the tolerance."""

    affinity: np.ndarray
    groups: np.ndarray
    n_clusters: int
    tolerance: float

    @property
    def n(self) -> int:
        return len(self.groups)

    def fit(self, affinity=None, groups=None, **parameters) -> FairSpectralClustering:
        """The default estimator on this problem, or on a variant of it."""
        model = FairSpectralClustering(
            self.n_clusters,
            affinity="precomputed",
            fairness_tol=self.tolerance,
            random_state=0,
            n_init=2,
            **{"effort": "fast", **parameters},
        )
        with warnings.catch_warnings():  # tiny groups and the like are worth a warning
            warnings.simplefilter("ignore", FairSpectralWarning)
            return model.fit(
                self.affinity if affinity is None else affinity,
                sensitive_features=self.groups if groups is None else groups,
            )


@st.composite
def random_groups(draw, n: int) -> np.ndarray:
    """Two to four groups of any sizes, each with someone in it."""
    h = draw(st.integers(2, 4))
    skew = draw(st.sampled_from([0.3, 1.0, 3.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shares = rng.dirichlet(np.full(h, skew))
    codes = np.concatenate([np.arange(h), rng.choice(h, n - h, p=shares)])
    return np.array(list("abcd"))[rng.permutation(codes)]


@st.composite
def random_problems(draw) -> Problem:
    """Kernels of points, some of them equal, and sparse graphs, some of them disconnected."""
    n, k = draw(st.integers(12, 40)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["kernel", "duplicates", "graph", "components"]))
    if kind in ("kernel", "duplicates"):
        points = rng.standard_normal((n, 3)) * draw(st.sampled_from([0.5, 1.0, 2.0]))
        if kind == "duplicates":
            points = points[rng.integers(0, n // 2, n)]
        W = rbf_kernel(points, gamma=0.5)
    else:
        upper = np.triu(rng.random((n, n)) < 0.15, 1) * rng.integers(1, 4, (n, n))
        ring = np.roll(np.eye(n), 1, axis=0)  # nobody is isolated
        W = upper + upper.T + ring + ring.T
        if kind == "components":
            half = n // 2
            W[:half, half:] = W[half:, :half] = 0.0
    return Problem(W, draw(random_groups(n)), k, draw(st.sampled_from(TOLERANCES)))


def as_sparse(W: np.ndarray) -> sp.csr_array:
    return sp.csr_array(W)


class AsOperator:
    """The four members that a user's own operator has."""

    def __init__(self, W: np.ndarray) -> None:
        self.degrees = W.sum(axis=1)
        scale = 1 / np.sqrt(self.degrees)
        self._M = scale[:, None] * W * scale
        self.shape, self.dtype = W.shape, W.dtype

    def matmat(self, block: np.ndarray) -> np.ndarray:
        return self._M @ block
