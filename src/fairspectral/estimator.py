"""How a model is fitted: validate, compose, store; no numerics."""

from __future__ import annotations

import sys
from copy import copy
from dataclasses import fields, is_dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from fairspectral.affinity import AffinityOperator, is_operator, make_operator
from fairspectral.affinity.contracted import contract_affinity
from fairspectral.affinity.dask_table import WorkerTable, is_dask
from fairspectral.affinity.features import read_features, takes_mixed
from fairspectral.affinity.fringe import Fringe, without_fringe
from fairspectral.affinity.mixed import MixedTable
from fairspectral.auditing import audit_attributes
from fairspectral.certificate import Certificate
from fairspectral.checkpoint import checkpointing, once
from fairspectral.claims import fingerprint_features
from fairspectral.constraints import attributes_of
from fairspectral.covariates import covariates_of
from fairspectral.cut import CutState
from fairspectral.diagnosis import diagnose
from fairspectral.embedding import embed
from fairspectral.fingerprints import in_words
from fairspectral.later.groups import no_arrivals
from fairspectral.later.model import LaterPeople
from fairspectral.later.placing import ClusterTerms
from fairspectral.later.training import Training
from fairspectral.links import Links
from fairspectral.parameters import seeded
from fairspectral.people import People, read_people
from fairspectral.progress import AFFINITY, EMBEDDING, ROUNDING, GapMeter, listening, report
from fairspectral.rounder import Rounder
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.rounding.placement import complete_rows, rows_of_all
from fairspectral.rounding.plan import RoundingPlan, plan_rounding, with_links
from fairspectral.rounding.requests import (
    OF_THE_LABELS,
    WITHOUT_GROUPS,
    check_rounding_params,
    one_group,
    refuse_for_kmeans,
    refuse_without_groups,
)
from fairspectral.rounding.result import FairAssignment
from fairspectral.rounding.rows import can_search
from fairspectral.set_aside import SetAside, choose_aside
from fairspectral.solvers.registry import SOLVERS
from fairspectral.solvers.result import Callback, IterationRecord
from fairspectral.tensors import Place, choose_place, is_tensor
from fairspectral.validation import (
    Attribute,
    check_n_clusters,
)
from fairspectral.weighting import Weights

# Parameters that do not change the labels, or not by more than floating-point error.
_NOT_OF_THE_LABELS = ("checkpoint", "device", "n_jobs", "verbose")


class FairClusteringBase(LaterPeople, ClusterMixin, BaseEstimator):
    """The fit of `fairspectral.FairSpectralClustering`, which describes these parameters."""

    n_clusters: int
    affinity: Any
    gamma: float | str
    n_neighbors: int
    kernel_params: dict[str, Any] | None
    n_components: int | None
    attribute_mode: str
    solver: str
    tol: float | None
    max_iter: int | None
    solver_params: Any
    assign_labels: str
    fairness_tol: Any
    effort: str
    time_budget: float | None
    rounding_params: dict[str, Any] | None
    n_init: int
    random_state: Any
    dtype: Any
    memory_budget: int | str | None
    device: str | None
    checkpoint: Any
    n_jobs: int | None
    verbose: int

    def _fit(
        self,
        X: Any,
        sensitive_features: Any,
        constraints: Any,
        sample_weight: Any,
        must_link: Any,
        cannot_link: Any,
    ) -> Self:
        random_state = check_random_state(self.random_state)
        solver_params = self._solver_params()
        place = choose_place(self.device, X, on_workers=is_dask(X))
        check_rounding_params(self.rounding_params or {})
        people = read_people(
            X,
            self.affinity,
            sensitive_features,
            constraints,
            sample_weight,
            must_link,
            cannot_link,
            n_clusters=self.n_clusters,
            attribute_mode=self.attribute_mode,
            check=self._check_data,
        )
        attributes = people.attributes
        if len(attributes) == 1 and self.n_components is None:
            check_n_clusters(self.n_clusters, people.n, len(attributes[0].categories) - 1)
        plan = self._plan(attributes, people.links, people.n, people.weights)
        if self.checkpoint is not None and people.move_as_nodes:
            raise ValueError(
                "a run with sample_weight, must_link or cannot_link cannot go on from a "
                "checkpoint; leave checkpoint out."
            )
        with checkpointing(self.checkpoint, partial(self._identity, people)):
            self._compute(people, plan, place, solver_params, random_state)
        return self

    def _compute(
        self,
        people: People,
        plan: RoundingPlan | None,
        place: Place,
        solver_params: Any,
        random_state: np.random.RandomState,
    ) -> None:
        """All that takes long, and all that a fit stores."""
        if self.random_state is None and self.checkpoint is not None:
            # Whoever goes on with this run needs the same seed.
            random_state = seeded(once("seed", partial(random_state.randint, 2**31 - 1)))
        X, affinity, links = people.X, people.affinity, people.links
        attributes, covariates = people.attributes, people.covariates
        sha256 = None if people.come_with_affinities else fingerprint_features(X)
        self._say(f"affinity of {people.n} samples")
        report(AFFINITY, 0.0)
        with listening(lambda *_: None, lambda _, words: self._say(words)):
            operator = self._make_operator(X, affinity, place, solver_params)
        report(AFFINITY, 1.0)
        if links is not None or (plan is not None and plan.in_nodes):
            _check_in_memory(operator)
        self._say("fair embedding" if attributes else "embedding (no sensitive features)")
        n_components = self.n_clusters if self.n_components is None else self.n_components
        # A search for a low cut would undo the equal means: with covariates, labels follow the
        # embedding alone, of everybody.
        searched = None if covariates else operator
        fringe = choose_aside(operator, None if covariates else plan, n_components)
        embedded = without_fringe(operator, fringe) if fringe else operator
        rows, result = embed(
            embedded if links is None else contract_affinity(operator, links.nodes),
            attributes_of(attributes, fringe.kept),
            n_components,
            covariates=covariates_of(covariates, fringe.kept),
            name="n_clusters" if self.n_components is None else "n_components",
            solver=self.solver,
            solver_params=solver_params,
            callback=self._watch_iterations(),
            random_state=random_state,
            nodes=None if links is None else links.nodes,
        )
        report(EMBEDDING, 1.0)
        self._say(str(result))
        report(ROUNDING, 0.0)
        rows = rows_of_all(rows, fringe) if links is None else rows[links.nodes]
        rounder = None
        if plan is not None:
            rounder = Rounder(
                rows,
                tuple(rule.attribute for rule in plan.rules),
                searched,
                fringe=fringe,
                links=links,
                n_init=self.n_init,
                random_state=random_state,
            )
        labels, fair = self._round(rows, plan, rounder, links, random_state, operator.device)
        # Stored together, so that an interrupted fit leaves the model as it was.
        self._attributes, self._affinity = attributes, affinity
        self._features_sha256 = sha256
        self._weights, self._links, self._nodes = people.weights, links, people.nodes
        self._moves_nodes = people.move_as_nodes
        self._covariates = covariates
        self._training = Training.of(
            X,
            affinity,
            operator,
            n_neighbors=self.n_neighbors,
            gamma=self.gamma,
            kernel_params=self.kernel_params,
        )
        # Rounds at other tolerances too, for the frontier, and knows the clusterings found so far.
        self._rounder = rounder
        self._asked = {name: getattr(self, name) for name in OF_THE_LABELS}
        report(ROUNDING, 1.0)
        self.eigenvalues_ = result.eigenvalues
        self.solve_result_ = result
        self.affinity_operator_ = operator
        given = affinity is self.affinity or affinity == self.affinity
        chosen = operator.choice or (
            f"{_named(affinity)}, as given."
            if given
            else "A graph was passed, so its edges are the affinities."
        )
        self.affinity_choice_ = f"{chosen} {operator.storage}".strip()
        self.n_iter_ = len(result.history)
        self._keep(labels, fair, rows, fringe, embedded)

    def _identity(self, people: People) -> dict[str, str]:
        """All that the labels depend on, in words by name, to know a checkpoint by."""
        params = self.get_params(deep=False)
        known = {name: in_words(params[name]) for name in params if name not in _NOT_OF_THE_LABELS}
        return {"fairspectral": version("fairspectral"), **people.fingerprints(), **known}

    def _keep(
        self,
        labels: np.ndarray,
        fair: FairAssignment | None,
        rows: np.ndarray,
        fringe: Fringe,
        embedded: AffinityOperator,
    ) -> None:
        """Store a clustering and all that is said of it; `embedded` are those not set aside."""
        operator, result, k = self.affinity_operator_, self.solve_result_, self.n_clusters
        self.labels_ = labels
        self._certificate: Certificate | None = None  # of other labels, if there was one
        self.embedding_ = complete_rows(rows, labels, fringe, k)
        state = CutState.measure(operator, labels, k)
        self._terms = ClusterTerms.of(state)
        self.arrivals_ = no_arrivals(self._attributes, k)
        self._heaviest_arrival = 1
        found = audit_attributes(
            labels, tuple(range(k)), self._attributes, None, "", self._covariates
        )
        found = replace(found, normalized_cut=max(0.0, state.cut))
        floor, trees = 0, None
        if fair is not None and self._rounder is not None:
            floor, trees = fair.min_cluster_size, self._rounder.trees_of(fair)
        self.set_aside_ = SetAside.of(fringe, labels, floor, trees)
        self.diagnosis_ = diagnose(operator, found, result, fair, embedded)
        self.fair_assignment_ = fair = self.diagnosis_.add_to(fair)
        certificate = self.diagnosis_.caution() if fair is None else fair.certificate
        parts = [certificate, str(result), self.set_aside_.words]
        if self._weights is not None and not self._attributes and fair is None:
            parts.append(
                "Weights count in shares and sizes, and there are neither groups nor bounds on "
                "sizes, so they changed nothing."
            )
        self.audit_ = replace(found, certificate="\n".join(part for part in parts if part))

    def _adopt(self, fair: FairAssignment) -> None:
        """Take a better clustering of the same people in place of the one that `fit` found."""
        rounder = self._rounder
        assert rounder is not None
        operator, fringe = self.affinity_operator_, rounder.fringe
        embedded = without_fringe(operator, fringe) if fringe else operator
        self._keep(fair.labels, fair, rounder.rows, fringe, embedded)

    def _at_tolerance(self, tolerance: Any, fair: FairAssignment) -> Self:
        """The same model with the clustering that a frontier has at another tolerance."""
        other = copy(self)
        other.fairness_tol = tolerance
        other._asked = {**self._asked, "fairness_tol": tolerance}
        other._adopt(fair)
        return other

    def _plan(
        self,
        attributes: tuple[Attribute, ...],
        links: Links | None,
        n: int,
        weights: Weights | None,
    ) -> RoundingPlan | None:
        """The validated rounding request; None where k-means will round."""
        params = dict(self.rounding_params or {})
        asked = [name for name, value in params.items() if value is not None]
        if links is not None and len(links.apart):
            asked.append("cannot_link")
        if self.assign_labels == "kmeans":
            refuse_for_kmeans(asked, self.fairness_tol)
            return None
        tolerance = self.fairness_tol
        if not attributes:
            refuse_without_groups(asked, tolerance)
            if not any(name in WITHOUT_GROUPS for name in asked):
                return None
            attributes, tolerance = (one_group(n, weights),), None
        plan = plan_rounding(
            attributes,
            self.n_clusters,
            fairness_tol=tolerance,
            effort=self.effort,
            time_budget=self.time_budget,
            **params,
        )
        return with_links(plan, links)

    def _round(
        self,
        rows: np.ndarray,
        plan: RoundingPlan | None,
        rounder: Rounder | None,
        links: Links | None,
        rng: Any,
        device: Any,
    ) -> tuple[np.ndarray, FairAssignment | None]:
        if plan is None or rounder is None:
            self._say("rounding by k-means")
            cluster = partial(
                kmeans_labels,
                n_clusters=self.n_clusters,
                n_init=self.n_init,
                random_state=rng,
                device=device,
            )
            if links is None:
                return cluster(rows), None
            _, one, persons = np.unique(links.nodes, return_index=True, return_counts=True)
            return cluster(rows[one], sample_weight=persons)[links.nodes], None
        self._say("fair rounding")
        fair = rounder.round(plan)
        self._say(fair.certificate)
        return fair.labels, fair

    def _check_data(self, X: Any, affinity: Any) -> Any:
        if is_operator(affinity):
            if X is not None and X.shape[0] != affinity.shape[0]:
                raise ValueError(
                    f"X has {X.shape[0]} rows but the affinity operator has "
                    f"{affinity.shape[0]} nodes; pass X=None or matching data."
                )
            return None
        if is_operator(X):
            return X
        if isinstance(X, WorkerTable):
            self._remember_columns(X.shape[1], X.names)
            return X
        found = read_features(X, affinity, check=partial(validate_data, self))
        if isinstance(found, MixedTable):
            validate_data(self, X, skip_check_array=True)  # remembers the names of the columns
        elif is_tensor(found):
            self._remember_columns(found.shape[1], None)
        return found

    def _remember_columns(self, count: int, names: Any) -> None:
        """What scikit-learn's check keeps of a table in memory."""
        self.n_features_in_ = count
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _make_operator(
        self, X: Any, affinity: Any, place: Place, solver_params: Any
    ) -> AffinityOperator:
        given = isinstance(solver_params, dict)
        tol = solver_params.get("tol") if given else getattr(solver_params, "tol", None)
        return make_operator(
            X,
            affinity,
            gamma=self.gamma,
            n_neighbors=self.n_neighbors,
            kernel_params=self.kernel_params,
            dtype=self.dtype,
            memory_budget=self.memory_budget,
            device=place,
            tol=tol,
            n_jobs=self.n_jobs,
        )

    def _solver_params(self) -> Any:
        """`tol`, `max_iter` and `memory_budget` merged into those of the solver that has them."""
        solver = SOLVERS["krylov" if self.solver == "auto" else self.solver]
        known = {field.name for field in fields(solver.Params)}
        common = {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "memory_budget": self.memory_budget,
        }
        common = {name: x for name, x in common.items() if x is not None and name in known}
        if self.solver_params is None or isinstance(self.solver_params, dict):
            return {**common, **(self.solver_params or {})}
        if is_dataclass(self.solver_params) and not isinstance(self.solver_params, type):
            return replace(self.solver_params, **common)
        return self.solver_params  # refused with a clear error when the solver is made

    def _say(self, text: str) -> None:
        if self.verbose:
            sys.stderr.write(f"[fairspectral] {text}\n")

    def _watch_iterations(self) -> Callback:
        """A callback that reports progress to listeners, and iterations if `verbose`."""
        report(EMBEDDING, 0.0)
        meter = GapMeter(self.tol or 1e-3)

        def watch(record: IterationRecord) -> None:
            report(EMBEDDING, meter.read(record.gap))
            objective = "" if record.objective is None else f", objective {record.objective:.6g}"
            self._say(f"  iteration {record.iteration}: {record.passes} passes{objective}")

        return watch

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.affinity, str) and self.affinity == "precomputed"
        tags.input_tags.sparse = not (isinstance(self.affinity, str) and self.affinity == "gower")
        tags.input_tags.allow_nan = tags.input_tags.categorical = takes_mixed(self.affinity)
        return tags


def _check_in_memory(operator: AffinityOperator) -> None:
    """Refuse weights and links where the search cannot move single people."""
    if not can_search(operator):
        raise ValueError(
            "sample_weight, must_link and cannot_link need affinities that are held in memory, and "
            'these are recomputed in every pass; use affinity="nearest_neighbors", or a larger '
            "memory_budget."
        )


def _named(affinity: Any) -> str:
    """An affinity by its name, or by its type."""
    return f"affinity={affinity!r}" if isinstance(affinity, str) else type(affinity).__name__
