"""The problems of the paper and of the benchmarks by name: real data sets and random models.

A name describes a problem completely: ``lastfm``, ``census@2000`` (2,000 rows drawn with a fixed
seed), ``msbm-5000x50`` (n, k), ``randlaplace-5000x5`` (n, h). The same name gives the same data
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral import datasets
from fairspectral.affinity import AffinityOperator, DenseOperator, SparseOperator
from fairspectral.affinity.kernel import kernel_matrix, make_kernel
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.datasets import Dataset
from fairspectral.problem import FairCutProblem

# Number of columns for which products use the compiled kernels if they ever do.
_WARM_UP_COLUMNS = 88

_SEED = 0
# The paper gives the scale (log n / n)^(1/10) but not the probabilities (a, b, c, d) of its
# m-SBM. With these the planted clusters are recovered, up to slips of k-means, from n=5000 on
# at k=50, h=5 (balance 0.96 to 1.00; there 1.00).
MSBM_PROBABILITIES = (1.4, 0.2, 0.19, 0.005)
# Up to this size the score is computed in float64; beyond it a float64 copy of a dense
# affinity would not fit into the remaining memory.
_FLOAT64_UP_TO = 20000


@dataclass(frozen=True)
class Recipe:
    """How a data set becomes an affinity.

    Attributes
    ----------
    title : str
        In tables.
    n : int
        Samples at full size.
    load : callable
        Gives the `Dataset`.
    gamma : callable or None
        Width of the RBF kernel from the number d of features; None for graphs.
    local : bool
        Whether the data are made or bundled, and no file has to be downloaded.
    """

    title: str
    n: int
    load: Callable[[], Dataset]
    gamma: Callable[[int], float] | None = None
    local: bool = False


def _one_over(d: int) -> float:
    return 1 / d


def _one_half(d: int) -> float:
    return 0.5


# Features are standardised, which the paper does not mention. For 4area this was chosen because
# the paper's balance at k=25 (0.38) then comes out: one trial of `ours` gave 0.38, and 0.13 on
# the coordinates as published.
RECIPES = {
    "lastfm": Recipe("LastFMNet", 5576, datasets.fetch_lastfm),
    "thyroid": Recipe("Thyroid", 7200, datasets.fetch_thyroid, lambda d: 0.01 / d),
    "census": Recipe("Census", 32561, datasets.fetch_census, _one_over),
    "4area": Recipe("4area", 35385, partial(datasets.fetch_4area, standardize=True), _one_over),
    "facebook": Recipe("FacebookNet", 155, datasets.fetch_facebook),
    "diabetes": Recipe("Diabetes", 442, datasets.load_diabetes_patients, _one_over, local=True),
    "elliptical": Recipe(
        "Elliptical", 400, partial(datasets.make_elliptical, random_state=_SEED), _one_half,
        local=True,
    ),
    "ds577": Recipe(
        "DS-577", 577, partial(datasets.make_ds577, random_state=_SEED), _one_half, local=True
    ),
    # For the benchmarks: every kernel with gamma = 1/d, 4area as published.
    "thyroid-narrow": Recipe("Thyroid", 7200, datasets.fetch_thyroid, _one_over),
    "4area-published": Recipe("4area", 35385, datasets.fetch_4area, _one_over),
}  # fmt: skip


@dataclass(frozen=True)
class Model:
    """A random model: its title, and from n and a second number (k or h) to a `Dataset`."""

    title: str
    make: Callable[[int, int], Dataset]


def _msbm(n: int, k: int, h: int = 5, dtype: Any = np.float32, **options: Any) -> Dataset:
    return datasets.make_msbm(n, k, h, dtype=dtype, random_state=_SEED, **options)


MODELS = {
    "msbm": Model("m-SBM", partial(_msbm, probabilities=MSBM_PROBABILITIES)),
    "randlaplace": Model(
        "RandLaplace",
        partial(datasets.make_randlaplace, dtype=np.float32, random_state=_SEED),
    ),
    # With the generator's own probabilities, in which groups weigh more.
    "msbm-groups": Model("m-SBM", _msbm),
    # Two groups of equal size, for a peer of the rounding that requires it.
    "msbm-two": Model(
        "m-SBM", partial(_msbm, h=2, dtype=np.float64, probabilities=(0.5, 0.3, 0.2, 0.1))
    ),
}


@dataclass(frozen=True)
class Name:
    """A problem's name, read.

    Attributes
    ----------
    family : str
        A key of `RECIPES` or `MODELS`; a larger n in one family is the same kind of problem.
    n : int
        Samples.
    second : int
        k of an m-SBM, h of a RandLaplace, 0 otherwise.
    """

    family: str
    n: int
    second: int = 0

    @property
    def title(self) -> str:
        """Its name in tables."""
        if self.family in MODELS:
            return f"{MODELS[self.family].title} n={self.n}"
        recipe = RECIPES[self.family]
        return recipe.title if self.n == recipe.n else f"{recipe.title} ({self.n} rows)"

    @property
    def local(self) -> bool:
        """Whether the data can be had without a download."""
        return self.family in MODELS or RECIPES[self.family].local


def read_name(name: str) -> Name:
    """Take a problem's name apart."""
    family, _, sizes = name.rpartition("-")
    if family in MODELS:
        n, second = map(int, sizes.split("x"))
        return Name(family, n, second)
    family, _, rows = name.partition("@")
    return Name(family, int(rows) if rows else RECIPES[family].n)


class Instance:
    """A loaded problem: affinities once, in the precisions that are asked for.

    Attributes
    ----------
    name : Name
        Its name.
    data : Dataset
        Features or graph, and groups.
    """

    def __init__(self, name: str) -> None:
        self.name = read_name(name)
        self.data = _load(self.name)
        self._operators: dict[Any, AffinityOperator] = {}

    @property
    def groups(self) -> np.ndarray:
        """The sensitive attribute, shape (n,)."""
        return self.data.sensitive_features

    @property
    def kernel(self) -> bool:
        """Whether the affinity is a positive definite kernel, which needs no shift."""
        return self.data.X is not None

    @property
    def warm_up_name(self) -> str:
        """A small problem of the same kind, for warming up."""
        if self.kernel:
            return "elliptical"
        return "msbm-160x4" if sp.issparse(self.data.graph) else "randlaplace-120x2"

    @property
    def gamma(self) -> float | None:
        """Width of the RBF kernel."""
        recipe = RECIPES.get(self.name.family)
        if recipe is None or recipe.gamma is None or self.data.X is None:
            return None
        return recipe.gamma(self.data.X.shape[1])

    def operator(self, dtype: Any) -> AffinityOperator:
        """The normalised affinity in a precision; kept, since a kernel is costly."""
        dtype = np.dtype(dtype)
        if dtype not in self._operators:
            operator = self._make_operator(dtype)
            # Load the compiled kernels now, so that no method's time includes it.
            operator.matmat(np.ones((operator.shape[0], _WARM_UP_COLUMNS), dtype=dtype))
            self._operators[dtype] = operator
        return self._operators[dtype]

    def _make_operator(self, dtype: np.dtype) -> AffinityOperator:
        weights = self.weights(dtype)
        return SparseOperator(weights) if sp.issparse(weights) else DenseOperator(weights)

    def weights(self, dtype: Any) -> Any:
        """The affinities in a precision: an array or a CSR array, shape (n, n); not kept."""
        dtype = np.dtype(dtype)
        if self.data.X is not None:
            kernel = make_kernel("rbf", self.data.X, self.gamma, None)
            return kernel_matrix(self.data.X, kernel, dtype)
        graph = self.data.graph
        if not sp.issparse(graph):
            return np.asarray(graph, dtype=dtype)
        graph = graph.astype(dtype)
        # One index type for all graphs: compiled code is compiled once for each, and
        # scikit-learn's SpectralClustering takes 32-bit indices only.
        graph.indices = graph.indices.astype(np.int32)
        graph.indptr = graph.indptr.astype(np.int32)
        return graph

    def problem(self, dtype: Any, n_clusters: int) -> FairCutProblem:
        """The fair cut problem for k clusters."""
        operator = self.operator(dtype)
        attributes = encode_groups(self.groups, operator.shape[0])
        constraints = FairnessConstraints.from_attributes(attributes, operator.degrees)
        return FairCutProblem(operator, constraints, n_clusters)

    @property
    def precise(self) -> np.dtype:
        """The best precision in which scores are affordable."""
        small = self.name.n <= _FLOAT64_UP_TO or sp.issparse(self.data.graph)
        return np.dtype(np.float64 if small else np.float32)


def _load(name: Name) -> Dataset:
    if name.family in MODELS:
        return MODELS[name.family].make(name.n, name.second)
    recipe = RECIPES[name.family]
    data = recipe.load()
    return data if name.n == data.n else _sample(data, name.n)


def _sample(data: Dataset, n: int) -> Dataset:
    """Rows drawn with a fixed seed, for the quick scale; graphs are never cut."""
    rows = np.sort(np.random.default_rng(_SEED).choice(data.n, n, replace=False))
    assert data.X is not None
    return Dataset(data.name, data.sensitive_features[rows], X=data.X[rows])


# --- many people ---

# What the benchmarks of large n cluster: fifty blobs into half as many clusters.
CLUSTERS, BLOBS, FEATURES, SHARES = 25, 50, 8, (0.45, 0.3, 0.17, 0.08)
# Blobs that overlap, so that the graph of neighbours is in one piece.
SPREAD = 3.0


def blobs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Fifty blobs in eight dimensions, and four groups of unequal size.

    Half of the people belong to the group of their blob, the others to any, so that plain clusters
    are not fair.
    """
    from sklearn.datasets import make_blobs

    X, blob = make_blobs(n, FEATURES, centers=BLOBS, cluster_std=SPREAD, random_state=0)
    rng = np.random.default_rng(1)
    drawn = rng.choice(len(SHARES), n, p=SHARES)
    of_blob = rng.choice(len(SHARES), BLOBS, p=SHARES)
    return X, np.where(rng.random(n) < 0.5, of_blob[blob], drawn)
