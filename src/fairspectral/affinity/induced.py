"""The affinities of some of the people, as if there were no others."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.dense import DenseOperator
from fairspectral.affinity.torch_sparse import graph_like

# A larger dense part is not copied but applied through the whole: slower, in no further memory.
_MOST_COPIED = 2**31
# Sums of affinities below this many units of roundoff of those to everybody are error.
_ROUNDOFF_UNITS = 64
_NAME = "the affinity of a resample"


def induce(operator: AffinityOperator, people: np.ndarray) -> tuple[AffinityOperator, np.ndarray]:
    """The operator of some people, less those who have no affinity to any of them.

    Parameters
    ----------
    operator : AffinityOperator
        Applies ``M`` of everybody.
    people : integer ndarray of shape (m,)
        Ascending.

    Returns
    -------
    operator : AffinityOperator
        Applies ``M`` of those who are left.
    people : integer ndarray
        Those who are left.
    """
    W = operator.stored_weights
    if sp.issparse(W):
        part = W[people][:, people]
        linked = np.asarray(part.sum(axis=1)).reshape(-1) > 0
        if not linked.all():
            part = part[linked][:, linked]
        return graph_like(operator, part, name=_NAME), people[linked]
    if isinstance(W, np.ndarray) and W.itemsize * len(people) ** 2 <= _MOST_COPIED:
        part = W[np.ix_(people, people)]
        linked = part.sum(axis=1) > 0
        if not linked.all():
            part = part[np.ix_(linked, linked)]
        return DenseOperator(part, name=_NAME), people[linked]
    degrees = _degrees_among(operator, people)
    error = _ROUNDOFF_UNITS * np.finfo(operator.dtype).eps * operator.degrees[people]
    linked = degrees > error
    return InducedOperator(operator, people[linked], degrees[linked]), people[linked]


def _degrees_among(operator: AffinityOperator, people: np.ndarray) -> np.ndarray:
    """Sums of the affinities of some people to each other, by one pass."""
    roots = np.sqrt(operator.degrees)
    block = np.zeros((operator.shape[0], 1))
    block[people, 0] = roots[people]
    return operator.matmat_on_host(block)[people, 0].astype(np.float64) * roots[people]


class InducedOperator(AffinityOperator):
    """``M`` of some people through products with that of all; nothing is copied.

    Parameters
    ----------
    operator : AffinityOperator
        Applies ``M`` of everybody.
    people : integer ndarray of shape (m,)
        Who is left.
    degrees : ndarray of shape (m,)
        Sums of their affinities to each other.
    """

    def __init__(self, operator: AffinityOperator, people: np.ndarray, degrees: np.ndarray) -> None:
        self._operator, self._people = operator, people
        self.shape, self.dtype = (len(people), len(people)), operator.dtype
        self.degrees = degrees
        self.xp, self.device = operator.xp, operator.device
        self.density, self.nbytes = operator.density, operator.nbytes
        self.own_threads = operator.own_threads
        self._scale = operator.asarray(np.sqrt(operator.degrees[people] / degrees)[:, None])

    def computing(self) -> AbstractContextManager[None]:
        """That of the operator of everybody."""
        return self._operator.computing()

    def matmat(self, block: Any) -> Any:
        """Apply ``M`` to a block of shape (m, b)."""
        block = self.asarray(block)
        shape = (self._operator.shape[0], block.shape[1])
        whole = self.xp.zeros(shape, dtype=block.dtype, device=self.device)
        whole[self._people, :] = block * self._scale
        return self._operator.matmat(whole)[self._people, :] * self._scale
