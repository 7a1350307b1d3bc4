"""Data that several tests of the rounding share."""

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity import make_operator

STORAGES = ("dense", "dense float32", "sparse")


def make_block_graph():
    """Four planted clusters of 50, two groups that run across them and bind as they do."""
    rng = np.random.default_rng(0)
    clusters, groups = np.repeat(np.arange(4), 50), np.tile([0, 0, 0, 1, 1], 40)
    same_cluster = clusters[:, None] == clusters
    same_group = groups[:, None] == groups
    chance = 0.02 + 0.3 * same_cluster + 0.15 * same_group
    upper = np.triu(rng.random((200, 200)) < chance, 1)
    ring = np.roll(np.eye(200), 1, axis=0)  # nobody is isolated
    W = ((upper + upper.T + ring + ring.T) > 0).astype(float)
    return W, groups, clusters


def store(W, storage):
    """The operator of a graph that is held in one of the STORAGES."""
    if storage == "sparse":
        return make_operator(sp.csr_array(W), "precomputed")
    return make_operator(W.astype(np.float32 if "32" in storage else float), "precomputed")
