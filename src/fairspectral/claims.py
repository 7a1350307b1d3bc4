"""The numbers of a certificate, computed from data and labels alone.

A fit and `fairspectral.verify` both call these functions, which know neither how the embedding
was solved nor how the labels were found. What the parameters ask for is read here again, and not
with the code that the rounding uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator, is_operator
from fairspectral.affinity.mixed import MixedTable
from fairspectral.affinity.wide import in_float64
from fairspectral.cells import count_cells, judge_cells, population_shares, tolerance_band
from fairspectral.certificate import AttributeClaim, CutClaim, LabelsClaim, LinksClaim
from fairspectral.cut import CutState
from fairspectral.fingerprints import fingerprint_codes, fingerprint_text, fingerprint_values
from fairspectral.links import Links
from fairspectral.spectral_bounds import Band, CutBound, EmbeddingBound, SpectralBounds
from fairspectral.validation import Attribute
from fairspectral.weighting import Weights

# Parameters that say how features are compared; null in a certificate where affinities were given.
OF_FEATURES = ("gamma", "n_neighbors", "kernel_params")
# The floor on sizes where none is asked for, as a part of the mean size.
_FLOOR_SHARE = 0.1
# A band has floating-point errors; so much beyond it, as a part of a cluster, is within it.
_SLIP = 1e-9


@dataclass(frozen=True)
class RequestedBand(Band):
    """A band of shares with the share that was aimed at.

    Attributes
    ----------
    target : ndarray of shape (h,)
        The middle of the band.
    lower_only : bool
        Whether more than the target is always allowed.
    """

    target: np.ndarray
    lower_only: bool


def read_bands(
    attributes: tuple[Attribute, ...], parameters: Mapping[str, Any]
) -> list[RequestedBand]:
    """The band that the parameters ask for, of each attribute; none where k-means rounds.

    Parameters
    ----------
    attributes : tuple of Attribute
        The groups.
    parameters : mapping
        Those of the estimator, as in a certificate.
    """
    if parameters["assign_labels"] != "fair":
        return []
    asked = parameters.get("rounding_params") or {}
    several = len(attributes) > 1
    bands = []
    for attribute in attributes:

        def own(name: str, attribute: Attribute = attribute) -> Any:
            given = asked.get(name)
            return given.get(attribute.name) if several and given is not None else given

        tolerance = parameters["fairness_tol"]
        if isinstance(tolerance, Mapping):
            tolerance = tolerance.get(attribute.name)
        h = len(attribute.categories)
        target = population_shares(attribute.counts)
        target = _overridden(target, own("target_proportions"), attribute)
        lower, upper = np.zeros(h), np.ones(h)
        lower_only = asked.get("bounds", "two-sided") == "lower"
        if tolerance is not None:
            lower, widest = tolerance_band(target, tolerance)
            upper = upper if lower_only else widest
        lower = _overridden(lower, own("lower"), attribute)
        upper = _overridden(upper, own("upper"), attribute)
        band = RequestedBand(attribute, lower, upper, target, lower_only)
        bands.append(_with_quotas(band, _quotas(asked.get("shares"), attribute), tolerance))
    return bands


def sizes_asked(
    attributes: tuple[Attribute, ...], parameters: Mapping[str, Any], links: Links | None
) -> bool:
    """Whether the sizes of the clusters have bounds; not where k-means rounds.

    A floor of one person of mean weight is a bound too, which a cluster of light people breaks.
    The arguments are those of `read_bands` and `measure_labels`.
    """
    if parameters["assign_labels"] != "fair":
        return False
    asked = parameters.get("rounding_params") or {}
    apart = links is not None and len(links.apart) > 0
    sizes = (asked.get("min_cluster_size"), asked.get("max_cluster_size"))
    return bool(attributes) or apart or sizes != (None, None)


def floor_asked(parameters: Mapping[str, Any], n: int, k: int, sized: bool) -> Any:
    """The floor on the sizes of n people in k clusters; by default a tenth of the mean size.

    `sized` is what `sizes_asked` says.
    """
    asked = (parameters.get("rounding_params") or {}).get("min_cluster_size")
    default = max(1, int(_FLOOR_SHARE * n / k)) if sized else 1
    return default if asked is None else asked


def given_affinities(affinity: Any) -> bool:
    """Whether the affinities were given, as a matrix, a graph or an operator."""
    return is_operator(affinity) or (isinstance(affinity, str) and affinity == "precomputed")


def _quotas(shares: Mapping[str, Any] | None, attribute: Attribute) -> Mapping[str, Any]:
    """What was asked of an attribute's groups, by their names; of one attribute also directly."""
    if not shares or any(isinstance(asked, Mapping) for asked in shares.values()):
        shares = (shares or {}).get(attribute.name) or {}
    return {str(group): wish for group, wish in shares.items()}


def _with_quotas(
    band: RequestedBand, quotas: Mapping[str, Any], tolerance: float | None
) -> RequestedBand:
    """The band with other ends for the groups that have a quota, or a target of their own.

    A single group that has none gets what the others leave it.
    """
    names = [str(group) for group in band.attribute.categories]
    lower, upper, target = band.lower.copy(), band.upper.copy(), band.target.copy()
    for group, wish in quotas.items():
        s = names.index(group)
        if isinstance(wish, list | tuple):
            least, most = wish
            lower[s], upper[s] = 0.0 if least is None else least, 1.0 if most is None else most
            continue
        target[s], lower[s], upper[s] = wish, 0.0, 1.0
        if tolerance is not None:
            ends = tolerance_band(target[s : s + 1], tolerance)
            lower[s], upper[s] = ends[0][0], 1.0 if band.lower_only else ends[1][0]
    left = [s for s, name in enumerate(names) if name not in quotas]
    if quotas and len(left) == 1:
        others = np.arange(len(names)) != left[0]
        lower[left] = max(0.0, 1.0 - upper[others].sum())
        upper[left] = min(1.0, 1.0 - lower[others].sum())
    return RequestedBand(band.attribute, lower, upper, target, band.lower_only)


def _overridden(shares: np.ndarray, given: Any, attribute: Attribute) -> np.ndarray:
    """Shares with some of them replaced, by position or by the name of the group."""
    if given is None:
        return shares
    if not isinstance(given, Mapping):
        return np.asarray(given, dtype=np.float64)
    by_name = {str(group): share for group, share in given.items()}
    names = map(str, attribute.categories)
    return np.array([by_name.get(name, old) for name, old in zip(names, shares, strict=True)])


# --- fingerprints ---------------------------------------------------------------------------


def fingerprint_features(X: Any) -> str:
    """Of a table that was read as the affinity needs it."""
    if isinstance(X, MixedTable):
        # There are many ways to write NaN.
        values = np.where(np.isnan(X.values), np.nan, X.values)
        return fingerprint_text([fingerprint_values(values), X.categorical.tolist()])
    return fingerprint_values(X)


def fingerprint_affinity(operator: AffinityOperator) -> tuple[str, str]:
    """The kind and the SHA-256 of affinities that were given: theirs, or that of their degrees."""
    if operator.stored_weights is None:
        return "operator", fingerprint_values(operator.degrees)
    return "affinities", fingerprint_values(operator.stored_weights)


def fingerprint_groups(attributes: Sequence[Attribute]) -> dict[str, str]:
    """Of each attribute, by its name."""
    return {str(a.name): fingerprint_codes(a.categories, a.codes) for a in attributes}


def fingerprint_weights(weights: Weights | None) -> str | None:
    """Of the units of each row; None where each counts as one."""
    return None if weights is None else fingerprint_codes(("weight",), weights.units)


def fingerprint_links(links: Links | None) -> dict[str, str]:
    """Of who must be together, however the pairs say it, and of the pairs who must be apart."""
    if links is None:
        return {}
    return {
        "must_link": fingerprint_codes(("together",), links.nodes),
        "cannot_link": fingerprint_codes(("apart",), links.apart),
    }


def fingerprint_labels(labels: np.ndarray) -> str:
    """Of the cluster, 0 to k - 1, of each row."""
    return fingerprint_codes((), labels)


# --- labels ---------------------------------------------------------------------------------


def measure_labels(
    labels: np.ndarray,
    n_clusters: int,
    attributes: tuple[Attribute, ...],
    bands: Sequence[RequestedBand],
    floor: int,
    ceiling: int | None = None,
    weights: Weights | None = None,
    links: Links | None = None,
    *,
    sized: bool = False,
) -> LabelsClaim:
    """Count every cell and every cluster, and compare them with their bounds, where there are any.

    Parameters
    ----------
    labels : integer ndarray of shape (n,)
        0 to k - 1.
    n_clusters : int
        k.
    attributes : tuple of Attribute
        The groups, with their weights.
    bands : sequence of RequestedBand
        One for each attribute, or none.
    floor, ceiling : int, int or None
        Fewest and most people that a cluster may have; with weights, people of mean weight.
    weights : Weights or None
        How much each person counts.
    links : Links or None
        Who must be together and who apart.
    sized : bool
        Whether the sizes have bounds, from `sizes_asked`; a floor above 1 and a ceiling always are.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    units = None if weights is None else weights.units
    tables, outside, deviation, persons = [], 0, 0.0, 0.0
    for i, attribute in enumerate(attributes):
        table = count_cells(attribute.codes, labels, len(attribute.categories), n_clusters, units)
        least = most = lower = upper = None
        target, lower_only = population_shares(attribute.counts), False
        if bands:
            band = bands[i]
            cells = judge_cells(table, band.lower, band.upper, attribute.largest)
            outside += cells.n_outside
            least, most = cells.lower.tolist(), cells.upper.tolist()
            lower, upper = band.lower.tolist(), band.upper.tolist()
            target, lower_only = band.target, band.lower_only
            persons = max(persons, _persons_outside(table, band))
        deviation = max(deviation, _deviation(table, target, lower_only))
        shares = population_shares(attribute.counts).tolist()
        groups = [str(group) for group in attribute.categories]
        tables.append(
            AttributeClaim(
                str(attribute.name), groups, shares, lower, upper, table.tolist(), least, most
            )
        )
    counted = None
    if weights is not None:
        counted = np.bincount(labels, weights.units, minlength=n_clusters).astype(np.int64).tolist()
    within = None
    if bands or sized or floor > 1 or ceiling is not None:
        within = outside == 0 and sizes_kept(sizes.tolist(), counted, floor, ceiling)
    return LabelsClaim(
        sha256=fingerprint_labels(labels),
        sizes=sizes.tolist(),
        weights=counted,
        unit=None if weights is None else weights.unit,
        floor=floor,
        ceiling=ceiling,
        attributes=tables,
        within_bounds=within,
        largest_deviation=deviation,
        persons_outside=persons,
        links=None if links is None else _measure_links(links, labels),
    )


def sizes_kept(
    sizes: Sequence[int], weights: Sequence[int] | None, floor: int, ceiling: int | None
) -> bool:
    """Whether every cluster is within floor and ceiling; with weights, in people of mean weight."""
    counted = sizes if weights is None else weights
    n, total = sum(sizes), sum(counted)
    return all(
        floor * total <= n * size and (ceiling is None or n * size <= ceiling * total)
        for size in counted
    )


def _measure_links(links: Links, labels: np.ndarray) -> LinksClaim:
    joined = links.joined(labels).tolist()
    return LinksClaim(links.n_nodes, links.parted(labels), len(links.apart), joined)


def _deviation(table: np.ndarray, target: np.ndarray, lower_only: bool) -> float:
    """Largest relative deviation of a cell from its target share of its cluster."""
    wanted = target[:, None] * table.sum(axis=0)
    found = wanted - table if lower_only else np.abs(table - wanted)
    return float(np.max(found[wanted > 0] / wanted[wanted > 0], initial=0.0))


def _persons_outside(table: np.ndarray, band: Band) -> float:
    """By how many persons, fractions included, the worst cell is outside its band."""
    sizes = table.sum(axis=0)
    few = band.lower[:, None] * sizes - table
    many = table - band.upper[:, None] * sizes
    worst = float(np.maximum(few, many).max())
    return worst if worst > _SLIP * max(1, int(sizes.max())) else 0.0


# --- cut and embedding ----------------------------------------------------------------------


def seed_of(labels: LabelsClaim) -> int:
    """The seed of the random blocks: nobody chooses it, and everybody gets the same."""
    return int(labels.sha256[:15], 16)


def measure_cut(
    operator: AffinityOperator,
    labels: np.ndarray,
    n_clusters: int,
    bands: Sequence[Band],
    claim: LabelsClaim,
) -> CutClaim:
    """The normalised cut of the labels, and lower bounds on that of all others."""
    wide = in_float64(operator)
    value = max(0.0, CutState.measure(wide or operator, labels, n_clusters).cut)
    if wide is None:
        return CutClaim(value, None, None, 0.0, 0.0, 0.0)
    weights, smallest = bands[0].attribute.weights if bands else None, claim.floor
    if weights is not None:
        smallest = weights.at_least(claim.floor)
    bound: CutBound = SpectralBounds(wide, n_clusters, seed_of(claim)).cut(bands, smallest)
    return CutClaim(value, bound.lower, bound.plain, bound.multiplier, bound.budget, bound.failure)


def bound_embedding(
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    n_components: int,
    claim: LabelsClaim,
    nodes: np.ndarray | None = None,
) -> EmbeddingBound | None:
    """Between what the best objective of a fair embedding is; None for products in float32.

    `operator` is that of the embedding; `nodes` is the node of each person where it is contracted.
    """
    wide = in_float64(operator)
    if wide is None:
        return None
    bounds = SpectralBounds(wide, n_components, seed_of(claim) + 1)
    return bounds.embedding(attributes, n_components, nodes)
