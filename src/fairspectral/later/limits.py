"""The bounds on everyone as conditions on the new persons of each kind in each cluster.

A kind is a combination of groups and, where persons have weights, of a weight. The bounds of a cell
depend on the size of its cluster, which the new people change; as conditions on persons of each
kind in each cluster they are linear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from fairspectral.later.standing import Standing

# A share of whole persons, such as 0.8 of 5, may have a floating-point error.
_SLIP = 1e-9
# The solver's tolerance is absolute, 1e-6. Up to so many units of weight in all are counted one by
# one; more are counted in persons of mean weight, with this margin within every bound.
_MOST_UNITS, _MARGIN = 2**24, 1e-5


@dataclass(frozen=True)
class _Limit:
    """One side of a cell's bounds: ``sign (T - slope m) + y >= offset`` in one of its forms.

    T persons of the cell in a cluster of m have y persons beyond it. Without a group, T are all
    persons of the cluster.

    Attributes
    ----------
    sign : int
        1 where T has a lower bound, -1 where it has an upper one.
    attribute, group, cluster : int
        The cell; the group may be None.
    forms : tuple of (slope, offset)
        Either is enough where there are two: the band of shares, or whole persons around the share
        of everyone, which is the wider one in small clusters.
    shortfalls : tuple of float
        By how much each form can be missed at most where the other one holds. A program that
        chooses between them takes so much off the one that need not hold.
    """

    sign: int
    attribute: int
    group: int | None
    cluster: int
    forms: tuple[tuple[float, float], ...]
    shortfalls: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Limits:
    """All limits as ``matrix @ (t, y, z) >= least``.

    Attributes
    ----------
    matrix : csr_array of shape (r, q k + l + d)
        t are the new persons of q kinds in k clusters, row by row; y the persons beyond each of l
        limits; z, for each of d limits with two forms, which of them holds.
    least : ndarray of shape (r,)
    shape : tuple of int
        (q, k).
    n_limits, n_choices : int
        l and d.
    whole : bool
        Whether y counts whole persons or units of weight; otherwise it counts persons of mean
        weight, with fractions.
    """

    matrix: sp.csr_array
    least: np.ndarray
    shape: tuple[int, int]
    n_limits: int
    n_choices: int
    whole: bool = True

    @classmethod
    def of(
        cls,
        kinds: np.ndarray,
        units: np.ndarray,
        new: int,
        standing: Standing,
    ) -> Limits:
        """The limits for new people.

        Parameters
        ----------
        kinds : integer ndarray of shape (q, a)
            The group of each kind, for each attribute.
        units : integer ndarray of shape (q,)
            The weight of a person of each kind; 1 without weights.
        new : int
            The units of all new people together; without weights, their number.
        standing : Standing
            The people so far, and the bounds on everyone together.
        """
        q, k = len(kinds), standing.n_clusters
        limits = _limits_of_cells(standing, new)
        total = int(standing.before[0].sum()) + new
        whole = total <= _MOST_UNITS or bool((units == 1).all())
        scale, margin = (1.0, 0.0) if whole else (max(1.0, float(units.mean())), _MARGIN)
        if (most := standing.ceiling) is not None:
            limits += [_Limit(-1, 0, None, c, ((0.0, -float(most)),)) for c in range(k)]
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        least: list[float] = []
        choices = 0
        for i, limit in enumerate(limits):
            table = standing.before[limit.attribute]
            size = table[:, limit.cluster].sum()
            if limit.group is None:
                member, held = np.ones(q), size
            else:
                member = (kinds[:, limit.attribute] == limit.group).astype(np.float64)
                held = table[limit.group, limit.cluster]
            for form, (slope, offset) in enumerate(limit.forms):
                own = [*(np.arange(q) * k + limit.cluster), q * k + i]
                factors = [*(limit.sign * (member - slope) * units / scale), 1.0]
                bound = (offset - limit.sign * (held - slope * size)) / scale + margin
                if len(limit.forms) > 1:  # the first form holds where z = 0, the other where z = 1
                    own.append(q * k + len(limits) + choices)
                    shortfall = limit.shortfalls[form] / scale + 2 * margin
                    factors.append(-shortfall if form else shortfall)
                    bound -= shortfall if form else 0.0
                rows += [len(least)] * len(own)
                columns += own
                values += factors
                least.append(float(bound))
            choices += len(limit.forms) > 1
        shape = (len(least), q * k + len(limits) + choices)
        matrix = sp.csr_array((values, (rows, columns)), shape=shape)
        return cls(matrix, np.array(least), (q, k), len(limits), choices, whole)

    @property
    def of_cells(self) -> sp.csr_array:
        """The columns of t, shape (r, q k)."""
        q, k = self.shape
        return self.matrix[:, : q * k]

    @property
    def of_others(self) -> sp.csr_array:
        """The columns of y and z, shape (r, l + d)."""
        q, k = self.shape
        return self.matrix[:, q * k :]


def _limits_of_cells(standing: Standing, new: int) -> list[_Limit]:
    """The bounds of `fairspectral.later.standing.judge`, of all cells and both sides.

    They are said in the same numbers, so that a program that keeps them keeps those bounds.
    """
    found = []
    for a, (table, rule) in enumerate(zip(standing.before, standing.rules, strict=True)):
        counts = rule.attribute.counts
        n = int(counts.sum())
        too_rare, too_common = rule.impossible
        for s, share in enumerate((counts / n).tolist()):
            for sign, end, impossible in (
                (1, float(rule.lower[s]), too_rare[s]),
                (-1, float(rule.upper[s]), too_common[s]),
            ):
                if end == (0.0 if sign > 0 else 1.0):
                    continue  # no limit
                # Persons from the share of everyone in a cluster of x: the band allows `width` x,
                # whole persons less than one, which in n-ths of a person is at most `less_than_1`;
                # with weights, less than the one who weighs most.
                width, less_than_1 = abs(end - share), rule.attribute.largest - 1.0 / n
                band, whole = (end, -_SLIP), (share, -less_than_1)
                for c, size in enumerate(table.sum(axis=0).tolist()):
                    # From some size on the band is the wider of the two.
                    wider = [width * x >= less_than_1 for x in (size, size + new)]
                    forms = (band, whole) if any(wider) else (whole,)
                    if all(wider) or impossible:  # the share of everyone does not excuse a cell
                        forms = (band,)
                    shortfalls = (
                        less_than_1 - width * size,
                        width * (size + new) - less_than_1 + _SLIP,
                    )
                    found.append(_Limit(sign, a, s, c, forms, shortfalls))
    return found
