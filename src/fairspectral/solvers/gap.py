"""How far a growing objective still is from its optimum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairspectral.linalg.tail import geometric_tail
from fairspectral.solvers.sample import OVERSAMPLING, View

# The projected problem is exact to about this many units of roundoff of the products.
_ROUNDOFF_UNITS = 8
# Eigenvalues of a matrix with spectrum in [-1, 1] are told apart by polynomials of degree d
# when they differ by more than about (pi / d)^2 near the ends.
_RESOLUTION = 10.0
# The overlap that a solve tolerates between basis vectors, as a part of the gap asked for.
OVERLAP_SHARE = 1 / 64
# Ritz values count as copies of one eigenvalue up to so many residuals apart; and where residuals
# vanish, up to that overlap, or so many units of roundoff of the largest.
_COPY_RESIDUALS, _COPY_UNITS = 10.0, 64
# The part of the objective that is not known beforehand is found to so many times the tolerance
# at least, however small a part it is.
_LOOSEST = 10.0
# Ritz values after the wanted ones that count as their cluster, not as the rest of the
# spectrum: at least so many, and a quarter as many as are wanted.
_CLUSTER, _CLUSTER_SHARE = 4, 4
# After so many readings growth hardly misleads, and counts for more than residuals do; but not
# below this part of the bound that they give, which is about the most that was missing, on graphs
# from random to chain-like.
_MANY_READINGS, _SHARE = 9, 0.3
# From so many times the gap asked for, residuals may show that it has been reached; seldom after
# many readings.
_NEAR = 1.5
# A smaller gap than this is not believed at once after few readings: the next one must agree.
_DELICATE = 1e-4
# Eigenvalues behind a Ritz vector that mixes several lie up to so many residuals above it.
_UNRESOLVED_SHARE = 2.0

Translation = Callable[[np.ndarray], np.ndarray]


class GapGauge:
    """Estimates the relative gap of the objective from the Ritz values of each step.

    The trace grows with every step towards the optimum. What it has still to grow is read off
    its last increments (`read`), and once that looks nearly small enough, from the residuals as
    well (`confirm`): in a crowded spectrum growth is slow without having come to its end. While
    `watching`, the next Ritz value below the wanted ones is followed too: as long as it may
    climb past them, something wanted may be missing. A very small gap after few readings is
    believed only if the next reading agrees.

    Parameters
    ----------
    wanted : int
        Number of Ritz values in the trace, beside the known eigenvalue 1.
    tol : float
        The gap that is asked for; of what is not known beforehand, ten times that.
    dtype : numpy dtype
        Of the products; their roundoff bounds what can be reached.
    """

    def __init__(self, wanted: int, tol: float, dtype: np.dtype) -> None:
        self.wanted = wanted
        self._tol = tol
        self._dtype = dtype
        self._eps = float(np.finfo(dtype).eps)
        self._attainable = _ROUNDOFF_UNITS * self._eps
        self._traces: list[float] = []
        self._runners_up: list[float] = []
        self._readings = self._cycle = self._cycles_begin = 0
        self.values = np.empty(0)
        self._radius = 0.0
        self._damped = False
        self.watching = False
        self.doubtful = self.clearing = False
        self._claimed = self._agreed = False
        self._doubt = float("inf")
        self.objective: float | None = None
        self.limit = float("inf")
        self.gap = float("inf")

    def read(self, values: np.ndarray, residual: float, translate: Translation) -> None:
        """One more step.

        Parameters
        ----------
        values : ndarray
            Ritz values, decreasing.
        residual : float
            A bound on the residual norm of each, as Ritz pair of ``M``.
        translate : callable
            From Ritz values of a filtered matrix to those of ``M``; NaN for damped ones.
        """
        wanted = self.wanted
        self.values = translate(values[: wanted + 1])
        if translate is np.asarray:
            self._radius = max(self._radius, float(values[0] - values[-1]) / 2)
        was_damped, self._damped = self._damped, bool(np.isnan(self.values[:wanted]).any())
        # A value that has just come out of the damped interval leaps, and predicts nothing.
        self._agreed, self._claimed = self._claimed, False
        if len(values) <= wanted or self._damped or was_damped:
            self.objective, self.gap, self.limit = None, float("inf"), float("inf")
            return
        self._readings += 1
        self._traces.append(1.0 + float(self.values[:wanted].sum()))
        missing = min(self._tail(self._traces), wanted * residual)
        if translate is not np.asarray and len(self._traces) == 2:
            # A step of the filter more than halves what is missing.
            missing = self._traces[1] - self._traces[0]
        if self.watching:
            self._runners_up.append(float(values[wanted]))
            reach = self._runners_up[-1] + self._tail(self._runners_up)
            climb = float(translate(np.array([reach]))[0] - self.values[wanted - 1])
            missing += max(0.0, climb)  # NaN, for damped, is no climb
        self.limit = self._traces[-1] + missing
        self.settle(self._traces[-1])

    def confirm(
        self,
        values: np.ndarray,
        residuals: np.ndarray,
        translate: Translation,
        view: View,
        degree: int,
    ) -> None:
        """Hold what was read against the residual norms of all Ritz pairs.

        An eigenvalue lies within the residual of its Ritz value, and within the residual
        squared over the gap to the rest of the spectrum; of the rest, the first few may be as
        unfinished as the wanted ones, and count as part of the cluster. After few readings that
        bound is the estimate; after many, what growth predicts is held between a part of it and
        all of it.

        That gap means nothing while the wanted Ritz vectors are mixtures of more eigenvectors
        than they are: then the wanted eigenvalues are the largest of a cluster of which the
        Ritz values are means and the residuals standard deviations.

        What a block narrower than the wanted space may have overlooked counts as missing too,
        unless that is most of what may be missing: then the gauge is `doubtful`, and `clearing`
        while the doubt halves from one reading to the next.

        Parameters
        ----------
        values, residuals : ndarray
            Of all Ritz pairs, decreasing.
        translate : callable
            As for `read`.
        view : View
            How the space sees the spectrum.
        degree : int
            Of the polynomials in the space.
        """
        wanted = self.wanted
        cluster = wanted + max(_CLUSTER, wanted // _CLUSTER_SHARE)
        # A block sees no more copies of an eigenvalue than it has columns: the gap after so many
        # values may be one that it has torn.
        cluster = min(cluster, max(view.width, wanted + 1))
        beyond = values[min(cluster, len(values)) - 1]
        mine, norms = values[:wanted], residuals[:wanted]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # 0 / 0: the norm, 0
            bound = np.fmin(norms, norms**2 / np.maximum(mine - beyond, 0.0))
        eigenvalues, trace = translate(mine), self._traces[-1]

        def with_reach(reach: np.ndarray) -> float:
            return trace + float(np.sum(translate(mine + reach) - eigenvalues))

        if view.resolved < wanted:
            self.limit = max(self.limit, with_reach(_UNRESOLVED_SHARE * norms))
        else:
            if not self.watching:
                self.limit = min(self.limit, with_reach(bound))
            share = _SHARE if self._many_readings else 1.0
            self.limit = max(self.limit, with_reach(share * bound))
        self.settle(trace)
        spread = translate(mine + norms) - eigenvalues
        overlooked = self._overlooked(eigenvalues, spread, view, degree)
        self.clearing, self._doubt = overlooked < self._doubt / 2, overlooked
        self.doubtful = not overlooked <= self._allowed / 2  # NaN is doubt
        if not self.doubtful:
            self.limit += overlooked
            self.settle(trace)
        self._claimed = self._small_enough

    def _overlooked(self, values: np.ndarray, spread: np.ndarray, view: View, degree: int) -> float:
        """How much larger the trace may be than a block of this width can see.

        A random block wider than the wanted space misses nothing. A narrower one sees no more
        copies of a multiple eigenvalue than it has columns, and mixes those that are too close
        together to be told apart. Further ones would take the place of all smaller values.
        """
        width, wanted = view.width, self.wanted
        if width >= wanted + OVERSAMPLING:
            return 0.0
        mixed = values[view.resolved :]
        worst = float(np.sum(mixed[:1] - mixed))
        told_apart = self._radius * _RESOLUTION / degree**2
        rounding = max(OVERLAP_SHARE * self._tol, _COPY_UNITS * self._eps) * float(
            np.abs(values).max()
        )
        for first in range(wanted - width):
            last = first + width
            alike = _COPY_RESIDUALS * float(spread[first:last].max()) + rounding
            if values[first] - values[last - 1] <= min(told_apart, alike):
                worst = max(worst, float(np.sum(values[first] - values[last:])))
        return worst

    def settle(self, objective: float) -> None:
        """Measure the gap of an objective to the limit that the steps point to."""
        self.objective = objective
        missing = max(self.limit - objective, 0.0)
        self.gap = max(missing / abs(objective), self._attainable)
        self._claimed = self._claimed and self._small_enough

    def thin(self) -> None:
        """Keep every second reading up to the last: from now on one comes for two steps."""
        self._traces = self._traces[::-2][::-1]
        self._runners_up = self._runners_up[::-2][::-1]
        self._cycle = 0

    def restarted(self, cycle: int) -> None:
        """The space was compressed; how it is, and read, repeats itself every `cycle` readings."""
        if cycle != self._cycle:
            self._cycle, self._cycles_begin = cycle, max(0, len(self._traces) - 1)

    def _tail(self, readings: list[float]) -> float:
        # Growth is uneven within a cycle, and even from one cycle to the next.
        cycles_seen = len(readings) - 1 - self._cycles_begin >= 2 * self._cycle > 0
        return geometric_tail(readings, self._cycle if cycles_seen else None)

    def take_back(self) -> None:
        """Drop the last reading: the next one comes too soon after it."""
        del self._traces[-1:], self._runners_up[-1:]
        self._claimed = False

    def forget(self) -> None:
        """Start a new sequence of steps, which do not continue the last ones."""
        self._traces.clear()
        self._runners_up.clear()
        self._readings = self._cycle = 0
        self._claimed = self._agreed = False
        self.objective = None
        self.gap = self.limit = self._doubt = float("inf")

    @property
    def reached(self) -> bool:
        """Whether the gap is small enough, or as small as rounding allows; and believed."""
        seasoned = self._readings >= _MANY_READINGS
        believed = self._agreed or seasoned or self._tol >= _DELICATE
        return believed and self._small_enough

    @property
    def _small_enough(self) -> bool:
        return self.objective is not None and self.gap * abs(self.objective) <= self._allowed

    @property
    def near(self) -> bool:
        """Whether it is time to `confirm`."""
        if self.objective is None:
            return False
        times = 1.0 if self._many_readings else _NEAR
        return self.gap * abs(self.objective) <= times * self._allowed

    @property
    def _many_readings(self) -> bool:
        # Without those that were thinned out: growth is read off the others alone.
        return len(self._traces) >= _MANY_READINGS

    @property
    def _allowed(self) -> float:
        """What may be missing from the objective.

        Where the known eigenvalue 1 is nearly all of it, a small part of the whole would be most
        of what is looked for.
        """
        assert self.objective is not None
        total, unknown = abs(self.objective), abs(self.objective - 1.0)
        return max(self._tol * min(total, _LOOSEST * unknown), self._attainable * total)

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
        if self._small_enough and self.gap <= self._tol:
            short = "that a second reading had still to confirm"
        elif self.gap <= self._tol:
            short = f"of the whole, more than {_LOOSEST:g} tol of what is not known beforehand"
        return False, (
            f"stopped at max_iter after {passes} passes with estimated gap {self.gap:.1e} "
            f"{short}; raise max_iter or tol"
        )
