"""The graphs, bounds and states of the search, in the form for the compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.cut import kept_within
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import load_kernels


def make_graph(affinity: Any, rules: Sequence[FairnessRule]) -> Any:
    """The graph in which each node is one person.

    Parameters
    ----------
    affinity : AffinityOperator
        It must hold the rows of ``W`` in memory.
    rules : sequence of FairnessRule
        Whose groups are counted, those of all attributes one after another.
    """
    W = affinity.stored_weights
    n = W.shape[0]
    groups = np.concatenate(
        [np.eye(len(rule.target), dtype=np.int32)[rule.attribute.codes] for rule in rules], axis=1
    )
    # One dtype for all, as of the coarser graphs: numba 0.60 takes two of them for one.
    rows = sp.csr_array(W, dtype=np.float64)
    return load_kernels("partition.state_kernels").Graph(
        rows.indptr.astype(np.int32),
        rows.indices.astype(np.int32),
        rows.data.copy(),
        np.array(W.diagonal(), dtype=np.float64),
        np.array(affinity.degrees, dtype=np.float64),
        np.ones(n, dtype=np.int64),
        np.ascontiguousarray(groups),
    )


def make_band(rules: Sequence[FairnessRule], smallest: int, largest: int) -> Any:
    """The bounds of all attributes, and the floor and the ceiling on the sizes."""
    kernels, n = load_kernels("partition.state_kernels"), len(rules[0].attribute.codes)
    ranges = kernels.ranges_of_sizes(
        np.concatenate([rule.lower for rule in rules]).astype(np.float64),
        np.concatenate([rule.upper for rule in rules]).astype(np.float64),
        np.concatenate([rule.attribute.counts for rule in rules]).astype(np.int64),
        n,
    )
    return kernels.Band(ranges, int(smallest), int(largest), n)


def make_state(graph: Any, band: Any, labels: np.ndarray, k: int) -> Any:
    """The state of a clustering of the nodes into k clusters; the labels are copied."""
    kernels = load_kernels("partition.state_kernels")
    m, n_groups = graph.groups.shape
    state = kernels.State(
        np.array(labels, dtype=np.int32),
        np.zeros((k, m)),
        np.zeros(k),
        np.zeros(k),
        np.zeros((k, n_groups), dtype=np.int64),
        np.zeros(k, dtype=np.int64),
        np.zeros(k),
        np.zeros(m, dtype=np.int32),
        np.zeros(m, dtype=np.int32),
        np.full(m, -1, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )
    kernels.fill(graph, band, state)
    return state


def cut_of(state: Any) -> float:
    """The normalised cut of a state."""
    return len(state.volumes) - kept_within(state.within, state.volumes)
