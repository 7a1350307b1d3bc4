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
# Columns of which only the nearest is looked at first; it divides the number above.
_BUNDLE = 32
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
    exact = X.double()
    # Padded to whole bundles by rows that are infinitely far away.
    rows = torch.nn.functional.pad(X.float(), (0, 0, 0, -n % _BUNDLE))
    squares = rows.square().sum(dim=1)
    squares[n:] = torch.inf
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

    best: Any = None
    for begin in range(0, len(rows), _OTHERS):
        end = min(len(rows), begin + _OTHERS)
        # The squared length of the row itself is the same for all others.
        apart = torch.addmm(squares[begin:end], rows[first:last], rows[begin:end].T, alpha=-2.0)
        # A row is its own nearest, to be left out later, whatever rounding says.
        apart.diagonal(first - begin).fill_(-torch.inf)
        values, at = _smallest(apart, wanted)
        at += begin
        if best is not None:
            values, at = torch.cat([best[0], values], dim=1), torch.cat([best[1], at], dim=1)
            values, keep = values.topk(wanted, dim=1, largest=False, sorted=False)
            at = at.gather(1, keep)
        best = values, at
    return best[1]


def _smallest(apart: Any, wanted: int) -> tuple[Any, Any]:
    """The smallest values of each row and their columns, at most as many as there are.

    The columns of the smallest are in the bundles whose minima are smallest, so that only their
    minima, and then these few bundles, are ranked: most distances are read once.
    """
    import torch

    m, columns = apart.shape
    bundles = apart.view(m, columns // _BUNDLE, _BUNDLE)
    few = min(wanted, bundles.shape[1])
    chosen = bundles.amin(dim=2).topk(few, dim=1, largest=False, sorted=False).indices
    inside = bundles.gather(1, chosen[:, :, None].expand(-1, -1, _BUNDLE)).reshape(m, -1)
    values, at = inside.topk(min(wanted, inside.shape[1]), dim=1, largest=False, sorted=False)
    bundle = chosen.gather(1, torch.div(at, _BUNDLE, rounding_mode="floor"))
    return values, bundle * _BUNDLE + at % _BUNDLE


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
