"""A proved upper bound on the sum of the largest eigenvalues of a symmetric matrix.

Ritz values are lower bounds, however small their residuals are: a space may have missed an
eigenvector. So the rest of the space is looked at too. With ``S`` an orthonormal block of Ritz
vectors, ``T = S^T A S`` and ``R = A S - S T``, the matrix lies below another one in the order of
quadratic forms::

    A  <=  [ T   R^T   ]        if no eigenvalue of A, compressed to the
           [ R   level ]        complement of S, is above ``level``,

and therefore so do its eigenvalues, one by one. Those of the matrix on the right are those of a
small matrix, and ``level``. The level comes from a random block ``Z``: the Chebyshev polynomial of
degree j magnifies an eigenvector of eigenvalue ``x`` above the interval by ``T_j(x)``, and a
Gaussian block has a part of at least ``tau`` along it, but for a stated probability. If the
filtered block is shorter than ``tau T_j(x)``, then no eigenvalue is as large as ``x``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from fairspectral.linalg.block_krylov import BlockKrylov
from fairspectral.linalg.small import eigh_decreasing, eigvalsh_decreasing

# The probability that a bound is wrong, over the random block. A thousand times less would make
# the level about a tenth looser.
FAILURE = 1e-9
# Columns of the random block. More make a small part along an eigenvector less likely: with one,
# the same probability would need twice the degree.
COLUMNS = 8
# Ritz vectors with a larger residual are left to the complement: beside the level they would
# raise the bound by more than they lower the level.
LARGEST_RESIDUAL = 0.02
# A residual r changes an eigenvalue by about r^2, so these are as good as none.
SMALL_RESIDUAL = 1e-6


@dataclass(frozen=True)
class Effort:
    """How much to spend on a bound: passes over the matrix for the vectors and for the level."""

    passes: int
    degree: int


@dataclass(frozen=True)
class EigenvalueSum:
    """The sum of the largest eigenvalues, between two numbers.

    Attributes
    ----------
    lower : float
        That of the Ritz values: attained by `vectors`.
    upper : float
        The bound.
    failure : float
        The probability that the bound is wrong; 0 where every eigenvalue was computed.
    vectors : ndarray of shape (n, m)
        Orthonormal Ritz vectors, with at least as many columns as eigenvalues were asked for.
    """

    lower: float
    upper: float
    failure: float
    vectors: np.ndarray


def exact_sum(matrix: np.ndarray, count: int, vectors: int = 0) -> EigenvalueSum:
    """From all eigenvalues of a dense matrix, with a margin for floating-point errors.

    Parameters
    ----------
    matrix : ndarray of shape (n, n), float64
        Symmetric.
    count : int
        How many of the largest eigenvalues are summed.
    vectors : int
        How many eigenvectors to return, at least.
    """
    values, found = eigh_decreasing(matrix)
    total = float(np.sum(values[:count]))
    margin = count * _roundoff(len(matrix)) * max(1.0, float(np.abs(values).max(initial=0.0)))
    return EigenvalueSum(total - margin, total + margin, 0.0, found[:, : max(count, vectors)])


def bounded_sum(
    multiply: Callable[[np.ndarray], np.ndarray],
    fixed: np.ndarray,
    count: int,
    *,
    lowest: float,
    highest: float,
    effort: Effort,
    rng: np.random.Generator,
    terms: int,
) -> EigenvalueSum:
    """From products only, orthogonal to some columns.

    Parameters
    ----------
    multiply : callable
        ``A @ block`` in float64; the result may be overwritten.
    fixed : ndarray of shape (n, r), float64
        Orthonormal columns; the eigenvalues are those of A compressed to their complement.
    count : int
        How many of the largest eigenvalues are summed.
    lowest, highest : float
        All eigenvalues lie between these.
    effort : Effort
        Passes.
    rng : numpy Generator
        For the two random blocks, that of the vectors and that of the level.
    terms : int
        Products that are added up in one element of a product, for the floating-point errors.
    """
    n = fixed.shape[0]
    project = _projection(fixed)

    def apply(block: np.ndarray) -> np.ndarray:
        return project(np.array(multiply(block)))

    S, guess = _leading_vectors(apply, fixed, count, effort.passes, rng)
    image = apply(S)
    T = S.T @ image
    T = (T + T.T) / 2
    R = image - S @ T
    both = np.hstack([fixed, S])
    interval = (lowest, min(max(guess, lowest + 0.1 * (highest - lowest)), highest - 1e-9))
    level, failure = _level(multiply, both, interval, highest, effort.degree, rng, terms)
    C = np.linalg.qr(R)[1]
    s = S.shape[1]
    above = np.block([[T, C.T], [C, level * np.eye(s)]])
    # Beyond the small matrix, the one on the right has the level as often as there is room.
    rest = max(0, n - both.shape[1] - s)
    values = np.sort(np.concatenate([eigvalsh_decreasing(above), np.full(min(rest, count), level)]))
    margin = count * _roundoff(terms + both.shape[1]) * max(highest, -lowest, 1.0)
    upper = float(np.sum(np.minimum(values[::-1][:count], highest))) + margin
    lower = float(np.sum(eigvalsh_decreasing(T)[:count])) - margin
    return EigenvalueSum(lower, upper, failure, S)


def _leading_vectors(
    apply: Callable[[np.ndarray], np.ndarray],
    fixed: np.ndarray,
    count: int,
    passes: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Ritz vectors of the largest eigenvalues, and about what comes after them.

    Thick restarts keep twice the block: the vectors beyond those wanted lower the level.
    """
    n, r = fixed.shape
    room = n - r
    width = min(count + 4, max(1, room // 5))
    capacity, keep = min(4 * width, room - 2 * width), 2 * width
    space = BlockKrylov(apply, fixed, rng.standard_normal((n, width)), capacity, rng)
    # The highest Ritz values seen: after a restart those beyond what was kept begin low again.
    highest = np.full(capacity, -np.inf)
    for _ in range(passes):
        if space.size + width > capacity:
            space.restart(min(keep, capacity - width))
        space.advance(width)
        pairs = space.ritz()
        size = len(pairs.values)
        highest[:size] = np.maximum(highest[:size], pairs.values)
        if size > count and pairs.residuals[:count].max() < SMALL_RESIDUAL:
            break
    good = pairs.residuals[:keep] <= LARGEST_RESIDUAL
    kept = max(min(count, len(good)), int(np.argmin(good)) if not good.all() else len(good))
    # Orthonormal to machine precision, whatever the space tolerated.
    S = np.linalg.qr(space.vectors(kept))[0]
    S -= fixed @ (fixed.T @ S)
    S = np.linalg.qr(S)[0]
    return S, float(highest[min(kept, capacity - 1)])


def _level(
    multiply: Callable[[np.ndarray], np.ndarray],
    deflated: np.ndarray,
    interval: tuple[float, float],
    highest: float,
    degree: int,
    rng: np.random.Generator,
    terms: int,
) -> tuple[float, float]:
    """A number above all eigenvalues orthogonal to some columns, and the probability of error."""
    tau = float(np.sqrt(2 * gammaincinv(COLUMNS / 2, FAILURE)))
    low, high = interval
    half, middle = (high - low) / 2, (high + low) / 2
    project = _projection(deflated)
    before = project(rng.standard_normal((deflated.shape[0], COLUMNS)))

    def scaled(block: np.ndarray) -> np.ndarray:
        return (project(np.array(multiply(block))) - middle * block) / half

    now, norms = scaled(before), [float(np.linalg.norm(before))]
    for _ in range(degree - 1):
        norms.append(float(np.linalg.norm(now)))
        before, now = now, 2 * scaled(now) - before
    longest = float(np.linalg.norm(now))
    # Floating-point errors of a step, relative to its block; what becomes of them in the later
    # steps is bounded by j T_j / T_t.
    error = 4 * degree * _roundoff(terms + deflated.shape[1]) * max(1.0, -low) / half
    steps, sizes = np.arange(degree), np.array(norms)

    def excluded(value: float) -> bool:
        angle = np.arccosh(max(1.0, (value - middle) / half))
        # In logarithms, since the polynomial overflows.
        growth = _log_cosh(degree * angle)
        part = tau - error * float(np.sum(sizes * np.exp(-_log_cosh(steps * angle))))
        return part > 0 and growth + np.log(part) > np.log(max(longest, 1e-300))

    if not excluded(highest):
        return highest, 0.0
    bottom, top = high, highest
    for _ in range(60):
        centre = (bottom + top) / 2
        bottom, top = (bottom, centre) if excluded(centre) else (centre, top)
    return top, FAILURE


def _projection(columns: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    def project(block: np.ndarray) -> np.ndarray:
        return block - columns @ (columns.T @ block)

    return project


def _log_cosh(x: np.ndarray | float) -> np.ndarray | float:
    return np.logaddexp(x, -np.asarray(x)) - np.log(2.0)


def _roundoff(terms: int) -> float:
    """A bound on the relative floating-point error of sums of so many products."""
    return 8 * max(terms, 16) * float(np.finfo(np.float64).eps)
