"""The parameters of `FairSpectralClustering`: what is accepted, and the error messages."""

from __future__ import annotations

from typing import Any

import numpy as np
from bad_input_case import WORKS, Fit, N, plain, sklearns, two_groups


def p(name: str, outcome: Any = WORKS, **params: Any) -> Fit:
    """A case about the parameters of `FairSpectralClustering`."""
    same = params.pop("same", False)
    X, warns = params.pop("X", plain), params.pop("warns", "")
    return Fit(name, X, two_groups, outcome, same=same, warns=warns, params=params)


PARAMETERS = [
    p("n_clusters 0", sklearns("n_clusters", "0"), n_clusters=0),
    p("n_clusters True", "n_clusters=True is not a number; pass one.", n_clusters=True),
    p("n_clusters 2.0", sklearns("n_clusters", r"2\.0"), n_clusters=2.0),
    p("n_clusters as text", sklearns("n_clusters", "'2'"), n_clusters="2"),
    p("n_clusters None", sklearns("n_clusters", "None"), n_clusters=None),
    p("n_clusters of numpy", n_clusters=np.int8(2), same=True),
    p("n_clusters n",
      "n_clusters=30 is larger than 29, the 30 samples minus 1 fairness constraint(s); choose "
      "n_clusters of at most 29.", n_clusters=N),
    p("n_clusters beyond n",
      "n_clusters=31 is larger than 30, the 30 samples; choose n_clusters of at most 30.",
      n_clusters=N + 1),
    p("n_clusters beyond int64",
      "n_clusters=1180591620717411303424 is larger than 30, the 30 samples; choose n_clusters of "
      "at most 30.", n_clusters=2**70),
    p("one cluster", n_clusters=1),
    p("affinity unknown",
      "affinity='rfb' is unknown (did you mean 'rbf'?); choose one of 'auto', "
      "'precomputed', 'nearest_neighbors', 'gower', 'additive_chi2', 'chi2', 'cosine', "
      "'laplacian', 'linear', 'poly', 'polynomial', 'rbf', 'sigmoid'.", affinity="rfb"),
    p("affinity None",
      "affinity=None is unknown; choose one of 'auto', 'precomputed', 'nearest_neighbors', "
      "'gower', 'additive_chi2', 'chi2', 'cosine', 'laplacian', 'linear', 'poly', 'polynomial', "
      "'rbf', 'sigmoid'.", affinity=None),
    p("affinity a number",
      "affinity=3 is unknown; choose one of 'auto', 'precomputed', 'nearest_neighbors', 'gower', "
      "'additive_chi2', "
      "'chi2', 'cosine', 'laplacian', 'linear', 'poly', 'polynomial', 'rbf', 'sigmoid'.",
      affinity=3),
    p("affinity that returns NaN",
      "the kernel 'callable' contains NaN at row 0, column 0; replace it by a finite affinity "
      "(zero where there is no similarity).", affinity=lambda a, b: np.nan),
    p("affinity that returns text",
      "the function passed as affinity returned a str; it must return one number for two rows.",
      affinity=lambda a, b: "near"),
    p("affinity that returns a vector",
      "the function passed as affinity returned a ndarray; it must return one number for two "
      "rows.", affinity=lambda a, b: a * b),
    p("affinity that is negative",
      "the kernel 'callable' has the negative weight -1 at row 0, column 0; affinities must be "
      "at least zero, so use a non-negative kernel (for example 'rbf') or shift it.",
      affinity=lambda a, b: -1.0),
    p("affinity that is zero",
      "the kernel 'callable' has 30 isolated node(s) without any affinity (index 0, 1, 2, 3, 4, "
      "...); use a kernel that is positive between different samples, for example 'rbf'.",
      affinity=lambda a, b: 0.0),
    p("affinity linear", affinity="linear"),
    p("affinity linear of centred data",
      "the kernel 'linear' has the negative weight -818 at row 0, column 2; affinities must be "
      "at least zero, so use a non-negative kernel (for example 'rbf') or shift it.",
      affinity="linear", X=lambda: plain() - 25),
    p("affinity chi2 of negative data",
      "the kernel 'chi2' needs features of at least zero, but X contains negative ones; use "
      "another kernel, for example 'rbf', or counts and shares.", affinity="chi2",
      X=lambda: plain() - 25),
    p("gamma 0", sklearns("gamma", "0"), gamma=0),
    p("gamma negative", sklearns("gamma", r"-1\.0"), gamma=-1.0),
    p("gamma NaN", sklearns("gamma", "nan"), gamma=float("nan")),
    p("gamma infinite", sklearns("gamma", "inf"), gamma=float("inf")),
    p("gamma True", "gamma=True is not a number; pass one.", gamma=True),
    p("gamma text", sklearns("gamma", "'wide'"), gamma="wide"),
    p("gamma 1e6, everybody alone", gamma=1e6, warns="29 connected components"),
    p("gamma 1e-300, everybody alike", gamma=1e-300),
    p("n_neighbors 0", sklearns("n_neighbors", "0"), n_neighbors=0, affinity="nearest_neighbors"),
    p("n_neighbors 1",
      "the graph of nearest neighbours gives no affinity between different nodes beyond "
      "floating-point error, so there is nothing to cluster by; n_neighbors=1 counts the sample "
      "itself, so pass at least 2.", n_neighbors=1, affinity="nearest_neighbors"),
    p("n_neighbors beyond n", "n_neighbors=31 must lie between 1 and the number of samples, 30.",
      n_neighbors=N + 1, affinity="nearest_neighbors"),
    p("n_neighbors 2.5", sklearns("n_neighbors", r"2\.5"), n_neighbors=2.5,
      affinity="nearest_neighbors"),
    p("kernel_params a list", sklearns("kernel_params", r"\[1\]"), kernel_params=[1]),
    p("kernel_params unknown",
      "kernel_params has 'widht', which the kernel 'rbf' does not take; it takes gamma.",
      kernel_params={"widht": 1}),
    p("n_components 0", sklearns("n_components", "0"), n_components=0),
    p("n_components beyond n",
      "n_components=30 is larger than 29, the 30 samples minus 1 fairness constraint(s); choose "
      "n_components of at most 29.", n_components=N),
    p("n_components 1", n_components=1),
    p("attribute_mode unknown", sklearns("attribute_mode", "'both'"), attribute_mode="both"),
    p("solver unknown", sklearns("solver", "'krilov'"), solver="krilov"),
    p("solver_params unknown",
      "the solver 'krylov' has no parameter 'blok' (did you mean 'block'?); it knows tol, "
      "max_iter, block, memory_budget.", solver="krylov", solver_params={"blok": 3}),
    p("solver_params of the wrong type",
      "the solver 'krylov' takes parameters of type KrylovParams, not int.", solver_params=3),
    p("solver_params True for a number",
      "the solver 'krylov' takes a number as 'tol', not True.", solver="krylov",
      solver_params={"tol": True}),
    p("tol negative", sklearns("tol", r"-0\.001"), tol=-1e-3),
    p("tol NaN", sklearns("tol", "nan"), tol=float("nan")),
    p("max_iter 0", sklearns("max_iter", "0"), max_iter=0),
    p("max_iter 1.5", sklearns("max_iter", r"1\.5"), max_iter=1.5),
    p("assign_labels unknown", sklearns("assign_labels", "'discretize'"),
      assign_labels="discretize"),
    p("fairness_tol negative", sklearns("fairness_tol", r"-0\.1"), fairness_tol=-0.1),
    p("fairness_tol NaN", sklearns("fairness_tol", "nan"), fairness_tol=float("nan")),
    p("fairness_tol infinite", sklearns("fairness_tol", "inf"), fairness_tol=float("inf")),
    p("fairness_tol as text", sklearns("fairness_tol", r"'0\.2'"), fairness_tol="0.2"),
    p("fairness_tol True", "fairness_tol=True is not a number; pass one.", fairness_tol=True),
    p("fairness_tol 0", fairness_tol=0, same=True),
    p("fairness_tol of numpy", fairness_tol=np.float32(0.5), same=True),
    p("rounding_params a list", sklearns("rounding_params", r"\[1\]"), rounding_params=[1]),
    p("rounding_params unknown",
      "rounding_params has no parameter 'min_size' (did you mean 'min_cluster_size'?); it knows "
      "bounds, shares, min_cluster_size, max_cluster_size, target_proportions, lower, upper, "
      "refine_rounds, row_scaling.",
      rounding_params={"min_size": 1}),
    p("min_cluster_size 0",
      "min_cluster_size=0 is not possible with 30 persons in 2 clusters; it must lie between 1 "
      "and 15.", rounding_params={"min_cluster_size": 0}),
    p("min_cluster_size beyond n / k",
      "min_cluster_size=16 is not possible with 30 persons in 2 clusters; it must lie between 1 "
      "and 15.", rounding_params={"min_cluster_size": 16}),
    p("min_cluster_size True", "min_cluster_size=True must be a whole number between 1 and 15.",
      rounding_params={"min_cluster_size": True}),
    p("bounds unknown",
      "bounds='one-sided' is unknown (did you mean 'two-sided'?); choose one of 'two-sided', "
      "'lower'.", rounding_params={"bounds": "one-sided"}),
    p("targets that do not sum to 1",
      "target_proportions sums to 0.2; the shares of all groups must sum to 1.",
      rounding_params={"target_proportions": [0.1, 0.1]}),
    p("targets of NaN",
      "target_proportions of group 'f' is nan; a share is a number between 0 and 1.",
      rounding_params={"target_proportions": [np.nan, 0.5]}),
    p("targets of another group",
      "target_proportions names the unknown group 'x'; the groups are 'f', 'm'.",
      rounding_params={"target_proportions": {"x": 1.0}}),
    p("lower above upper",
      "lower asks for a share of 0.6 of group 'f' in every cluster, but it has 15 of 30 persons "
      "(0.5); the largest possible lower share is 0.5.", rounding_params={"lower": [0.6, 0.6],
      "upper": [0.5, 0.5]}),
    p("refine_rounds -1",
      "refine_rounds=-1 must be a whole number of at least 0, or None to leave it to the size of "
      "the problem.", rounding_params={"refine_rounds": -1}),
    p("row_scaling unknown",
      "row_scaling='cosine' is unknown (did you mean 'none'?); choose one of 'auto', 'none', "
      "'unit', 'degree'.", rounding_params={"row_scaling": "cosine"}),
    p("n_init 0", sklearns("n_init", "0"), n_init=0),
    p("random_state negative", sklearns("random_state", "-1"), random_state=-1),
    p("random_state text", sklearns("random_state", "'lucky'"), random_state="lucky"),
    p("random_state of numpy", random_state=np.random.RandomState(0), same=True),
    p("random_state a Generator", sklearns("random_state"), random_state=np.random.default_rng(0)),
    p("dtype float16", "dtype='float16' is not supported; use 'float32' or 'float64'.",
      dtype="float16"),
    p("dtype unknown", "dtype='number' is not supported; use 'float32' or 'float64'.",
      dtype="number"),
    p("dtype float64", dtype=np.float64, same=True),
    p("memory_budget unknown",
      "memory_budget='lots' is not an amount of memory; pass a number of bytes or a text such as "
      "'4GB'.", memory_budget="lots"),
    p("memory_budget 0",
      "memory_budget=0 is not an amount of memory; pass a number of bytes or a text such as "
      "'4GB'.", memory_budget=0),
    p("memory_budget True",
      "memory_budget=True is not an amount of memory; pass a number of bytes or a text such as "
      "'4GB'.", memory_budget=True),
    p("memory_budget of one byte", memory_budget=1, same=True),
    p("n_jobs 0",
      "n_jobs=0 is not a number of threads; pass 1 or more, -1 for all cores, or None for the "
      "libraries' own setting.", n_jobs=0),
    p("n_jobs 1.5", sklearns("n_jobs", r"1\.5"), n_jobs=1.5),
    p("n_jobs -1", n_jobs=-1, same=True),
    p("verbose text", sklearns("verbose", "'yes'"), verbose="yes"),
]  # fmt: skip
