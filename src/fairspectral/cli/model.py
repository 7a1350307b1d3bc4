"""The estimator that the options of a command describe, for ``cluster`` and ``frontier``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairspectral.cli.bounds import BoundOptions
    from fairspectral.cli.inputs import Prepared
    from fairspectral.cli.options import MethodOptions
    from fairspectral.clustering import FairSpectralClustering
    from fairspectral.frontier import FairnessFrontier


def make_model(
    prepared: Prepared,
    method: MethodOptions,
    clusters: int,
    tolerance: Any,
    bounds: BoundOptions | None = None,
    checkpoint: Path | None = None,
) -> FairSpectralClustering:
    """An estimator that is not fitted yet."""
    from fairspectral.clustering import FairSpectralClustering

    names = prepared.columns["sensitive"]
    if str(method.attribute_mode) == "intersection":
        names = [" × ".join(names)]
    return FairSpectralClustering(
        clusters,
        affinity=prepared.affinity,
        gamma=method.width(),
        n_neighbors=method.neighbors,
        attribute_mode=str(method.attribute_mode),
        solver=method.solver,
        fairness_tol=tolerance,
        effort=str(method.effort),
        time_budget=method.time_budget,
        rounding_params=None if bounds is None else bounds.rounding_params(names),
        random_state=method.seed,
        memory_budget=method.memory_budget,
        device=method.device,
        checkpoint=checkpoint,
        n_jobs=method.threads,
    )


def fit_frontier(
    prepared: Prepared,
    method: MethodOptions,
    clusters: int,
    tolerances: Sequence[float | None],
    bounds: BoundOptions | None = None,
) -> tuple[FairSpectralClustering, FairnessFrontier]:
    """Fit at the tightest tolerance, whose search is one of the frontier's, and search the others.

    The same options give the same labels at every tolerance, because the searches always have
    the same order.
    """
    from fairspectral.cli.embedding import limit_threads
    from fairspectral.frontier import fairness_frontier

    tightest = min(tolerances, key=lambda t: math.inf if t is None else t)
    with limit_threads(method.threads, prepared.n):
        model = make_model(prepared, method, clusters, tightest, bounds)
        model.fit(
            prepared.X,
            sensitive_features=prepared.sensitive,
            constraints=prepared.covariates,
            **prepared.people.for_fit(clusters),
        )
        return model, fairness_frontier(model, tolerances=tolerances)
