"""Moves of single persons where no row of ``W`` can be had: exact gains, many moves at a time.

One product with ``M`` gives the exact gain of every single move. Every move changes the links, and
only another product tells how; so the moves of a batch are made as if they did not, within the
bounds all the same, and the batch counts if the cut has really fallen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairspectral.cut import CutState
from fairspectral.linalg.blocks import row_bounds
from fairspectral.linalg.threads import in_threads
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import load_kernels
from fairspectral.rounding.refine import (
    LEAST_GAIN,
    WORTH_A_PASS,
    make_band,
    make_partition,
)
from fairspectral.rounding.rows import unlinked_rows

# After a batch that failed the next one has this share of it; after one that succeeded, twice as
# much.
_SMALLER, _LARGER = 0.25, 2.0


def batches_of_moves(
    affinity: Any,
    state: CutState,
    rules: Sequence[FairnessRule],
    *,
    smallest: int,
    largest: int | None = None,
    max_passes: int = 10,
    stopped: Callable[[], bool] = lambda: False,
) -> CutState:
    """Batches of the moves that promise most, as long as the exact cut falls.

    Parameters
    ----------
    affinity : AffinityOperator
        Applies ``M``.
    state : CutState
        The start, already fair.
    rules : sequence of FairnessRule
        One for each attribute; every move keeps all of them.
    smallest, largest : int
        No cluster may become smaller or larger; no ceiling where `largest` is None.
    max_passes : int
        Largest number of products with ``M``.
    stopped : callable
        Asked before every batch; a true answer ends the search.
    """
    k = len(state.volumes)
    if k == 1:
        return state
    kernels, rows = load_kernels("refine_kernels"), unlinked_rows(affinity)
    band, share = make_band(rules, smallest, largest), 1.0
    for _ in range(max_passes):
        order = _most_promising(state, affinity.degrees)
        order = order[: int(np.ceil(share * len(order)))]
        partition = make_partition(state, rules)
        if stopped() or not kernels.sweep(rows, partition, band, order, LEAST_GAIN):
            break
        trial = CutState.measure(affinity, partition.labels.astype(state.labels.dtype), k)
        fall = state.cut - trial.cut
        if fall > LEAST_GAIN:
            enough = share == 1.0 and fall <= WORTH_A_PASS * state.cut
            state, share = trial, min(1.0, _LARGER * share)
            if enough:
                break
        elif len(order) == 1:
            break
        else:
            share *= _SMALLER
    return state


def _best_gains(state: CutState, degrees: np.ndarray, first: int, last: int) -> np.ndarray:
    """By how much the best move of each of some persons would lower the cut."""
    labels, links, degrees = state.labels[first:last], state.links[first:last], degrees[first:last]
    shares = state.within / state.volumes
    own = links[np.arange(last - first), labels]
    rest = np.maximum(state.volumes[labels] - degrees, np.finfo(float).tiny)
    gains = np.full(last - first, -np.inf)
    for there, share in enumerate(shares):
        joined = (state.within[there] + 2 * links[:, there]) / (state.volumes[there] + degrees)
        gains = np.maximum(gains, np.where(labels == there, -np.inf, joined - share))
    return gains + (state.within[labels] - 2 * own) / rest - shares[labels]


def _most_promising(state: CutState, degrees: np.ndarray) -> np.ndarray:
    """The persons whose best move would lower the cut, the largest fall first."""
    bounds = row_bounds(state.links, len(state.volumes))
    gains = np.concatenate(in_threads(partial(_best_gains, state, degrees), bounds))
    order = np.argsort(-gains, kind="stable")
    return order[: np.count_nonzero(gains > LEAST_GAIN)]
