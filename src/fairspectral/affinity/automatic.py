"""``affinity="auto"``: which affinity suits a table, by four rules, and why in a sentence.

``benchmarks/affinities.py`` compares the choice with the rbf kernel, and has the numbers behind the
two thresholds; docs/affinity.md shows them.

1. Categories or missing values: Gower's kernel, which is made for them.
2. A kernel larger than the memory budget: the graph, because it is sparse.
3. Columns of two values with much of the variance: the rbf kernel, because the nearest neighbours
   would be those who share these values, whatever else they are.
4. Neighbours that are hardly nearer than others, as in small tables and among columns of noise:
   Gower's kernel, in which everyone counts, and a large difference counts less than its square.

Otherwise the connected graph of nearest neighbours, which follows clusters of any shape.

Before that, columns in different units are divided by their standard deviations (`common_units`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from fairspectral.affinity.mixed import MixedTable
from fairspectral.affinity.neighbours import NEIGHBOURS
from fairspectral.affinity.units import scaled_and_centred

GRAPH, KERNEL, GOWER = "self-tuned graph", "rbf", "gower"

# The default of `n_neighbors`, which belongs to affinity="nearest_neighbors".
PLAIN_NEIGHBOURS = 10

# Distance of the last neighbour, relative to the median distance. Chosen between that of the digits
# (58%), where the graph is better, and of 16 columns of noise (74%), where Gower's kernel is.
FAR = 0.7
# Share of the variance in columns of two values. Where a random category held more than this, the
# neighbours were those who share it, and the clusters were its categories.
TWO_VALUED = 0.1
# How evenly the variance is spread over the columns, from 0 (one column has it all) to 1 (all have
# the same). Chosen between that of the irises (0.33), which are better as they are, and of the
# diabetes patients in their own units (0.25).
EVEN = 0.3
# Largest correlation of two columns that counts as none: those of principal components, whose
# variances differ because they were made so.
_UNCORRELATED = 1e-3
# People whose distances to everyone are looked at, and most rows whose values are.
_ASKED, _ROWS = 256, 2000
# Most columns whose correlations are looked at.
_COLUMNS = 256
# Most values of those rows, 128 MB.
_NUMBERS = 2**24


def asked_for(X: Any, gamma: Any, n_neighbors: int, kernel_params: Any) -> tuple[str, str]:
    """The affinity that a user means who leaves ``"auto"`` but sets a parameter of another.

    Returns it with the reason, as `choose_affinity` does, or two empty strings.
    """
    if isinstance(X, MixedTable):  # Gower's kernel is the only one, and has a gamma too
        return "", ""
    if kernel_params or gamma != "scale":
        name = "kernel_params" if kernel_params else "gamma"
        return KERNEL, f"{name} was given, which belongs to a kernel"
    if n_neighbors != PLAIN_NEIGHBOURS:
        return "nearest_neighbors", "n_neighbors was given"
    return "", ""


def choose_affinity(X: Any, kernel_bytes: int, budget: int) -> tuple[str, str]:
    """The affinity for a table, and the reason in words.

    Parameters
    ----------
    X : MixedTable, array or CSR of shape (n, d)
        A checked table.
    kernel_bytes, budget : int
        Memory that a kernel of all pairs would need, and how much there may be.

    Returns
    -------
    affinity : {GRAPH, KERNEL, GOWER}
    why : str
        The rest of a sentence, after "because".
    """
    if isinstance(X, MixedTable):
        return GOWER, "there are categories or missing values"
    if kernel_bytes > budget:
        size = f"{kernel_bytes / 1e9:.3g} GB"
        return GRAPH, f"a kernel of all {X.shape[0]:,} rows would take {size} of memory"
    sample = _sample(X)
    share = two_valued_share(sample)
    if share > TWO_VALUED:
        return KERNEL, (
            f"columns of two values hold {share:.0%} of the variance (more than {TWO_VALUED:.0%}), "
            "and nearest neighbours would be those who share them"
        )
    last, ratio = min(NEIGHBOURS, X.shape[0] - 1), neighbour_distance(X)
    which = {1: "1st", 2: "2nd", 3: "3rd"}.get(last, f"{last}th")
    seen = f"the {which} nearest neighbour is at {ratio:.0%} of the median distance"
    if ratio > FAR:
        # Gower's distance needs a dense table, and a column that differs between rows.
        possible = not sp.issparse(X) and bool(np.ptp(X, axis=0).any())
        return (
            GOWER if possible else KERNEL,
            f"neighbours are hardly nearer than others: {seen} (more than {FAR:.0%})",
        )
    return GRAPH, f"neighbours are near: {seen} (at most {FAR:.0%})"


def common_units(X: Any) -> tuple[Any, str]:
    """Columns in different units, such as years and dollars, made comparable.

    Returns
    -------
    X : as given, or ndarray of shape (n, d)
        Each column over its standard deviation, if a few columns have nearly all the variance.
        Sparse and mixed tables, and principal components, stay as they are.
    words : str
        What was done, in a sentence; empty if nothing was.
    """
    if sp.issparse(X) or isinstance(X, MixedTable):
        return X, ""
    # Each column in units of its own largest value, so that no square overflows or vanishes.
    centred = scaled_and_centred(X)
    largest = np.abs(centred).max(axis=0)
    varying = largest > 0
    if varying.sum() < 2:
        return X, ""
    unit = np.where(varying, largest, 1)
    deviations = unit * (centred / unit).std(axis=0)
    evenness = evenness_of(deviations[varying])
    if evenness >= EVEN or not _correlated((centred / unit)[:, varying]):
        return X, ""
    words = (
        "The columns are in different units, a few having nearly all the variance, so each was "
        "divided by its standard deviation."
    )
    return centred / np.where(deviations > 0, deviations, 1), words


def evenness_of(deviations: np.ndarray) -> float:
    """How evenly the variance is spread over the columns: 0 if one has it all, 1 if all the same.

    The variance is as unequal as if it were spread evenly over ``e`` of ``d`` columns and the
    others had none; this is ``(e - 1) / (d - 1)``.
    """
    variances = np.square(deviations / deviations.max())
    return float((variances.sum() ** 2 / np.square(variances).sum() - 1) / (len(variances) - 1))


def _correlated(X: np.ndarray) -> bool:
    """Whether any two columns are correlated, of the first few hundred."""
    X = X[:, :_COLUMNS] - X[:, :_COLUMNS].mean(axis=0)
    lengths = np.sqrt(np.square(X).sum(axis=0))
    X = X[:, lengths > 0] / lengths[lengths > 0]
    products = np.abs(X.T @ X)
    np.fill_diagonal(products, 0)
    return bool(products.max(initial=0) > _UNCORRELATED)


def neighbour_distance(X: Any) -> float:
    """Distance of the last of the neighbours over the median distance, of the median person.

    1 where the median distance is zero.
    """
    X = scaled_and_centred(X)
    n = X.shape[0]
    asked = _people(n, _ASKED)
    last = min(NEIGHBOURS, n - 1)
    ratios = []
    for rows in np.array_split(asked, max(1, len(asked) * n // 2**23)):
        distances = pairwise_distances(X[rows], X)  # the first is the person's own, zero
        middle = np.median(distances, axis=1)
        far = np.partition(distances, last, axis=1)[:, last]
        ratios.append(np.divide(far, middle, out=np.ones_like(far), where=middle > 0))
    return float(np.median(np.concatenate(ratios)))


def two_valued_share(X: np.ndarray) -> float:
    """Share of the variance that is in columns of two values, of all columns."""
    low, high = X.min(axis=0), X.max(axis=0)
    two = ((low == X) | (high == X)).all(axis=0)
    # In units of the largest, so that a square cannot overflow.
    variances = (X / (np.abs(X).max() or 1.0)).var(axis=0)
    total = float(variances.sum())
    return float(variances[two].sum()) / total if total > 0 else 0.0


def _sample(X: Any) -> np.ndarray:
    """Some rows as a dense array."""
    n, d = X.shape
    rows = X[_people(n, min(_ROWS, max(64, _NUMBERS // d)))]
    return rows.toarray() if sp.issparse(rows) else np.asarray(rows)


def _people(n: int, most: int) -> np.ndarray:
    """The same people each time: a fit's own random numbers are not touched."""
    return np.sort(np.random.default_rng(0).choice(n, size=min(n, most), replace=False))
