"""The estimator that the options of a command describe, for ``cluster`` and ``frontier``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairspectral.cli.inputs import Prepared
    from fairspectral.cli.options import MethodOptions
    from fairspectral.clustering import FairSpectralClustering


def make_model(
    prepared: Prepared,
    method: MethodOptions,
    clusters: int,
    tolerance: float | None,
    min_cluster_size: int | None = None,
) -> FairSpectralClustering:
    """An estimator that is not fitted yet."""
    from fairspectral.clustering import FairSpectralClustering

    rounding = None if min_cluster_size is None else {"min_cluster_size": min_cluster_size}
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
        rounding_params=rounding,
        random_state=method.seed,
        memory_budget=method.memory_budget,
        n_jobs=method.threads,
    )
