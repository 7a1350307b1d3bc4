"""The methods that the tables compare, by name: how each embeds, in which precision.

``admm-paper:alpha=0.05`` is a method with another parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from fairspectral.solvers.admm import ADMMParams
from fairspectral.solvers.registry import solve
from fairspectral.solvers.result import SolveResult
from fairspectral_benchmarks.figures import style
from fairspectral_benchmarks.problems import Instance

# Beyond it, a float64 copy of a dense affinity and ARPACK's vectors exceed 16 GB.
_LARGEST_FLOAT64 = 20000
# o-FSC and UFSC hold several n×n arrays in float64.
_LARGEST_SEVERAL = 12000


def _as_given(instance: Instance, **changes: float) -> Any:
    return changes or None


def _paper_lanczos(instance: Instance, **changes: float) -> Any:
    return {"formulation": "paper", **changes}


def _paper_admm(instance: Instance, **changes: Any) -> Any:
    """The paper's preset: the shift 1 + omega for graphs only (its remark on graphs)."""
    return replace(ADMMParams.paper(omega=None if instance.kernel else 1e-3), **changes)


@dataclass(frozen=True)
class Method:
    """One way to embed and round.

    Attributes
    ----------
    name, title : str
        In keys and in tables.
    solver : str
        Name of the solver.
    params : callable
        From the problem, and the changes in a method's name, to its parameters.
    rounding : str
        ``"kmeans"``, as in the paper, or ``"fair"``.
    float64 : bool
        Whether products are in float64 (where memory allows); else float32.
    largest_n : int or None
        Beyond it the method does not fit in 16 GB.
    grows : bool
        Whether a larger n or k takes longer, so that after an overrun they are not tried.
    baseline : str
        Class of `fairspectral.baselines` that is used instead of a solver.
    """

    name: str
    title: str
    solver: str = ""
    params: Callable[..., Any] = _as_given
    rounding: str = "kmeans"
    float64: bool = False
    largest_n: int | None = None
    grows: bool = False
    baseline: str = ""

    def dtype(self, instance: Instance) -> np.dtype:
        """Type of the products."""
        fits = instance.name.n <= _LARGEST_FLOAT64
        return np.dtype(np.float64 if self.float64 and fits else np.float32)

    def embed(self, instance: Instance, n_clusters: int, seed: int) -> SolveResult:
        """Solve the fair cut problem."""
        problem = instance.problem(self.dtype(instance), n_clusters)
        return solve(problem, self.solver, self.params(instance), random_state=seed)


_METHODS = (
    Method("o-fsc", "o-FSC", "nullspace", float64=True, largest_n=_LARGEST_SEVERAL, grows=True),
    Method("s-fsc", "s-FSC", "lanczos", _paper_lanczos, float64=True, grows=True),
    Method("admm-paper", "ADMM (paper)", "admm", _paper_admm, grows=True),
    Method("admm", "ADMM", "admm"),
    Method("ours", "ours", "auto"),
    Method("ours-fair", "ours, fair rounding", "auto", rounding="fair"),
    Method("plain", "plain", baseline="PlainSpectral"),
    Method("ffsc-style", "FFSC-style", baseline="FFSCStyle"),
    Method("ufsc", "UFSC", baseline="UFSC", largest_n=_LARGEST_SEVERAL),
)
METHODS = {method.name: method for method in _METHODS}


def get_method(name: str) -> Method:
    """A method by name, with the parameter in the name if there is one."""
    base, _, change = name.partition(":")
    method = METHODS[base]
    if not change:
        return method
    key, _, value = change.partition("=")
    return replace(
        method,
        name=name,
        title=f"{method.title}, {key}={value}",
        params=partial(method.params, **{key: float(value)}),
    )


def method_style(name: str) -> dict[str, Any]:
    """The same colour and the same shapes for a method in every figure."""
    return style(list(METHODS).index(name))
