"""The parameters of a certificate: whether they fit the data, and the numbers beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral.certificate import Certificate
from fairspectral.claims import OF_FEATURES, floor_asked, given_affinities
from fairspectral.verification import Check
from fairspectral.verify.comparing import identical, is_number, written


def check_affinity(certificate: Certificate, used: Any) -> list[Check]:
    """What is wrong with the parameters of the affinity `used`; it is read before all others.

    An object is named by its type, of which the same may have several: only names are compared.
    """
    parameters = certificate.parameters
    claimed = parameters["affinity"]
    by_name = isinstance(used, str) or not str(claimed).startswith("<")
    if by_name and not identical(claimed, used):
        said = used if isinstance(used, str) else type(used).__name__
        return [_wrong(f"parameters.affinity is {written(claimed)}, but it is {said!r} here.")]
    if given_affinities(used):
        odd = [name for name in OF_FEATURES if parameters[name] is not None]
        return [
            _wrong(
                f"parameters.{name} is {written(parameters[name])}, but affinities were given, and "
                "a certificate of these has null there."
            )
            for name in odd[:1]
        ]
    gamma, params = parameters["gamma"], parameters["kernel_params"]
    right = {
        "gamma": gamma is None or isinstance(gamma, str) or is_number(gamma),
        "n_neighbors": type(parameters["n_neighbors"]) is int,
        "kernel_params": params is None or isinstance(params, dict),
    }
    return [
        _wrong(f"parameters.{name} is {written(parameters[name])}, which no fit writes.")
        for name, fits in right.items()
        if not fits
    ]


def check_requests(certificate: Certificate, n: int, sized: bool) -> list[Check]:
    """What is wrong with the clusters, sizes and tolerances that were asked for.

    `n` is the number of people, and `sized` what `sizes_asked` says.
    """
    parameters, k, labels = certificate.parameters, certificate.n_clusters, certificate.labels
    if not identical(parameters["n_clusters"], k):
        asked = written(parameters["n_clusters"])
        return [_wrong(f"parameters.n_clusters is {asked}, but n_clusters is {k}.")]
    tolerance = parameters["fairness_tol"]
    each = list(tolerance.values()) if isinstance(tolerance, Mapping) else [tolerance]
    if not all(one is None or is_number(one) for one in each):
        return [_wrong(f"parameters.fairness_tol is {written(tolerance)}, which no fit writes.")]
    sizes = parameters["rounding_params"] or {}
    least, most = sizes.get("min_cluster_size"), sizes.get("max_cluster_size")
    for name, size in (("min_cluster_size", least), ("max_cluster_size", most)):
        if size is not None and type(size) is not int:
            where = f"parameters.rounding_params.{name}"
            return [_wrong(f"{where} is {written(size)}, which no fit writes.")]
    floor = labels.floor
    if type(floor) is not int or not 1 <= floor <= n // k:
        words = f"A cluster cannot have at least {written(floor)} people: there are {n} for {k}."
        return [Check("cells", False, words)]
    asked = floor_asked(parameters, n, k, sized)
    if floor != asked:
        words = f"The parameters ask for at least {asked} people in a cluster, not {floor}."
        if least is None:
            words = f"labels.floor is {floor}, but without min_cluster_size it is {asked}."
        return [_wrong(words)]
    if not identical(labels.ceiling, most if most is not None and most < n else None):
        words = f"The parameters ask for at most {most} people in a cluster"
        return [_wrong(f"{words}, not {written(labels.ceiling)}.")]
    return []


def _wrong(words: str) -> Check:
    return Check("parameters", False, words)
