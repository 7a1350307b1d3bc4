"""Functions other than the estimator, and baselines: what is accepted, and the error messages."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_input_case import WORKS, Call, K, N, kernel, plain, sklearns, two_groups

from fairspectral import (
    FairSpectralClustering,
    audit,
    bin_numeric,
    choose_k,
    fair_assignment,
    fair_spectral_embedding,
    fairness_frontier,
    metrics,
)
from fairspectral.baselines import UFSC, FFSCStyle, PlainSpectral


def c(name: str, call: Any, outcome: Any = WORKS, needs: str = "") -> Call:
    return Call(name, call, outcome, needs)


def labels() -> np.ndarray:
    return np.arange(N) // 2 % 2


def rows() -> np.ndarray:
    return np.random.default_rng(1).random((N, 2))


def fair(embedding: Any = None, **options: Any) -> bool:
    """Whether a fair assignment is certified and complete."""
    given = rows() if embedding is None else embedding
    found = fair_assignment(
        given, options.pop("groups", two_groups()), **{"n_init": 1, "random_state": 0, **options}
    )
    return found.certified and len(found.labels) == N


def fitted() -> FairSpectralClustering:
    model = FairSpectralClustering(K, effort="fast", random_state=0)
    return model.fit(plain(), sensitive_features=two_groups())


def y_as_groups() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            FairSpectralClustering(K, random_state=0).fit(plain(), two_groups())
        except UserWarning as warning:
            raise ValueError(str(warning)) from None


def equal_audit(labels_like: Any) -> bool:
    """Whether an audit of these labels counts as that of the plain ones."""
    found = audit(labels_like, two_groups()).attributes[0].counts
    return np.array_equal(found, audit(labels(), two_groups()).attributes[0].counts)


def embedding(X: Any = None, groups: Any = None, **options: Any) -> bool:
    found = fair_spectral_embedding(
        plain() if X is None else X,
        two_groups() if groups is None else groups,
        **{"n_components": K, **options},
    )
    return found.shape == (N, K) and bool(np.isfinite(found).all())


BASELINES = {
    "n_clusters 0": (
        lambda method: method(0).fit(plain(), sensitive_features=two_groups()),
        sklearns("n_clusters", "0"),
    ),
    "text": (
        lambda method: method(K, affinity="rbf").fit(
            np.char.add(plain().astype(str), "x"), sensitive_features=two_groups()
        ),
        "X contains text at row 0, column 0 ('10.0x'); encode categories as numbers first (for "
        "example with sklearn.preprocessing.OneHotEncoder), or pass affinity='gower'.",
    ),
    "groups too few": (
        lambda method: method(K).fit(plain(), sensitive_features=["f"]),
        "sensitive_features has 1 values but the data has 30 samples; pass exactly one value per "
        "sample, in the same order.",
    ),
    "n_neighbors as text": (
        lambda method: method(K, n_neighbors="9").fit(plain(), sensitive_features=two_groups()),
        sklearns("n_neighbors", "'9'"),
    ),
}

FUNCTIONS = [
    c("fit: groups as y", y_as_groups,
      "fit was given y but no sensitive_features; y is ignored, and the clustering is not "
      "constrained by any group: pass groups as fit(X, sensitive_features=groups)."),
    # fair_assignment
    c("assignment: float16", lambda: fair(rows().astype(np.float16))),
    c("assignment: a list of lists", lambda: fair(rows().tolist())),
    c("assignment: bool", lambda: fair(rows() > 0.5)),
    c("assignment: one dimension", lambda: fair(rows()[:, 0]),
      "embedding has shape (30,); pass one row per person or cluster."),
    c("assignment: no rows", lambda: fair(rows()[:0]),
      "embedding has shape (0, 2); pass one row per person or cluster."),
    c("assignment: ragged", lambda: fair([[1.0], [1.0, 2.0]]),
      "embedding has rows of different lengths; pass a table."),
    c("assignment: text", lambda: fair(rows().astype(str)),
      "embedding holds text; pass a table of real numbers."),
    c("assignment: objects", lambda: fair(rows().astype(object)),
      "embedding holds object values; pass a table of real numbers."),
    c("assignment: complex", lambda: fair(rows() * 1j),
      "embedding holds complex128 values; pass a table of real numbers."),
    c("assignment: NaN", lambda: fair(np.where(rows() > 0.9, np.nan, rows())),
      "embedding contains NaN or infinity; check how it was computed."),
    c("assignment: masked", lambda: fair(np.ma.masked_greater(rows(), 0.9)),
      "embedding is a masked array with 6 masked value(s), the first at (0, 1); fill them with "
      "embedding.filled(...) or drop those rows."),
    c("assignment: sparse", lambda: fair(sp.csr_array(rows())),
      "embedding is sparse; pass embedding.toarray()."),
    c("assignment: scale 1e200", lambda: fair(rows() * 1e200),
      "embedding has numbers as large as 9.81e+199, whose squares are too large to compute with; "
      "divide all of it by its largest number."),
    c("assignment: groups too few", lambda: fair(groups=two_groups()[1:]),
      "sensitive_features has 29 values but the data has 30 samples; pass exactly one value per "
      "sample, in the same order."),
    c("assignment: groups None", lambda: fair_assignment(rows(), None),
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it is a single NoneType."),
    c("assignment: n_clusters 0", lambda: fair(n_clusters=0),
      "n_clusters=0 must be a whole number between 1 and the number of rows, 30."),
    c("assignment: n_clusters 2.0", lambda: fair(n_clusters=2.0),
      "n_clusters=2.0 must be a whole number between 1 and the number of rows, 30."),
    c("assignment: n_clusters beyond n", lambda: fair(n_clusters=N + 1),
      "n_clusters=31 must be a whole number between 1 and the number of rows, 30."),
    c("assignment: centroids of another width", lambda: fair(centroids=np.ones((2, 3))),
      "centroids have 3 columns but the embedding has 2; pass centroids of the same rows."),
    c("assignment: centroids with NaN", lambda: fair(centroids=np.full((2, 2), np.nan)),
      "centroids contains NaN or infinity; check how it was computed."),
    c("assignment: initial labels too few", lambda: fair(initial_labels=[0, 1]),
      "initial_labels must be 30 whole numbers from 0 to 1, one for each row."),
    c("assignment: initial labels of text",
      lambda: fair(n_clusters=2, initial_labels=["a"] * N),
      "initial_labels must be 30 whole numbers from 0 to 1, one for each row."),
    c("assignment: an empty first cluster",
      lambda: fair(n_clusters=2, initial_labels=[1] * N),
      "initial_labels has an empty cluster; put at least one person into every cluster."),
    c("assignment: weights negative", lambda: fair(sample_weight=-np.ones(N)),
      "sample_weight must be 30 finite numbers of at least zero, one for each row, and not all "
      "of them zero."),
    c("assignment: weights too few", lambda: fair(sample_weight=[1.0]),
      "sample_weight must be 30 finite numbers of at least zero, one for each row, and not all "
      "of them zero."),
    c("assignment: weights of text", lambda: fair(sample_weight=["heavy"] * N),
      "sample_weight must be 30 finite numbers of at least zero, one for each row, and not all "
      "of them zero."),
    c("assignment: all weights zero", lambda: fair(sample_weight=np.zeros(N)),
      "sample_weight must be 30 finite numbers of at least zero, one for each row, and not all "
      "of them zero."),
    c("assignment: affinity of another size", lambda: fair(affinity=kernel()[:9, :9]),
      "affinity has 9 nodes but the embedding has 30 rows; pass the affinity that the embedding "
      "came from."),
    c("assignment: tolerance as text", lambda: fair(fairness_tol="0.2"),
      "fairness_tol='0.2' must be a number of at least 0 (0.2 is the four-fifths rule), or None "
      "for no constraint."),
    c("assignment: n_init 0", lambda: fair(n_init=0),
      "n_init=0 must be at least 1; pass a larger number."),
    c("assignment: n_init as text", lambda: fair(n_init="many"),
      "n_init='many' is not a whole number; pass one of at least 1."),
    c("assignment: random_state as text", lambda: fair(random_state="lucky"),
      "random_state='lucky' is not a seed; pass a whole number between 0 and 4294967295, a "
      "numpy.random.RandomState, or None."),
    # fair_spectral_embedding
    c("embedding: int8", lambda: embedding(plain().astype(np.int8))),
    c("embedding: operator", lambda: embedding(kernel(), affinity="precomputed")),
    c("embedding: n_components 0", lambda: embedding(n_components=0),
      "n_components=0 must be at least 1; pass a larger number."),
    c("embedding: n_components beyond n", lambda: embedding(n_components=N),
      "n_components=30 is larger than 29, the 30 samples minus 1 fairness constraint(s); choose "
      "n_components of at most 29."),
    c("embedding: unknown option", lambda: embedding(widht=3),
      "fair_spectral_embedding has no parameter 'widht'; for the affinities it takes gamma, "
      "n_neighbors, kernel_params, dtype, memory_budget, device, n_jobs."),
    c("embedding: solver unknown", lambda: embedding(solver="krilov"),
      "solver='krilov' is unknown (did you mean 'krylov'?); choose one of 'auto', 'krylov', "
      "'admm', 'lanczos', 'nullspace'."),
    c("embedding: gamma as text", lambda: embedding(gamma="wide"),
      "gamma='wide' is not valid; pass a positive number, 'scale' or 'auto'."),
    c("embedding: gamma negative", lambda: embedding(gamma=-1.0),
      "gamma=-1.0 is not valid; pass a positive number, 'scale' or 'auto'."),
    c("embedding: random_state as text", lambda: embedding(random_state="lucky"),
      "random_state='lucky' is not a seed; pass a whole number between 0 and 4294967295, a "
      "numpy.random.RandomState, or None."),
    c("embedding: NaN", lambda: embedding(np.full((N, 3), np.nan), affinity="rbf"),
      "X contains NaN at row 0, column 0; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting, or pass affinity='gower'."),
    c("embedding: one group", lambda: embedding(groups=["f"] * N),
      "sensitive_features column 'group' has the single group 'f'; fairness needs at least two "
      "groups, so pass another attribute, or sensitive_features=None for plain spectral "
      "clustering."),
    # audit and metrics
    c("audit: labels as text", lambda: equal_audit(labels().astype(str))),
    c("audit: labels as objects", lambda: equal_audit(labels().astype(object))),
    c("audit: labels as floats", lambda: equal_audit(labels() + 0.5)),
    c("audit: labels of 2**53 and one more", lambda: equal_audit(labels() + 2**53)),
    c("audit: labels 01 and 1", lambda: equal_audit([("01", "1")[i] for i in labels()])),
    c("audit: labels of booleans", lambda: equal_audit(labels() == 1)),
    c("audit: negative labels", lambda: equal_audit(labels() - 5)),
    c("audit: infinite labels", lambda: equal_audit(np.where(labels(), np.inf, 0.0))),
    c("audit: labels None", lambda: audit(None, two_groups()),
      "labels must be one label per sample, but has shape ()."),
    c("audit: labels with NaN", lambda: audit(np.where(labels(), np.nan, 0.0), two_groups()),
      "labels has 14 missing value(s), the first at row 2; fill them with a category of their "
      "own or drop those rows."),
    c("audit: labels with None", lambda: audit([None, *labels()[1:]], two_groups()),
      "labels has 1 missing value(s), the first at row 0; fill them with a category of their own "
      "or drop those rows."),
    c("audit: labels of mixed types", lambda: audit(["a", *labels()[1:]], two_groups()),
      "labels mixes values that cannot be compared (int64, str); convert it to one type, for "
      "example with .astype(str)."),
    c("audit: labels in a table", lambda: audit(np.ones((N, 2)), two_groups()),
      "labels must be one label per sample, but has shape (30, 2)."),
    c("audit: no labels", lambda: audit([], []),
      "labels must be one label per sample, but has shape (0,)."),
    c("audit: a text", lambda: audit("abc", two_groups()),
      "labels must be one label per sample, but has shape ()."),
    c("audit: labels masked", lambda: audit(np.ma.masked_equal(labels(), 1), two_groups()),
      "labels has 14 missing value(s), the first at row 2; fill them with a category of their "
      "own or drop those rows."),
    c("audit: groups too few", lambda: audit(labels(), two_groups()[1:]),
      "sensitive_features has 29 values but the data has 30 samples; pass exactly one value per "
      "sample, in the same order."),
    c("audit: one group", lambda: len(audit(labels(), ["f"] * N).attributes[0].groups) == 1),
    c("audit: affinity of another size", lambda: audit(labels(), None, kernel()[:9, :9]),
      "labels has 30 values but the affinity has 9 nodes."),
    c("audit: affinity not symmetric", lambda: audit(labels(), None, np.triu(kernel())),
      "X is not symmetric: entry (5, 28) is 1 but entry (28, 5) is 0; use (W + W.T) / 2 if the "
      "direction does not matter."),
    c("metrics: two attributes",
      lambda: metrics.average_balance(labels(), np.column_stack([two_groups()] * 2)),
      "sensitive_features has 2 attributes; pass one column at a time, or use fairspectral.audit "
      "for all of them."),
    c("metrics: groups with NaN", lambda: metrics.minimum_balance(labels(), [np.nan] * N),
      "sensitive_features column 'group' has 30 missing value(s), the first at row 0; fill them "
      "with a category of their own or drop those rows."),
    c("metrics: nobody", lambda: metrics.population_balance([]),
      "sensitive_features column 'group' must be one value per sample, but has shape (0,)."),
    c("metrics: a number of groups", lambda: metrics.population_balance(3),
      "sensitive_features must be one value per sample or a table with one column per attribute, "
      "but it is a single int."),
    c("metrics: cut of complex affinities",
      lambda: metrics.normalized_cut(labels(), kernel().astype(complex)),
      "X has complex affinities; pass real numbers of at least zero, for example their absolute "
      "values."),
    c("metrics: cut of lists",
      lambda: metrics.normalized_cut(labels().tolist(), kernel().tolist()) < K),
    c("metrics: cut of text", lambda: metrics.normalized_cut(labels(), "people.csv"),
      "X must be a square matrix of affinities, but it has shape (); for a table of features use "
      "affinity='rbf' or 'nearest_neighbors'."),
    c("metrics: cut of one dimension", lambda: metrics.normalized_cut(labels(), plain()[0]),
      "X must be a square matrix of affinities, but it has shape (3,); for a table of features "
      "use affinity='rbf' or 'nearest_neighbors'."),
    # stability and the number of clusters
    c("stability: no resamples", lambda: fitted().stability(0),
      "n_resamples=0 must be at least 1; pass a larger number."),
    c("stability: all of the people", lambda: fitted().stability(fraction=1),
      "fraction=1 is not a part of the people; pass a number between 0 and 1, such as 0.8."),
    c("stability: too few people", lambda: fitted().stability(fraction=0.1),
      f"fraction=0.1 of {N} people is too few for {K} clusters; pass a larger fraction, or fit "
      "fewer clusters."),
    c("stability: works", lambda: fitted().stability(1, n_seeds=0).n_resamples == 1),
    c("choose_k: no groups", lambda: choose_k(plain(), None),
      "choose_k needs sensitive_features, the groups whose shares the clusters must have; pass "
      "one value per row."),
    c("choose_k: the wrong way round",
      lambda: choose_k(plain(), two_groups(), min_clusters=4, max_clusters=3),
      "max_clusters=3 is less than min_clusters=4; swap them."),
    c("choose_k: one cluster", lambda: choose_k(plain(), two_groups(), min_clusters=1),
      "min_clusters=1 must be at least 2; pass a larger number."),
    c("choose_k: works", lambda: choose_k(plain(), two_groups(), max_clusters=3, effort="fast",
                                          n_resamples=1).suggestion in (2, 3)),
    # frontier
    c("frontier: no tolerance", lambda: fairness_frontier(rows(), two_groups(), tolerances=()),
      "tolerances is empty; pass at least one, for example (0, 0.2, None)."),
    c("frontier: one number", lambda: fairness_frontier(rows(), two_groups(), tolerances=0.2),
      "tolerances=0.2 is not a list; pass several, or [0.2] for one."),
    c("frontier: text", lambda: fairness_frontier(rows(), two_groups(), tolerances=["0.2"]),
      "fairness_tol='0.2' must be a number of at least 0 (0.2 is the four-fifths rule), or None "
      "for no constraint."),
    c("frontier: negative", lambda: fairness_frontier(rows(), two_groups(), tolerances=[-1]),
      "fairness_tol=-1 must be a number of at least 0 (0.2 is the four-fifths rule), or None for "
      "no constraint."),
    c("frontier: NaN", lambda: fairness_frontier(rows(), two_groups(), tolerances=[np.nan]),
      "fairness_tol=nan must be a number of at least 0 (0.2 is the four-fifths rule), or None "
      "for no constraint."),
    c("frontier: fairness_tol", lambda: fairness_frontier(rows(), two_groups(), fairness_tol=0.1),
      "fairness_frontier sets fairness_tol and initial_labels; pass tolerances."),
    # bin_numeric
    c("bins: fewer values than bins", lambda: len(set(bin_numeric([1, 2, 1, 2], 5))) == 2),
    c("bins: booleans", lambda: len(set(bin_numeric([True, False], 2))) == 2),
    c("bins: text", lambda: bin_numeric(["old", "young"]),
      "values must be numbers, one per sample; convert text with pandas.to_numeric, and fill or "
      "drop missing values first."),
    c("bins: numbers as text", lambda: bin_numeric(["1", "2"]),
      "values must be numbers, one per sample; convert text with pandas.to_numeric, and fill or "
      "drop missing values first."),
    c("bins: objects of text", lambda: len(bin_numeric(np.array(["1", "2"], object))) == 2),
    c("bins: dates", lambda: bin_numeric(np.array(["2020-01-01"], "datetime64[D]")),
      "values must be numbers, one per sample; convert text with pandas.to_numeric, and fill or "
      "drop missing values first."),
    c("bins: NaN", lambda: bin_numeric([1.0, np.nan]),
      "values has no finite number at row 1 (nan); give those rows a group of their own or drop "
      "them, and bin the others."),
    c("bins: None", lambda: bin_numeric([1.0, None]),
      "values has no finite number at row 1 (nan); give those rows a group of their own or drop "
      "them, and bin the others."),
    c("bins: infinity", lambda: bin_numeric([1.0, np.inf]),
      "values has no finite number at row 1 (inf); give those rows a group of their own or drop "
      "them, and bin the others."),
    c("bins: complex", lambda: bin_numeric([1j, 2.0]),
      "values must be numbers, one per sample; convert text with pandas.to_numeric, and fill or "
      "drop missing values first."),
    c("bins: masked", lambda: bin_numeric(np.ma.masked_equal([1, 2, 3], 2)),
      "values has no finite number at row 1 (nan); give those rows a group of their own or drop "
      "them, and bin the others."),
    c("bins: a table", lambda: bin_numeric(np.ones((3, 2))),
      "values must be one number per sample, but has shape (3, 2)."),
    c("bins: nothing", lambda: bin_numeric([]),
      "values must be one number per sample, but has shape (0,)."),
    c("bins: n_bins 1", lambda: bin_numeric([1, 2], 1),
      "n_bins=1 must be a whole number of at least 2."),
    c("bins: n_bins 2.0", lambda: bin_numeric([1, 2], 2.0),
      "n_bins=2.0 must be a whole number of at least 2."),
    c("bins: huge integers", lambda: bin_numeric([1, 10**400]),
      "values must be numbers, one per sample; convert text with pandas.to_numeric, and fill or "
      "drop missing values first."),
    # baselines
    *(c(f"{method.name}: {name}", lambda method=method, call=call: call(method), outcome)
      for method in (PlainSpectral, FFSCStyle, UFSC)
      for name, (call, outcome) in BASELINES.items()),
]  # fmt: skip
