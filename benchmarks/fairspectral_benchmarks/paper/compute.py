"""Compute one cell: embed, round, and score, in the same way for every method.

The embedding from a given affinity and the rounding after it are timed separately; loading the
data and computing the affinity are not timed. The paper does not say what its times include.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from fairspectral import metrics
from fairspectral.affinity import AffinityOperator
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.cut import CutState
from fairspectral.problem import orthogonality
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral_benchmarks.paper.methods import Method, get_method
from fairspectral_benchmarks.paper.spec import Cell
from fairspectral_benchmarks.problems import Instance
from fairspectral_benchmarks.scoring import made_feasible

# Labels are kept for figures of small data sets only.
_KEEP_LABELS_UP_TO = 1000

Values = dict[str, Any]


def compute_cell(
    instance: Instance, cell: Cell, tell: Callable[[str], Any] = lambda event: None
) -> Values:
    """The numbers of one cell.

    Parameters
    ----------
    instance : Instance
        The problem, loaded.
    cell : Cell
        What to compute; its trial is the seed of the solver and of the rounding.
    tell : callable
        Called with ``"clock"`` when all is prepared and the timed part begins, and with
        ``"stopped"`` when it has ended.

    Returns
    -------
    dict
        See `score` for the quality; ``seconds`` (embedding), ``seconds_total`` (with the
        rounding), and of solvers ``passes``, ``iterations``, ``converged`` and ``status``.
    """
    method = get_method(cell.method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of a solver are in its status too
        run = _run_baseline if method.baseline else _run_solver
        return run(instance, method, cell.k, cell.trial, tell)


def _run_solver(
    instance: Instance, method: Method, k: int, seed: int, tell: Callable[[str], Any]
) -> Values:
    operator = instance.operator(method.dtype(instance))
    tell("clock")
    start = time.perf_counter()
    result = method.embed(instance, k, seed)
    embedded = time.perf_counter()
    labels = _round(method.rounding, result.vectors, instance, operator, k, seed)
    end = time.perf_counter()
    tell("stopped")
    return {
        "seconds": embedded - start,
        "seconds_total": end - start,
        "passes": result.passes,
        "columns": result.columns,
        "iterations": len(result.history),
        "converged": result.converged,
        "status": result.status,
        "dtype": operator.dtype.name,
        **score(instance, result.vectors, labels, k),
    }


def _round(
    rounding: str, H: np.ndarray, instance: Instance, operator: AffinityOperator, k: int, seed: int
) -> np.ndarray:
    rows = H / np.sqrt(operator.degrees)[:, None]
    if rounding == "kmeans":
        return kmeans_labels(rows, k, random_state=seed)
    return fair_assignment(rows, instance.groups, k, affinity=operator, random_state=seed).labels


def _run_baseline(
    instance: Instance, method: Method, k: int, seed: int, tell: Callable[[str], Any]
) -> Values:
    """Another formulation, as an estimator; its time is that of the whole ``fit``."""
    from fairspectral import baselines

    operator = instance.operator(np.float32)
    features = instance.data.X
    affinity = "precomputed" if features is None else operator
    model = getattr(baselines, method.baseline)(k, affinity=affinity, random_state=seed)
    tell("clock")
    start = time.perf_counter()
    model.fit(operator if features is None else features, sensitive_features=instance.groups)
    seconds = time.perf_counter() - start
    tell("stopped")
    H, own = _vectors_of(model, method, instance, operator)
    return {
        "seconds": seconds,
        "seconds_total": seconds,
        "iterations": model.n_iter_,
        "converged": model.converged_,
        **score(instance, H, model.labels_, k),
        **own,
    }


def _vectors_of(
    model: Any, method: Method, instance: Instance, operator: AffinityOperator
) -> tuple[np.ndarray, Values]:
    """``H`` of a baseline, and its residuals where its constraints differ from ours."""
    vectors = model.embedding_
    roots = np.sqrt(operator.degrees)[:, None]
    if method.name == "plain":
        return vectors * roots, {}
    if method.name == "ufsc":  # U^T U = I and F0^T U = 0: rows of U are what is clustered
        attributes = encode_groups(instance.groups, len(vectors))
        constraints = FairnessConstraints.from_attributes(attributes, np.ones(len(vectors)))
        own = {
            "fairness": constraints.fairness(vectors) ** 2,
            "orthogonality": orthogonality(vectors) ** 2,
        }
        return np.linalg.qr(vectors * roots)[0], own
    return vectors, {}  # FFSC-style gives the normalised indicator itself


def score(instance: Instance, H: np.ndarray, labels: np.ndarray, k: int) -> Values:
    """The quality of an embedding and of labels.

    Returns
    -------
    dict
        ``objective``: ``tr(H^T M H)``; ``spectral_cost``: k minus that;
        ``feasible_objective``: that of ``H`` projected and orthonormalised, so that violating
        a constraint gains nothing; ``fairness``: ``||F^T H||^2``; ``orthogonality``:
        ``||H^T H - I||^2``; ``normalized_cut``, ``ratio_cut``; ``balance`` and
        ``min_balance`` as in the paper, ``min_positive_balance`` of the clusters where no
        group is absent, ``relative_balance`` to that of everyone.
    """
    problem = instance.problem(instance.precise, k)
    objective = problem.objective(H)
    values = {
        "objective": objective,
        "spectral_cost": k - objective,
        "feasible_objective": problem.objective(made_feasible(problem, H)),
        "fairness": problem.fairness(H) ** 2,
        "orthogonality": problem.orthogonality_residual(H) ** 2,
        **_cuts(problem.operator, labels),
        "balance": metrics.average_balance(labels, instance.groups),
        "min_balance": metrics.minimum_balance(labels, instance.groups),
        "min_positive_balance": _smallest_positive(labels, instance.groups),
        "relative_balance": metrics.relative_balance(labels, instance.groups),
    }
    if len(labels) <= _KEEP_LABELS_UP_TO:
        values["labels"] = np.asarray(labels).tolist()
    return values


def _smallest_positive(labels: np.ndarray, groups: np.ndarray) -> float | None:
    balance = metrics.balance_per_cluster(labels, groups)
    return float(balance[balance > 0].min()) if balance.any() else None


def _cuts(operator: AffinityOperator, labels: np.ndarray) -> Values:
    """Normalised cut and ratio cut, ``sum_l cut(C_l) / |C_l|``, from one product."""
    state = CutState.measure(operator, *metrics.check_labels(labels))
    return {"normalized_cut": max(0.0, state.cut), "ratio_cut": state.ratio_cut}
