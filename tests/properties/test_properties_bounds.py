"""The bounds of a certificate against brute force and a dense oracle, without one exception.

`make test` takes a hundred problems, `make fuzz` a thousand.
"""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pytest
import scipy.linalg

from fairspectral.affinity import make_operator
from fairspectral.cells import bounds_in_persons, population_shares, tolerance_band
from fairspectral.constraints import fairness_matrix
from fairspectral.spectral_bounds import Band, SpectralBounds, deviation_budget
from fairspectral.validation import Attribute

FUZZ = os.environ.get("FAIRSPECTRAL_PROPERTIES") == "fuzz"
PROBLEMS = 1000 if FUZZ else 100
# Floating-point errors of numbers of the size of a cut.
SLIP = 1e-9


@cache
def all_partitions(n, k):
    """Every clustering of n people into k nonempty clusters, one row each."""
    rows = [[0]]
    for i in range(1, n):
        left = n - i - 1
        rows = [
            [*row, c]
            for row in rows
            for c in range(min(max(row) + 2, k))
            if max(max(row), c) + 1 + left >= k
        ]
    found = np.array(rows)
    return found[found.max(axis=1) == k - 1]


def random_affinity(rng, n, codes):
    """Dense, sparse, with groups that hold together, and with unequal degrees."""
    W = rng.random((n, n)) ** rng.choice([1, 4, 10])
    if rng.random() < 0.3:
        W *= rng.random((n, n)) < 0.5
    if rng.random() < 0.6:  # where plain clustering would separate the groups
        W += rng.choice([1.0, 5.0]) * (codes[:, None] == codes)
    W = W + W.T + 0.05 * (np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0))
    size = rng.random(n) ** rng.choice([0, 0, 2]) + 0.05
    return W * np.outer(size, size)


def random_attribute(rng, n, name):
    h = int(rng.integers(2, 4))
    codes = rng.permutation(np.concatenate([np.arange(h), rng.integers(0, h, n - h)]))
    return Attribute(name, codes, tuple(range(h)))


def random_band(rng, attribute):
    """A tolerance, a lower bound alone, or any shares around the population's."""
    shares = population_shares(attribute.counts)
    lower, upper = tolerance_band(shares, float(rng.choice([0.0, 0.1, 0.2, 0.5])))
    kind = rng.random()
    if kind < 0.15:
        upper = np.ones_like(upper)
    elif kind < 0.3:
        lower, upper = shares * rng.random(len(shares)), shares + (1 - shares) * rng.random()
    return Band(attribute, lower, upper)


def brute_force(W, bands, k, smallest):
    """The lowest cut of all, that within the bounds, and the largest weighted deviation there."""
    n, labels = len(W), all_partitions(len(W), k)
    degrees, sizes_to = W.sum(axis=1), np.arange(n + 1)
    cuts, inside = np.zeros(len(labels)), np.ones(len(labels), dtype=bool)
    deviation = np.zeros(len(labels))
    for cluster in range(k):
        members = (labels == cluster).astype(float)
        volumes, sizes = members @ degrees, members.sum(axis=1).astype(int)
        cuts += 1 - ((members @ W) * members).sum(axis=1) / volumes
        inside &= sizes >= smallest
        for band in bands:
            z = population_shares(band.attribute.counts)
            least, most = bounds_in_persons(band.lower, band.upper, band.attribute.counts, sizes_to)
            for s in range(len(z)):
                cell = members @ (band.attribute.codes == s)
                inside &= (cell >= least[s, sizes]) & (cell <= most[s, sizes])
                deviation += (cell - z[s] * sizes) ** 2 / z[s] / volumes
    if not inside.any():
        return cuts.min(), np.inf, 0.0
    return cuts.min(), cuts[inside].min(), deviation[inside].max()


@pytest.mark.parametrize("part", range(10))
def test_no_clustering_is_below_the_bounds_on_the_cut(part):
    for seed in range(part, PROBLEMS, 10):
        rng = np.random.default_rng([1, seed])
        n, k = int(rng.integers(5, 11)), int(rng.integers(2, 4))
        attributes = [random_attribute(rng, n, name) for name in "ab"[: rng.integers(1, 3)]]
        W = random_affinity(rng, n, attributes[0].codes)
        bands = [random_band(rng, attribute) for attribute in attributes]
        smallest = int(rng.integers(1, n // k + 1))
        found = SpectralBounds(make_operator(W, "precomputed"), k, seed).cut(bands, smallest)
        plain, within, deviation = brute_force(W, bands, k, smallest)
        assert found.plain <= plain + SLIP, seed
        assert found.lower <= within + SLIP, seed
        assert deviation <= deviation_budget(bands, W.sum(axis=1), k, smallest) * (1 + SLIP), seed
        assert found.failure == 0.0


def best_objective(W, attributes, columns):
    """By an explicit null space, as in Kleindessner et al. 2019."""
    root = np.sqrt(W.sum(axis=1))
    M = W / np.outer(root, root)
    Z = scipy.linalg.null_space((fairness_matrix(attributes) / root[:, None]).T)
    return float(np.sort(np.linalg.eigvalsh(Z.T @ M @ Z))[-columns:].sum())


@pytest.mark.parametrize("part", range(10))
def test_no_embedding_is_above_the_bound_on_the_objective(part):
    for seed in range(part, PROBLEMS, 10):
        rng = np.random.default_rng([2, seed])
        n, k = int(rng.integers(40, 61)), int(rng.integers(2, 6))
        attributes = tuple(random_attribute(rng, n, name) for name in "ab"[: rng.integers(1, 3)])
        W = random_affinity(rng, n, attributes[0].codes)
        operator, best = make_operator(W, "precomputed"), best_objective(W, attributes, k)
        # All eigenvalues; and the way for many people, by a random block.
        for most in (n, 0):
            found = SpectralBounds(operator, k, seed, all_eigenvalues=most)
            bound = found.embedding(attributes, k)
            assert bound.attained - SLIP <= best <= bound.upper + SLIP, (seed, most)
        values = np.linalg.eigvalsh(W / np.sqrt(np.outer(W.sum(axis=1), W.sum(axis=1))))
        assert found.cut([], 1).lower <= k - values[-k:].sum() + SLIP, seed
