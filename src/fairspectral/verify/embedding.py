"""The embedding of a certificate, which is not kept: whether one like it can exist."""

from __future__ import annotations

import math

from fairspectral.affinity import AffinityOperator
from fairspectral.affinity.contracted import contract_affinity
from fairspectral.affinity.fringe import Fringe, find_fringe, without_fringe
from fairspectral.certificate import Certificate, EmbeddingClaim, LabelsClaim
from fairspectral.claims import bound_embedding
from fairspectral.constraints import attributes_of
from fairspectral.links import Links
from fairspectral.validation import Attribute
from fairspectral.verification import Check
from fairspectral.verify.comparing import SAME, SAME_BOUND, close, identical, is_number, shown

# Residuals of an embedding that is fair and orthonormal to machine precision are below this.
_RESIDUAL = 1e-8


def check_embedding(
    certificate: Certificate,
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    labels: LabelsClaim,
    links: Links | None,
) -> list[Check]:
    """The objective of the embedding, which nothing but its upper bound can say more of."""
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
    shape = [claim.people, claim.set_aside, claim.columns]
    if not identical(shape, [people, aside, asked]) or not 1 <= asked <= people:
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
    loose = (SAME_BOUND if found.failure else SAME) * asked
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
    if not close(claim.upper_bound, upper, loose) or not close(claim.failure, failure, 0.0):
        return (
            f"The upper bound on the objective is {upper:.6g}, wrong with probability "
            f"{failure:g}, not {shown(claim.upper_bound)} with {shown(claim.failure)}."
        )
    if not is_number(claim.objective) or claim.objective > upper + SAME:
        return (
            f"No {kind} has the claimed objective {shown(claim.objective)}: none is above "
            f"{upper:.6g}."
        )
    if claim.objective < -claim.columns:
        return f"An objective of {claim.objective:.6g} is below all that are possible."
    for name in ("fairness_residual", "orthogonality_residual"):
        value = getattr(claim, name)
        if not (is_number(value) and 0 <= value <= _RESIDUAL * math.sqrt(claim.people)):
            return f"The {name.replace('_', ' ')} {shown(value)} is too far from zero."
    return ""
