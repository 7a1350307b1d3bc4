"""The graphs, bounds and states of the search, in the form for the compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.cut import kept_within
from fairspectral.links import Links
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import load_kernels
from fairspectral.rounding.partition.coarsen import complete_ties, contract, rivals_of
from fairspectral.rounding.plan import RoundingPlan

# Sizes up to which bounds are kept for every single one, and beyond for several together: there
# sizes are units of weight, and bounds tighter by a millionth of the sum of weights hardly matter.
_SIZES = 2**20
# The share of pairs with an affinity from which on zeros are entries like others: a move then goes
# through a row without looking up who is in it, and levels are summed in a tenth of the time.
_COMPLETE = 0.5
# Entries that pointers of 32 bits can count.
_MOST_ENTRIES = 2**31 - 1
# Kinds of persons up to which two of a kind are swapped: beyond, weights make most persons unique.
_KINDS = 1000


def make_graph(affinity: Any, rules: Sequence[FairnessRule], links: Links | None = None) -> Any:
    """The graph in which each node is one person, or all people who must be together.

    Parameters
    ----------
    affinity : AffinityOperator
        It must hold the rows of ``W`` in memory.
    rules : sequence of FairnessRule
        Whose groups are counted, those of all attributes one after another.
    links : Links or None
        Who must be together, and who must not.
    """
    W = affinity.stored_weights
    n = W.shape[0]
    groups = np.concatenate(
        [np.eye(len(rule.target), dtype=np.int32)[rule.attribute.codes] for rule in rules], axis=1
    )
    weights = rules[0].attribute.weights
    persons = np.ones(n, dtype=np.int64) if weights is None else weights.units.copy()
    if weights is not None:
        groups *= persons.astype(np.int32)[:, None]
    graph = load_kernels("partition.state_kernels").Graph(
        *_ties(W),
        np.array(W.diagonal(), dtype=np.float64),
        np.array(affinity.degrees, dtype=np.float64),
        persons,
        np.ascontiguousarray(groups),
        np.zeros(n + 1, dtype=np.int32),
        np.zeros(0, dtype=np.int32),
    )
    if links is None:
        return graph
    both_ways = np.concatenate([links.apart, links.apart[:, ::-1]])
    rivals = rivals_of(links.nodes[both_ways], links.n_nodes)
    return contract(graph, links.nodes, links.n_nodes)._replace(
        rivals_from=rivals[0], rivals=rivals[1]
    )


def _ties(W: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The CSR arrays of ``W``, as copies; of a dense matrix with all entries, if few are zero."""
    n, entries = W.shape[0], W.nnz if sp.issparse(W) else np.count_nonzero(W)
    complete = not sp.issparse(W) and entries >= _COMPLETE * n * n
    entries = n * n if complete else entries
    if entries > _MOST_ENTRIES:
        raise ValueError(
            f"the affinities have {entries:,} entries, and this search takes at most "
            f"{_MOST_ENTRIES:,}; use affinity='nearest_neighbors', or a sparser graph."
        )
    if complete:
        return complete_ties(W)
    # One dtype for all, as of the coarser graphs: numba 0.60 takes two of them for one.
    rows = sp.csr_array(W, dtype=np.float64)
    return rows.indptr.astype(np.int32), rows.indices.astype(np.int32), rows.data.copy()


def make_band(plan: RoundingPlan) -> Any:
    """The bounds of all attributes, and the floor and the ceiling on the sizes."""
    kernels, rules, attribute = (
        load_kernels("partition.state_kernels"),
        plan.rules,
        plan.rules[0].attribute,
    )
    n = int(attribute.counts.sum())
    shift = max(0, (n // _SIZES).bit_length())
    ranges = kernels.ranges_of_sizes(
        np.concatenate([rule.lower for rule in rules]).astype(np.float64),
        np.concatenate([rule.upper for rule in rules]).astype(np.float64),
        np.concatenate([rule.attribute.counts for rule in rules]).astype(np.int64),
        n,
        attribute.largest,
        shift,
    )
    apart = plan.links is not None and len(plan.links.apart) > 0
    pair = plan.n_clusters / len(attribute.codes) if apart else 0.0
    return kernels.Band(ranges, shift, *plan.limits, n, pair)


def kinds_of_nodes(graph: Any, plan: RoundingPlan) -> np.ndarray:
    """Equal numbers for nodes that may change places; -1 for those that are like no other."""
    if not plan.in_nodes:
        return plan.kinds.astype(np.int64)
    _, kinds, counts = np.unique(graph.groups, axis=0, return_inverse=True, return_counts=True)
    often = np.argsort(-counts, kind="stable")[:_KINDS]
    often = often[counts[often] > 1]
    number = np.full(len(counts), -1, dtype=np.int64)
    number[often] = np.arange(len(often))
    kinds = number[kinds.reshape(-1)]
    kinds[np.diff(graph.rivals_from) > 0] = -1  # a swap may bring rivals together
    return kinds


def make_state(graph: Any, band: Any, labels: np.ndarray, k: int) -> Any:
    """The state of a clustering of the nodes into k clusters; the labels are copied."""
    kernels = load_kernels("partition.state_kernels")
    m, n_groups = graph.groups.shape
    state = kernels.State(
        np.array(labels, dtype=np.int32),
        np.zeros((m, k)),
        np.zeros(k),
        np.zeros(k),
        np.zeros((k, n_groups), dtype=np.int64),
        np.zeros(k, dtype=np.int64),
        np.zeros(k),
        np.zeros(k, dtype=np.int64),
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
