"""The best clusters of two clusterings as one clustering.

The normalised cut is a sum over clusters, so whole clusters are what a good clustering can hand
on: one parent may know two that are cheap to cut off, the other a third. Moves of single nodes
would have to dissolve a cluster and grow another one from nothing, which raises the cut on the
way. Galinier and Hao (1999, doi 10.1023/A:1009823419804) combine colourings of graphs like this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.rounding.flow import load_kernels

# A cluster of which no more than this part is left, after others took theirs, is no longer itself.
_MOSTLY = 0.5


def inherit_clusters(graph: Any, parents: tuple[Any, Any]) -> np.ndarray | None:
    """Labels made of the clusters that are cheapest to cut off, or None where too few are apart.

    Parameters
    ----------
    graph : Graph
        The nodes.
    parents : pair of State
        Two clusterings of them into the same number of clusters.

    Returns
    -------
    ndarray of shape (m,) or None
        Those who belong to no cluster that was taken are put where they have most links. So
        shares, sizes and links may be outside the bounds, which the annealing repairs.
    """
    k = len(parents[0].sizes)
    costs = np.concatenate([_cut_of_each(state) for state in parents])
    labels, count = np.full(len(graph.degrees), -1, dtype=np.int32), 0
    for at in np.argsort(costs, kind="stable"):
        members = parents[at // k].labels == at % k
        left = members & (labels < 0)
        if graph.persons[left].sum() > _MOSTLY * graph.persons[members].sum():
            labels[left] = count
            count += 1
        if count == k:
            break
    if count < k:
        return None
    load_kernels("partition.inherit_kernels").join_most_linked(graph, labels, k)
    return labels


def _cut_of_each(state: Any) -> np.ndarray:
    """The part of each cluster in the normalised cut; 1 for one without any volume."""
    kept = np.divide(
        state.within, state.volumes, out=np.zeros_like(state.within), where=state.volumes > 0
    )
    return 1.0 - kept
