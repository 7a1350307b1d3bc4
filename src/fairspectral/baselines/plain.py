"""`PlainSpectral`: spectral clustering that does not use groups."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from fairspectral._sklearn import Interval, StrOptions
from fairspectral.affinity import AffinityOperator
from fairspectral.baselines._base import Baseline
from fairspectral.embedding import embed
from fairspectral.progress import EMBEDDING, ROUNDING, report
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.solvers.registry import SOLVER_NAMES
from fairspectral.validation import Attribute


class PlainSpectral(Baseline):
    """Normalised spectral clustering without a constraint, for comparison.

    ``max tr(H^T M H)  s.t.  H^T H = I_k``, then k-means on the rows of ``D^-1/2 H``. Groups, if
    given, appear in `audit_` and nowhere else.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    affinity, gamma, n_neighbors, solver, n_init, memory_budget :
        As in `FairSpectralClustering`.
    random_state : int, RandomState or None
        Makes the result repeatable.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster of each sample.
    embedding_ : ndarray of shape (n, k)
        ``D^-1/2 H``, whose rows were rounded.
    solve_result_ : SolveResult
        How the solver ended; ``vectors`` is ``H``.
    converged_ : bool
        Whether the solver reached its tolerance.
    n_iter_ : int
        Iterations of the solver.
    audit_ : Audit
        Cluster × group shares, balance and normalised cut.
    affinity_operator_ : AffinityOperator
        Applies the normalised affinity.
    """

    name = "plain"

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 - sklearn's own convention
        **Baseline._parameter_constraints,
        "solver": [StrOptions(set(SOLVER_NAMES))],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: Any = "auto",
        gamma: float | str = "scale",
        n_neighbors: int = 10,
        solver: str = "auto",
        n_init: int = 10,
        random_state: Any = None,
        memory_budget: int | str | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.solver = solver
        self.n_init = n_init
        self.random_state = random_state
        self.memory_budget = memory_budget

    def _cluster(
        self,
        features: Any,
        operator: AffinityOperator,
        attributes: tuple[Attribute, ...],
        rng: np.random.RandomState,
    ) -> str:
        report(EMBEDDING, 0.0)
        embedding, result = embed(
            operator, (), self.n_clusters, name="n_clusters", solver=self.solver, random_state=rng
        )
        report(EMBEDDING, 1.0)
        report(ROUNDING, 0.0)
        self.labels_ = kmeans_labels(
            embedding, self.n_clusters, n_init=self.n_init, random_state=rng
        )
        report(ROUNDING, 1.0)
        self.embedding_ = embedding
        self.solve_result_ = result
        self.converged_ = result.converged
        self.n_iter_ = len(result.history)
        return str(result)
