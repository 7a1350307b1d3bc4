"""The connected components of affinities that are not stored, from rows computed when needed.

A kernel of exponentials is positive everywhere but for underflow: then people far from all others,
or small groups of them, have no affinity to the rest. The search computes each row at most once, so
that it costs no more than a pass; where everybody is connected, a few rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Rows that are computed at a time, and bytes of them at most.
_ROWS, _BYTES = 256, 2**26
# People whose affinities to all others together are less than this part of that to themselves are
# looked at first: those without any are among them, as floating-point errors are smaller.
_NEARLY_ALONE = 1e-9


def computed_components(
    degrees: np.ndarray, diagonal: np.ndarray, rows: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """The component of each of n people.

    Parameters
    ----------
    degrees, diagonal : ndarray of shape (n,)
        Sums of the affinities, and those of everyone to themselves.
    rows : callable
        Some rows of the affinities, shape (m, n), by their indices.

    Returns
    -------
    ndarray of shape (n,)
        Numbered from 0 in the order of their first people.
    """
    n = len(degrees)
    step = max(1, min(_ROWS, _BYTES // (8 * n)))
    labels = np.full(n, -1, dtype=np.int64)
    nearly = np.flatnonzero(degrees - diagonal <= _NEARLY_ALONE * degrees)
    count = 0
    for first in range(0, len(nearly), step):
        some = nearly[first : first + step]
        linked = rows(some) > 0
        linked[np.arange(len(some)), some] = False
        alone = some[~linked.any(axis=1)]
        labels[alone] = np.arange(count, count + len(alone))
        count += len(alone)
    # From the person with the highest degree: most others, if not all, are reached at once.
    for seed in np.argsort(-degrees, kind="stable"):
        if labels[seed] >= 0:
            continue
        labels[seed] = count
        _spread(int(seed), labels, rows, step)
        count += 1
    return _in_order(labels)


def _spread(
    seed: int, labels: np.ndarray, rows: Callable[[np.ndarray], np.ndarray], step: int
) -> None:
    """Give everybody who is connected with the seed its label."""
    # One row first: it often has everybody, and a batch would compute many for nothing.
    found, unseen = np.array([seed]), labels < 0
    while len(found) and unseen.any():
        some, found = found[:step], found[step:]
        new = np.flatnonzero((rows(some) > 0).any(axis=0) & unseen)
        labels[new], unseen[new] = labels[seed], False
        found = np.concatenate([found, new])


def _in_order(labels: np.ndarray) -> np.ndarray:
    """The same labels, numbered in the order in which they come."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
