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
from fairspectral.affinity.contracted import contract_affinity
from fairspectral.cells import bounds_in_persons, population_shares, tolerance_band
from fairspectral.constraints import fairness_matrix
from fairspectral.links import read_links
from fairspectral.spectral_bounds import Band, SpectralBounds, deviation_budget
from fairspectral.validation import Attribute
from fairspectral.weighting import check_sample_weight

FUZZ = os.environ.get("FAIRSPECTRAL_PROPERTIES") == "fuzz"
PROBLEMS = 1000 if FUZZ else 100
WEIGHTED = 1000 if FUZZ else 60
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
    labels, degrees = all_partitions(len(W), k), W.sum(axis=1)
    weights = bands[0].attribute.weights
    units = np.ones(len(W), dtype=np.int64) if weights is None else weights.units
    relative = 1.0 if weights is None else units.mean()
    cuts, inside = np.zeros(len(labels)), np.ones(len(labels), dtype=bool)
    deviation = np.zeros(len(labels))
    for cluster in range(k):
        members = labels == cluster
        volumes, sizes = members @ degrees, members @ units
        cuts += 1 - ((members @ W) * members).sum(axis=1) / volumes
        inside &= sizes >= smallest
        for band in bands:
            counts, largest = band.attribute.counts, band.attribute.largest
            z = population_shares(counts)
            least, most = bounds_in_persons(band.lower, band.upper, counts, sizes, largest)
            for s in range(len(z)):
                cell = members @ (units * (band.attribute.codes == s))
                inside &= (cell >= least[s]) & (cell <= most[s])
                deviation += ((cell - z[s] * sizes) / relative) ** 2 / z[s] / volumes
    if not inside.any():
        return cuts.min(), np.inf, 0.0
    return cuts.min(), cuts[inside].min(), deviation[inside].max()


def random_weights(rng, n):
    """Whole numbers, any numbers, or some heavy people; somebody may weigh nothing."""
    kind = rng.integers(3)
    weights = rng.integers(1, 6, n) if kind == 0 else rng.random(n) + 0.1
    weights = weights * (1 + 9 * (rng.random(n) < 0.2)) if kind == 2 else weights
    return check_sample_weight(weights * (rng.random(n) < 0.9) + 0.0, n)


def weighted(rng, attributes):
    """The attributes with weights that leave every group some."""
    while True:
        weights = random_weights(rng, len(attributes[0].codes))
        try:
            return weights, [attribute.weighted(weights) for attribute in attributes]
        except ValueError:
            continue


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


@pytest.mark.parametrize("part", range(4))
def test_no_clustering_counted_by_weight_is_below_the_bounds_on_the_cut(part):
    for seed in range(part, WEIGHTED, 4):
        rng = np.random.default_rng([3, seed])
        n, k = int(rng.integers(5, 10)), int(rng.integers(2, 4))
        attributes = [random_attribute(rng, n, name) for name in "ab"[: rng.integers(1, 3)]]
        W = random_affinity(rng, n, attributes[0].codes)
        weights, attributes = weighted(rng, attributes)
        if weights is None:  # all equal, which is the test above
            continue
        bands = [random_band(rng, attribute) for attribute in attributes]
        smallest = weights.at_least(int(rng.integers(1, n // k + 1)))
        found = SpectralBounds(make_operator(W, "precomputed"), k, seed).cut(bands, smallest)
        plain, within, deviation = brute_force(W, bands, k, smallest)
        assert found.plain <= plain + SLIP, seed
        assert found.lower <= within + SLIP, seed
        assert deviation <= deviation_budget(bands, W.sum(axis=1), k, smallest) * (1 + SLIP), seed


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


def best_linked_objective(W, attributes, units, nodes, columns):
    """By an explicit null space, of people who are one node and whose weight counts."""
    S = (nodes[:, None] == np.arange(nodes.max() + 1)).astype(float)
    W = S.T @ W @ S
    root = np.sqrt(W.sum(axis=1))
    blocks = []
    for attribute in attributes:
        G = (attribute.codes[:, None] == np.arange(len(attribute.categories))).astype(float)
        blocks.append(S.T @ (units[:, None] * (G - units @ G / units.sum())))
    Z = scipy.linalg.null_space((np.hstack(blocks) / root[:, None]).T, rcond=1e-10)
    M = W / np.outer(root, root)
    return float(np.sort(np.linalg.eigvalsh(Z.T @ M @ Z))[-columns:].sum())


@pytest.mark.parametrize("part", range(4))
def test_no_embedding_of_weights_and_links_is_above_the_bound(part):
    for seed in range(part, WEIGHTED, 4):
        rng = np.random.default_rng([4, seed])
        n, k = int(rng.integers(40, 61)), int(rng.integers(2, 6))
        weights = check_sample_weight(rng.random(n) + 0.01, n)
        plain = [random_attribute(rng, n, name) for name in "ab"[: rng.integers(1, 3)]]
        attributes = tuple(attribute.weighted(weights) for attribute in plain)
        W = random_affinity(rng, n, plain[0].codes)
        links = read_links(rng.permutation(n)[:20].reshape(-1, 2), None, range(n), k)
        operator = contract_affinity(make_operator(W, "precomputed"), links.nodes)
        best = best_linked_objective(W, plain, weights.units, links.nodes, k)
        for most in (n, 0):
            found = SpectralBounds(operator, k, seed, all_eigenvalues=most)
            bound = found.embedding(attributes, k, links.nodes)
            assert bound.attained - SLIP <= best <= bound.upper + SLIP, (seed, most)
