"""Verify a certificate: compute everything in it again from the data and the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator, is_operator, make_operator
from fairspectral.affinity.features import read_features
from fairspectral.certificate import Certificate
from fairspectral.certificate.document import sealed
from fairspectral.claims import given_affinities, measure_labels, read_bands, sizes_asked
from fairspectral.constraints import encode_groups
from fairspectral.graphs.door import as_graph, names_of, unpack_graph
from fairspectral.links import Links, read_links
from fairspectral.metrics import encode_labels
from fairspectral.tensors import on_host
from fairspectral.validation import Attribute
from fairspectral.verification import Check, Verification
from fairspectral.verify.comparing import first_huge
from fairspectral.verify.cut import check_cut
from fairspectral.verify.embedding import check_embedding
from fairspectral.verify.inputs import check_data, check_linked, check_links, check_weights
from fairspectral.verify.labels import check_labels, check_not_covered
from fairspectral.verify.parameters import check_affinity, check_requests
from fairspectral.weighting import Weights, check_sample_weight

# Parameters of `make_operator` that change the affinities.
_AFFINITY_PARAMS = ("gamma", "n_neighbors", "kernel_params", "dtype")


def verify_certificate(
    certificate: Certificate | Mapping[str, Any],
    labels: Any,
    X: Any,
    sensitive_features: Any = None,
    *,
    sample_weight: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    affinity: Any = None,
    memory_budget: int | str | None = None,
) -> Verification:
    """Compute a certificate's numbers again, from the data and the labels alone.

    Parameters
    ----------
    certificate : Certificate or dict
        What is claimed; a dict, as JSON has it, is also checked against its seal.
    labels : array of shape (n,)
        The cluster of each row.
    X : array, DataFrame, sparse matrix, graph or None
        What the model was fitted to.
    sensitive_features : array, Series, DataFrame, dict, str or None
        The groups that it was fitted with.
    sample_weight : array-like of shape (n,) or None
        The weights that it was fitted with.
    must_link, cannot_link : sequence of pairs, array or table of shape (m, 2), or None
        The links that it was fitted with.
    affinity : callable, operator or None
        Where the model was fitted with one of these, the same again; otherwise the certificate
        names the affinity.
    memory_budget : int, str or None
        For the affinities, as in `FairSpectralClustering`.

    Returns
    -------
    Verification
        True where everything holds; ``wrong`` has the parts that do not, each in words.
    """
    certificate, checks = _read(certificate)
    if field := first_huge(asdict(certificate)):
        words = f"{field} is a number that is too large to compute with; no fit wrote it."
        return Verification((*checks, Check("certificate", False, words)))
    codes, clusters = encode_labels(labels)
    graph = as_graph(X)
    X = on_host(X) if graph is None else graph  # read once: reading it may warn
    names = names_of(X)
    given, X, groups, used = _unpack(certificate, X, sensitive_features, affinity)
    if wrong_affinity := check_affinity(certificate, used):
        return Verification((*checks, *wrong_affinity))
    params = {name: certificate.parameters[name] for name in _AFFINITY_PARAMS}
    operator = make_operator(X, used, memory_budget=memory_budget, **params)
    n, k = operator.shape[0], certificate.n_clusters
    sizes = {"rows of the data": n, "labels": len(codes)}
    wrong = [f"{count} {name}" for name, count in sizes.items() if count != certificate.data.rows]
    if wrong:
        claimed = f"The certificate is about {certificate.data.rows} rows"
        checks.append(Check("data", False, f"{claimed}, but there are {' and '.join(wrong)}."))
        return Verification(tuple(checks))
    weights = None if sample_weight is None else check_sample_weight(sample_weight, n, given)
    links = read_links(must_link, cannot_link, range(n) if names is None else names, k)
    if links is not None and operator.stored_weights is None:
        raise ValueError(
            "people with links can be verified only with affinities that are held in memory, and "
            "these are recomputed in every pass; pass a larger memory_budget."
        )
    attributes: tuple[Attribute, ...] = ()
    if groups is not None:
        mode = certificate.parameters["attribute_mode"]
        attributes = encode_groups(groups, n, mode, rows=given, weights=weights)
    try:
        features = X is not None and not is_operator(X) and not given_affinities(used)
        checks += check_data(certificate.data, X if features else None, operator, attributes)
        checks += check_weights(certificate.data, weights)
        checks += check_links(certificate.data, links)
        if len(clusters) != k:
            words = f"The labels have {len(clusters)} clusters, the certificate {k}."
            return Verification((*checks, Check("labels", False, words)))
        checks += _check_claims(certificate, operator, codes, attributes, weights, links)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError):
        words = "A part of the certificate has another form than it was written in."
        checks.append(Check("certificate", False, words))
    return Verification(tuple(checks))


def _read(certificate: Any) -> tuple[Certificate, list[Check]]:
    """The claims, and whether their seal holds where they come as a dict."""
    if isinstance(certificate, Certificate):
        return certificate, []
    if not isinstance(certificate, Mapping):
        raise TypeError(
            f"the certificate is a {type(certificate).__name__}; pass model.certificate_, or the "
            "dict that json.load reads from its file."
        )
    words = "The certificate is as it was written."
    if not (whole := sealed(certificate)):
        words = "The certificate was changed after it was written: its seal does not fit."
    return Certificate.from_dict(certificate), [Check("seal", whole, words)]


def _check_claims(
    certificate: Certificate,
    operator: AffinityOperator,
    codes: np.ndarray,
    attributes: tuple[Attribute, ...],
    weights: Weights | None,
    links: Links | None,
) -> list[Check]:
    """Everything that is claimed of these data and as many clusters."""
    k = certificate.n_clusters
    try:
        bands = read_bands(attributes, certificate.parameters)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        words = "The parameters of the certificate ask for bounds that cannot be read."
        return [Check("parameters", False, words)]
    sized = sizes_asked(attributes, certificate.parameters, links)
    wrong = check_requests(certificate, len(codes), sized)
    if wrong:
        return wrong
    floor, ceiling = certificate.labels.floor, certificate.labels.ceiling
    found = measure_labels(codes, k, attributes, bands, floor, ceiling, weights, links, sized=sized)
    return [
        *check_labels(certificate, found),
        *check_linked(certificate.labels, found),
        *check_cut(certificate, operator, codes, bands, found),
        *check_embedding(certificate, operator, attributes, found, links),
        *check_not_covered(certificate, found),
    ]


def _unpack(
    certificate: Certificate, X: Any, groups: Any, affinity: Any
) -> tuple[Any, Any, Any, Any]:
    """The data as given and as read, the groups, and the affinity."""
    used = certificate.parameters["affinity"] if affinity is None else affinity
    if isinstance(used, str) and used.startswith("<"):
        raise ValueError(
            f"the certificate is of a fit with affinity {used}, which a file cannot hold; pass "
            "the same object as affinity=."
        )
    X, groups, used = unpack_graph(X, groups, used)
    given = X
    if not is_operator(used) and not is_operator(X):
        X = read_features(X, used)
    return given, X, groups, used
