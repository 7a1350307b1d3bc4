"""Data that the tests of the baselines share."""

import numpy as np


def four_clusters(n=160, seed=0):
    """Features with four round clusters, the groups (unevenly spread over them), the clusters."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 4, n)
    X = rng.standard_normal((n, 3))
    X[:, :2] += 6 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[clusters]
    groups = np.where(rng.random(n) < np.where(clusters % 2, 0.7, 0.3), "a", "b")
    return X, groups, clusters
