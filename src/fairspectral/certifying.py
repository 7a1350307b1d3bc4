"""The certificate of a fitted model."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import numpy as np

from fairspectral.affinity.contracted import contract_affinity
from fairspectral.affinity.fringe import without_fringe
from fairspectral.affinity.wide import in_float64
from fairspectral.certificate import Certificate, DataClaim, EmbeddingClaim, LabelsClaim
from fairspectral.certificate.document import PARAMETERS
from fairspectral.certificate.words import MEANS_NOT_COVERED, not_covered
from fairspectral.claims import (
    OF_FEATURES,
    RequestedBand,
    bound_embedding,
    fingerprint_affinity,
    fingerprint_groups,
    fingerprint_links,
    fingerprint_weights,
    given_affinities,
    measure_cut,
    measure_labels,
    read_bands,
    sizes_asked,
)
from fairspectral.constraints import FairnessConstraints, attributes_of
from fairspectral.problem import orthogonality

_PACKAGES = ("fairspectral", "numpy", "scipy", "scikit-learn")


def certify_model(model: Any) -> Certificate:
    """Compute everything that the certificate of a fitted model claims.

    Parameters
    ----------
    model : FairSpectralClustering
        Fitted. The bounds take some ten to some hundred passes over its affinities.
    """
    asked = {**model.get_params(deep=False), **model._asked, "affinity": _affinity_of(model)}
    unused = OF_FEATURES if given_affinities(asked["affinity"]) else ()
    parameters = {name: None if name in unused else plain_value(asked[name]) for name in PARAMETERS}
    operator, k, fair = model.affinity_operator_, model.n_clusters, model.fair_assignment_
    bands: list[RequestedBand] = [] if fair is None else read_bands(model._attributes, parameters)
    floor = 1 if fair is None else int(fair.min_cluster_size)
    ceiling = None if fair is None else fair.max_cluster_size
    labels = measure_labels(
        model.labels_,
        k,
        model._attributes,
        bands,
        floor,
        ceiling,
        model._weights,
        model._links,
        sized=sizes_asked(model._attributes, parameters, model._links),
    )
    cut = measure_cut(operator, model.labels_, k, bands, labels)
    notes = not_covered(cut, labels)
    if model._covariates:
        notes.append(MEANS_NOT_COVERED)
    return Certificate(
        n_clusters=k,
        parameters=parameters,
        versions={"python": platform.python_version(), **{p: version(p) for p in _PACKAGES}},
        data=_data(model),
        embedding=_embedding(model, labels),
        labels=labels,
        cut=cut,
        not_covered=notes,
    )


def _affinity_of(model: Any) -> Any:
    """As it was given, or on a Dask cluster what came of ``"auto"``.

    A cluster has a rule of its own for ``"auto"``, and whoever verifies has the rows in memory.
    """
    elsewhere = model._features_sha256 is None
    return (elsewhere and model.affinity_operator_.chosen) or model._affinity


def _data(model: Any) -> DataClaim:
    kind, sha = "features", model._features_sha256
    if sha is None:
        kind, sha = fingerprint_affinity(model.affinity_operator_)
    return DataClaim(
        rows=len(model.labels_),
        kind=kind,
        sha256=sha,
        groups_sha256=fingerprint_groups(model._attributes),
        weights_sha256=fingerprint_weights(model._weights),
        links_sha256=fingerprint_links(model._links),
        files={},
        options={},
    )


def _embedding(model: Any, labels: LabelsClaim) -> EmbeddingClaim:
    operator, attributes = model.affinity_operator_, model._attributes
    H, aside, nodes = model.solve_result_.vectors, 0, None
    if model._links is not None:
        nodes = model._links.nodes
        operator = contract_affinity(operator, nodes)
    elif model._rounder is not None and model._rounder.fringe:
        fringe = model._rounder.fringe
        aside = len(model.labels_) - len(fringe.kept)
        operator = without_fringe(operator, fringe)
        attributes = attributes_of(attributes, fringe.kept)
    residual = 0.0
    if attributes:
        constraints = FairnessConstraints.from_attributes(attributes, operator.degrees, nodes)
        residual = constraints.residual(H)
    products = (in_float64(operator) or operator).matmat_on_host(H)
    found = bound_embedding(operator, attributes, H.shape[1], labels, nodes)
    return EmbeddingClaim(
        people=H.shape[0],
        columns=H.shape[1],
        set_aside=aside,
        objective=float(np.sum(H * products, dtype=np.float64)),
        upper_bound=None if found is None else found.upper,
        failure=0.0 if found is None else found.failure,
        fairness_residual=residual,
        orthogonality_residual=orthogonality(H),
    )


def plain_value(value: Any) -> Any:
    """A parameter as JSON can hold it; objects by the name of their type, in angle brackets."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return plain_value(value.item())
    if isinstance(value, dict):
        return {str(name): plain_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain_value(inner) for inner in value]
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    name = (
        value.__name__ if callable(value) and hasattr(value, "__name__") else type(value).__name__
    )
    return f"<{name}>"
