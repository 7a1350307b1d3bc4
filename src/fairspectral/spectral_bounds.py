"""Bounds that hold: on the objective of the fair embedding, and on the cut of fair labels.

For a clustering into k clusters, ``H = D^1/2 Y (Y^T D Y)^-1/2`` has orthonormal columns, and its
normalised cut is ``k - tr(H^T M H)``. So no clustering is below ``k`` minus the sum of the k
largest eigenvalues of ``M``. Labels within bounds on their shares are nearly orthogonal to the
columns of ``F``; for any ``mu >= 0``

    tr(H^T M H)  =  tr(H^T (M - mu F F^T) H) + mu ||F^T H||^2,

and the bounds limit the last term (`deviation_budget`). The page *Certificate* of the documentation
has the derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

from fairspectral.affinity.base import AffinityOperator
from fairspectral.cells import population_shares
from fairspectral.constraints import FairnessConstraints
from fairspectral.linalg.eigenvalue_sums import Effort, EigenvalueSum, bounded_sum, exact_sum
from fairspectral.linalg.small import eigvalsh_decreasing
from fairspectral.linalg.threads import threads_apart
from fairspectral.validation import Attribute

# Up to so many people all eigenvalues are computed, which takes less than a second each time.
ALL_EIGENVALUES = 500
# Passes where a product with one vector takes at most so many multiplications, and otherwise.
_CHEAP = 3e7
_MANY, _FEW = Effort(passes=100, degree=240), Effort(passes=24, degree=48)
# The largest multiplier. The filter of the level sees eigenvalues down to minus this, and is
# looser the wider its interval.
_LARGEST_MULTIPLIER = 4.0
# A multiplier that promises to raise the bound by less is not worth its passes.
_LEAST_GAIN = 1e-6
# The bounds in whole persons allow for floating-point errors of this size.
_SLIP = 2e-9
# Ranges of sizes of a cluster, which may be a billion units of weight: this many take about 0.1
# seconds, and neighbouring ones then differ by 2e-4 at most.
_MOST_RANGES = 2**17


@dataclass(frozen=True)
class Band:
    """The shares that each group of an attribute may have in every cluster.

    Attributes
    ----------
    attribute : Attribute
        The groups, h of them.
    lower, upper : ndarray of shape (h,)
        Least and largest share.
    """

    attribute: Attribute
    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True)
class EmbeddingBound:
    """The best objective of a fair embedding lies between `attained` and `upper`.

    `failure` is the probability that `upper` is wrong.
    """

    attained: float
    upper: float
    failure: float


@dataclass(frozen=True)
class CutBound:
    """Lower bounds on the normalised cut.

    Attributes
    ----------
    lower : float
        Of every clustering within the bounds on shares and sizes.
    plain : float
        Of every clustering.
    multiplier : float
        mu of `lower`, in units in which ``F F^T`` has norm 1; 0 where `lower` is `plain`.
    budget : float
        Bound on ``||F^T H||^2`` in these units, of clusterings within the bounds.
    failure : float
        The probability that one of the two is wrong.
    """

    lower: float
    plain: float
    multiplier: float
    budget: float
    failure: float


class SpectralBounds:
    """Bounds for one affinity, in float64 and from its products alone.

    Parameters
    ----------
    operator : AffinityOperator
        With products in float64 (`fairspectral.affinity.wide.in_float64`).
    n_clusters : int
        k.
    seed : int
        Of the random blocks.
    all_eigenvalues : int
        Up to so many people, all eigenvalues are computed and no bound can fail.
    """

    def __init__(
        self,
        operator: AffinityOperator,
        n_clusters: int,
        seed: int,
        *,
        all_eigenvalues: int = ALL_EIGENVALUES,
    ) -> None:
        self._operator, self._k = operator, n_clusters
        self._rng = np.random.default_rng(seed)
        n = operator.shape[0]
        root = np.sqrt(operator.degrees)
        self._known = (root / np.linalg.norm(root))[:, None]
        self._dense: np.ndarray | None = None
        if n <= all_eigenvalues:
            M = operator.matmat_on_host(np.eye(n))
            self._dense = (M + M.T) / 2
        W = operator.stored_weights
        self._terms = int(np.diff(W.indptr).max()) if sp.issparse(W) else n
        self._effort = _MANY if operator.density * n * n <= _CHEAP else _FEW

    def embedding(
        self,
        attributes: tuple[Attribute, ...],
        n_components: int,
        nodes: np.ndarray | None = None,
    ) -> EmbeddingBound:
        """The best ``tr(H^T M H)`` over orthonormal ``H`` with ``F^T H = 0``.

        `nodes` is the node of each person where the operator is that of nodes, shape (n,).
        """
        fixed = self._known
        if attributes:
            degrees = self._operator.degrees
            constraints = FairnessConstraints.from_attributes(attributes, degrees, nodes)
            fixed = np.linalg.qr(np.hstack([self._known, constraints.basis]))[0]
        found = self._largest(self._apply, fixed, n_components - 1, 0.0)
        return EmbeddingBound(1.0 + found.lower, 1.0 + found.upper, found.failure)

    def cut(self, bands: Sequence[Band], smallest: int) -> CutBound:
        """The normalised cut of clusterings within bands of shares, with a floor on sizes.

        Parameters
        ----------
        bands : sequence of Band
            One for each attribute; empty where shares have no bounds.
        smallest : int
            Fewest people in a cluster, or units of weight.
        """
        k = self._k
        plain = self._largest(self._apply, self._known, k - 1, 0.0)
        floor = max(0.0, k - 1 - plain.upper)
        if not bands or k == 1:
            return CutBound(floor, floor, 0.0, 0.0, plain.failure)
        F = _weighted_constraints(bands, self._operator.degrees)
        scale = float(np.linalg.norm(F, 2) ** 2)
        F /= np.sqrt(scale)
        budget = float(deviation_budget(bands, self._operator.degrees, k, smallest) / scale)
        with threads_apart():
            mu = self._best_multiplier(plain, F, budget)
        if mu == 0.0:
            return CutBound(floor, floor, 0.0, budget, plain.failure)

        def penalised(block: np.ndarray) -> np.ndarray:
            return self._apply(block) - mu * (F @ (F.T @ block))

        found = self._largest(penalised, self._known, k - 1, mu)
        lower = float(max(floor, k - 1 - found.upper - mu * budget))
        return CutBound(lower, floor, mu, budget, plain.failure + found.failure)

    def _apply(self, block: np.ndarray) -> np.ndarray:
        return self._operator.matmat_on_host(block)

    def _largest(
        self,
        multiply: Callable[[np.ndarray], np.ndarray],
        fixed: np.ndarray,
        count: int,
        penalty: float,
    ) -> EigenvalueSum:
        """The sum of the largest eigenvalues orthogonal to some columns."""
        n = fixed.shape[0]
        if count == 0:
            return EigenvalueSum(0.0, 0.0, 0.0, np.zeros((n, 0)))
        if self._dense is None:
            with threads_apart():
                return bounded_sum(
                    multiply,
                    fixed,
                    count,
                    lowest=-1.0 - penalty,
                    highest=1.0,
                    effort=self._effort,
                    rng=self._rng,
                    terms=self._terms,
                )
        matrix = multiply(np.eye(n))
        matrix -= fixed @ (fixed.T @ matrix)
        matrix -= (matrix @ fixed) @ fixed.T
        # The fixed columns go below every eigenvalue.
        matrix = (matrix + matrix.T) / 2 - (2.0 + penalty) * fixed @ fixed.T
        return exact_sum(matrix, count, 3 * count + 4)

    def _best_multiplier(self, plain: EigenvalueSum, F: np.ndarray, budget: float) -> float:
        """About the best mu, from a small space; what is proved afterwards holds for any."""
        space = np.hstack([plain.vectors, F, self._apply(F)])
        space -= self._known @ (self._known.T @ space)
        U, singular, _ = np.linalg.svd(space, full_matrices=False)
        V = U[:, singular > 1e-8 * singular[0]]
        T, G, count = V.T @ self._apply(V), V.T @ F, self._k - 1
        T = (T + T.T) / 2

        def bound(mu: float) -> float:
            return float(eigvalsh_decreasing(T - mu * (G @ G.T))[:count].sum()) + mu * budget

        best = minimize_scalar(bound, bounds=(0.0, _LARGEST_MULTIPLIER), method="bounded")
        mu = float(min(best.x, _LARGEST_MULTIPLIER))
        return mu if bound(mu) < bound(0.0) - _LEAST_GAIN else 0.0


def _weighted_constraints(bands: Sequence[Band], degrees: np.ndarray) -> np.ndarray:
    """``D^-1/2 U (G - 1 z^T) diag(z)^-1/2`` of all attributes side by side, shape (n, H).

    ``U`` has the persons' weights, whose mean is 1, on its diagonal. Without weights and with equal
    degrees, ``F F^T`` is a multiple of a projection.
    """
    blocks = []
    rows = (_relative_weights(bands[0].attribute) / np.sqrt(degrees))[:, None]
    for band in bands:
        n, h = len(band.attribute.codes), len(band.lower)
        z = population_shares(band.attribute.counts)
        G = np.zeros((n, h))
        G[np.arange(n), band.attribute.codes] = 1.0
        blocks.append((G - z) / np.sqrt(z) * rows)
    return np.hstack(blocks)


def _relative_weights(attribute: Attribute) -> np.ndarray:
    """The weight of each person, 1 on the mean, shape (n,)."""
    if attribute.weights is None:
        return np.ones(len(attribute.codes))
    return attribute.weights.units / attribute.weights.units.mean()


def deviation_budget(
    bands: Sequence[Band], degrees: np.ndarray, n_clusters: int, smallest: int
) -> float:
    """A bound on ``||F^T H||^2``, weighted by ``1 / z``, for all clusterings within the bands.

    A group s deviates in a cluster of m people by at most ``c_s(m) m`` people, and
    ``m^2 <= volume * sum of 1/d`` over its members. So the cluster contributes at most ``C(m)``,
    the sum of ``c_s(m)^2 / z_s``, times that sum of ``1/d``; ``C`` falls as m grows, because a
    whole person is less in a larger cluster. Clusters of at least ``m0`` people contribute at most
    ``C(m0)`` times the sum over everyone; each smaller one at most ``C(m) - C(m0)`` times the m
    largest ``1/d`` more. The best ``m0`` is taken.

    With weights u it is the same with ``u^2/d`` in place of ``1/d`` and the weight of a cluster as
    its m.

    Parameters
    ----------
    bands : sequence of Band
        One for each attribute.
    degrees : ndarray of shape (n,)
        Row sums of ``W``.
    n_clusters : int
        k.
    smallest : int
        Fewest people in a cluster, or units of weight.
    """
    attribute = bands[0].attribute
    everyone = int(attribute.counts.sum())
    # Units are whole, so k times the floor may be a little more than everyone.
    largest = max(smallest, everyone - (n_clusters - 1) * smallest)
    first, last = _size_ranges(smallest, largest)
    C = np.zeros(len(first))
    for band in bands:
        C += _largest_deviation(band, first)
    inverse = _relative_weights(attribute) ** 2 / degrees
    total, most = float(inverse.sum()), _largest_sums(attribute, inverse, last)
    starts = np.unique(np.geomspace(1, len(first), 40).astype(int)) - 1
    return min(
        float(C[i]) * total + n_clusters * float(np.max((C[:i] - C[i]) * most[:i], initial=0.0))
        for i in starts
    )


def _size_ranges(smallest: int, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """The sizes of a cluster in ranges, by the first and the last of each; one size in each range
    unless there are too many. A bound for a range takes the worse end of each of its terms.
    """
    if largest - smallest < _MOST_RANGES:
        first = np.arange(smallest, largest + 1, dtype=np.float64)
        return first, first
    first = np.unique(np.geomspace(smallest, largest, _MOST_RANGES).astype(np.int64))
    return first.astype(np.float64), np.append(first[1:] - 1.0, float(largest))


def _largest_sums(attribute: Attribute, values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The most that the values of some people, who weigh at most so much, add up to.

    Where people may be divided, it is that of those with the largest value for their weight, so
    it is at most this. Without weights it is the sum of the largest values.

    Parameters
    ----------
    attribute : Attribute
        With the weights.
    values : ndarray of shape (n,)
        0 for whoever weighs nothing.
    sizes : ndarray of shape (q,)
        People, or units of weight.
    """
    units = np.ones(len(values)) if attribute.weights is None else attribute.weights.units
    counted = np.flatnonzero(units)
    order = counted[np.argsort(-values[counted] / units[counted])]
    reached = np.append(0.0, np.cumsum(units[order]))
    return np.interp(sizes, reached, np.append(0.0, np.cumsum(values[order])))


def _largest_deviation(band: Band, sizes: np.ndarray) -> np.ndarray:
    """Bound on ``sum over s of (n_s - z_s m)^2 / (z_s m^2)`` in a cluster of m, for each size.

    It does not grow with m.
    """
    z = population_shares(band.attribute.counts)[:, None]
    # Bounds on a cell are those of the band, or the whole numbers beside the proportional one,
    # less than the largest weight of a person from it; nobody can be more than everyone in the
    # cluster, or fewer than none.
    person = band.attribute.largest * (1.0 + _SLIP) / sizes
    more = np.minimum(np.maximum(band.upper[:, None] - z + _SLIP, person), 1.0 - z)
    less = np.minimum(np.maximum(z - band.lower[:, None] + _SLIP, person), z)
    # Too many of one group are too few of the others.
    more, less = (
        np.minimum(more, less.sum(axis=0) - less),
        np.minimum(less, more.sum(axis=0) - more),
    )
    return np.sum(np.maximum(more, less) ** 2 / z, axis=0)
