"""The affinity and the fair embedding, for ``choose-k``; threads, for ``frontier`` as well."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from fairspectral.progress import AFFINITY, EMBEDDING, GapMeter, report

if TYPE_CHECKING:
    import numpy as np

    from fairspectral.affinity import AffinityOperator
    from fairspectral.affinity.fringe import Fringe
    from fairspectral.cli.inputs import Prepared
    from fairspectral.cli.options import MethodOptions
    from fairspectral.solvers.result import IterationRecord, SolveResult
    from fairspectral.validation import Attribute

_FEW_SAMPLES = 5_000


def limit_threads(threads: int | None, n: int) -> AbstractContextManager[Any]:
    """Limit the threads inside the ``with`` block; with few samples, k-means gets one.

    With few samples its threads mostly wait for each other, especially on a busy machine.
    """
    from threadpoolctl import threadpool_limits

    if threads is not None:
        return threadpool_limits(limits=threads)
    return threadpool_limits(1, user_api="openmp") if n <= _FEW_SAMPLES else nullcontext()


def make_input_operator(prepared: Prepared, method: MethodOptions) -> AffinityOperator:
    """The affinities that the options describe."""
    from fairspectral.affinity import make_operator
    from fairspectral.affinity.features import read_features, takes_mixed

    report(AFFINITY)
    mixed = takes_mixed(prepared.affinity)
    return make_operator(
        read_features(prepared.X, prepared.affinity) if mixed else prepared.X,
        prepared.affinity,
        gamma=method.width(),
        n_neighbors=method.neighbors,
        memory_budget=method.memory_budget,
        n_jobs=method.threads,
    )


def embed_kept(
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    fringe: Fringe,
    method: MethodOptions,
    n_components: int,
) -> tuple[np.ndarray, SolveResult]:
    """The rows ``D^-1/2 H``, of shape (n, n_components), without those who are set aside.

    Returns
    -------
    rows : ndarray of shape (n, n_components)
        Of everybody; zero for those who are set aside.
    result : SolveResult
        How the solver ended.
    """
    from fairspectral.affinity.fringe import without_fringe
    from fairspectral.embedding import embed
    from fairspectral.rounding.placement import rows_of_all
    from fairspectral.set_aside import attributes_of
    from fairspectral.solvers.krylov import KrylovParams

    report(EMBEDDING)
    meter = GapMeter(KrylovParams().tol)

    def watch(record: IterationRecord) -> None:
        report(EMBEDDING, meter.read(record.gap if record.gap is not None else math.inf))

    rows, result = embed(
        without_fringe(operator, fringe) if fringe else operator,
        attributes_of(attributes, fringe.kept),
        n_components,
        solver=method.solver,
        callback=watch,
        random_state=method.seed,
    )
    return rows_of_all(rows, fringe), result
