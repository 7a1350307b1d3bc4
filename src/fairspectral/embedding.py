"""From an affinity and groups to the fair embedding: build the problem and solve it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator, is_operator, make_operator
from fairspectral.affinity.features import read_features
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.covariates import Covariate, check_constraints
from fairspectral.graphs.door import unpack_graph
from fairspectral.linalg.room import check_room_to_work
from fairspectral.parameters import did_you_mean
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.registry import solve
from fairspectral.solvers.result import Callback, SolveResult
from fairspectral.tensors import choose_place
from fairspectral.validation import (
    Attribute,
    FairSpectralWarning,
    check_n_clusters,
)

# Parameters of `make_operator` other than the data and the affinity.
AFFINITY_PARAMS = (
    "gamma",
    "n_neighbors",
    "kernel_params",
    "dtype",
    "memory_budget",
    "device",
    "n_jobs",
)


def embed(
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    n_components: int,
    *,
    covariates: tuple[Covariate, ...] = (),
    name: str = "n_components",
    solver: str = "auto",
    solver_params: Any = None,
    callback: Callback | None = None,
    random_state: Any = None,
    start: np.ndarray | None = None,
    nodes: np.ndarray | None = None,
) -> tuple[np.ndarray, SolveResult]:
    """Solve the fair cut problem and scale its vectors to the rows that are clustered.

    `name` is the name of `n_components` in errors; `nodes`, of shape (n,), is the node of the
    operator that each person of the attributes belongs to, where they are not the nodes
    themselves. The rest is as in `fair_spectral_embedding`.

    Returns
    -------
    embedding : ndarray of shape (n, n_components)
        ``D^-1/2 H``.
    result : SolveResult
        ``H`` and how the solver ended.
    """
    check_room_to_work()
    n = operator.shape[0]
    if attributes or covariates:
        constraints = FairnessConstraints.from_attributes(
            attributes, operator.degrees, nodes, covariates
        )
    else:
        constraints = FairnessConstraints.none(n)
    check_n_clusters(n_components, n, constraints.rank, name=name)
    components = operator.count_components()
    if components is not None and components > 1:
        warnings.warn(
            f"the affinity graph has {components} connected components without any affinity "
            "between them, so which of them share a cluster is arbitrary; connect them "
            "(for example with more neighbours or a wider kernel) if they should not be apart.",
            FairSpectralWarning,
            stacklevel=3,
        )
    problem = FairCutProblem(operator, constraints, n_components)
    result = solve(
        problem, solver, solver_params, callback=callback, random_state=random_state, start=start
    )
    return result.vectors / np.sqrt(operator.degrees)[:, None], result


def fair_spectral_embedding(
    X: Any,
    sensitive_features: Any = None,
    *,
    constraints: Any = None,
    n_components: int = 8,
    affinity: Any = "auto",
    attribute_mode: str = "marginal",
    solver: str = "auto",
    solver_params: Any = None,
    random_state: Any = None,
    return_result: bool = False,
    **affinity_params: Any,
) -> Any:
    """The fair spectral embedding of data or of a graph.

    Parameters
    ----------
    X : array, sparse matrix, tensor, operator or graph
        Features (n, d), with ``affinity="precomputed"`` the affinities (n, n), or a graph as in
        `FairSpectralClustering.fit`.
    sensitive_features : array, Series, DataFrame, name of a node attribute or None
        The groups; None gives the plain spectral embedding. Where it and X are pandas objects,
        their indexes must be equal and in the same order.
    constraints : array of shape (n,) or (n, m), Series, DataFrame, dict or None
        Numbers whose mean is to be the same in every cluster, as in `FairSpectralClustering.fit`.
    n_components : int
        Number of columns.
    affinity : str, callable or operator
        As in `FairSpectralClustering`.
    attribute_mode : {"marginal", "intersection"}
        How several attributes are constrained.
    solver, solver_params :
        As in `FairSpectralClustering`.
    random_state : int, RandomState or None
        Seed of the solver's start.
    return_result : bool
        Also return the `SolveResult`, whose ``vectors`` are ``H``.
    **affinity_params
        ``gamma``, ``n_neighbors``, ``kernel_params``, ``dtype``, ``memory_budget``, ``device``,
        ``n_jobs``.

    Returns
    -------
    embedding : ndarray of shape (n, n_components)
        ``D^-1/2 H``: cluster its rows.
    result : SolveResult
        Only with ``return_result=True``.
    """
    unknown = [name for name in affinity_params if name not in AFFINITY_PARAMS]
    if unknown:
        raise TypeError(
            f"fair_spectral_embedding has no parameter {unknown[0]!r}"
            f"{did_you_mean(unknown[0], AFFINITY_PARAMS)}; for the affinities it takes "
            f"{', '.join(AFFINITY_PARAMS)}."
        )
    X, sensitive_features, affinity = unpack_graph(X, sensitive_features, affinity)
    given = X
    affinity_params["device"] = choose_place(affinity_params.get("device"), X)
    if not is_operator(affinity) and not is_operator(X):
        X = read_features(X, affinity)
    operator = make_operator(X, affinity, **affinity_params)
    attributes: tuple[Attribute, ...] = ()
    if sensitive_features is not None:
        attributes = encode_groups(
            sensitive_features, operator.shape[0], attribute_mode, rows=given
        )
    covariates: tuple[Covariate, ...] = ()
    if constraints is not None:
        covariates = check_constraints(constraints, operator.shape[0], rows=given)
    embedding, result = embed(
        operator,
        attributes,
        n_components,
        covariates=covariates,
        solver=solver,
        solver_params=solver_params,
        random_state=random_state,
    )
    return (embedding, result) if return_result else embedding
