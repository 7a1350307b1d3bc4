"""Who is nearest to whom, by an exact search through all pairs on a device.

Products of float32 tell quickly who may be near; the distances of these few are then computed by
differences in float64, so that the order among near neighbours does not suffer from cancellation.
A bound on the rounding errors says whether somebody nearer may have been missed, as in a tight heap
far from the centre; for those rows products of float64 tell, and at last the differences of all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fairspectral.affinity.torch_precision import full_precision
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
# Squared distances that differ by less than this part are a tie.
_TIE = 1e-9


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
    # Padded to whole bundles by rows that are infinitely far away.
    exact = torch.nn.functional.pad(X.double(), (0, 0, 0, -n % _BUNDLE))
    quick = exact.float()
    indices = torch.empty((n, count), dtype=torch.int64, device=X.device)
    distances = torch.empty((n, count), dtype=torch.float64, device=X.device)
    by_quick, by_exact = _products(quick, n), _products(exact, n)
    for strip in Strips.of_bytes(n, 3 * 4 * min(n, _OTHERS), _STRIP_BYTES):
        with strip as (first, last), full_precision():
            report(AFFINITY, first / n)
            people = torch.arange(first, last, device=X.device)
            near, squares, sure = _search(by_quick, quick.dtype, exact, people, n, count)
            for apart, dtype in ((by_exact, exact.dtype), (_differences(exact, n), None)):
                # Fewer rows at a time, since their numbers take twice the memory.
                unsure = (~sure).nonzero()[:, 0]
                for some in unsure.split(-(-len(people) // 4)) if len(unsure) else ():
                    found = _search(apart, dtype, exact, people[some], n, count)
                    near[some], squares[some], sure[some] = found
            indices[first:last], distances[first:last] = near, squares.sqrt_()
    return on_host(indices), on_host(distances)


def _products(rows: Any, n: int) -> Callable[[Any, int, int], Any]:
    """Squared distances by products, less the squared length of the person asked about."""
    import torch

    squares = rows.square().sum(dim=1)
    squares[n:] = torch.inf

    def apart(people: Any, begin: int, end: int) -> Any:
        return torch.addmm(squares[begin:end], rows[people], rows[begin:end].T, alpha=-2.0)

    return apart


def _differences(exact: Any, n: int) -> Callable[[Any, int, int], Any]:
    """Squared distances by differences, which have no cancellation; slow."""
    import torch

    def apart(people: Any, begin: int, end: int) -> Any:
        found = exact.new_zeros((len(people), end - begin))
        for feature in exact.T:  # a feature at a time, which takes d times less memory
            found += (feature[begin:end] - feature[people, None]).square_()
        found[:, max(0, n - begin) :] = torch.inf
        return found

    return apart


def _search(
    apart: Callable[[Any, int, int], Any], dtype: Any, exact: Any, people: Any, n: int, count: int
) -> tuple[Any, Any, Any]:
    """The nearest of some people, and whether nobody nearer can have been missed.

    Parameters
    ----------
    apart : function
        Squared distances of these people to the rows between two numbers.
    dtype : type of torch or None
        That of the products by which `apart` computes; None where it does not.
    exact : float64 tensor of shape (n or more, d)
        The features, padded.
    people : int64 tensor of shape (m,)
        Their rows.
    n, count : int
        Rows that are not padding, and neighbours to find.

    Returns
    -------
    near, squares : tensor of shape (m, count)
        Rows and squared distances; the nearest first.
    sure : bool tensor of shape (m,)
    """
    import torch

    wanted = min(count + 1 + _SPARE, n)  # the row itself is among them
    candidates, farthest = _candidates(apart, people, exact.shape[0], wanted)
    near, squares = _nearest(exact, people, candidates, count)
    if dtype is None or wanted == n:
        return near, squares, torch.ones_like(people, dtype=torch.bool)
    # Somebody who is nearer than the last neighbour, at distance r, has a length of at most
    # |x| + r, which bounds the rounding errors of products with them.
    last, own = squares[:, -1], exact[people].square().sum(dim=1)
    limits = torch.finfo(dtype)
    size = own + (own.sqrt() + last.sqrt()).square()
    error = (exact.shape[1] + 4) * (limits.eps * size + limits.tiny)
    return near, squares, (farthest.double() + own >= (1 - _TIE) * last + error) | (last == 0)


def _candidates(
    apart: Callable[[Any, int, int], Any], people: Any, rows: int, wanted: int
) -> tuple[Any, Any]:
    """The nearest rows of some people, themselves included: (m, wanted), and the farthest's."""
    import torch

    best: Any = None
    for begin in range(0, rows, _OTHERS):
        end = min(rows, begin + _OTHERS)
        found = apart(people, begin, end)
        # A row is its own nearest, to be left out later, whatever rounding says.
        here = ((people >= begin) & (people < end)).nonzero()[:, 0]
        found[here, people[here] - begin] = -torch.inf
        values, at = _smallest(found, wanted)
        at += begin
        if best is not None:
            values, at = torch.cat([best[0], values], dim=1), torch.cat([best[1], at], dim=1)
            few = min(wanted, values.shape[1])
            values, keep = values.topk(few, dim=1, largest=False, sorted=False)
            at = at.gather(1, keep)
        best = values, at
    return best[1], best[0].amax(dim=1)


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


def _nearest(exact: Any, people: Any, near: Any, count: int) -> tuple[Any, Any]:
    """The nearest of some candidates and their squared distances, without the row itself."""
    import torch

    squares = exact.new_zeros(near.shape)
    for feature in exact.T:
        squares += (feature[near] - feature[people, None]).square_()
    squares.masked_fill_(near == people[:, None], torch.inf)
    values, at = squares.topk(count, dim=1, largest=False)
    return near.gather(1, at), values
