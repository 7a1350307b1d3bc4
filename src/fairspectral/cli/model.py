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


def stop_where_interrupted(model: FairSpectralClustering) -> None:
    """After a Ctrl-C during the fit, search at no other tolerance where something is known."""
    from fairspectral.rounding.result import STOPPED

    fair = model.fair_assignment_
    if fair is not None and STOPPED in fair.notes and model.time_budget is None:
        assert model._rounder is not None
        model._rounder.enough = True
