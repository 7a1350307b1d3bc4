"""The affinity and the fair embedding, for ``choose-k`` and ``frontier``."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from fairspectral.progress import AFFINITY, EMBEDDING, GapMeter, report

if TYPE_CHECKING:
    import numpy as np

    from fairspectral.affinity import AffinityOperator
    from fairspectral.cli.inputs import Prepared
    from fairspectral.cli.options import MethodOptions
    from fairspectral.solvers.result import IterationRecord, SolveResult

_FEW_SAMPLES = 5_000


def limit_threads(threads: int | None, n: int) -> AbstractContextManager[Any]:
    """Limit the threads inside the ``with`` block; with few samples, k-means gets one.

    With few samples its threads mostly wait for each other, especially on a busy machine.
    """
    from threadpoolctl import threadpool_limits

    if threads is not None:
        return threadpool_limits(limits=threads)
    return threadpool_limits(1, user_api="openmp") if n <= _FEW_SAMPLES else nullcontext()


def embed_input(
    prepared: Prepared, method: MethodOptions, n_components: int
) -> tuple[AffinityOperator, np.ndarray, SolveResult]:
    """The operator, the rows ``D^-1/2 H`` of shape (n, n_components), and how the solver ended."""
    from fairspectral.affinity import make_operator
    from fairspectral.constraints import encode_groups
    from fairspectral.embedding import embed
    from fairspectral.solvers.krylov import KrylovParams

    attributes = encode_groups(prepared.sensitive, prepared.n, str(method.attribute_mode))
    report(AFFINITY)
    operator = make_operator(
        prepared.X,
        prepared.affinity,
        gamma=method.width(),
        n_neighbors=method.neighbors,
        memory_budget=method.memory_budget,
        n_jobs=method.threads,
    )
    report(EMBEDDING)
    meter = GapMeter(KrylovParams().tol)

    def watch(record: IterationRecord) -> None:
        report(EMBEDDING, meter.read(record.gap if record.gap is not None else math.inf))

    embedding, result = embed(
        operator,
        attributes,
        n_components,
        solver=method.solver,
        callback=watch,
        random_state=method.seed,
    )
    return operator, embedding, result
