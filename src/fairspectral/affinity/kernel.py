"""Affinities computed from features: every kernel of ``sklearn.metrics.pairwise``, or a callable.

`kernel_matrix` fills one n×n array; `KernelOperator` never forms it and computes the rows
again in every pass, which is slower but fits any n.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import KERNEL_PARAMS, PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from fairspectral.affinity.checks import bad_weight
from fairspectral.affinity.components import computed_components
from fairspectral.affinity.scaled import ScaledOperator
from fairspectral.affinity.tiles import TiledKernel, tiled_kernel
from fairspectral.affinity.units import Units
from fairspectral.parameters import check_choice, is_boolean
from fairspectral.progress import AFFINITY, note, report

KERNEL_NAMES = sorted(PAIRWISE_KERNEL_FUNCTIONS)
_TILE = 1024
# Rows of a kernel that are computed to say how long a pass will take.
_ROWS_TIMED = 16


class RowKernel(Protocol):
    """Affinities of rows: `Kernel`, or Gower's."""

    @property
    def name(self) -> str:
        """Its name in errors."""
        ...

    @property
    def remedy(self) -> str:
        """Advice in errors where there is no affinity between samples."""
        ...

    def prepare(self, X: Any, /) -> Any:
        """The rows that the kernel is to be applied to."""
        ...

    def __call__(self, A: Any, B: Any) -> np.ndarray:
        """Affinities between the rows of A and the rows of B, both prepared."""
        ...


@dataclass(frozen=True)
class Kernel:
    """A kernel and its parameters, ready to be applied to two sets of rows.

    Attributes
    ----------
    metric : str or callable
        Its name in scikit-learn, or a function of two rows.
    params : dict
        Its parameters, for rows as `prepare` returns them.
    units : Units or None
        Units of the rows, where the kernel depends on differences only.
    remedy : str
        Advice in errors where there is no affinity between samples.
    """

    metric: str | Callable[..., float]
    params: dict[str, Any] = field(default_factory=dict)
    units: Units | None = None
    remedy: str = "use a kernel that is positive between different samples, for example 'rbf'"

    def prepare(self, X: Any) -> Any:
        """The rows that the kernel is to be applied to."""
        return X if self.units is None else self.units.apply(X)

    def __call__(self, A: Any, B: Any) -> np.ndarray:
        """Affinities between the rows of A and the rows of B, both prepared."""
        if self.metric in ("chi2", "additive_chi2") and (A.min() < 0 or B.min() < 0):
            raise ValueError(
                f"{self.name} needs features of at least zero, but X contains negative ones; use "
                "another kernel, for example 'rbf', or counts and shares."
            )
        metric = self.metric if isinstance(self.metric, str) else _one_number(self.metric)
        values = pairwise_kernels(A, B, metric=metric, **self.params)
        return values.toarray() if sp.issparse(values) else values

    def tiles(self, prepared: Any, dtype: np.dtype) -> TiledKernel | None:
        """Compiled tiles of prepared rows, where there are some and the type is theirs."""
        if dtype != np.float32:
            return None
        return tiled_kernel(prepared, self.metric, self.params, name=self.name)

    @property
    def name(self) -> str:
        """Its name in errors."""
        return f"the kernel {self.metric if isinstance(self.metric, str) else 'callable'!r}"


def _one_number(metric: Callable[..., float]) -> Callable[..., float]:
    """A user's function of two rows, which must return a number."""

    def checked(*rows: Any, **params: Any) -> float:
        value = metric(*rows, **params)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if np.ndim(value) or not isinstance(value, Real | np.bool_):
            raise TypeError(
                f"the function passed as affinity returned a {type(value).__name__}; it must "
                "return one number for two rows."
            )
        return float(value)

    return checked


def make_kernel(
    metric: str | Callable[..., float],
    X: Any,
    gamma: float | str | None,
    kernel_params: dict[str, Any] | None,
    *,
    units: Units | None = None,
) -> Kernel:
    """Fill in a kernel's parameters; of `X` only the number of columns counts if `units` is given.

    ``gamma="scale"`` is ``1 / (d Var(X))``, which on standardised features is the paper's
    ``1 / d``; ``"auto"`` is ``1 / d`` at any scale.
    """
    params = dict(kernel_params or {})
    if callable(metric):
        return Kernel(metric, params)
    check_choice(metric, KERNEL_NAMES, "affinity")
    unknown = sorted(set(params) - set(KERNEL_PARAMS[metric]))
    if unknown:
        raise ValueError(
            f"kernel_params has {unknown[0]!r}, which the kernel {metric!r} does not take; "
            f"it takes {', '.join(sorted(KERNEL_PARAMS[metric])) or 'no parameter'}."
        )
    if "gamma" not in KERNEL_PARAMS[metric]:
        return Kernel(metric, params)
    units = units or Units.of(X)
    given = _resolve_gamma(params.pop("gamma", gamma), X.shape[1], units)
    if metric != "rbf":  # gamma="scale" suits data of any size for rbf only
        _check_range(given)
    if metric not in _POWERS:
        return Kernel(metric, {**params, "gamma": given.number})
    # In the units of the rows; where that overflows, only distances of zero give an affinity.
    own = _Gamma(given.mantissa, given.exponent + _POWERS[metric] * units.exponent).number
    remedy = (
        f"gamma={given.number:.3g} is too large for these data; pass a "
        "smaller gamma, or gamma='scale' on standardised features"
    )
    return Kernel(metric, {**params, "gamma": min(own, _HUGE)}, units, remedy)


# Kernels of the difference of two rows only, by the power of a length that gamma multiplies.
_POWERS = {"rbf": 2, "laplacian": 1}
_HUGE = float(np.finfo(np.float64).max)


class _Gamma(NamedTuple):
    """``mantissa * 2**exponent``, which may lie outside the range of a float."""

    mantissa: float
    exponent: int

    @property
    def number(self) -> float:
        """As a float: zero or infinite where it is too small or too large."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.ldexp(self.mantissa, self.exponent))


def _resolve_gamma(gamma: Any, n_features: int, units: Units) -> _Gamma:
    if isinstance(gamma, str) and gamma == "scale":
        # Constant features: any width gives the same affinity, one.
        if not units.variance > 0:
            return _Gamma(1.0, 0)
        return _Gamma(1.0 / (n_features * units.variance), -2 * units.exponent)
    return _Gamma(read_gamma(gamma, automatic=1.0 / n_features), 0)


def read_gamma(gamma: Any, *, automatic: float) -> float:
    """A positive number; None and ``"auto"`` are `automatic`."""
    if gamma is None or (isinstance(gamma, str) and gamma == "auto"):
        return automatic
    number = isinstance(gamma, Real) and not is_boolean(gamma)
    if not (number and 0 < gamma < np.inf):
        raise ValueError(
            f"gamma={gamma!r} is not valid; pass a positive number, 'scale' or 'auto'."
        )
    return float(gamma)


def _check_range(gamma: _Gamma) -> None:
    if not 0 < gamma.number < np.inf:
        size = "large" if gamma.number == 0 else "small"
        raise ValueError(
            f"X has values so {size} that gamma='scale' cannot be computed; divide X by its "
            "largest absolute value."
        )


def kernel_matrix(X: Any, kernel: RowKernel, dtype: np.dtype) -> np.ndarray:
    """The n×n affinities in `dtype`.

    Kernels of distances are computed by compiled tiles where that is accurate, others in X's own
    precision. Only the upper triangle is computed and mirrored: half the work, and symmetric to
    the bit.
    """
    n, tiles = X.shape[0], _tiles(X, kernel, np.dtype(dtype))
    K = np.empty((n, n), dtype=dtype)
    if tiles is not None and tiles.of_distances:
        tiles.fill(K, lambda done: report(AFFINITY, done))
        return K
    X = kernel.prepare(X)
    for i in range(0, n, _TILE):
        for j in range(i, n, _TILE):
            rows = X[i : i + _TILE]
            if i == j:
                tile = kernel(rows, rows)  # the same object twice: distances of exactly zero
                tile = (tile + tile.T) / 2  # a callable may leave it asymmetric
            else:
                tile = kernel(rows, X[j : j + _TILE])
            K[i : i + _TILE, j : j + _TILE] = tile
            if j > i:
                K[j : j + _TILE, i : i + _TILE] = tile.T
        left = max(0, n - i - _TILE) / n
        report(AFFINITY, 1.0 - left**2)  # the rows still to come are a triangle
    return K


class KernelOperator(ScaledOperator):
    """A kernel that is recomputed in every pass, never n×n.

    Common kernels are computed by compiled tiles in float32 (`fairspectral.affinity.tiles`), the
    others by scikit-learn in strips of rows.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
        The features.
    kernel : RowKernel
        From `make_kernel` or `make_gower_kernel`.
    dtype : numpy dtype
        Type of the products.
    strip_bytes : int
        Memory for one strip of rows.
    before : str
        The beginning of what `storage` says.

    Attributes
    ----------
    diagonal : ndarray of shape (n,)
        The affinity of each sample to itself.
    """

    def __init__(
        self,
        X: Any,
        kernel: RowKernel,
        dtype: np.dtype,
        strip_bytes: int = 2**27,
        *,
        before: str = "",
    ) -> None:
        n = X.shape[0]
        self.shape = (n, n)
        self.dtype = np.dtype(dtype)
        tiles = _tiles(X, kernel, self.dtype)
        self._passes = tiles or _Strips(X, kernel, self.dtype, strip_bytes)
        self.nbytes = self._passes.nbytes
        if tiles is not None:
            self.own_threads, self.computed_rows = True, tiles.features
        self.storage = (
            f"{before}The affinities are recomputed in every pass, about "
            f"{self._passes.seconds_a_pass():.2g} s a pass."
        )
        note(AFFINITY, self.storage)
        degrees, self.diagonal = self._passes.sums(lambda done: report(AFFINITY, done))
        self._set_degrees(degrees, kernel.name, diagonal=self.diagonal, remedy=kernel.remedy)

    @cached_property
    def _component_labels(self) -> np.ndarray:
        """Search through computed rows, of which a few suffice where everybody is connected."""
        # In the type of the products: what underflows there is no affinity.
        return computed_components(
            self.degrees,
            self.diagonal,
            lambda some: self.rows(some).astype(self.dtype, copy=False),
        )

    def _product(self, block: np.ndarray) -> np.ndarray:
        return self._passes.product(block)

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of the kernel, computed when called."""
        return self._passes.rows(indices)


def _tiles(X: Any, kernel: RowKernel, dtype: np.dtype) -> TiledKernel | None:
    """Compiled tiles, where there are some for the kernel and the type is theirs."""
    return kernel.tiles(kernel.prepare(X), dtype) if isinstance(kernel, Kernel) else None


class _Strips:
    """Passes over any kernel by strips of rows, computed by scikit-learn."""

    def __init__(self, X: Any, kernel: RowKernel, dtype: np.dtype, strip_bytes: int) -> None:
        self._X, self._kernel, self._dtype = kernel.prepare(X), kernel, dtype
        self._n = n = X.shape[0]
        self._strip = max(1, min(n, strip_bytes // (8 * n)))
        self.nbytes = X.data.nbytes + self._strip * n * 8

    def sums(self, report: Callable[[float], Any]) -> tuple[np.ndarray, np.ndarray]:
        """The degrees and the diagonal, both of shape (n,), of checked affinities."""
        degrees, diagonal = np.empty(self._n), np.empty(self._n)
        for rows, values in self._strips():
            report(rows.start / self._n)
            bad = ~((values >= 0) & (values < np.inf))
            if bad.any():
                a, b = np.unravel_index(int(np.argmax(bad)), bad.shape)
                value = float(values[a, b])
                raise bad_weight(value, rows.start + int(a), int(b), self._kernel.name)
            degrees[rows] = values.sum(axis=1, dtype=np.float64)
            diagonal[rows] = values.diagonal(rows.start)
        return degrees, diagonal

    def _strips(self) -> Iterator[tuple[slice, np.ndarray]]:
        for start in range(0, self._n, self._strip):
            rows = slice(start, start + self._strip)
            yield rows, self._kernel(self._X[rows], self._X)

    def product(self, block: np.ndarray) -> np.ndarray:
        """``W @ block``."""
        product = np.empty_like(block)
        for rows, values in self._strips():
            product[rows] = values.astype(self._dtype, copy=False) @ block
            del values  # before the next strip is computed, not after
        return product

    def rows(self, indices: np.ndarray) -> np.ndarray:
        """Some rows of ``W``, shape (m, n)."""
        return self._kernel(self._X[indices], self._X)

    def seconds_a_pass(self) -> float:
        """About how long a pass takes here and now, from a few rows."""
        few = np.arange(min(self._strip, self._n, _ROWS_TIMED))
        begin = time.perf_counter()
        self.rows(few)
        return (time.perf_counter() - begin) * self._n / len(few)
