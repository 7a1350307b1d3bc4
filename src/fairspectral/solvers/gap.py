"""How far the objective of a growing space still is from its optimum."""

from __future__ import annotations

from typing import Any

import numpy as np

# What growth predicts is taken twice: exact where the gap falls like 1 / t after t steps, twice the
# truth where it falls geometrically (`python benchmarks/stress.py --constant gap.CAUTION 1 2 3`).
CAUTION = 2.0
# The gap is no smaller than this part of the residual bound, which in crowded spectra is three to
# ten times the truth (`python benchmarks/stress.py --constant gap.SHARE 0 0.1 0.33 1`).
SHARE = 1 / 3
# So many standard deviations above the mean lie the eigenvalues behind a Ritz vector that mixes
# several (`python benchmarks/stress.py --constant gap.MIXED 0 1 2.5 5`).
MIXED = 2.5
# The gap without the trivial eigenvalue 1 is at most so many times the tolerance: our promise.
LOOSEST = 10.0
# Rayleigh-Ritz is exact to about so many units of roundoff of the products
# (`python benchmarks/stress.py --roundoff`).
ROUNDOFF_UNITS = 8


# What an estimate remembers of the steps so far.
_STATE = ("_traces", "_followers", "_span", "_since", "_highest", "objective", "gap")


def residual_bound(
    values: np.ndarray, residuals: np.ndarray, following: np.ndarray, wanted: int
) -> float:
    """How much larger the sum of the wanted eigenvalues can be than that of the Ritz values.

    ``sum over i <= m of 2 r_i^2 / (g_i + sqrt(g_i^2 + 4 r_i^2))``, minimised over m >= wanted,
    with ``g_i`` the gap from the i-th Ritz value to the first of `following` after m. A pair with
    residual ``r``, and all else at least ``g`` below it, is a two by two problem whose larger
    eigenvalue exceeds the Ritz value by this. It is a bound where nothing was missed above
    `following`: early in a crowded spectrum it may be too small by a factor of three.
    """
    m = np.arange(wanted, min(2 * wanted + 1, len(values)))[:, None]
    values, squares = values[: m[-1, 0]], residuals[: m[-1, 0]] ** 2
    gaps = np.maximum(values - following[m], 0.0)
    excess = 2 * squares / np.maximum(gaps + np.sqrt(gaps**2 + 4 * squares), 1e-300)
    return float(np.sum(excess, axis=1, where=np.arange(len(values)) < m).min())


class GapEstimate:
    """Estimates the relative gap of the objective from the Ritz values of each step.

    The sum of the wanted Ritz values grows with every step towards the optimum. The last
    increments give what it still has to grow, as in Aitken's delta-squared process; so do those of
    the next Ritz value, which may climb past the wanted ones. The residuals bound the estimate from
    below, and are all there is to estimate by while too little growth was seen.

    Parameters
    ----------
    wanted : int
        Number of Ritz values in the trace, beside the known eigenvalue 1.
    tol : float
        The gap that is asked for.
    dtype : numpy dtype
        Of the products; their roundoff bounds what can be reached.
    span : int
        Steps over which growth is compared: those that multiply the whole residual block.
    warm : bool
        Vectors were given: their residuals may be small below what they miss, so growth counts.

    Attributes
    ----------
    objective : float or None
        Known once there are enough Ritz values.
    gap : float
        The estimate.
    """

    def __init__(self, wanted: int, tol: float, dtype: np.dtype, span: int = 1, warm: bool = False):
        self._wanted, self._tol, self._dtype = wanted, tol, dtype
        self._attainable = ROUNDOFF_UNITS * float(np.finfo(dtype).eps)
        self._traces: list[float] = []
        self._followers: list[float] = []
        # Growth is compared over so many steps, from this step on.
        self._span, self._since, self._warm = span, 0, warm
        self._highest: list[float] = []
        self.objective: float | None = None
        self.gap = float("inf")

    def read(self, values: np.ndarray, residuals: np.ndarray) -> None:
        """One more step, with its Ritz values, decreasing, and the norms of their residuals."""
        wanted, size = self._wanted, len(values)
        # Ritz values only underestimate: what was seen before a restart still holds after it.
        self._highest.extend([-1.0] * (size - len(self._highest)))
        self._highest[:size] = np.maximum(values, self._highest[:size]).tolist()
        if size <= wanted:
            return
        self.objective = 1.0 + float(values[:wanted].sum())
        self._traces.append(self.objective)
        self._followers.append(self._highest[wanted])
        missing = self._tail(self._traces)
        climb = self._followers[-1] + self._tail(self._followers) - float(values[wanted - 1])
        missing += max(climb, 0.0)
        bound = residual_bound(values, residuals, np.array(self._highest[:size]), wanted)
        seen = np.isfinite(missing) or self._warm
        self._settle(max(missing, SHARE * bound) if seen else CAUTION * bound)

    def state(self) -> dict[str, Any]:
        """All that `restore` needs, in lists and numbers."""
        return {name: getattr(self, name) for name in _STATE}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to an earlier `state` of an estimate with the same parameters."""
        for name in _STATE:
            setattr(self, name, state[name])

    def restarted(self, steps: int) -> None:
        """The basis was compressed; it will be again after so many steps.

        Growth is uneven within such a cycle, and even from one cycle to the next.
        """
        if self._span != steps:
            self._span, self._since = steps, len(self._traces) - 1

    def _tail(self, readings: list[float]) -> float:
        """What a sequence still has to grow; infinite while that is unknown."""
        readings, s = readings[self._since :], self._span
        if len(readings) < 2 * s + 1:
            return float("inf")
        last, before = readings[-1] - readings[-1 - s], readings[-1 - s] - readings[-1 - 2 * s]
        if last <= 0.0:
            return 0.0
        return CAUTION * last**2 / (before - last) if before > last else float("inf")

    def doubt(self, mixture: float, residuals: np.ndarray) -> None:
        """Allow for Ritz vectors that mix several eigenvectors (`RandomSample.mixture`).

        Their Ritz values are means, and the residuals standard deviations.
        """
        assert self.objective is not None
        missing = MIXED * mixture * float(residuals[: self._wanted].sum())
        self._settle(max(self.gap * self.objective, missing))

    def _settle(self, missing: float) -> None:
        assert self.objective is not None
        self.gap = max(missing / abs(self.objective), self._attainable)

    @property
    def reached(self) -> bool:
        """Whether the gap is small enough, or as small as rounding allows."""
        if self.objective is None:
            return False
        # Where the known eigenvalue 1 is nearly all of the objective, a small part of the whole
        # would be most of what is looked for.
        total, unknown = abs(self.objective), abs(self.objective - 1.0)
        allowed = max(self._tol * min(total, LOOSEST * unknown), self._attainable * total)
        return self.gap * total <= allowed

    def verdict(self, passes: int) -> tuple[bool, str]:
        """Whether that is convergence, and the words for it."""
        if self.reached and self.gap <= self._tol:
            return True, (
                f"converged: estimated gap {self.gap:.1e} <= tol={self._tol:g} "
                f"after {passes} passes"
            )
        if self.reached:
            return False, (
                f"stopped at the accuracy of {self._dtype} products, gap about {self.gap:.1e}, "
                f"short of tol={self._tol:g}; pass float64 affinities for more"
            )
        short = f"> tol={self._tol:g}"
        if self.gap <= self._tol:
            short = f"of the whole; the gap without the trivial eigenvalue exceeds {LOOSEST:g} tol"
        return False, (
            f"stopped at max_iter after {passes} passes with estimated gap {self.gap:.1e} "
            f"{short}; raise max_iter or tol"
        )
