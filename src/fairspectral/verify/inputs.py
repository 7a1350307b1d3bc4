"""Whether data, groups, weights and links are those that a certificate is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairspectral.affinity import AffinityOperator
from fairspectral.certificate import DataClaim, LabelsClaim, LinksClaim
from fairspectral.claims import (
    fingerprint_affinity,
    fingerprint_features,
    fingerprint_groups,
    fingerprint_links,
    fingerprint_weights,
)
from fairspectral.links import Links
from fairspectral.validation import Attribute
from fairspectral.verification import Check
from fairspectral.verify.comparing import identical, written
from fairspectral.weighting import Weights


def check_data(
    claim: DataClaim, X: Any, operator: AffinityOperator, attributes: tuple[Attribute, ...]
) -> list[Check]:
    """The table, or where it is None the graph or operator, and the groups."""
    checks = []
    if wrong := _wrong_kind(claim, X is not None, operator):
        return [Check("data", False, wrong)]
    if claim.sha256 is not None:
        if claim.kind == "features":
            found = fingerprint_features(X)
        else:
            found = fingerprint_affinity(operator)[1]
        same = found == claim.sha256
        words = f"The data are those of the certificate (SHA-256 {found[:16]}…)."
        if not same:
            words = (
                f"The data are not those of the certificate: SHA-256 {found[:16]}…, not "
                f"{claim.sha256[:16]}…."
            )
        checks.append(Check("data", same, words))
    groups = fingerprint_groups(attributes)
    differ = _different(groups, claim.groups_sha256)
    words = f"The groups are those of the certificate ({', '.join(groups) or 'none'})."
    if differ:
        words = f"The groups are not those of the certificate: {', '.join(differ)}."
    return [*checks, Check("groups", not differ, words)]


def _wrong_kind(claim: DataClaim, features: bool, operator: AffinityOperator) -> str:
    """Why the kind of data cannot be as claimed, in a sentence; empty if it can."""
    if (claim.sha256 is None) != ("data" in claim.files):
        return "data.sha256 is to be null exactly where data.files has the file instead."
    possible = ["features"] if features else []
    if not features or claim.sha256 is not None:
        # Tables on the workers of a Dask cluster are known by their affinities.
        possible.append("operator" if operator.stored_weights is None else "affinities")
    if claim.kind in possible:
        return ""
    return f"data.kind is {written(claim.kind)}, but the data are {' or '.join(possible)}."


def check_weights(claim: DataClaim, weights: Weights | None) -> list[Check]:
    """The weight of every person; nothing to check where there are none on either side."""
    claimed, found = claim.weights_sha256, fingerprint_weights(weights)
    if claimed is None and found is None:
        return []
    words = "The weights are those of the certificate."
    if found is None:
        words = "The certificate counts weight, but no weights were given; pass sample_weight."
    elif claimed is None:
        words = "The certificate counts heads, but weights were given; leave sample_weight out."
    elif claimed != found:
        words = "The weights are not those of the certificate."
    return [Check("weights", claimed == found, words)]


def check_links(claim: DataClaim, links: Links | None) -> list[Check]:
    """Who must be together and who apart; nothing to check where there are no links."""
    found = fingerprint_links(links)
    if not found and not claim.links_sha256:
        return []
    differ = _different(found, claim.links_sha256)
    words = "The links are those of the certificate (must_link, cannot_link)."
    if differ:
        words = f"The links are not those of the certificate: {', '.join(differ)}."
    return [Check("links", not differ, words)]


def check_linked(claim: LabelsClaim, found: LabelsClaim) -> list[Check]:
    """Whether those who must be together or apart are so in the labels, as claimed."""
    if claim.links is None and found.links is None:
        return []
    if claim.links and found.links and identical(_counts(claim.links), _counts(found.links)):
        kept = not found.links.parted and not found.links.joined
        words = (
            "All links are kept." if kept else "Not all links are kept, as the certificate says."
        )
        return [Check("links", True, words)]
    if claim.links is None or found.links is None:
        words = "Links were given, but the certificate has none of them."
        if found.links is None:
            words = "The certificate is of people with links, but no links were given."
        return [Check("links", False, words)]
    words = (
        f"{found.links.parted} must-link(s) of {found.links.nodes} nodes and the cannot-link pairs "
        f"{found.links.joined} of {found.links.apart} are broken; claimed are "
        f"{claim.links.parted} of {claim.links.nodes}, and {claim.links.joined} of "
        f"{claim.links.apart}."
    )
    return [Check("links", False, words)]


def _counts(links: LinksClaim) -> list[Any]:
    """The four claims about links."""
    return [links.nodes, links.parted, links.apart, links.joined]


def _different(found: Mapping[str, str], claimed: Mapping[str, str]) -> list[str]:
    """The names whose fingerprints are not the same."""
    names: set[Any] = set(found) | set(claimed)
    return sorted(str(name) for name in names if found.get(name) != claimed.get(name))
