"""The findings of the diagnosis on good and on degenerate data; see benchmarks/diagnosis.py."""

import os
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn import datasets
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from fairspectral import FairSpectralClustering
from fairspectral.datasets import load_diabetes_patients, make_ds577, make_elliptical, make_msbm
from fairspectral.diagnosis import Sample, diagnose, largest_drop
from fairspectral_benchmarks.files import ROOT
from fairspectral_benchmarks.pages import fill_in, markdown_table
from fairspectral_benchmarks.problems import Instance

PAGE = ROOT / "docs" / "diagnosis-tables.md"
# Large kernels are clustered for a sample of their rows.
MOST_ROWS = 3000


def standardised(X):
    return StandardScaler().fit_transform(X)


def halves(n):
    return np.arange(n) % 2


def good():
    """Name, data, k, affinity, groups and parameters of data with clusters."""
    loaders = {
        "iris": (datasets.load_iris, 3),
        "wine": (datasets.load_wine, 3),
        "breast cancer": (datasets.load_breast_cancer, 2),
        "digits": (datasets.load_digits, 10),
    }
    for name, (load, k) in loaders.items():
        X = load().data
        scaled = X if name == "digits" else standardised(X)  # pixels have one unit
        yield f"{name}, rbf", scaled, k, "rbf", halves(len(X)), {}
        yield f"{name}, neighbours", scaled, k, "nearest_neighbors", halves(len(X)), {}
        W = rbf_kernel(scaled, gamma=1 / (X.shape[1] * scaled.var()))
        np.fill_diagonal(W, 0)
        yield f"{name}, no diagonal", W, k, "precomputed", halves(len(X)), {}
    for k, d in ((3, 2), (5, 7), (10, 50)):
        X, _ = datasets.make_blobs(900, d, centers=k, random_state=k)
        yield f"{k} blobs in {d} dimensions", X, k, "rbf", halves(900), {}
    X, _ = datasets.make_blobs([480, 120], random_state=3)
    yield "two blobs of 80% and 20%", X, 2, "rbf", halves(600), {}
    X, _ = datasets.make_blobs([400, 100, 50, 50], random_state=3)
    yield "four blobs of 67% to 8%", X, 4, "rbf", halves(600), {}
    X, _ = datasets.make_moons(500, noise=0.06, random_state=0)
    yield "moons, neighbours", X, 2, "nearest_neighbors", halves(500), {}
    yield "moons, rbf", X, 2, "rbf", halves(500), {"gamma": 20.0}
    X, _ = datasets.make_circles(500, noise=0.05, factor=0.4, random_state=0)
    yield "circles, neighbours", X, 2, "nearest_neighbors", halves(500), {}
    for n, k, h, scale in ((1000, 5, 2, None), (1000, 3, 3, None), (4000, 5, 2, 0.03)):
        block = make_msbm(n, k, h, scale=scale, random_state=0)
        title = f"block model, n={n}, k={k}, h={h}"
        yield title, block.graph, k, "precomputed", block.sensitive_features, {}
    for made in (make_elliptical(random_state=0), make_ds577(random_state=0)):
        assert made.clusters is not None
        k = len(np.unique(made.clusters))
        yield made.name, made.X, k, "rbf", made.sensitive_features, {}
    patients = load_diabetes_patients()
    yield "diabetes patients", patients.X, 4, "rbf", patients.sensitive_features, {}


def fresh():
    """Data that were drawn after the thresholds were fixed, and never used to choose them."""
    for seed in range(20, 26):
        k = 2 + seed % 5
        X, _ = datasets.make_blobs(500, 4, centers=k, cluster_std=1.5, random_state=seed)
        yield f"{k} blobs, seed {seed}", X, k, "rbf", halves(500), {}, None
        block = make_msbm(900, k, 3, random_state=seed)
        groups = block.sensitive_features
        yield f"block model, k={k}, seed {seed}", block.graph, k, "precomputed", groups, {}, None
        rng = np.random.default_rng(seed)
        D = pairwise_distances(rng.standard_normal((300, seed)))
        found = "distances as affinities"
        yield f"distances of noise, seed {seed}", D, k, "precomputed", halves(300), {}, found
        edges = np.triu(rng.random((500, 500)) < 0.05, 1).astype(float)
        graph, found = sp.csr_array(edges + edges.T), "no gap in the spectrum"
        yield f"random graph, k={k}, seed {seed}", graph, k, "precomputed", halves(500), {}, found


def paper():
    """The paper's data with its kernels; the right clusters are not known, so none is expected."""
    if not os.environ.get("FAIRSPECTRAL_DATA"):
        return
    for problem, k in (
        ("facebook", 2),
        ("lastfm", 5),
        ("thyroid", 3),
        ("thyroid-narrow", 3),
        ("census", 4),
        ("4area-published", 4),
    ):
        instance = Instance(problem)
        data, X = instance.data, instance.data.X
        if X is None:
            yield data.name, data.graph, k, "precomputed", instance.groups, {}, UNKNOWN
            continue
        rows = np.random.default_rng(0).permutation(data.n)[:MOST_ROWS]
        width = instance.gamma * X.shape[1]
        name = f"{data.name}, {len(rows)} rows, gamma {width:g}/d"
        params = {"gamma": instance.gamma}
        yield name, X[rows], k, "rbf", instance.groups[rows], params, UNKNOWN


def degenerate():
    """The same for data without clusters, with the kind that must be found."""
    rng = np.random.default_rng(0)
    blobs, _ = datasets.make_blobs(400, centers=4, random_state=0)
    iris = standardised(datasets.load_iris().data)
    noise = rng.standard_normal((400, 20))
    distances = "distances as affinities"
    for name, X, k in (("iris", iris, 3), ("blobs", blobs, 4), ("noise", noise, 4)):
        for metric in ("euclidean", "sqeuclidean", "cosine", "manhattan"):
            D = pairwise_distances(X, metric=metric).clip(0)
            np.fill_diagonal(D, 0)
            yield (
                f"{metric} distances of {name}",
                D,
                k,
                "precomputed",
                halves(len(X)),
                {},
                distances,
            )
    g = halves(400)
    constant = "nearly constant affinities"
    yield "constant data", np.ones((400, 3)), 4, "rbf", g, {}, constant
    yield "ones without a diagonal", 1 - np.eye(400), 4, "precomputed", g, {}, constant
    yield "iris, gamma 0.001", iris, 3, "rbf", halves(150), {"gamma": 0.001}, constant
    identity = "nearly the identity"
    yield "identity + 0.001", np.eye(400) + 1e-3, 4, "precomputed", g, {}, identity
    yield "iris, gamma 100", iris, 3, "rbf", halves(150), {"gamma": 100.0}, identity
    patients = load_diabetes_patients()
    giant = "one giant cluster"
    sex = patients.sensitive_features
    yield "diabetes patients, gamma 1", patients.X, 4, "rbf", sex, {"gamma": 1.0}, giant
    cells = datasets.load_breast_cancer().data
    yield "breast cancer, rbf, no groups", standardised(cells), 2, "rbf", None, {}, giant
    pixels = standardised(datasets.load_digits().data)
    floor = "clusters at the floor"
    yield "digits, rare pixels scaled up", pixels, 10, "rbf", halves(len(pixels)), {}, floor
    cliques = sp.block_diag(
        [sp.coo_array(np.ones((m, m))) for m in rng.integers(3, 9, 60)], format="csr"
    )
    many = "more components than clusters"
    yield "sixty cliques", cliques, 4, "precomputed", halves(cliques.shape[0]), {}, many
    weights = rng.random((400, 400))
    W, cut = weights + weights.T, "cut near its maximum"
    yield "random weights", W, 4, "precomputed", g, {}, cut
    wide = rng.standard_normal((400, 100))
    yield "noise in 100 dimensions", wide, 4, "rbf", g, {}, cut
    for p in (0.02, 0.1, 0.5):
        edges = np.triu(rng.random((400, 400)) < p, 1).astype(float)
        graph = sp.csr_array(edges + edges.T)
        yield f"random graph, density {p}", graph, 4, "precomputed", g, {}, "no gap in the spectrum"


UNKNOWN = "unknown"


def row(name, X, k, affinity, groups, params, expected=None):
    model = FairSpectralClustering(k, affinity=affinity, random_state=0, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of several components; they are in the table
        began = time.perf_counter()
        model.fit(X, sensitive_features=groups)
        fitted = time.perf_counter() - began
    operator, found = model.affinity_operator_, model.audit_
    began = time.perf_counter()
    diagnose(operator, found, model.solve_result_, model.fair_assignment_)
    spent = time.perf_counter() - began
    sample = Sample.of(operator)
    random = (k - 1) * (1 - sample.own_volume)
    agreement = sample.agreement
    drop = largest_drop(model.eigenvalues_, model.solve_result_.details["next_eigenvalue"])
    kinds = model.diagnosis_.kinds
    right = expected == UNKNOWN or (not kinds if expected is None else expected in kinds)
    print(f"{name}: {spent / fitted:.1%} of the fit", file=sys.stderr)
    numbers = [
        f"{found.sizes.max() / found.sizes.sum():.0%}",
        f"{np.median(sample.own_shares):.2f}",
        f"{sample.spread:.3g}",
        "–" if agreement is None else f"{agreement:.2f}",
        f"{found.normalized_cut / random:.2f}",
        f"{drop:.3f}",
    ]
    return [name, *numbers, ", ".join(kinds) or "none"], right


HEADER = ["data", "largest cluster", "own share", "spread", "agreement", "cut / random", "drop",
          "findings"]  # fmt: skip


def main():
    """Print the tables, and write them with --write; 1 if a finding is not as expected."""
    parts, wrong = [], []
    for title, cases in (
        ("Good data", good()),
        ("Degenerate data", degenerate()),
        ("Fresh data", fresh()),
        ("The paper's data", paper()),
    ):
        judged = [row(*case) for case in cases]
        lines = [line for line, _ in judged]
        wrong += [line for line, right in judged if not right]
        parts.append(f"## {title}\n\n{markdown_table(HEADER, lines)}")
    table = "\n\n".join(parts)
    print(table)
    print(f"Not as expected: {wrong}" if wrong else "Everything is as expected.")
    if "--write" in sys.argv[1:]:
        fill_in(PAGE, {"findings": table})
    return 1 if wrong else 0
