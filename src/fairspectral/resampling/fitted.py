"""The stability of a fitted model's clusters."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairspectral.affinity import AffinityOperator
from fairspectral.affinity.fringe import without_fringe
from fairspectral.cells import population_shares
from fairspectral.constraints import attributes_of
from fairspectral.covariates import covariates_of
from fairspectral.embedding import embed
from fairspectral.parameters import check_choice
from fairspectral.resampling.measure import Resampling, kinds_of, measure_stability
from fairspectral.resampling.result import Stability
from fairspectral.rounder import Rounder
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.rounding.placement import rows_of_all
from fairspectral.rounding.plan import EFFORTS, RoundingPlan, plan_rounding
from fairspectral.rounding.requests import one_group
from fairspectral.set_aside import choose_aside
from fairspectral.validation import Attribute, FairSpectralWarning

N_RESAMPLES, N_SEEDS, FRACTION = 10, 3, 0.8


def stability(
    model: Any,
    n_resamples: int = N_RESAMPLES,
    *,
    n_seeds: int = N_SEEDS,
    fraction: float = FRACTION,
    effort: str = "fast",
    time_budget: float | None = None,
    random_state: Any = 0,
) -> Stability:
    """Say which clusters of a model come back when it is fitted to a part of the people.

    Every resample has the same part of each group, drawn without replacement, with the affinities
    that these people have to each other: of a table the rows, of a graph the nodes with the edges
    between them. It is clustered with the model's own request, and each of the model's clusters is
    compared with the most similar cluster found (the Jaccard index: people in both over
    people in either). Clusterings of everybody with other seeds show how much of a difference is
    the search's own.

    Ctrl-C, pressed once, ends it with the resamples so far.

    Parameters
    ----------
    model : FairSpectralClustering
        Fitted.
    n_resamples : int
        Resamples of the people.
    n_seeds : int
        Further clusterings of everybody.
    fraction : float
        The part of the people in a resample, between 0 and 1.
    effort : {"fast", "default", "thorough"}
        How long each clustering is searched for.
    time_budget : float or None
        Seconds for all of them; None is the model's, if it has one. The result is repeatable only
        where the time was enough.
    random_state : int, RandomState or None
        Who is in which resample, and the seeds.

    Returns
    -------
    Stability
        Print it, or see its ``sentences``, ``rows()`` and ``plot()``.

    Examples
    --------
    >>> from fairspectral import FairSpectralClustering, stability
    >>> from fairspectral.datasets import load_diabetes_patients
    >>> patients = load_diabetes_patients()
    >>> model = FairSpectralClustering(n_clusters=2, random_state=0)
    >>> model = model.fit(patients.X, sensitive_features=patients.sensitive_features)
    >>> stability(model, n_resamples=2, n_seeds=0).n_resamples
    2
    """
    check_is_fitted(model, "labels_")
    check_choice(effort, EFFORTS, "effort")
    if model._moves_nodes:
        raise ValueError(
            "stability does not resample people with weights or links; fit the model without "
            "sample_weight, must_link and cannot_link to see which clusters come back."
        )
    budget = model.time_budget if time_budget is None else time_budget
    resampling = Resampling(n_resamples, n_seeds, fraction, budget, random_state)
    resampling.check()
    n, k = len(model.labels_), model._asked["n_clusters"]
    needed = _components(model) + sum(len(a.categories) - 1 for a in model._attributes)
    needed += len(model._covariates)
    if fraction * n < max(needed, 2 * k):
        raise ValueError(
            f"fraction={fraction:g} of {n} people is too few for {k} clusters; pass a larger "
            "fraction, or fit fewer clusters."
        )
    with warnings.catch_warnings():
        # Warnings about the groups were given when the model was fitted.
        warnings.simplefilter("ignore", FairSpectralWarning)
        plan = _plan(model, effort)
    found = measure_stability(
        model.affinity_operator_,
        kinds_of(model._attributes, n),
        [np.asarray(model.labels_)],
        partial(_cluster, model, plan),
        resampling,
        effort=effort,
    )
    return found[0]


def _components(model: Any) -> int:
    asked = model._asked
    return asked["n_clusters"] if asked["n_components"] is None else asked["n_components"]


def _plan(model: Any, effort: str) -> RoundingPlan | None:
    """The request that the model was fitted with; None where k-means rounded."""
    if model.fair_assignment_ is None:
        return None
    asked = model._asked
    return plan_rounding(
        model._attributes or (one_group(len(model.labels_)),),
        asked["n_clusters"],
        fairness_tol=asked["fairness_tol"] if model._attributes else None,
        effort=effort,
        **(asked["rounding_params"] or {}),
    )


def _cluster(
    model: Any,
    plan: RoundingPlan | None,
    operator: AffinityOperator,
    people: np.ndarray,
    seed: int,
    seconds: float | None,
) -> list[np.ndarray]:
    """Cluster some people as the model was."""
    rng = np.random.RandomState(seed)
    attributes = attributes_of(model._attributes, people)
    covariates = covariates_of(model._covariates, people)
    request = None if plan is None else plan_for(plan, people, seconds)
    n_components = _components(model)
    fringe = choose_aside(operator, None if covariates else request, n_components)
    rows, _ = embed(
        without_fringe(operator, fringe) if fringe else operator,
        attributes_of(attributes, fringe.kept),
        n_components,
        covariates=covariates_of(covariates, fringe.kept),
        solver=model.solver,
        solver_params=model._solver_params(),
        random_state=rng,
    )
    rows = rows_of_all(rows, fringe)
    if request is None:
        k = model._asked["n_clusters"]
        return [kmeans_labels(rows, k, n_init=model.n_init, random_state=rng)]
    rounder = Rounder(
        rows,
        tuple(rule.attribute for rule in request.rules),
        None if covariates else operator,
        fringe=fringe,
        n_init=model.n_init,
        random_state=rng,
    )
    return [rounder.round(request).labels]


def plan_for(plan: RoundingPlan, people: np.ndarray, seconds: float | None) -> RoundingPlan | None:
    """The same request to some of the people; None where no groups are left among them.

    The shares are those asked of everybody; floor and ceiling on sizes shrink with the people.
    """
    rules = [one for rule in plan.rules if (one := _rule_for(rule, people)) is not None]
    if not rules:
        return None
    part = len(people) / len(plan.kinds)
    return replace(
        plan,
        rules=rules,
        kinds=np.unique(plan.kinds[people], return_inverse=True)[1].reshape(-1),
        smallest=max(1, int(part * plan.smallest)),
        largest=math.ceil(part * plan.largest),
        time_budget=seconds,
    )


def _rule_for(rule: FairnessRule, people: np.ndarray) -> FairnessRule | None:
    """The same bounds on the shares, as wide at least as the shares of these people."""
    attribute = rule.attribute
    present, codes = np.unique(attribute.codes[people], return_inverse=True)
    if len(present) < min(2, len(attribute.categories)):
        return None
    names = tuple(attribute.categories[i] for i in present)
    own = Attribute(attribute.name, codes.reshape(-1), names)
    shares = population_shares(own.counts)
    return replace(
        rule,
        attribute=own,
        target=rule.target[present],
        lower=np.minimum(rule.lower[present], shares),
        upper=np.maximum(rule.upper[present], shares),
    )
