"""The fair cut problem, in one object that every solver receives.

``max tr(H^T M H)  s.t.  H^T H = I_k,  F^T H = 0`` (the paper's Problem 5). A solver sees only
`apply` and `project`; it does not depend on whether ``M`` is dense, sparse or a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator
from fairspectral.constraints import FairnessConstraints
from fairspectral.validation import check_n_clusters


@dataclass
class Counter:
    """The cost of the products: passes over ``M``, and the total of columns multiplied."""

    passes: int = 0
    columns: int = 0


@dataclass(frozen=True)
class FairCutProblem:
    """One fair spectral clustering problem.

    Attributes
    ----------
    operator : AffinityOperator
        Applies ``M``.
    constraints : FairnessConstraints
        Projects onto ``null(F^T)``.
    n_clusters : int
        The number k of columns of ``H``.
    """

    operator: AffinityOperator
    constraints: FairnessConstraints
    n_clusters: int
    counter: Counter = field(default_factory=Counter, compare=False)

    def __post_init__(self) -> None:
        check_n_clusters(self.n_clusters, self.n_samples, self.constraints.rank)

    @property
    def n_samples(self) -> int:
        """The number n of rows."""
        return self.operator.shape[0]

    @property
    def dtype(self) -> np.dtype:
        """The dtype in which the products are computed."""
        return self.operator.dtype

    @property
    def xp(self) -> Any:
        """The array namespace of the blocks: the operator's own."""
        return self.operator.xp

    def asarray(self, array: np.ndarray) -> Any:
        """A numpy array in the operator's namespace, dtype and device."""
        return self.operator.asarray(array)

    def apply(self, block: Any) -> Any:
        """``M @ block`` for a block of `xp`: one pass, counted."""
        self._count(block)
        return self.operator.matmat(block)

    def apply_on_host(self, block: np.ndarray) -> np.ndarray:
        """``M @ block`` for solvers that compute in numpy on any device: one pass, counted."""
        self._count(block)
        return self.operator.matmat_on_host(block)

    def _count(self, block: Any) -> None:
        self.counter.passes += 1
        self.counter.columns += block.shape[1]

    def project(self, block: Any) -> Any:
        """``P @ block`` with ``P = I - Q Q^T``."""
        return self.constraints.project(block)

    @cached_property
    def known_vector(self) -> np.ndarray:
        """The trivial eigenvector ``sqrt(d)`` of unit length, shape (n, 1): feasible, value 1."""
        v = np.sqrt(self.operator.degrees)
        return (v / np.linalg.norm(v))[:, None]

    def objective(self, vectors: np.ndarray) -> float:
        """``tr(H^T M H)``; costs one pass."""
        return float(np.sum(vectors * self.apply_on_host(vectors), dtype=np.float64))

    def fairness(self, vectors: np.ndarray) -> float:
        """``||F^T H||``, the paper's residual."""
        return self.constraints.fairness(vectors)

    def fairness_residual(self, vectors: np.ndarray) -> float:
        """``||Q^T H||``."""
        return self.constraints.residual(vectors)

    def orthogonality_residual(self, vectors: np.ndarray) -> float:
        """``||H^T H - I||``."""
        return orthogonality(vectors)


def orthogonality(vectors: np.ndarray) -> float:
    """``||H^T H - I||_F``."""
    gram = vectors.T @ vectors
    return float(np.linalg.norm(gram - np.eye(gram.shape[0])))
