"""`choose_k`: eigengap, cut, silhouette, fairness and stability over the number of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import silhouette_score

from fairspectral.affinity import AffinityOperator, is_operator, make_operator
from fairspectral.affinity.features import read_features
from fairspectral.anytime import Enough, give_up_when, searching
from fairspectral.auditing import audit_attributes
from fairspectral.choosing.result import Candidate, ChoiceOfK
from fairspectral.choosing.trial import Clustering, Request, Trial
from fairspectral.constraints import attributes_of, encode_groups
from fairspectral.embedding import AFFINITY_PARAMS
from fairspectral.graphs.door import unpack_graph
from fairspectral.parameters import check_choice, check_whole_number, did_you_mean
from fairspectral.progress import AFFINITY, listening, report, unheard
from fairspectral.resampling.fitted import FRACTION
from fairspectral.resampling.measure import Resampling, kinds_of, measure_stability
from fairspectral.resampling.result import Stability
from fairspectral.rounding.plan import EFFORTS
from fairspectral.solvers.registry import SOLVER_NAMES
from fairspectral.tensors import choose_place
from fairspectral.text_table import listed
from fairspectral.validation import Attribute

_SILHOUETTE_SAMPLE = 2000


def choose_k(
    X: Any,
    sensitive_features: Any,
    *,
    min_clusters: int = 2,
    max_clusters: int = 10,
    n_resamples: int = 0,
    affinity: Any = "auto",
    attribute_mode: str = "marginal",
    solver: str = "auto",
    fairness_tol: Any = 0.2,
    effort: str = "default",
    time_budget: float | None = None,
    random_state: Any = 0,
    **affinity_params: Any,
) -> ChoiceOfK:
    """Compare numbers of clusters by eigengap, cut, silhouette and fairness, and suggest one.

    The embedding is computed once, for the largest number: the one for fewer clusters is its
    first columns. Components too small to be a cluster are set aside before it; where these are
    others for fewer clusters, which must be larger, there is a second embedding.

    Ctrl-C, pressed once, ends it after the first number with those that were compared so far.

    Parameters
    ----------
    X : array, DataFrame, sparse matrix, tensor, operator or graph
        As in `FairSpectralClustering.fit`.
    sensitive_features : array, Series, DataFrame, dict or name of a node attribute
        The groups, as in `FairSpectralClustering.fit`.
    min_clusters, max_clusters : int
        The smallest and the largest number to try, from 2 on.
    n_resamples : int
        Resamples of the people that are clustered with each number, to see which number gives
        clusters that come back, as in `fairspectral.stability`; 0 leaves that out.
    affinity, attribute_mode, solver, fairness_tol, effort, time_budget
        As in `FairSpectralClustering`; the time budget is for each search.
    random_state : int or None
        Seed.
    **affinity_params
        ``gamma``, ``n_neighbors``, ``kernel_params``, ``dtype``, ``memory_budget``, ``device``,
        ``n_jobs``.

    Returns
    -------
    ChoiceOfK
        Print it, or see its ``candidates``, ``suggestion`` and ``plot()``.

    Examples
    --------
    >>> from fairspectral import choose_k
    >>> from fairspectral.datasets import load_diabetes_patients
    >>> patients = load_diabetes_patients()
    >>> choose_k(patients.X, patients.sensitive_features, max_clusters=4).suggestion
    2
    """
    for name in affinity_params:
        if name not in AFFINITY_PARAMS:
            raise TypeError(
                f"choose_k has no parameter {name!r}{did_you_mean(name, AFFINITY_PARAMS)}; for "
                f"the affinities it takes {', '.join(AFFINITY_PARAMS)}."
            )
    check_range(min_clusters, max_clusters)
    check_whole_number(n_resamples, "n_resamples", least=0)
    check_choice(solver, SOLVER_NAMES, "solver")
    check_choice(effort, EFFORTS, "effort")
    if sensitive_features is None:
        raise ValueError(
            "choose_k needs sensitive_features, the groups whose shares the clusters must have; "
            "pass one value per row."
        )
    X, sensitive_features, affinity = unpack_graph(X, sensitive_features, affinity)
    given = X
    affinity_params["device"] = choose_place(affinity_params.get("device"), X)
    if not is_operator(affinity) and not is_operator(X):
        X = read_features(X, affinity)
    n = (affinity if is_operator(affinity) else X).shape[0]
    attributes = encode_groups(sensitive_features, n, attribute_mode, rows=given)
    _check_columns(n, attributes, max_clusters, n_resamples)
    report(AFFINITY)
    operator = make_operator(X, affinity, **affinity_params)
    request = Request(fairness_tol, solver, effort, time_budget, random_state)
    shown = attributes
    if attribute_mode != "marginal":  # what is bounded is each combination, shown is each column
        shown = encode_groups(sensitive_features, n, "marginal", rows=given)
    numbers = range(min_clusters, max_clusters + 1)
    return _compare(operator, attributes, shown, request, numbers, n_resamples)


def check_range(min_clusters: int, max_clusters: int) -> None:
    """Refuse numbers of clusters that are no range."""
    check_whole_number(min_clusters, "min_clusters", least=2)
    check_whole_number(max_clusters, "max_clusters", least=2)
    if max_clusters < min_clusters:
        raise ValueError(
            f"max_clusters={max_clusters} is less than min_clusters={min_clusters}; swap them."
        )


def _check_columns(
    n: int, attributes: tuple[Attribute, ...], max_clusters: int, n_resamples: int
) -> None:
    """Refuse too many clusters for the embedding's dimensions, less one for the gap."""
    constraints = sum(len(attribute.categories) - 1 for attribute in attributes)
    most = n - constraints - 1
    if max_clusters > most:
        raise ValueError(
            f"max_clusters={max_clusters} is too many for {n} rows and {constraints} fairness "
            f"constraint(s); choose at most {most}."
        )
    most = int(FRACTION * n) // 2 - constraints
    if n_resamples and max_clusters > most:
        raise ValueError(
            f"max_clusters={max_clusters} is too many for resamples of {FRACTION:.0%} of {n} rows; "
            f"choose at most {most}, or pass n_resamples=0."
        )


def _compare(
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    shown: tuple[Attribute, ...],
    request: Request,
    numbers: range,
    n_resamples: int,
) -> ChoiceOfK:
    """Cluster into each number; `shown` are the groups whose smallest ratio is told."""
    trial = Trial(operator, attributes, request, numbers[-1])
    trial.embed(numbers[0])  # Ctrl-C here ends all, since there is nothing to keep yet
    candidates: list[Candidate] = []
    labels: list[np.ndarray] = []
    with searching() as whole:
        give_up = give_up_when(lambda: bool(candidates) and whole.interrupted)
        for at, k in enumerate(numbers):
            try:
                with listening(give_up):
                    plan = trial.embed(k)
                give_up()
            except Enough:
                break
            report("clusterings", at / len(numbers))
            with unheard():
                found = trial.cluster(plan)
            if at and whole.interrupted:
                break
            candidates.append(_judge(k, found, trial, shown, request))
            labels.append(found.fair.labels)
            if whole.interrupted:
                break
    stability: Sequence[Stability] = ()
    if n_resamples and not whole.interrupted:
        stability = _resample(operator, attributes, request, numbers, labels, n_resamples)
        candidates = [
            replace(candidate, stability=one.agreement, weakest=one.weakest)
            for candidate, one in zip(candidates, stability, strict=True)
        ]
    said = (*trial.said, *_ended_early(candidates, numbers, bool(n_resamples and not stability)))
    return ChoiceOfK(tuple(candidates), said, trial.result, tuple(stability), operator.choice)


def _ended_early(
    candidates: Sequence[Candidate], numbers: range, without_resamples: bool
) -> list[str]:
    """What was not searched to its end or not at all, in sentences."""
    early = [str(one.k) for one in candidates if one.stopped]
    said = []
    if early:
        what = (
            "search into {} clusters was" if len(early) == 1 else "searches into {} clusters were"
        )
        said.append(f"The {what.format(listed(early))} stopped early.")
    left = [str(k) for k in numbers[len(candidates) :]]
    if left:
        which = f"{left[0]} to {left[-1]}" if len(left) > 2 else listed(left)
        said.append(f"Ctrl-C ended it: {which} clusters were not compared.")
    if without_resamples:
        said.append("No resamples were clustered.")
    return said


def _judge(
    k: int,
    found: Clustering,
    trial: Trial,
    attributes: tuple[Attribute, ...],
    request: Request,
) -> Candidate:
    """The criteria of one number of clusters."""
    fair, rows = found.fair, found.rows
    assert fair.normalized_cut is not None
    value, following = (float(x) for x in trial.result.eigenvalues[k - 1 : k + 1])
    sample = _SILHOUETTE_SAMPLE if len(rows) > _SILHOUETTE_SAMPLE else None
    silhouette = silhouette_score(
        rows, fair.labels, sample_size=sample, random_state=request.random_state
    )
    audit = audit_attributes(fair.labels, tuple(range(k)), attributes, None, "")
    return Candidate(
        k=k,
        eigenvalue=value,
        eigengap=(value - following) / max(1.0 - following, 1e-300),
        normalized_cut=fair.normalized_cut / k,
        silhouette=float(silhouette),
        balance=min(attribute.representation_ratio for attribute in audit.attributes),
        certified=fair.certified,
        whole_persons=fair.certified and fair.persons_outside > 0,
        set_aside=found.n_aside,
        stopped=fair.stopped,
    )


def _resample(
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    request: Request,
    numbers: range,
    labels: Sequence[np.ndarray],
    n_resamples: int,
) -> list[Stability]:
    """How well the clusters of each number come back; a resample is embedded once for all."""

    def refit(
        part: AffinityOperator, people: np.ndarray, seed: int, seconds: float | None
    ) -> list[np.ndarray]:
        each = None if seconds is None else seconds / len(numbers)
        quick = replace(request, effort="fast", time_budget=each, random_state=seed)
        trial = Trial(part, attributes_of(attributes, people), quick, numbers[-1])
        return [trial.cluster(trial.embed(k)).fair.labels for k in numbers]

    resampling = Resampling(n_resamples, 0, FRACTION, request.time_budget, request.random_state)
    kinds = kinds_of(attributes, operator.shape[0])
    return measure_stability(operator, kinds, labels, refit, resampling, effort="fast")
