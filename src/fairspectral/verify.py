"""Verify a certificate: compute everything in it again from the data and the labels.

Nothing here comes from the solvers or from the rounding, which `make lint` checks: their mistakes
would be found, not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator, is_operator, make_operator
from fairspectral.affinity.contracted import contract_affinity
from fairspectral.affinity.features import read_features
from fairspectral.affinity.fringe import Fringe, find_fringe, without_fringe
from fairspectral.certificate import (
    AttributeClaim,
    Certificate,
    EmbeddingClaim,
    LabelsClaim,
)
from fairspectral.certificate.document import sealed
from fairspectral.certificate.words import sizes_words
from fairspectral.claims import (
    RequestedBand,
    bound_embedding,
    measure_cut,
    measure_labels,
    read_bands,
    sizes_kept,
)
from fairspectral.constraints import attributes_of, encode_groups
from fairspectral.graphs.door import as_graph, names_of, unpack_graph
from fairspectral.links import Links, read_links
from fairspectral.metrics import encode_labels
from fairspectral.tensors import on_host
from fairspectral.validation import Attribute
from fairspectral.verification import Check, Verification
from fairspectral.verify_inputs import check_data, check_linked, check_links, check_weights
from fairspectral.weighting import Weights, check_sample_weight

# How far two computations of the same number may be apart, in units of one cluster: affinities in
# float32 differ by about 1e-7 between machines, and a bound from random blocks by what their
# vectors still lacked.
_SAME, _SAME_BOUND = 1e-6, 1e-3
# Residuals of an embedding that is fair and orthonormal to machine precision are below this.
_RESIDUAL = 1e-8
# The tables of cells: what is wrong, what they are of, and the words for a claimed and a true one.
_CELLS = {
    "members": ("cells", "members", "", "it is "),
    "least": ("parameters", "lower bounds", "a lower bound of ", "the parameters ask for "),
    "most": ("parameters", "upper bounds", "an upper bound of ", "the parameters ask for "),
}
# What was found of all cells and sizes.
_WITHIN = {
    True: "All cells and sizes are within their bounds",
    False: "Not all cells and sizes are within their bounds",
    None: "There are no bounds on shares or sizes",
}
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
    checks: list[Check] = []
    if not isinstance(certificate, Certificate | Mapping):
        raise TypeError(
            f"the certificate is a {type(certificate).__name__}; pass model.certificate_, or the "
            "dict that json.load reads from its file."
        )
    if not isinstance(certificate, Certificate):
        words = "The certificate is as it was written."
        if not (whole := sealed(certificate)):
            words = "The certificate was changed after it was written: its seal does not fit."
        checks.append(Check("seal", whole, words))
        certificate = Certificate.from_dict(certificate)
    codes, clusters = encode_labels(labels)
    graph = as_graph(X)
    X = on_host(X) if graph is None else graph  # read once: reading it may warn
    names = names_of(X)
    given, X, groups, used = _unpack(certificate, X, sensitive_features, affinity)
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
        checks += check_data(certificate.data, X, operator, attributes)
        checks += check_weights(certificate.data, weights)
        checks += check_links(certificate.data, links)
        if len(clusters) != k:
            words = f"The labels have {len(clusters)} clusters, the certificate {k}."
            return Verification((*checks, Check("labels", False, words)))
        checks += _check_claims(certificate, operator, codes, attributes, weights, links)
    except (AttributeError, IndexError, KeyError, TypeError):
        words = "A part of the certificate has another form than it was written in."
        checks.append(Check("certificate", False, words))
    return Verification(tuple(checks))


def _check_claims(
    certificate: Certificate,
    operator: AffinityOperator,
    codes: np.ndarray,
    attributes: tuple[Attribute, ...],
    weights: Weights | None,
    links: Links | None,
) -> list[Check]:
    """Everything that is claimed of these data and as many clusters."""
    k, floor = certificate.n_clusters, certificate.labels.floor
    try:
        bands = read_bands(attributes, certificate.parameters)
    except (AttributeError, KeyError, TypeError, ValueError):
        words = "The parameters of the certificate ask for bounds that cannot be read."
        return [Check("parameters", False, words)]
    if type(floor) is not int or not 1 <= floor <= len(codes) // k:
        words = f"A cluster cannot have at least {floor} people: there are {len(codes)} for {k}."
        return [Check("cells", False, words)]
    ceiling, sizes = certificate.labels.ceiling, certificate.parameters.get("rounding_params") or {}
    asked = sizes.get("min_cluster_size")
    if asked is not None and floor != asked:
        words = f"The parameters ask for at least {asked} people in a cluster, not {floor}."
        return [Check("parameters", False, words)]
    asked = sizes.get("max_cluster_size")
    if ceiling != (asked if asked is not None and asked < len(codes) else None):
        words = f"The parameters ask for at most {asked} people in a cluster, not {ceiling}."
        return [Check("parameters", False, words)]
    found = measure_labels(codes, k, attributes, bands, floor, ceiling, weights, links)
    return [
        *_check_labels(certificate, found),
        *check_linked(certificate.labels, found),
        *_check_cut(certificate, operator, codes, bands, found),
        *_check_embedding(certificate, operator, attributes, found, links),
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


# --- the parts ------------------------------------------------------------------------------


def _check_labels(certificate: Certificate, found: LabelsClaim) -> list[Check]:
    claim = certificate.labels
    same = claim.sha256 == found.sha256
    words = "The labels are those of the certificate."
    if not same:
        words = "The labels are not those of the certificate: somebody is in another cluster."
    checks = [Check("labels", same, words)]
    if claim.sizes != found.sizes:
        words = f"The clusters have sizes {found.sizes}, not {claim.sizes}."
        checks.append(Check("cells", False, words))
    if claim.weights != found.weights or not _close(
        claim.unit, found.unit, 1e-9 * (found.unit or 0.0)
    ):
        words = f"The clusters have {_weights_words(found)}, not {_weights_words(claim)}."
        checks.append(Check("cells", False, words))
    names = [attribute.name for attribute in found.attributes]
    if [attribute.name for attribute in claim.attributes] != names:
        words = f"The cells of the certificate are not those of {', '.join(names) or 'no groups'}."
        return [*checks, Check("cells", False, words)]
    wrong = []
    for claimed, counted in zip(claim.attributes, found.attributes, strict=True):
        wrong += _wrong_cells(claimed, counted, found.unit)
    wrong += _wrong_bands(claim, found)
    if wrong:
        return [*checks, *wrong]
    kept = sizes_kept(found.sizes, found.weights, found.floor, found.ceiling)
    cells = sum(len(a.groups) for a in found.attributes) * certificate.n_clusters
    if cells:
        words = f"All {cells} cells were counted again, and agree with the certificate."
        if any(map(_outside, found.attributes)):
            words += " Not all of them are within their bounds, and the certificate says so."
        checks.append(Check("cells", True, words))
    words = f"The {certificate.n_clusters} clusters have the sizes of the certificate."
    if found.within_bounds is not None:
        words = f"Every cluster has {sizes_words(found)}, as claimed."
        if not kept:
            words = (
                f"Every cluster has {sizes_words(found)}; not all are within these bounds, and "
                "the certificate says so."
            )
    return [*checks, Check("sizes", True, words)]


def _outside(found: AttributeClaim) -> bool:
    """Whether a cell of an attribute is outside its bounds."""
    if found.least is None or found.most is None:
        return False
    few, many = np.less(found.members, found.least), np.greater(found.members, found.most)
    return bool(few.any() or many.any())


def _weights_words(labels: LabelsClaim) -> str:
    """What the clusters weigh, where that can be said."""
    weights, unit = labels.weights, labels.unit
    if weights is None or unit is None:
        return "no weights"
    if not (isinstance(weights, list) and all(map(_number, [*weights, unit]))):
        return "weights that are no numbers"
    return f"weights of {' and '.join(f'{units * unit:.10g}' for units in weights)}"


def _wrong_cells(claim: AttributeClaim, found: AttributeClaim, unit: float | None) -> list[Check]:
    """The cells of one attribute, and their bounds, that are not as claimed."""
    if claim.groups != found.groups:
        words = f"The groups of {found.name} are {found.groups}, not {claim.groups}."
        return [Check("cells", False, words)]
    wrong = []
    for what, (kind, table, has, but) in _CELLS.items():
        claimed, counted = getattr(claim, what), getattr(found, what)
        if claimed == counted:
            continue
        at = _first_difference(claimed, counted)
        words = f"The certificate has another table of the {table} of {found.name}."
        if at is not None:
            group, cluster = at
            here, there = (
                f"{t[group][cluster]} people"
                if unit is None
                else f"a weight of {t[group][cluster] * unit:.10g}"
                for t in (claimed, counted)
            )
            words = (
                f"{found.name} {found.groups[group]} in cluster {cluster}: the certificate has "
                f"{has}{here}, but {but}{there}."
            )
        wrong.append(Check(kind, False, words))
    return wrong


def _first_difference(claimed: Any, counted: Any) -> tuple[int, int] | None:
    """Where two tables differ first; None where they are not tables of the same shape."""
    try:
        a, b = np.asarray(claimed, dtype=float), np.asarray(counted, dtype=float)
    except (TypeError, ValueError):
        return None
    if a.shape != b.shape or a.ndim != 2:
        return None
    group, cluster = np.argwhere(~(a == b))[0]
    return int(group), int(cluster)


def _wrong_bands(claim: LabelsClaim, found: LabelsClaim) -> list[Check]:
    """The numbers about all cells that are not as claimed."""
    wrong = []
    for claimed, counted in zip(claim.attributes, found.attributes, strict=True):
        for what in ("shares", "lower", "upper"):
            if not _close_lists(getattr(claimed, what), getattr(counted, what)):
                kind = "cells" if what == "shares" else "parameters"
                words = (
                    f"The {what} shares of {counted.name} are {getattr(counted, what)}, not "
                    f"{getattr(claimed, what)}."
                )
                wrong.append(Check(kind, False, words.replace("shares shares", "shares")))
    if claim.within_bounds is not found.within_bounds:
        words = f"{_WITHIN[found.within_bounds]}, but that is not what the certificate says."
        wrong.append(Check("cells", False, words))
    unit, what_is = (1.0, "number of people") if found.unit is None else (found.unit, "weight")
    for what, scale, words in (
        ("largest_deviation", 1.0, "The largest relative deviation from a target share"),
        ("persons_outside", unit, f"The {what_is} beyond a band of shares"),
    ):
        a, b = getattr(claim, what), getattr(found, what)
        if not (type(a) is float and _close(a, b)):
            shown = f"{a * scale:.10g}" if _number(a) else repr(a)
            words += f" is {b * scale:.10g}, not {shown}."
            wrong.append(Check("cells", False, words))
    return wrong


def _check_cut(
    certificate: Certificate,
    operator: AffinityOperator,
    codes: np.ndarray,
    bands: list[RequestedBand],
    labels: LabelsClaim,
) -> list[Check]:
    claim, k = certificate.cut, certificate.n_clusters
    found = measure_cut(operator, codes, k, bands, labels)
    same = _close(claim.value, found.value, _SAME * k)
    words = f"The normalised cut is {found.value:.6g}, as claimed."
    if not same:
        words = f"The normalised cut is {found.value:.6g}, not {_shown(claim.value)}."
    checks = [Check("cut", same, words)]
    loose = (_SAME_BOUND if found.failure else _SAME) * k
    agree = all(
        _close(getattr(claim, name), getattr(found, name), loose)
        for name in ("lower_bound", "plain_bound", "multiplier", "budget")
    ) and _close(claim.failure, found.failure, 0.0)
    bounds = _shown(found.plain_bound)
    if bands:
        bounds = f"{_shown(found.lower_bound)} within the bounds, {bounds} at all"
    words = f"No cut can be below {bounds}, as claimed."
    if not agree:
        claimed = f"{_shown(claim.lower_bound)} and {_shown(claim.plain_bound)}"
        words = f"What can be proved is that no cut is below {bounds}; claimed are {claimed}."
    return [*checks, Check("bound", agree, words)]


def _check_embedding(
    certificate: Certificate,
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    labels: LabelsClaim,
    links: Links | None,
) -> list[Check]:
    claim, n = certificate.embedding, operator.shape[0]
    fringe, nodes = Fringe.none(n), None
    if links is not None:
        nodes = links.nodes
        operator = contract_affinity(operator, nodes)
    elif claim.set_aside and labels.weights is None:  # with weights nobody is
        fringe = find_fringe(operator, labels.floor)
    asked = certificate.parameters["n_components"] or certificate.n_clusters
    people = len(fringe.kept) if links is None else links.n_nodes
    aside = n - len(fringe.kept)
    shape = (claim.people, claim.set_aside, claim.columns)
    if shape != (people, aside, asked) or not 1 <= asked <= people:
        words = (
            f"The embedding should have {people} people and {asked} columns, with {aside} set "
            f"aside, not {claim.people}, {claim.columns} and {claim.set_aside}."
        )
        return [Check("embedding", False, words)]
    if fringe:
        operator = without_fringe(operator, fringe)
        attributes = attributes_of(attributes, fringe.kept)
    found = bound_embedding(operator, attributes, asked, labels, nodes)
    if found is None:
        words = "The bound on the embedding cannot be computed from products in float32."
        return [Check("embedding", claim.upper_bound is None, words)]
    loose = (_SAME_BOUND if found.failure else _SAME) * asked
    kind = "fair embedding" if attributes else "embedding"
    wrong = _wrong_embedding(claim, kind, found.upper, found.failure, loose)
    if wrong:
        return [Check("embedding", False, wrong)]
    words = (
        f"No {kind} has an objective above {found.upper:.6g}, as claimed; one with "
        f"{found.attained:.6g} was found on the way, the certificate's has {claim.objective:.6g}."
    )
    return [Check("embedding", True, words)]


def _wrong_embedding(
    claim: EmbeddingClaim, kind: str, upper: float, failure: float, loose: float
) -> str:
    """What cannot be true of the claimed embedding, in a sentence; empty if nothing."""
    if not _close(claim.upper_bound, upper, loose) or not _close(claim.failure, failure, 0.0):
        return (
            f"The upper bound on the objective is {upper:.6g}, wrong with probability "
            f"{failure:g}, not {_shown(claim.upper_bound)} with {_shown(claim.failure)}."
        )
    if not _number(claim.objective) or claim.objective > upper + _SAME:
        return (
            f"No {kind} has the claimed objective {_shown(claim.objective)}: none is above "
            f"{upper:.6g}."
        )
    if claim.objective < -claim.columns:
        return f"An objective of {claim.objective:.6g} is below all that are possible."
    for name in ("fairness_residual", "orthogonality_residual"):
        value = getattr(claim, name)
        if not (_number(value) and 0 <= value <= _RESIDUAL * math.sqrt(claim.people)):
            return f"The {name.replace('_', ' ')} {_shown(value)} is too far from zero."
    return ""


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _close(a: Any, b: Any, allowed: float = 1e-9) -> bool:
    if a is None or b is None:
        return a is b
    return _number(a) and _number(b) and abs(a - b) <= allowed


def _close_lists(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return isinstance(a, list) and len(a) == len(b) and all(map(_close, a, b))


def _shown(value: Any) -> str:
    return f"{value:.6g}" if _number(value) else repr(value)
