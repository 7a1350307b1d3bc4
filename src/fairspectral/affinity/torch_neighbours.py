"""Who is nearest to whom, by an exact search through all pairs on a device.

Products of float32 tell quickly who may be near; the distances of these few are then computed by
differences in float64, so that the order among near neighbours does not suffer from cancellation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.affinity.torch_scaled import full_precision
from fairspectral.affinity.torch_strips import Strips
from fairspectral.progress import AFFINITY, report
from fairspectral.tensors import on_host

# Candidates beyond those asked for, among which float32 may have confused the order.
_SPARE = 8
# Others that some rows are compared with at a time: enough for a GPU, few enough for a topk.
_OTHERS = 2**16
# Memory for the distances of a strip to these others, with the indices and values of a topk.
_STRIP_BYTES = 2**30


def search_on_device(X: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The `count` nearest other rows of each row.

    Parameters
    ----------
    X : tensor of shape (n, d)
        The features, scaled and centred.
    count : int
        Between 1 and n - 1.

    Returns
    -------
    indices, distances : ndarray of shape (n, count)
        In host memory; the nearest first.
    """
    import torch

    n = len(X)
    exact, rows = X.double(), X.float()
    squares = rows.square().sum(dim=1)
    indices = torch.empty((n, count), dtype=torch.int64, device=X.device)
    distances = torch.empty((n, count), dtype=torch.float64, device=X.device)
    wanted = min(count + 1 + _SPARE, n)  # the row itself is among them
    for strip in Strips.of_bytes(n, 3 * 4 * min(n, _OTHERS), _STRIP_BYTES):
        with strip as (first, last), full_precision():
            report(AFFINITY, first / n)
            near = _candidates(rows, squares, first, last, wanted)
            found = _nearest(exact, first, last, near, count)
            indices[first:last], distances[first:last] = found
    return on_host(indices), on_host(distances)


def _candidates(rows: Any, squares: Any, first: int, last: int, wanted: int) -> Any:
    """Indices of the nearest rows of some rows by float32, themselves included: (m, wanted)."""
    import torch

    n = len(rows)
    best: Any = None
    for begin in range(0, n, _OTHERS):
        end = min(n, begin + _OTHERS)
        # The squared length of the row itself is the same for all others.
        apart = torch.addmm(squares[begin:end], rows[first:last], rows[begin:end].T, alpha=-2.0)
        # A row is its own nearest, to be left out later, whatever rounding says.
        apart.diagonal(first - begin).fill_(-torch.inf)
        values, at = apart.topk(min(wanted, end - begin), dim=1, largest=False, sorted=False)
        at += begin
        if best is not None:
            values, at = torch.cat([best[0], values], dim=1), torch.cat([best[1], at], dim=1)
            values, keep = values.topk(wanted, dim=1, largest=False, sorted=False)
            at = at.gather(1, keep)
        best = values, at
    return best[1]


def _nearest(exact: Any, first: int, last: int, near: Any, count: int) -> tuple[Any, Any]:
    """The nearest of some candidates, by exact distances, without the row itself."""
    import torch

    squares = exact.new_zeros(near.shape)
    for feature in exact.T:  # a feature at a time, which takes d times less memory
        squares += (feature[near] - feature[first:last, None]).square_()
    own = torch.arange(first, last, device=near.device)[:, None]
    squares.masked_fill_(near == own, torch.inf)
    values, at = squares.topk(count, dim=1, largest=False)
    return near.gather(1, at), values.sqrt_()
