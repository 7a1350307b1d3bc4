"""A user's operator, checked before it is used."""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.base import AffinityOperator
from fairspectral.affinity.checks import check_degrees, check_square
from fairspectral.affinity.dense import DenseOperator
from fairspectral.affinity.sparse import SparseOperator
from fairspectral.linalg.blocks import to_host

_NAME = "the affinity operator"
# Floating-point error of a product and of a sum of degrees, in units of roundoff.
_ROUNDOFFS = 1e3


class UserOperator(AffinityOperator):
    """Any object with ``shape``, ``dtype``, ``degrees`` and ``matmat``.

    Other attributes that `AffinityOperator` declares are taken from the object if it has them.
    Blocks are passed in its namespace, on its device, and its products stay there.

    One pass over a thin block shows the two usual mistakes: a ``matmat`` that applies ``W``
    instead of ``M`` (then ``M sqrt(d) = sqrt(d)`` fails), and one that is not symmetric.
    """

    def __init__(self, operator: Any) -> None:
        self._operator = operator
        self.shape = tuple(operator.shape)
        check_square(self.shape, _NAME)
        self.xp, self.device = _declared(operator, "xp"), _declared(operator, "device")
        self._check_namespace()
        self.dtype = self._numpy_dtype(operator.dtype)
        self.nbytes = int(_declared(operator, "nbytes"))
        self.own_threads = bool(_declared(operator, "own_threads"))
        self.density = float(_declared(operator, "density"))
        if not 0 < self.density <= 1:
            raise ValueError(
                f"{_NAME} has density {self.density:g}; it must be the share of affinities that "
                "may be nonzero, above 0 and at most 1."
            )
        self.degrees = to_host(self._real(operator.degrees, f"{_NAME} has degrees"))
        if self.degrees.shape != self.shape[:1]:
            raise ValueError(
                f"{_NAME} has degrees of shape {self.degrees.shape}; "
                f"it must give one degree for each of its {self.shape[0]} nodes."
            )
        check_degrees(self.degrees, _NAME)
        self._weights = self._check_weights(_declared(operator, "stored_weights"))
        self.stored_weights = None if self._weights is None else self._weights.stored_weights
        self._check_products()

    def component_labels(self) -> np.ndarray | None:
        """The connected component of each node, where the affinities are in memory."""
        return None if self._weights is None else self._weights.component_labels()

    def matmat(self, block: Any) -> Any:
        """Apply the user's ``M``."""
        block = self.asarray(block)
        product = self._real(self._operator.matmat(block), f"{_NAME} returned products")
        if product.shape != block.shape:
            raise ValueError(
                f"{_NAME} turned a block of shape {tuple(block.shape)} into "
                f"{tuple(product.shape)}; its matmat must keep the shape."
            )
        return self.asarray(product)

    def _check_namespace(self) -> None:
        """Take `xp` in the form of ``array_api_compat``; refuse one that solvers cannot use."""
        declared = f"{_NAME} declares xp={self.xp!r} and device={self.device!r}"
        try:
            self.xp = array_api_compat.array_namespace(self.xp.zeros(1))
            array = self.xp.zeros(1, device=self.device)
            array[0] = 1.0
        except Exception as error:
            raise TypeError(
                f"{declared}, where no array could be made and written to ({error}); xp must be an "
                "array namespace such as numpy or torch, and device one of its devices, or None."
            ) from error

    def _numpy_dtype(self, dtype: Any) -> np.dtype:
        for name in ("float32", "float64"):
            if dtype == getattr(self.xp, name):
                return np.dtype(name)
        try:
            found = np.dtype(dtype)
        except TypeError as error:
            raise TypeError(
                f"{_NAME} has dtype {dtype}; it must be float32 or float64, of numpy or of the "
                "array namespace that it declares as xp (for example xp = torch)."
            ) from error
        if found not in (np.float32, np.float64):
            raise TypeError(f"{_NAME} has dtype {found}; it must be float32 or float64.")
        return found

    def _real(self, values: Any, what: str) -> Any:
        """An array of finite real numbers in the operator's namespace."""
        xp = self.xp
        if hasattr(values, "detach"):  # a torch tensor with gradient, which is not used here
            values = values.detach()
        try:
            found = xp.asarray(values)
        except (TypeError, ValueError, RuntimeError) as error:
            found = None
            if array_api_compat.is_array_api_obj(values):
                raise ValueError(
                    f"{what} as {_kind(values)} ({error}); it must give arrays of the namespace "
                    "that it declares as xp, by default numpy."
                ) from error
        if found is None or not xp.isdtype(found.dtype, ("real floating", "integral")):
            raise ValueError(f"{what} that are not real numbers; it must give an array of floats.")
        with np.errstate(over="ignore", invalid="ignore"):
            # One sum decides, unless it overflows.
            finite = bool(xp.isfinite(xp.sum(found))) or bool(xp.all(xp.isfinite(found)))
        if not finite:
            raise ValueError(f"{what} that are NaN or infinite; check how it computes them.")
        return found

    def _check_weights(self, weights: Any) -> AffinityOperator | None:
        """An operator of the affinities in memory, which must be those of the products."""
        if weights is None:
            return None
        name = f"stored_weights of {_NAME}"
        if not (sp.issparse(weights) or isinstance(weights, np.ndarray)):
            raise TypeError(
                f"{name} is a {type(weights).__name__}; it must be a numpy array or a scipy sparse "
                "matrix in host memory, or None."
            )
        if weights.shape != self.shape:
            raise ValueError(f"{name} has shape {weights.shape}; it must have {self.shape}.")
        kind = SparseOperator if sp.issparse(weights) else DenseOperator
        stored: AffinityOperator = kind(weights, name=name)
        eps = max(float(np.finfo(dtype).eps) for dtype in (self.dtype, stored.dtype))
        wrong = np.abs(stored.degrees - self.degrees) > _ROUNDOFFS * eps * self.degrees
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(
                f"{name} sum to {stored.degrees[at]:g} in row {at}, where degrees is "
                f"{self.degrees[at]:g}; both must be of the same W, without its normalisation."
            )
        return stored

    def _check_products(self) -> None:
        rng = np.random.default_rng(0)
        columns = [np.sqrt(self.degrees), *rng.standard_normal((2, self.shape[0]))]
        probe = self.asarray(np.stack([c / np.linalg.norm(c) for c in columns], axis=1))
        product = self._first_product(probe)
        with np.errstate(over="ignore", invalid="ignore"):
            moved = product - probe
            lengths = np.sqrt(np.diag(to_host(moved.T @ moved)))
            inner = to_host(probe.T @ product)
        tolerance = _ROUNDOFFS * float(np.finfo(self.dtype).eps)
        if not lengths[0] <= tolerance:
            raise ValueError(
                f"{_NAME} does not map sqrt(degrees) to itself; its matmat must apply the "
                "normalised D^-1/2 W D^-1/2, and degrees must be the row sums of W."
            )
        if not abs(inner[1, 2] - inner[2, 1]) <= tolerance:
            raise ValueError(f"{_NAME} is not symmetric; its matmat must apply a symmetric matrix.")
        if np.linalg.norm(lengths) <= tolerance:
            raise ValueError(
                f"{_NAME} does not change any vector, so there is no affinity between different "
                "nodes and nothing to cluster by; check how its affinities are computed."
            )

    def _first_product(self, probe: Any) -> Any:
        try:
            return self.matmat(probe)
        except TypeError as error:
            raise TypeError(
                f"{_NAME} could not multiply a block that is a {_kind(probe)} ({error}); where it "
                "needs blocks of another kind, it must declare xp, their array namespace (for "
                "example xp = torch), and device."
            ) from error


def _kind(array: Any) -> str:
    return f"{type(array).__module__}.{type(array).__name__}"


def _declared(operator: Any, name: str) -> Any:
    """An attribute of the protocol that a user's operator may leave out."""
    return getattr(operator, name, getattr(AffinityOperator, name))
