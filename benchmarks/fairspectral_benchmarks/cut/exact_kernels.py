"""Branch and bound for the fair normalised cut, compiled."""

from __future__ import annotations

import numba
import numpy as np

# A branch must promise more than this to be followed: less is floating-point error.
_LEAST = 1e-10


@numba.njit(cache=True)
def _least_sum(cuts: np.ndarray, least: np.ndarray, total: float) -> float:
    """The minimum of ``sum_l cuts_l / v_l`` over volumes ``v >= least`` that add up to `total`.

    Volumes are proportional to the roots of the cuts, but for those at their least.
    """
    k = len(cuts)
    fixed = np.zeros(k, dtype=np.bool_)
    roots = np.sqrt(cuts)
    while True:
        room, weight = total, 0.0
        for c in range(k):
            if fixed[c]:
                room -= least[c]
            else:
                weight += roots[c]
        changed = False
        if weight > 0:
            for c in range(k):
                if not fixed[c] and roots[c] * room < least[c] * weight:
                    fixed[c] = changed = True
        if not changed:
            break
    value = weight * weight / room if weight > 0 else 0.0
    for c in range(k):
        if fixed[c] and cuts[c] > 0:
            value += cuts[c] / least[c]
    return value


@numba.njit(cache=True)
def _bound(cuts, least, links, first, total):
    """A lower bound on the cut of every completion of a partial clustering.

    Parameters
    ----------
    cuts : ndarray of shape (k,)
        Weight between each cluster and the others, as far as both ends are assigned.
    least : ndarray of shape (k,)
        Least volume of each cluster at the end.
    links : ndarray of shape (n, k)
        Weight between each person and the clusters.
    first : int
        Persons from here on are not assigned yet.
    total : float
        All volumes together.
    """
    n, k = links.shape
    floor, extra = cuts.copy(), 0.0
    for u in range(first, n):
        together, most = 0.0, 0.0
        for c in range(k):
            together += links[u, c]
            most = max(most, links[u, c])
        # In its cluster the person cuts the links to all others, and each of them its own.
        extra += 2 * (together - most)
        for c in range(k):
            least_here = min(links[u, c], together - links[u, c])
            floor[c] += least_here
            extra -= least_here
    # The least sum is concave in the cuts: all that is not certain falls on one cluster.
    value = np.inf
    for c in range(k):
        floor[c] += extra
        value = min(value, _least_sum(floor, least, total))
        floor[c] -= extra
    return value


@numba.njit(cache=True)
def _possible(table, size, rest, most, low, high):
    """Whether a cluster can end within its bounds.

    `table` holds its persons of each group, `rest` those that are not assigned, `most` is the
    largest size that it can have.
    """
    for m in range(size, most + 1):
        fits, fewest, largest = True, 0, 0
        for s in range(len(table)):
            a, b = max(low[s, m], table[s]), min(high[s, m], table[s] + rest[s])
            fewest += a
            largest += b
            if a > b:
                fits = False
                break
        if fits and fewest <= m <= largest:
            return True
    return False


@numba.njit(cache=True)
def _kept_apart(within: np.ndarray, volumes: np.ndarray, sizes: np.ndarray) -> float:
    value = 0.0
    for c in range(len(sizes)):
        value += 1 - within[c] / volumes[c] if sizes[c] > 0 else 1.0
    return value


@numba.njit(cache=True)
def _cuts_so_far(labels, links, after, cuts):
    """Weight between each cluster and the others, among the persons that are assigned."""
    cuts[:] = 0.0
    for i in range(after):
        for c in range(len(cuts)):
            if c != labels[i]:
                cuts[labels[i]] += links[i, c]
    # Sums of weights that were added and taken away again leave errors.
    for c in range(len(cuts)):
        cuts[c] = max(cuts[c], 0.0)


@numba.njit(cache=True)
def branch_and_bound(W, degrees, groups, k, low, high, floor, by_cuts, by_costs, rest, best, limit):
    """The best labels below a cut, the cut, and the number of branches; minus that at the limit.

    The cut is ``k - sum_l within_l / volume_l``, in which an empty cluster counts 1.

    Parameters
    ----------
    W : ndarray of shape (n, n)
        Persons in the order in which they are assigned.
    degrees : ndarray of shape (n,)
        Row sums of W, or more, if there are further persons.
    groups, k, low, high, floor
        Bounds `low` and `high` have shape (h, n + 1), for clusters of each size.
    by_cuts : bool
        Whether to use the bound by cut weights, which needs degrees without further persons.
    by_costs : bool
        Whether to use the bound by k-means costs, which needs a positive semidefinite W.
    rest : ndarray of shape (n + 1,)
        The least k-means cost of the persons from each place on, alone.
    best : float
        Only lower cuts are looked for.
    limit : int
        Give up after so many branches.
    """
    n, h = len(W), len(low)
    total = degrees.sum()
    loops = np.zeros(n + 1)  # of the persons before each place
    for i in range(n):
        loops[i + 1] = loops[i] + W[i, i] / degrees[i]
    labels, answer = np.full(n, -1), np.full(n, -1)
    links = np.zeros((n, k))
    within, volumes = np.zeros(k), np.zeros(k)
    sizes, table = np.zeros(k, dtype=np.int64), np.zeros((k, h), dtype=np.int64)
    left = np.zeros(h, dtype=np.int64)
    for i in range(n):
        left[groups[i]] += 1
    used = np.zeros(n + 1, dtype=np.int64)  # clusters that are in use before each place
    ordered = np.sort(degrees)
    cuts, least = np.zeros(k), np.zeros(k)
    at, branches = 0, 0
    while at >= 0:
        # Take the person back out of the cluster of the last branch.
        old = labels[at]
        if old >= 0:
            for u in range(n):
                links[u, old] -= W[at, u]
            within[old] -= 2 * links[at, old] + W[at, at]
            volumes[old] -= degrees[at]
            sizes[old] -= 1
            table[old, groups[at]] -= 1
            left[groups[at]] += 1
        new = old + 1
        # Clusters are numbered in the order of their first persons.
        if new >= min(k, used[at] + 1):
            labels[at] = -1
            at -= 1
            continue
        labels[at] = new
        within[new] += 2 * links[at, new] + W[at, at]
        for u in range(n):
            links[u, new] += W[at, u]
        volumes[new] += degrees[at]
        sizes[new] += 1
        table[new, groups[at]] += 1
        left[groups[at]] -= 1
        branches += 1
        if branches > limit:
            return answer, best, -branches
        after, needed = at + 1, 0
        for c in range(k):
            needed += max(0, floor - sizes[c])
        if needed > n - after:
            continue
        allowed = True
        for c in range(k):
            spare = n - after - needed + max(0, floor - sizes[c])
            smallest = max(sizes[c], floor)
            if not _possible(table[c], smallest, left, sizes[c] + spare, low, high):
                allowed = False
                break
        if not allowed:
            continue
        if after == n:
            value = _kept_apart(within, volumes, sizes)
            if value < best - _LEAST:
                best = value
                answer[:] = labels
            continue
        if by_costs:
            # The cost of the assigned is loops - k + the cut among them; all have the same k.
            apart = _kept_apart(within, volumes, sizes)
            if apart + loops[after] - loops[n] + rest[after] >= best - _LEAST:
                continue
        if by_cuts:
            _cuts_so_far(labels, links, after, cuts)
            for c in range(k):
                least[c] = volumes[c]
                for j in range(max(0, floor - sizes[c])):
                    least[c] += ordered[j]
            if _bound(cuts, least, links, after, total) >= best - _LEAST:
                continue
        used[after] = max(used[at], new + 1)
        at = after
    return answer, best, branches
