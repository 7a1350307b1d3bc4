"""The affinities of nodes that each stand for several people."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.dense import DenseOperator
from fairspectral.affinity.torch_sparse import graph_like

_NAME = "the affinity of linked people"


def contract_affinity(operator: AffinityOperator, nodes: np.ndarray) -> AffinityOperator:
    """The operator of ``S^T W S``: affinities within and between nodes are summed.

    A clustering of the nodes has the same normalised cut as that of the people they stand for.

    Parameters
    ----------
    operator : AffinityOperator
        The affinities of n people; it must hold ``W`` in memory.
    nodes : integer ndarray of shape (n,)
        The node of each person, 0 to m - 1; ``S`` is their indicator.

    Returns
    -------
    AffinityOperator
        Of m nodes.
    """
    W: Any = operator.stored_weights
    n, m = len(nodes), int(nodes.max()) + 1
    indicator = sp.csr_array((np.ones(n, W.dtype), (nodes, np.arange(n))), shape=(m, n))
    if sp.issparse(W):
        return graph_like(operator, indicator @ W @ indicator.T, name=_NAME)
    half = indicator @ W
    contracted = np.asarray(indicator @ half.T)
    # Sums in another order differ by floating-point errors.
    return DenseOperator((contracted + contracted.T) / 2, name=_NAME)
